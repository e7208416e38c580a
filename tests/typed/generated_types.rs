//! Generated types have `new`, `with_…`, `Debug`, `Clone` and the constants of the model. User
//! types can replace them.

use std::fmt;

use typed_prompty::{Media, Prompt, StaticValue, prompt};

use super::{shown, text};

prompt!(
    Describe,
    "
---
inputs:
  question: { kind: string, required: true }
  photo: { kind: image }
  note: { kind: string }
  words: { kind: integer, default: 50 }
  tags: { kind: array, items: { kind: string } }
---
user:
{% if photo %}See {{ photo }}.{% else %}No photo.{% endif %}
{{ question }}{% if note %} ({{ note }}){% endif %} {{ words }}{% for tag in tags or [] %} {{ tag }}{% endfor %}
"
);

#[test]
fn an_optional_input_accepts_a_value_or_an_option() {
    let (photo, owned, tags) = (Media::new("x.png"), String::from("b"), vec!["t"]);
    let maybe: Option<String> = Some(owned.clone());
    let plain = Describe::new("Why?").with_photo(&photo).with_note(&owned).with_words(9);
    let optional = Describe::new("Why?")
        .with_photo(Some(&photo))
        .with_note(&maybe)
        .with_words(Some(9))
        .with_tags(None);
    assert_eq!(plain.messages().unwrap(), optional.messages().unwrap());
    assert_eq!(plain.clone().with_tags(&tags).tags, Some(&["t"][..]));
    assert_eq!(plain.with_note(maybe.as_deref()).note, Some("b"));
}

#[test]
fn an_image_in_a_condition_is_true_if_it_is_present() {
    assert_eq!(text(&Describe::new("Why?")), "No photo.\nWhy? 50");
    let photo = Media::new("x.png");
    let messages = Describe::new("Why?").with_photo(&photo).messages().unwrap();
    assert_eq!(messages[0].content.len(), 3);
}

struct City {
    name: String,
}

prompt!(
    Compare { cities: &[City], limit: Option<u8>, note: Option<&str>, city: Option<City> },
    "
user:
{% for city in cities %}{{ city.name }} {% endfor %}{{ limit or 3 }}{{ note or '' }}{% if city %}{{ city.name }}{% endif %}
"
);

#[test]
fn a_prompt_with_declared_inputs_has_constructors_debug_and_clone() {
    let cities = [City { name: "Bern".into() }];
    let compare = Compare::new(&cities).with_limit(7).with_note(Some("!"));
    assert_eq!(text(&compare), "Bern 7!");
    let shown = format!("{compare:?}");
    assert_eq!(shown, "Compare { cities: _, limit: Some(7), note: Some(\"!\"), city: _ }");
}

prompt!(Greet { name: String, times: Option<u32> }, user: "Hello {name}", user: "{times:?}");

#[test]
fn a_prompt_of_messages_has_constructors_debug_and_clone() {
    let greet = Greet::new("Ada".to_owned()).with_times(2);
    assert_eq!(greet.clone().messages().unwrap()[1].text(), "Some(2)");
    assert_eq!(format!("{greet:?}"), "Greet { name: \"Ada\", times: Some(2) }");
}

prompt!(
    Order,
    "
---
inputs:
  order:
    kind: object
    required: true
    properties:
      id: { kind: integer, required: true }
      note: { kind: string }
      firstLine: { kind: object, properties: { name: { kind: string, required: true } } }
---
user:
{{ order.id }}{% if order.note %} {{ order.note }}{% endif %}{% if order.firstLine %} {{ order.firstLine.name }}{% endif %}
"
);

#[test]
fn nested_objects_have_constructors() {
    let line = OrderOrderFirstLine::new("bread");
    let order = OrderOrder::new(7).with_note("soon").with_first_line(line);
    assert_eq!(text(&Order::new(order.clone())), "7 soon bread");
    assert_eq!(text(&Order { order: OrderOrder::new(8) }), "8");
}

prompt!(
    Configured,
    "
---
model:
  id: small
  provider: ${env:PROVIDER}
  apiType: chat
  connection: { kind: key, endpoint: 'https://models.example.com', apiKey: very-secret }
  options:
    temperature: 0.2
    maxOutputTokens: 600
    stopSequences: [END]
    additionalProperties: { effort: low, api_key: hidden, path: '${file:x.json}' }
---
user:
Hi
"
);

#[test]
fn the_model_constant_omits_values_that_the_host_decides() {
    const MODEL: typed_prompty::StaticModel = Configured::MODEL;
    assert_eq!((MODEL.id, MODEL.provider, MODEL.api_type), (Some("small"), None, Some("chat")));
    assert_eq!(MODEL.option("temperature"), Some(StaticValue::Float(0.2)));
    assert_eq!(MODEL.option("maxOutputTokens"), Some(StaticValue::Integer(600)));
    assert_eq!(MODEL.option("effort"), Some(StaticValue::String("low")));
    assert_eq!((MODEL.option("api_key"), MODEL.option("path")), (None, None));
    assert!(!format!("{MODEL:?}").contains("secret"));
    assert_eq!(Configured::DEFINITION.model, Some(MODEL));
}

/// A user type without `Debug`, `Clone` and `ToValue`.
struct Passage {
    title: String,
    first_author: Author,
}

struct Author {
    name: String,
}

enum Tone {
    Warm,
}

impl fmt::Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warm => f.write_str("warm"),
        }
    }
}

prompt!(
    #[prompt(types(passages = Passage, tone = Tone, order.lines = &Passage))]
    UserTypes,
    "
---
inputs:
  passages:
    kind: array
    required: true
    items:
      kind: object
      properties:
        title: { kind: string, required: true }
        firstAuthor: { kind: object, required: true, properties: { name: { kind: string, required: true } } }
  tone: { kind: string, enumValues: [warm, cold], default: warm }
  order:
    kind: object
    properties:
      lines: { kind: array, required: true, items: { kind: object, properties: { title: { kind: string, required: true } } } }
---
system:
Be {{ tone }}{% if tone == 'warm' %}!{% endif %}

user:
{% for passage in passages %}{{ passage.title }} by {{ passage.firstAuthor.name }}{% endfor %}
{% if order %}{% for line in order.lines %}{{ line.title }}{% endfor %}{% endif %}
"
);

prompt!(
    #[prompt(types(passages = Passage, order.lines = Passage))]
    UserTypesInEngine,
    "
---
inputs:
  passages:
    kind: array
    required: true
    items: { kind: object, properties: { title: { kind: string, required: true } } }
  order:
    kind: object
    required: true
    properties:
      lines: { kind: array, required: true, items: { kind: object, properties: { title: { kind: string, required: true } } } }
---
user:
{{ passages | map(attribute='title') | sort | join(', ') }}{% for line in order.lines | reverse %}{{ line.title }}{% endfor %}
"
);

#[test]
fn a_user_type_can_replace_a_generated_type() {
    let author = || Author { name: "Ada".into() };
    let passages = [Passage { title: "B".into(), first_author: author() }];
    let lines: Vec<&Passage> = passages.iter().collect();
    let own =
        UserTypes::new(&passages).with_tone(Tone::Warm).with_order(UserTypesOrder::new(&lines));
    let expected = [("system", "Be warm!"), ("user", "B by Ada\nB")];
    assert_eq!(shown(&own), expected.map(|(role, text)| (role.to_owned(), text.to_owned())));
    assert_eq!(UserTypes::DEFINITION.engine_because, None);
    let engine = UserTypesInEngine::new(&passages, UserTypesInEngineOrder::new(&passages));
    assert_eq!(text(&engine), "BB");
    assert!(UserTypesInEngine::DEFINITION.engine_because.is_some());
}

struct Event {
    data: serde_json::Value,
}

prompt!(Compiled { event: &Event }, "user:\n{{ event.data }}{% if event.data %}!{% endif %}");
prompt!(
    Rendered { event: &Event },
    "user:\n{{ event.data }}{% if event.data %}!{% endif %}{{ '' | title }}"
);

#[test]
fn data_prints_the_same_compiled_and_by_the_engine() {
    for data in
        [serde_json::json!("a\"b"), serde_json::json!({"z": [1.0, null]}), serde_json::json!([])]
    {
        let event = Event { data };
        assert_eq!(text(&Compiled::new(&event)), text(&Rendered::new(&event)));
    }
    assert_eq!(Compiled::DEFINITION.engine_because, None);
    assert!(Rendered::DEFINITION.engine_because.is_some());
}

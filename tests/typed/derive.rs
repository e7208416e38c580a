//! User structs as prompts.

use typed_prompty::message::Media;
use typed_prompty::{ContentPart, Message, Prompt, ToValue};

use super::{shown, text};

#[derive(Prompt)]
#[prompt(path = "prompts/support.prompty", allow(unused_input))]
struct Support<'a> {
    company: &'a str,
    passages: Vec<Passage>,
    tone: Option<Tone>,
    history: &'a [Message],
    question: String,
}

struct Passage {
    title: &'static str,
    text: &'static str,
}

#[derive(Clone, Copy, ToValue)]
enum Tone {
    #[prompt(rename = "formal")]
    Formal,
}

#[test]
fn a_struct_provides_the_inputs_of_a_file() {
    let mut support = Support {
        company: "Contoso",
        passages: vec![Passage { title: "Returns", text: " Within 30 days.\n" }],
        tone: None,
        history: &[],
        question: "Why?".into(),
    };
    let messages = shown(&support);
    assert_eq!(messages.len(), 2);
    assert!(messages[0].1.contains("Be friendly"), "{messages:?}");
    assert!(messages[0].1.contains("[1] Returns\nWithin 30 days."), "{messages:?}");
    support.tone = Some(Tone::Formal);
    assert!(shown(&support)[0].1.contains("Be formal"));
    assert_eq!(Support::DEFINITION.name, "support");
}

#[derive(Prompt)]
#[prompt(source = "user:\n{{ firstName }} {{ tone }} {{ level }} {{ photo }}")]
struct Profile<'a> {
    #[prompt(rename = "firstName")]
    first_name: &'a str,
    #[prompt(default = "warm")]
    tone: Option<&'a str>,
    #[prompt(default = 1 + 2)]
    level: Option<i32>,
    #[prompt(kind = "image")]
    photo: Option<Media>,
    #[prompt(skip)]
    cache: Vec<u8>,
}

#[test]
fn fields_can_be_renamed_defaulted_skipped_and_media() {
    let mut profile =
        Profile { first_name: "Ada", tone: None, level: None, photo: None, cache: vec![1] };
    assert_eq!(text(&profile), "Ada warm 3 ");
    profile.tone = Some("cold");
    profile.level = Some(0);
    profile.photo = Some(Media::new("x"));
    let messages = profile.messages().unwrap();
    assert_eq!(messages[0].content.len(), 2);
    assert_eq!(messages[0].content[0], ContentPart::Text("Ada cold 0 ".into()));
    assert_eq!(profile.cache, [1]);
    let names: Vec<&str> = Profile::declared_inputs().iter().map(|input| input.name).collect();
    assert_eq!(names, ["firstName", "tone", "level", "photo"]);
}

#[derive(Prompt)]
#[prompt(source = "user:\n{{ item.name }}{% for part in parts %}{{ part.size }}{% endfor %}")]
struct Nested<'a, P> {
    item: &'a Item,
    parts: Vec<Part<P>>,
}

struct Item {
    name: String,
}

struct Part<P> {
    size: u8,
    #[allow(dead_code)]
    payload: P,
}

#[test]
fn parameters_that_the_template_does_not_read_need_no_bounds() {
    struct Opaque;
    let item = Item { name: "x".into() };
    let parts = vec![Part { size: 1, payload: Opaque }, Part { size: 2, payload: Opaque }];
    assert_eq!(text(&Nested { item: &item, parts }), "x12");
}

#[derive(Prompt)]
#[prompt(source = "user:\nHello")]
struct Nothing;

#[test]
fn a_prompt_needs_no_inputs() {
    assert_eq!(text(&Nothing), "Hello");
    assert!(Nothing::declared_inputs().is_empty());
}

#[derive(ToValue)]
struct Point<T> {
    x: T,
    #[prompt(rename = "height")]
    y: Option<T>,
    kind: Kind,
    #[prompt(skip)]
    #[allow(dead_code)]
    hidden: fn(),
}

#[derive(ToValue)]
enum Kind {
    Plain,
}

#[derive(ToValue)]
struct Wrapped(u8);

#[derive(ToValue)]
struct Pair(u8, &'static str);

#[test]
fn user_types_can_be_values() {
    let point = Point { x: 1, y: None, kind: Kind::Plain, hidden: || {} };
    let shown = point.to_value().to_string();
    assert_eq!(shown, r#"{"x": 1, "height": null, "kind": "Plain"}"#);
    assert_eq!(Wrapped(3).to_value().to_string(), "3");
    assert_eq!(Pair(3, "x").to_value().to_string(), r#"[3, "x"]"#);
}

//! Inputs that are declared in Rust: types of any kind, generic types, and types of other crates.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use typed_prompty::{Message, Prompt, ToValue, prompt};

use super::{shown, text};

/// A type that implements none of our traits.
struct Passage {
    title: String,
    notes: Option<Vec<&'static str>>,
    author: Box<Author>,
    editor: Option<Rc<Author>>,
    #[allow(dead_code)]
    callback: fn(),
}

struct Author {
    name: Cow<'static, str>,
}

fn passage(title: &str) -> Passage {
    let author = Box::new(Author { name: "Ada".into() });
    Passage { title: title.into(), notes: None, author, editor: None, callback: || {} }
}

prompt!(
    Ask { passages: &[Passage], words: u8, note: Option<String> },
    "
user:
{% for passage in passages %}
{{ loop.index }} {{ passage.title | upper }} by {{ passage.author.name }}
{%- if passage.editor %}, edited by {{ passage.editor.name }}{% endif %}
{%- for note in passage.notes %} ({{ note }}){% else %} no notes{% endfor %}
{% endfor %}
{{ words }}{% if note %} {{ note }}{% endif %}
"
);

#[test]
fn fields_of_foreign_types_are_read_through_options_and_boxes() {
    let mut second = passage("two");
    second.notes = Some(vec!["a", "b"]);
    second.editor = Some(Rc::new(Author { name: Cow::Borrowed("Bob") }));
    let passages = [passage("one"), second];
    let ask = Ask { passages: &passages, words: 5, note: Some("!".into()) };
    assert_eq!(
        text(&ask),
        "1 ONE by Ada no notes\n\n2 TWO by Ada, edited by Bob (a) (b)\n\n5 !".to_owned()
    );
}

prompt!(
    ByEngine { passages: &[Passage], words: u8, note: Option<String> },
    "
user:
{% set all = passages %}
{% for passage in passages %}
{{ loop.index }} {{ passage.title | replace('e', 'E') }} by {{ passage.author.name }}
{%- if passage.editor %}, edited by {{ passage.editor.name }}{% endif %}
{%- for note in passage.notes %} ({{ note }}){% else %} no notes{% endfor %}
{% endfor %}
{{ words }}{% if note %} {{ note }}{% endif %}{{ all[0].title }}
"
);

#[test]
fn the_engine_reads_the_same_fields() {
    let mut second = passage("two");
    second.notes = Some(vec!["a", "b"]);
    second.editor = Some(Rc::new(Author { name: Cow::Borrowed("Bob") }));
    let passages = [passage("one"), second];
    let prompt = ByEngine { passages: &passages, words: 5, note: None };
    assert_eq!(
        text(&prompt),
        "1 onE by Ada no notes\n\n2 two by Ada, edited by Bob (a) (b)\n\n5one".to_owned()
    );
}

prompt!(
    Wide<'a, T: ToValue, const N: usize> {
        name: Cow<'a, str>,
        shared: Arc<str>,
        items: [T; N],
        map: BTreeMap<String, i32>,
        table: HashMap<&'a str, bool>,
        letter: char,
        large: u64,
        pair: (i32, &'a str),
    },
    "
user:
{{ name }} {{ shared }} {% for item in items %}{{ item }},{% endfor %} {{ map.a }} {{ map | length }}
{{ table }} {{ letter }} {{ large }} {{ pair }}
{% for key, value in map | items %}{{ key }}={{ value }};{% endfor %}
"
);

#[test]
fn fields_may_be_generic_borrowed_shared_and_maps() {
    let wide = Wide {
        name: Cow::Borrowed("n"),
        shared: "s".into(),
        items: [Some(1), None],
        map: BTreeMap::from([("a".into(), 1), ("b".into(), 2)]),
        table: HashMap::from([("t", true)]),
        letter: 'l',
        large: u64::MAX,
        pair: (1, "x"),
    };
    assert_eq!(
        text(&wide),
        "n s 1,, 1 2\n{\"t\": true} l 18446744073709551615 [1, \"x\"]\na=1;b=2;".to_owned()
    );
}

prompt!(
    Conditions { count: i32, name: Option<&str>, list: Vec<String>, own: Option<Author> },
    "
user:
{% if count > 3 and count <= 10 %}a{% endif %}{% if count == 5 or not name %}b{% endif %}
{%- if name %}c{% elif list %}d{% else %}e{% endif %}{{ 'f' if own else 'g' }}
{%- if name is defined %}h{% endif %}{% if 'x' in list %}i{% endif %}
"
);

#[test]
fn conditions_follow_the_rules_of_templates() {
    let mut conditions = Conditions { count: 5, name: Some("n"), list: vec![], own: None };
    assert_eq!(text(&conditions), "abcgh");
    conditions.own = Some(Author { name: "".into() });
    conditions.name = Some("");
    conditions.count = 11;
    assert_eq!(text(&conditions), "befh");
    conditions.name = None;
    conditions.list = vec!["x".into()];
    assert_eq!(text(&conditions), "bdfi");
}

prompt!(
    Strict { history: Vec<Message>, text: &str },
    "{{ history }}\nuser:\n{{ text }}\n"
);

#[test]
fn a_thread_may_be_owned_and_come_first() {
    let history = vec![Message::assistant("1"), Message::user("2")];
    let shown = shown(&Strict { history, text: "user:\nx" });
    let roles: Vec<&str> = shown.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["assistant", "user", "user"]);
    assert_eq!(shown[2].1, "user:\nx");
}

#[test]
fn a_prompt_can_be_rendered_to_a_string() {
    let prompt = Conditions { count: 0, name: None, list: vec![], own: None };
    let rendered = prompt.render().unwrap();
    assert!(rendered.text().contains("beg"), "{}", rendered.text());
}

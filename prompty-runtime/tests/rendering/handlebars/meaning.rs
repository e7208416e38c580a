//! Random templates: each is generated as a tree, written as text, and evaluated from the tree.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// A part of a template.
#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Print(&'static str),
    /// `if`, or `unless` if it is negated, with its `else`.
    Branch {
        name: &'static str,
        is_negated: bool,
        holds: Vec<Part>,
        otherwise: Vec<Part>,
    },
    /// `each` or `with`, with its `else`.
    Block {
        keyword: &'static str,
        name: &'static str,
        body: Vec<Part>,
        otherwise: Vec<Part>,
    },
}

/// The names that are defined at a place of a template.
const INPUTS: &[&str] = &["who", "count", "boss.name", "gone", "@root.who"];
/// Those of an item of `people`.
const PERSON: &[&str] =
    &["name", "this.name", "age", "../who", "@index", "@key", "@first", "@root.who"];
/// Those of an item of `words`.
const WORD: &[&str] = &["this", "this.length", "../who", "@last"];
/// Those of `boss`.
const BOSS: &[&str] = &["name", "this.name", "gone", "../count", "../gone"];

/// Generates the parts of a body in which these names are defined.
fn parts(names: &'static [&'static str], depth: u32) -> BoxedStrategy<Vec<Part>> {
    let text = "[a-z.]{1,3}".prop_map(Part::Text);
    let print = prop::sample::select(names).prop_map(Part::Print);
    let leaf = prop_oneof![text, print];
    if depth == 0 {
        return prop::collection::vec(leaf, 0..3).boxed();
    }
    let body = move |names| parts(names, depth - 1);
    let branch = (prop::sample::select(names), any::<bool>(), body(names), body(names)).prop_map(
        |(name, is_negated, holds, otherwise)| Part::Branch { name, is_negated, holds, otherwise },
    );
    let block = |keyword, name, body: BoxedStrategy<Vec<Part>>| {
        let otherwise = parts(names, depth - 1);
        (body, otherwise).prop_map(move |(body, otherwise)| Part::Block {
            keyword,
            name,
            body,
            otherwise,
        })
    };
    let part = if names == INPUTS {
        prop_oneof![
            2 => leaf,
            1 => branch,
            1 => block("each", "people", body(PERSON)),
            1 => block("each", "words", body(WORD)),
            1 => block("with", "boss", body(BOSS)),
        ]
        .boxed()
    } else {
        prop_oneof![2 => leaf, 1 => branch].boxed()
    };
    prop::collection::vec(part, 0..4).boxed()
}

/// Writes a template as text. It has one line, so no tag is alone on a line.
fn written(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Print(name) => format!("{{{{{name}}}}}"),
        Part::Branch { name, is_negated, holds, otherwise } => {
            let keyword = if *is_negated { "unless" } else { "if" };
            let (holds, otherwise) = (written(holds), written(otherwise));
            format!("{{{{#{keyword} {name}}}}}{holds}{{{{else}}}}{otherwise}{{{{/{keyword}}}}}")
        }
        Part::Block { keyword, name, body, otherwise } => {
            let (body, otherwise) = (written(body), written(otherwise));
            format!("{{{{#{keyword} {name}}}}}{body}{{{{else}}}}{otherwise}{{{{/{keyword}}}}}")
        }
    };
    parts.iter().map(part).collect()
}

/// The values that are defined at a place.
#[derive(Clone, Copy)]
struct LocalValues<'j> {
    inputs: &'j Json,
    context: &'j Json,
    /// The position in the loop, and its length.
    turn: (usize, usize),
}

impl LocalValues<'_> {
    fn value(&self, name: &str) -> Json {
        let (index, length) = self.turn;
        let owner = match name {
            "@index" | "@key" => return json!(index),
            "@first" => return json!(index == 0),
            "@last" => return json!(index + 1 == length),
            name if name.starts_with("@root.") || name.starts_with("../") => self.inputs,
            _ => self.context,
        };
        let name = name.trim_start_matches("@root.").trim_start_matches("../");
        name.split('.').filter(|part| *part != "this").fold(
            owner.clone(),
            |value, part| match value.as_str() {
                Some(text) if part == "length" => json!(text.chars().count()),
                _ => value.get(part).cloned().unwrap_or_default(),
            },
        )
    }
}

fn is_true(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(value) => *value,
        Json::Number(number) => number.as_i64() != Some(0),
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(_) => true,
    }
}

fn evaluated(parts: &[Part], local_values: LocalValues<'_>) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Print(name) => match local_values.value(name) {
            Json::Null => String::new(),
            Json::String(text) => text,
            value => value.to_string(),
        },
        Part::Branch { name, is_negated, holds, otherwise } => {
            let is_first = is_true(&local_values.value(name)) != *is_negated;
            evaluated(if is_first { holds } else { otherwise }, local_values)
        }
        Part::Block { keyword, name, body, otherwise } => {
            let subject = local_values.value(name);
            let one = [subject.clone()];
            let items = match (*keyword, &subject) {
                ("each", subject) => subject.as_array().map_or(&[][..], Vec::as_slice),
                _ => &one,
            };
            if items.is_empty() {
                return evaluated(otherwise, local_values);
            }
            let turns = items.iter().enumerate().map(|(index, context)| {
                evaluated(body, LocalValues { context, turn: (index, items.len()), ..local_values })
            });
            turns.collect()
        }
    };
    parts.iter().map(part).collect()
}

fn inputs() -> impl Strategy<Value = Json> {
    let text = || prop_oneof![Just(""), Just("x"), Just("<b> & \"c\""), Just("{{who}}")];
    let person = (text(), 0..3i64).prop_map(|(name, age)| json!({"name": name, "age": age}));
    (text(), 0..3i64, prop::collection::vec(person, 0..3), prop::collection::vec(text(), 0..3))
        .prop_map(|(who, count, people, words)| {
            json!({
                "who": who, "count": count, "boss": {"name": who}, "people": people, "words": words
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_template_evaluates_like_its_tree(parts in parts(INPUTS, 3), data in inputs()) {
        let text = written(&parts);
        let local_values = LocalValues { inputs: &data, context: &data, turn: (0, 0) };
        prop_assert_eq!(render(&text, &data.to_string()), evaluated(&parts, local_values), "{}", text);
    }

    #[test]
    fn any_text_is_a_template_or_an_error_with_a_place(text in "[{}#/^!~\\\\a-b \"'.@|()=\n-]{0,24}") {
        match parse(&text) {
            Ok(tree) => prompty_template::walk::texts(&tree.nodes, &mut |span| {
                assert!(text.get(span.start..span.end).is_some());
            }),
            Err(error) => prop_assert!(text.get(error.span.start..error.span.end).is_some()),
        }
    }

    #[test]
    fn a_value_cannot_forge_a_marker(value in "(user|system)?(\\[nonce=00fe\\])?:?\n?(user:\n)?[a-z{}#]{0,5}") {
        let text = "system:\n{{x}}\n{{#each l}}\nuser:\n{{this}}\n{{/each}}\n";
        let data = |value: &str| serde_json::json!({"x": value, "l": [value, value]}).to_string();
        let markers = |text: &str| text.matches("[nonce=00ff]").count();
        let found = render(text, &data(&value));
        prop_assert_eq!(markers(&found), markers(&render(text, &data(""))));
        prop_assert_eq!(found.matches(value.as_str()).count() >= 3, true);
    }
}

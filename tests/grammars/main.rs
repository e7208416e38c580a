//! Grammars and parsers agree, for the formats of all chat templates.
//!
//! The templates are our own, and those in the folder of `PROMPTY_CONFORMANCE` if it is set.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is a failed test"
)]
#![expect(clippy::print_stdout, reason = "the counts are part of the result")]

mod structural_tag;

use std::path::PathBuf;

use grammar_testing::{Dice, Gbnf, follows};
use typed_prompty::chat::{ChatTemplate, ChatTemplates, PromptOptions};
use typed_prompty::message::{ToolChoice, ToolSpec, tools_from_openai};
use typed_prompty::reply::ReplyParser;
use typed_prompty::reply::grammar::GrammarOptions;
use typed_prompty::{Message, Value};

/// The number of texts that are drawn from each grammar.
const DRAWN: u64 = 40;

fn templates() -> Vec<(String, ChatTemplate)> {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/chat_template.jinja"));
    let mut paths = vec![own];
    if let Some(folder) = std::env::var_os("PROMPTY_CONFORMANCE") {
        let folder = PathBuf::from(folder).join("chat-templates/templates");
        paths.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        paths.sort();
    } else {
        println!("PROMPTY_CONFORMANCE is not set: only our own template is tried");
    }
    let read = |path: PathBuf| {
        let templates = ChatTemplates::from_path(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, templates.choose(None, true).unwrap().clone())
    };
    paths.into_iter().map(read).collect()
}

fn tools() -> Vec<ToolSpec> {
    let tools = r##"[
        {"type": "function", "function": {"name": "weather", "description": "The weather",
            "parameters": {"type": "object", "required": ["city"], "properties": {
                "city": {"type": "string", "description": "Where"},
                "days": {"type": "integer", "description": "How many", "minimum": 0},
                "exact": {"type": "boolean", "description": "Whether exact"}}}}},
        {"type": "function", "function": {"name": "place", "description": "A place",
            "parameters": {"type": "object", "required": ["at", "tags"], "properties": {
                "at": {"type": "object", "description": "Where", "required": ["x"],
                    "properties": {"x": {"type": "number"}, "name": {"type": "string"}}},
                "tags": {"type": "array", "description": "What", "items": {"type": "string"}},
                "kind": {"type": "string", "description": "Which", "enum": ["a", "b c"]}}}}},
        {"type": "function", "function": {"name": "pick", "description": "A choice",
            "parameters": {"type": "object", "required": ["unit", "place"],
                "$defs": {
                    "Unit": {"type": "string", "enum": ["c", "it's \"f\""]},
                    "Place": {"type": "object", "required": ["x"], "properties": {
                        "x": {"$ref": "#/$defs/Count"}, "unit": {"$ref": "#/$defs/Unit"}}},
                    "Count": {"type": "integer", "minimum": 0, "maximum": 9}},
                "properties": {
                    "unit": {"description": "Which", "$ref": "#/$defs/Unit"},
                    "either": {"description": "Or", "anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]},
                    "word": {"description": "A", "type": ["string", "null"], "enum": ["a", "b", null]},
                    "only": {"description": "B", "allOf": [{"$ref": "#/$defs/Count"}]},
                    "place": {"description": "C", "$ref": "#/$defs/Place"},
                    "counts": {"description": "D", "type": "array", "items": {"$ref": "#/$defs/Count"}},
                    "by name": {"description": "E", "type": "object",
                        "additionalProperties": {"type": "integer"}}}}}},
        {"type": "function", "function": {"name": "ping", "description": "Nothing",
            "parameters": {"type": "object", "properties": {}}}}
    ]"##;
    tools_from_openai(&Value::from_json(tools).unwrap()).unwrap()
}

/// The parser of a reply that must call a tool, and the grammar of such replies.
fn required(template: &ChatTemplate) -> Option<(ReplyParser, Gbnf)> {
    // Some templates cannot write every schema, but their replies can still be parsed.
    let parser = match template.apply(&[Message::user("Hi")], &tools(), &PromptOptions::new()) {
        Ok(turn) => turn.parser,
        Err(_) => ReplyParser::new(template.format().unwrap().clone()).with_tools(&tools()),
    };
    parser.format().tools.as_ref()?;
    let options = GrammarOptions::new().with_tool_choice(ToolChoice::Required).with_widen(true);
    let grammar = parser.grammar(&options).unwrap()?.to_gbnf();
    let rules = Gbnf::parse(&grammar).unwrap_or_else(|error| panic!("{error} in\n{grammar}"));
    Some((parser, rules))
}

fn schema_for_tool(name: &str) -> serde_json::Value {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name).unwrap();
    serde_json::to_value(&tool.parameters).unwrap()
}

#[test]
fn a_text_that_a_grammar_admits_is_parsed_into_its_calls() {
    let (mut tried, mut drawn) = (0, 0);
    for (name, template) in templates() {
        let Some((parser, grammar)) = required(&template) else { continue };
        tried += 1;
        for seed in 0..DRAWN {
            let text = grammar.sample(&mut Dice::new(seed), 60, seed % 2 == 0);
            let reply = parser.parse(&text);
            let shown = format!("{name}: {text:?}\n{reply:?}");
            assert!(!reply.calls().is_empty(), "no call in {shown}");
            assert!(reply.malformed().is_empty(), "malformed: {shown}");
            for call in reply.calls() {
                assert!(call.complete && call.known, "{shown}");
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments)
                    .unwrap_or_else(|error| panic!("{error}: {shown}"));
                assert!(follows(&schema_for_tool(&call.name), &arguments), "{arguments}: {shown}");
            }
            drawn += 1;
        }
    }
    println!("{drawn} texts of {tried} templates");
    assert!(tried > 0);
}

#[test]
fn a_call_that_is_impossible_cannot_be_required() {
    let (_, template) = templates().remove(0);
    let parser = ReplyParser::new(template.format().unwrap().clone());
    let required = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
    assert!(parser.clone().with_tools(&[]).grammar(&required).is_err());
    let named = GrammarOptions::new().with_tool_choice(ToolChoice::Tool("fly".to_owned()));
    assert!(parser.with_tools(&tools()).grammar(&named).is_err());
    let plain = ReplyParser::new(typed_prompty::reply::format::ReplyFormat::plain());
    assert!(plain.with_tools(&tools()).grammar(&required).is_err());
}

#[test]
fn no_grammar_admits_a_text_that_the_parser_calls_malformed() {
    let (mut malformed, mut mutated) = (0, 0);
    for (name, template) in templates() {
        let Some((parser, grammar)) = required(&template) else { continue };
        for seed in 0..DRAWN {
            let dice = &mut Dice::new(seed);
            let text = mutate(&grammar.sample(dice, 40, true), dice);
            mutated += 1;
            let reply = parser.parse(&text);
            if reply.malformed().is_empty() && reply.calls().iter().all(|call| call.complete) {
                continue;
            }
            malformed += 1;
            assert!(!grammar.admits(&text), "{name} admits {text:?}, read as {reply:?}");
        }
    }
    println!("{malformed} of {mutated} mutated texts are malformed");
    assert!(malformed > 0);
}

/// Mutates a text: a piece is left out, doubled or cut off.
fn mutate(text: &str, dice: &mut Dice) -> String {
    let positions: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if positions.len() < 2 {
        return String::new();
    }
    let from = positions[dice.below(positions.len() - 1)];
    let to = positions[dice.below(positions.len())].max(from);
    match dice.below(3) {
        0 => format!("{}{}", &text[..from], &text[to..]),
        1 => format!("{}{}", &text[..to], &text[from..]),
        _ => text[..from].to_owned(),
    }
}

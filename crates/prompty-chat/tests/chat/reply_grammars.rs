//! Grammars of complete replies in both forms, for the formats of chat templates: our own, and
//! those in the folder `PROMPTY_CONFORMANCE` if it is set.

use std::path::{Path, PathBuf};

use grammar_testing::{Dice, Gbnf};
use prompty_chat::ChatTemplates;
use prompty_core::message::{ToolChoice, ToolSpec, tools_from_openai};
use prompty_core::value::Value;
use prompty_reply::ReplyParser;
use prompty_reply::grammar::GrammarOptions;

use crate::grammar_support::{GrammarForms, Lark};

/// The number of texts that are sampled from each grammar.
const SAMPLES: u64 = 12;

pub(crate) fn templates() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chat/analysis/templates");
    let given = std::env::var_os("PROMPTY_CONFORMANCE");
    let given = given.map(|folder| PathBuf::from(folder).join("chat-templates/templates"));
    let folders = [Some(own), given];
    let files = folders
        .into_iter()
        .flatten()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

fn tools(tools: &str) -> Vec<ToolSpec> {
    tools_from_openai(&Value::from_json(tools).unwrap()).unwrap()
}

/// The parsers of the formats with calls.
fn parsers(tools: &[ToolSpec]) -> Vec<(String, ReplyParser)> {
    let parser = |path: PathBuf| {
        let templates = ChatTemplates::from_path(&path).unwrap();
        let format = templates.choose(None, true).unwrap().format().ok()?;
        format.tools.as_ref()?;
        let parser = ReplyParser::new(format.clone()).with_tools(tools);
        Some((path.display().to_string(), parser))
    };
    templates().into_iter().filter_map(parser).collect()
}

#[test]
fn both_forms_of_a_reply_grammar_admit_its_samples() {
    let tools = tools(
        r#"[{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "required": ["city"], "properties": {
            "city": {"type": "string"}, "days": {"type": "integer"}}}}}]"#,
    );
    let (mut grammars, mut samples) = (0, 0);
    for (name, parser) in parsers(&tools) {
        for choice in [ToolChoice::Auto, ToolChoice::Required] {
            let options = GrammarOptions::new().with_tool_choice(choice);
            let Some(grammar) = parser.grammar(&options).unwrap() else { continue };
            let forms = GrammarForms::of(&grammar.grammar);
            grammars += 1;
            for seed in 0..SAMPLES {
                let text = forms.gbnf.sample(&mut Dice::new(seed), 40, seed % 2 == 0);
                assert!(forms.lark_admits(&text), "{name}: {text:?}");
                samples += 1;
            }
        }
    }
    assert!(grammars > 20, "{samples} texts of {grammars} grammars");
}

/// Tools whose schemas llguidance and our rules interpret in the same way.
const SCHEMAS: &str = r##"[
    {"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "required": ["city", "at"], "properties": {
            "city": {"type": "string", "description": "Where"},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
            "at": {"$ref": "#/$defs/place"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 3}},
        "$defs": {"place": {"required": ["x"], "properties": {
            "x": {"type": "number"},
            "inside": {"anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]}}}}}}},
    {"type": "function", "function": {"name": "note", "parameters": {
        "type": "object", "required": ["kind"], "properties": {
            "kind": {"enum": ["a", "it's \"b\"", null, 3]},
            "data": {},
            "more": {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
            "on": {"type": "boolean"}}}}},
    {"type": "function", "function": {"name": "when", "parameters": {
        "type": "object", "properties": {
            "day": {"type": "string", "format": "date"},
            "place": {"type": "object", "properties": {"code": {"pattern": "^[a-z]{2}$"}}},
            "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 7}}}}},
    {"type": "function", "function": {"name": "ping", "parameters": {
        "type": "object", "properties": {}}}}
]"##;

/// Samples from the grammars of replies with these tools. Returns the number of schemas that are
/// left to llguidance.
fn check_replies(tools: &[ToolSpec]) -> usize {
    let (mut samples, mut left_to_engine, mut further) = (0, 0, 0);
    let choices = [ToolChoice::Auto, ToolChoice::Required].into_iter().cycle();
    for ((name, parser), choice) in parsers(tools).into_iter().zip(choices) {
        let options = GrammarOptions::new().with_tool_choice(choice).with_widen(true);
        let Some(grammar) = parser.grammar(&options).unwrap() else { continue };
        let gbnf = Gbnf::parse(&grammar.to_gbnf()).unwrap();
        let lark = Lark::parse(grammar.to_lark());
        left_to_engine += lark.text.matches("%json").count();
        for seed in 0..SAMPLES / 2 {
            let dice = &mut Dice::new(seed);
            let text = gbnf.sample(dice, 40, seed % 2 == 0);
            // The only escape that llguidance does not know.
            if text.contains("\\/") {
                continue;
            }
            let refused = lark.refused_from(&text).map(String::from_utf8_lossy);
            assert_eq!(refused, None, "{name}: {text:?} is refused by\n{}", lark.text);
            samples += 1;
            let changed = changed(&text, dice);
            if lark.admits(&changed) && !gbnf.admits(&changed) {
                further += 1;
                let reply = parser.parse(&changed);
                assert!(reply.malformed().is_empty(), "{name}: {changed:?}: {reply:?}");
            }
        }
    }
    assert!(samples > 40, "{samples} texts");
    assert!(further < samples / 20, "{further} of {samples}");
    left_to_engine
}

#[test]
fn a_reply_whose_json_is_left_to_llguidance_is_admitted_as_by_gbnf() {
    assert!(check_replies(&tools(SCHEMAS)) > 40);
}

#[test]
fn a_schema_that_llguidance_interprets_differently_becomes_rules() {
    // For a bound with decimals, llguidance refuses some smaller numbers.
    let tools = tools(
        r#"[{"type": "function", "function": {"name": "split", "parameters": {
            "type": "object", "properties": {
                "tags": {"type": "array", "items": {"type": "string"}},
                "by": {"type": "array", "items": {"type": "number", "minimum": 0, "exclusiveMaximum": 0.75}}}}}}]"#,
    );
    assert_eq!(check_replies(&tools), 0);
}

#[test]
fn a_lark_grammar_grows_linearly_with_the_tools() {
    let lark = |count: usize| {
        let name = |at| format!(r#"{{"type": "function", "function": {{"name": "tool{at}"}}}}"#);
        let all: Vec<String> = (0..count).map(name).collect();
        let tools = tools(&format!("[{}]", all.join(",")));
        let (_, parser) = parsers(&tools).remove(0);
        let options = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
        parser.grammar(&options).unwrap().unwrap()
    };
    let [some, many] = [100, 200].map(lark);
    assert!(many.to_lark().len() < 3 * some.to_lark().len());
    let gbnf = Gbnf::parse(&many.to_gbnf()).unwrap();
    let lark = Lark::parse(many.to_lark());
    for seed in 0..SAMPLES {
        let text = gbnf.sample(&mut Dice::new(seed), 20, true);
        assert!(text.contains("\\/") || lark.admits(&text), "{text:?}");
    }
}

/// The text with a piece removed or doubled, or with one more character.
fn changed(text: &str, dice: &mut Dice) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let from = dice.below(characters.len().max(1));
    let to = (from + dice.below(4)).min(characters.len());
    let piece = characters[from..to].to_vec();
    match dice.below(3) {
        0 => drop(characters.drain(from..to)),
        1 => characters.splice(from..from, piece).for_each(drop),
        _ => characters.insert(from, ['"', '{', '<', '1', '\n', '}', '[', 'x'][dice.below(8)]),
    }
    characters.into_iter().collect()
}

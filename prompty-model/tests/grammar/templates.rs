//! Grammars of whole replies in both forms, over the formats of chat templates: our own, and those
//! that `PROMPTY_CONFORMANCE` points to where it is set.

use std::path::{Path, PathBuf};

use grammar_testing::Dice;
use prompty_core::message::{ToolChoice, tools_from_openai};
use prompty_core::value::Value;
use prompty_model::chat::ChatTemplates;
use prompty_model::reply::ReplyParser;
use prompty_model::reply::grammar::GrammarOptions;

use crate::support::Forms;

/// How many texts are drawn from each grammar.
const DRAWN: u64 = 12;

fn templates() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/analysis/templates");
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

#[test]
fn both_forms_of_a_reply_grammar_admit_what_is_drawn_from_it() {
    let tools = r#"[{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "required": ["city"], "properties": {
            "city": {"type": "string"}, "days": {"type": "integer"}}}}}]"#;
    let tools = tools_from_openai(&Value::from_json(tools).unwrap()).unwrap();
    let (mut grammars, mut drawn) = (0, 0);
    for path in templates() {
        let templates = ChatTemplates::from_path(&path).unwrap();
        let Ok(format) = templates.choose(None, true).unwrap().format() else { continue };
        let parser = ReplyParser::new(format.clone()).with_tools(&tools);
        if format.tools.is_none() {
            continue;
        }
        for choice in [ToolChoice::Auto, ToolChoice::Required] {
            let options = GrammarOptions::new().with_tool_choice(choice);
            let Some(grammar) = parser.grammar(&options).unwrap() else { continue };
            let forms = Forms::of(&grammar.grammar);
            grammars += 1;
            for seed in 0..DRAWN {
                let text = forms.gbnf.sample(&mut Dice::new(seed), 40, seed % 2 == 0);
                assert!(forms.lark_admits(&text), "{}: {text:?}", path.display());
                drawn += 1;
            }
        }
    }
    assert!(grammars > 20, "{drawn} texts of {grammars} grammars");
}

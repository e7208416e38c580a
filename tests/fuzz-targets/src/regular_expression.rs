//! Regular expressions: reading one never panics, as the pattern of a schema or of a response
//! template. A grammar from one can be written.

use prompty_core::value::{Map, Value};
use prompty_reply::format::ReplyFormat;
use prompty_reply::grammar::Grammar;
use prompty_reply::grammar::schema::SchemaOptions;

use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(pattern) = read_data::<&str>(data) else { return false };
    let schema = Value::from(Map::from([("pattern", pattern)]));
    let grammar = Grammar::of_schema(&schema, &SchemaOptions::new());
    if let Ok(found) = &grammar {
        assert!(found.widened.is_empty());
        assert!(!found.grammar.to_gbnf().is_empty() && !found.grammar.to_lark().is_empty());
    }
    let calls = Map::from([("open_pattern", pattern), ("close", "</call>")]);
    let fields = Map::from([("tool_calls", Value::from(calls))]);
    let template = Value::from(Map::from([("fields", Value::from(fields))]));
    // An invalid response template is an error.
    let format = ReplyFormat::from_response_template(&template);
    grammar.is_ok() || format.is_ok()
}

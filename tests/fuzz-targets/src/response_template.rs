//! Response templates: reading one never panics, and a template that is read and written is written
//! the same when it is read again.

use prompty_core::value::Value;
use prompty_reply::ReplyParser;
use prompty_reply::format::ReplyFormat;

use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(input) = read_data::<&str>(data) else { return false };
    let (json, text) = input.split_once('\0').unwrap_or((input, ""));
    let Ok(format) = ReplyFormat::from_response_template(&Value::from(json)) else { return false };
    let reply = ReplyParser::new(format.clone()).parse(text);
    let Ok(template) = format.to_response_template() else { return false };
    let again = ReplyFormat::from_response_template(&template).unwrap();
    let twice = again.to_response_template().unwrap();
    assert_eq!(
        ReplyFormat::from_response_template(&twice).unwrap(),
        again,
        "{format:?} reads {reply:?}"
    );
    true
}

//! Formats as JSON: a format is read back unchanged, errors have a place, and any format reads any
//! text.

use prompty_reply::format::ReplyFormat;
use prompty_reply::{FinishReason, ReplyParser};

use crate::inputs::read_data;
use crate::reply_checks;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(input) = read_data::<&str>(data) else { return false };
    let (json, text) = input.split_once('\0').unwrap_or((input, ""));
    match ReplyFormat::from_json(json) {
        Ok(format) => {
            assert_eq!(ReplyFormat::from_json(&format.to_json()).unwrap(), format);
            let _ = format.to_response_template();
            let parser = ReplyParser::new(format);
            reply_checks::check(&parser, text, &[1, 3], FinishReason::End);
            // The format's own texts are in its JSON.
            reply_checks::check(&parser, &format!("{text}{json}"), &[2, 5], FinishReason::End);
            true
        }
        Err(error) => {
            let place = error.place().unwrap();
            assert!(place.line <= json.lines().count().max(1) + 1, "{error:?}");
            false
        }
    }
}

//! Formats as JSON: a format is read back unchanged, errors have a place, and any format reads any
//! text.
#![no_main]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../crates/prompty-reply/tests/reply/properties/reply_checks.rs"]
mod reply_checks;

use libfuzzer_sys::fuzz_target;
use prompty_reply::format::ReplyFormat;
use prompty_reply::{FinishReason, ReplyParser};

fuzz_target!(|input: &str| {
    let (json, text) = input.split_once('\0').unwrap_or((input, ""));
    match ReplyFormat::from_json(json) {
        Ok(format) => {
            assert_eq!(ReplyFormat::from_json(&format.to_json()).unwrap(), format);
            let _ = format.to_response_template();
            let parser = ReplyParser::new(format);
            reply_checks::check(&parser, text, &[1, 3], FinishReason::End);
            // The format's own texts are in its JSON.
            reply_checks::check(&parser, &format!("{text}{json}"), &[2, 5], FinishReason::End);
        }
        Err(error) => {
            let place = error.place().unwrap();
            assert!(place.line <= json.lines().count().max(1) + 1, "{error:?}");
        }
    }
});

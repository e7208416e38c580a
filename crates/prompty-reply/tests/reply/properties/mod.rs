//! Properties of every reply in every format: chunks do not matter, no byte is lost, and written
//! messages are read back.

mod drawn_replies;
mod layouts;
mod plain_text;
mod regressions;
mod reply_checks;
mod round_trip;
mod texts;
mod writer;

use crate::support;
use prompty_reply::format::ReplyFormat;
use prompty_reply::{ReplyOptions, ReplyParser};

/// A format with its name, and the end of the prompt before its replies.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) format: ReplyFormat,
    pub(crate) tail: &'static str,
}

impl Case {
    /// The parser of the format, after the prompt or without one, with or without tools.
    pub(crate) fn parser(&self, has_tools: bool, options: ReplyOptions, tail: &str) -> ReplyParser {
        let parser = ReplyParser::new(self.format.clone()).with_options(options);
        let parser = if has_tools { parser.with_tools(&support::tools()) } else { parser };
        parser.with_prompt_tail(tail)
    }
}

/// All handwritten formats.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, format, tail| Case { name, format, tail };
    vec![
        case("json", support::json(), ""),
        case("json_list", support::json_list(), ""),
        case("json_bare", support::json_bare(), ""),
        case("json_name_is_key", support::json_name_is_key(), ""),
        case("named_json", support::named_json(), ""),
        case("tagged", support::tagged(), ""),
        case("tagged_with_quotes", support::tagged_with_quotes(), ""),
        case("tagged_with_types", support::tagged_with_types(), ""),
        case("nested", support::nested(), ""),
        case("python", support::python(), ""),
        case("quoted_by_token", support::quoted_by_token(), ""),
        case("headed", support::message_headers(), "<|start|>assistant"),
    ]
}

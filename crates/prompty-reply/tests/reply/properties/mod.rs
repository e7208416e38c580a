//! What holds of every reply in every format: cutting never matters, no byte is lost, what is written
//! in a format comes back.

mod found;
mod held;
mod laid_out;
mod layouts;
mod plain;
mod texts;
mod writer;
mod written;

use crate::support;
use prompty_reply::format::ReplyFormat;
use prompty_reply::{ReplyOptions, ReplyParser};

/// A format by its name, and what stands in the prompt where its replies begin.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) format: ReplyFormat,
    pub(crate) tail: &'static str,
}

impl Case {
    /// The parser of the format, behind the prompt or without one, with tools or without.
    pub(crate) fn parser(&self, has_tools: bool, options: ReplyOptions, tail: &str) -> ReplyParser {
        let parser = ReplyParser::new(self.format.clone()).with_options(options);
        let parser = if has_tools { parser.with_tools(&support::tools()) } else { parser };
        parser.with_prompt_tail(tail)
    }
}

/// All formats that are written by hand.
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
        case("headed", support::headed(), "<|start|>assistant"),
    ]
}

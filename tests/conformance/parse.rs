//! Parses rendered text into messages.

use prompty_core::message::thread_from_value;
use prompty_core::value::Value;
use prompty_runtime::nonce::{Rendered, Rich};
use prompty_runtime::parse::{OnForgedMarker, parse, parse_owned};

use crate::frame::{Case, Outcome};
use crate::prompt;

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let threads = case.given("threads").as_object().into_iter().flatten();
    let mut rendered = Rendered::plain(case.given("rendered").as_str().unwrap());
    for (placeholder, messages) in threads {
        let messages: Value = serde_json::from_value(messages.clone()).unwrap();
        let thread = Rich::Thread(thread_from_value(&messages).unwrap());
        rendered = rendered.with_rich(placeholder.as_str(), thread);
    }
    let messages = match parse(&rendered, OnForgedMarker::Error) {
        Ok(messages) => messages,
        Err(error) => return Outcome::Failed(format!("{error:#}")),
    };
    if parse_owned(rendered, OnForgedMarker::Error).ok().as_ref() != Some(&messages) {
        return Outcome::Failed("`parse_owned` and `parse` give different messages".to_owned());
    }
    let found = prompt::messages(&messages);
    prompt::equal(&found, &case.json["expect"]["messages"])
}

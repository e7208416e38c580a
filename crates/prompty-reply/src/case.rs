//! A test case for one reply, for users' own tests: a text and the reply it must be read as,
//! however the text is split into chunks.

use std::fmt;

use super::event::{Event, FinishReason};
use super::format::ReplyFormat;
use super::options::ReplyOptions;
use super::outcome::Reply;
use super::parser::ReplyParser;
use prompty_core::message::ToolSpec;
use prompty_core::value::Value;

/// How often a text is split at pseudo-random positions.
const RANDOM_ROUNDS: u64 = 32;

/// A test case: a model's text and the reply that it must be read as. The text is read as one
/// chunk, by characters, split in two at every position, and in chunks of many sizes. All must give
/// the same reply.
///
/// Parts that are not expected are failures: a case without [`ReplyCase::expect_content`] expects
/// no content.
///
/// ```
/// # mod typed_prompty { pub use prompty_reply as reply; }
/// use typed_prompty::reply::ReplyCase;
/// use typed_prompty::reply::format::{CallShape, JsonCall, Reasoning, ReplyFormat, Tools};
///
/// let mut format = ReplyFormat::plain();
/// format.reasoning = Some(Reasoning::tags("<think>\n", "\n</think>\n\n"));
/// format.tools = Some(
///     Tools::new(CallShape::Json(JsonCall::default()))
///         .with_call("<tool_call>\n", "\n</tool_call>"),
/// );
/// ReplyCase::new(format)
///     .with_prompt_tail("<think>\n")
///     .with_text("Warm?\n</think>\n\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {}}\n</tool_call>")
///     .expect_reasoning("Warm?")
///     .expect_call("weather", "{}")
///     .assert();
/// ```
#[derive(Debug, Clone)]
#[must_use = "a case does nothing until it is run"]
pub struct ReplyCase {
    parser: ReplyParser,
    tools: Option<Vec<ToolSpec>>,
    options: Option<ReplyOptions>,
    tail: Option<String>,
    text: String,
    reason: FinishReason,
    expected: ExpectedReply,
}

/// The expected parts of a reply.
#[derive(Debug, Clone, Default)]
struct ExpectedReply {
    reasoning: String,
    content: String,
    calls: Vec<(String, String)>,
    malformed: usize,
}

impl From<ReplyFormat> for ReplyParser {
    fn from(format: ReplyFormat) -> Self {
        Self::new(format)
    }
}

impl ReplyCase {
    /// A case for a format or a parser.
    pub fn new(parser: impl Into<ReplyParser>) -> Self {
        Self {
            parser: parser.into(),
            tools: None,
            options: None,
            tail: None,
            text: String::new(),
            reason: FinishReason::End,
            expected: ExpectedReply::default(),
        }
    }

    /// Sets the text that the model wrote.
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets the tools that were offered.
    pub fn with_tools(mut self, tools: &[ToolSpec]) -> Self {
        self.tools = Some(tools.to_vec());
        self
    }

    /// Sets the options of the parser.
    pub fn with_options(mut self, options: ReplyOptions) -> Self {
        self.options = Some(options);
        self
    }

    /// Sets the end of the prompt after the opener of the assistant's turn.
    /// [`ReplyCase::with_tools`] and [`ReplyCase::with_options`] discard a tail that the parser
    /// already has.
    pub fn with_prompt_tail(mut self, tail: impl Into<String>) -> Self {
        self.tail = Some(tail.into());
        self
    }

    /// Sets the finish reason.
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.reason = reason;
        self
    }

    /// Sets the complete expected reasoning.
    pub fn expect_reasoning(mut self, reasoning: impl Into<String>) -> Self {
        self.expected.reasoning = reasoning.into();
        self
    }

    /// Sets the complete expected content.
    pub fn expect_content(mut self, content: impl Into<String>) -> Self {
        self.expected.content = content.into();
        self
    }

    /// Adds an expected complete call with its arguments as JSON. Arguments are compared as values.
    pub fn expect_call(mut self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.expected.calls.push((name.into(), arguments.into()));
        self
    }

    /// Sets the expected number of malformed parts. A truncated call is one.
    pub fn expect_malformed(mut self, count: usize) -> Self {
        self.expected.malformed = count;
        self
    }

    /// Runs the case. A text of n bytes is read about n times.
    ///
    /// # Errors
    ///
    /// Returns an error if the reply differs, with all differences.
    pub fn run(&self) -> Result<(), CaseFailure> {
        let parser = self.prepare_parser();
        let reply = parser.parse_finished(&self.text, self.reason);
        let mut differences = Vec::new();
        self.expected.compare(&reply, &mut differences);
        if let Err(difference) = self.check_chunks(&parser, &reply) {
            differences.push(difference);
        }
        let regions = parser.regions(&self.text);
        let joined: String = regions.iter().map(|(_, piece)| piece.as_str()).collect();
        if joined != self.text {
            differences.push(difference("the bytes of all channels", &self.text, &joined));
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(CaseFailure { text: self.text.clone(), differences })
    }

    /// Runs the case in a test.
    ///
    /// Panics with a report if the case fails.
    #[track_caller]
    pub fn assert(&self) {
        if let Err(failure) = self.run() {
            #[expect(clippy::panic, reason = "its purpose is to fail a test; `run` does not panic")]
            {
                panic!("{failure}");
            }
        }
    }

    fn prepare_parser(&self) -> ReplyParser {
        let mut parser = self.parser.clone();
        if let Some(options) = &self.options {
            parser = parser.with_options(options.clone());
        }
        if let Some(tools) = &self.tools {
            parser = parser.with_tools(tools);
        }
        match &self.tail {
            Some(tail) => parser.with_prompt_tail(tail),
            None => parser,
        }
    }

    /// Reads the text in chunks of many sizes. Returns the first difference as an error.
    fn check_chunks(&self, parser: &ReplyParser, complete: &Reply) -> Result<(), String> {
        let text = self.text.as_str();
        let expected = read_stream(parser, &[text], self.reason);
        if expected.reply != *complete {
            return Err(
                "a stream of one chunk and a complete parse give different replies".to_owned()
            );
        }
        let check = |how: &dyn Fn() -> String, chunks: &[&str]| {
            let got = read_stream(parser, chunks, self.reason);
            if got == expected {
                return Ok(());
            }
            Err(difference(&how(), &expected.lines.join("\n"), &got.lines.join("\n")))
        };
        let characters: Vec<&str> = text.split("").filter(|piece| !piece.is_empty()).collect();
        check(&|| "in chunks of one character".to_owned(), &characters)?;
        for (at, _) in text.char_indices().skip(1) {
            let Some((left, right)) = text.split_at_checked(at) else { continue };
            check(&|| format!("split at byte {at} into {left:?} and {right:?}"), &[left, right])?;
        }
        for seed in 1..=RANDOM_ROUNDS {
            let chunks = random_chunks(text, seed);
            check(&|| format!("in the chunks {chunks:?}"), &chunks)?;
        }
        Ok(())
    }
}

impl ExpectedReply {
    fn compare(&self, reply: &Reply, differences: &mut Vec<String>) {
        if self.reasoning != reply.reasoning() {
            differences.push(difference("reasoning", &self.reasoning, reply.reasoning()));
        }
        if self.content != reply.content() {
            differences.push(difference("content", &self.content, reply.content()));
        }
        let got: Vec<_> = reply.calls().iter().filter(|call| call.complete).collect();
        if self.calls.len() != got.len() {
            let names = |names: Vec<&str>| format!("{}, {names:?}", names.len());
            differences.push(difference(
                "complete calls",
                &names(self.calls.iter().map(|(name, _)| name.as_str()).collect()),
                &names(got.iter().map(|call| call.name.as_str()).collect()),
            ));
        }
        for (index, ((name, arguments), call)) in self.calls.iter().zip(got).enumerate() {
            if *name != call.name {
                differences.push(difference(&format!("call {index}, name"), name, &call.name));
            }
            let (wanted, got) = (Value::from_json(arguments), Value::from_json(&call.arguments));
            if wanted.is_err() {
                differences.push(format!(
                    "call {index}: the expected arguments {arguments:?} are not valid JSON"
                ));
            } else if wanted.ok() != got.ok() {
                let what = format!("call {index}, arguments");
                differences.push(difference(&what, arguments, &call.arguments));
            }
        }
        if self.malformed != reply.malformed().len() {
            let got: Vec<String> = reply
                .malformed()
                .iter()
                .map(|malformed| format!("{:?} ({})", malformed.text, malformed.reason))
                .collect();
            differences.push(difference(
                "malformed parts",
                &self.malformed.to_string(),
                &format!("{}: {}", got.len(), got.join(", ")),
            ));
        }
    }
}

fn difference(what: &str, expected: &str, got: &str) -> String {
    format!("{what}:\n  expected {}\n  got      {}", format_lines(expected), format_lines(got))
}

/// Formats one line unchanged, and several lines as a list.
fn format_lines(text: &str) -> String {
    if text.contains('\n') {
        format!("{:?}", text.split('\n').collect::<Vec<_>>())
    } else {
        text.to_owned()
    }
}

/// The events of a stream, with adjacent ones of one kind joined, and the reply that they add up
/// to.
#[derive(Debug, PartialEq)]
struct StreamedReply {
    lines: Vec<String>,
    reply: Reply,
}

fn read_stream(parser: &ReplyParser, chunks: &[&str], reason: FinishReason) -> StreamedReply {
    let mut events: Vec<(String, String)> = Vec::new();
    let mut reply = Reply::default();
    let mut add = |event: Event<'_>| {
        let (what, text) = match event {
            Event::Reasoning { text } => ("reasoning".to_owned(), text),
            Event::Content { text } => ("content".to_owned(), text),
            Event::Arguments { index, text } => (format!("arguments {index}"), text),
            other => (format!("{other:?}"), ""),
        };
        match events.last_mut() {
            Some((last, all)) if *last == what => all.push_str(text),
            _ => events.push((what, text.to_owned())),
        }
        reply.add(event);
    };
    let mut stream = parser.stream();
    for piece in chunks {
        stream.push(piece).for_each(&mut add);
    }
    stream.finish(reason).for_each(&mut add);
    let lines = events.into_iter().map(|(what, text)| format!("{what} {text:?}")).collect();
    StreamedReply { lines, reply }
}

/// Splits a text into chunks of up to about 16 bytes. The same seed gives the same chunks.
fn random_chunks(text: &str, seed: u64) -> Vec<&str> {
    // Marsaglia's xorshift is random enough here, and the same on every platform.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut chunks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = 1 + (next() >> 32) % (1 + next() % 16);
        let length = usize::try_from(length).unwrap_or(1);
        let end = (length..rest.len()).find(|end| rest.is_char_boundary(*end));
        let (piece, after) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
        chunks.push(piece);
        rest = after;
    }
    chunks
}

/// The differences between the expected reply and the reply that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFailure {
    text: String,
    differences: Vec<String>,
}

impl CaseFailure {
    /// The differences, each with the expected and the actual value.
    pub fn differences(&self) -> &[String] {
        &self.differences
    }
}

impl fmt::Display for CaseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reply {:?} does not match the test case", self.text)?;
        self.differences.iter().try_for_each(|difference| write!(f, "\n{difference}"))
    }
}

impl std::error::Error for CaseFailure {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{CallShape, JsonCall, Reasoning, Tools};

    fn case(text: &str) -> ReplyCase {
        let mut format = ReplyFormat::plain();
        format.reasoning = Some(Reasoning::tags("<a>", "</a>"));
        let tools = Tools::new(CallShape::Json(JsonCall::default()));
        format.tools = Some(tools.with_call("<c>", "</c>"));
        ReplyCase::new(format).with_text(text)
    }

    #[test]
    fn expected_reply_passes() {
        case("<a>Hm.</a>Yes.<c>{\"name\": \"f\", \"arguments\": {\"b\": 1, \"a\": 2}}</c><c>{\"na")
            .expect_reasoning("Hm.")
            .expect_content("Yes.")
            .expect_call("f", "{\"a\": 2, \"b\": 1}")
            .expect_malformed(1)
            .with_finish_reason(FinishReason::Length)
            .run()
            .unwrap();
        case("Hm.</a>Yes.")
            .with_prompt_tail("<a>")
            .expect_reasoning("Hm.")
            .expect_content("Yes.")
            .assert();
        let options = ReplyOptions::default().with_reasoning_in_content(true);
        case("<a>Hm.</a>").with_options(options).expect_content("<a>Hm.</a>").assert();
    }

    #[test]
    fn differences_are_reported() {
        let failure = case("<a>Hm.</a>Yes.<c>{\"name\": \"f\", \"arguments\": {}}</c>")
            .expect_content("No.")
            .expect_call("g", "{\"a\": 1}")
            .expect_malformed(2)
            .run()
            .unwrap_err();
        assert_eq!(
            failure.differences(),
            [
                "reasoning:\n  expected \n  got      Hm.",
                "content:\n  expected No.\n  got      Yes.",
                "call 0, name:\n  expected g\n  got      f",
                "call 0, arguments:\n  expected {\"a\": 1}\n  got      {}",
                "malformed parts:\n  expected 2\n  got      0: ",
            ]
        );
        assert!(failure.to_string().starts_with("the reply \"<a>Hm.</a>Yes."));
    }

    #[test]
    fn unexpected_calls_are_reported() {
        let failure = case("<c>{\"name\": \"f\", \"arguments\": {}}</c>").run().unwrap_err();
        assert_eq!(
            failure.differences(),
            ["complete calls:\n  expected 0, []\n  got      1, [\"f\"]"]
        );
    }

    #[test]
    #[should_panic(expected = "content:")]
    fn failed_assertion_panics_with_the_report() {
        case("Yes.").assert();
    }

    #[test]
    fn random_chunks_add_up_to_the_text() {
        let text = "äöü and 日本語, 😀".repeat(20);
        for seed in 0..100 {
            assert_eq!(random_chunks(&text, seed).concat(), text);
        }
        assert!(random_chunks(&text, 1) != random_chunks(&text, 2));
    }
}

//! The work of parsing is linear in the length of the text, for any text and any chunks.

use serde_json::json;
use typed_prompty::reply::format::{Arguments, CallShape, ReplyFormat};
use typed_prompty::reply::{FinishReason, ReplyParser};
use work_counting::{Work, check_linear, count_work};

use super::markers::markers;
use super::messages::{AssistantMessage, MessageCall};
use super::subjects::{Subject, subjects};
use super::writing::write;

const SMALL: usize = 4 * 1024;

/// For each template, one reply out of this number is parsed, and other ones for the next template.
/// With `THOROUGH=1`, all replies are parsed.
const SHARE: usize = 3;

/// The word that a long text replaces.
const PLACEHOLDER: &str = "zqhereqz";

#[test]
fn a_reply_16_times_as_long_takes_16_times_the_work() {
    let share = if std::env::var_os("THOROUGH").is_some() { 1 } else { SHARE };
    let (mut counted, mut failed) = (0, Vec::new());
    for (number, subject) in subjects().enumerate() {
        for (index, reply) in replies(subject).into_iter().enumerate() {
            if (index + number) % share != 0 {
                continue;
            }
            for chunk in [None, Some(4)] {
                counted += 1;
                let work = |length| work_of_reading(&reply.parser, &(reply.text)(length), chunk);
                if let Err(growth) = check_linear(SMALL, work) {
                    let cut = if chunk.is_some() { "in 4-character chunks" } else { "complete" };
                    failed.push(format!("{}: {}, {cut}: {growth}", subject.name, reply.what));
                }
            }
        }
    }
    println!("linear: {counted} replies of 4 KB to 64 KB");
    assert!(failed.is_empty(), "{} grow too fast:\n{}", failed.len(), failed.join("\n"));
}

/// A reply of any length.
struct LongReply {
    what: String,
    parser: ReplyParser,
    text: Box<dyn Fn(usize) -> String>,
}

/// Replies to the prompt of a template, with a long text at each possible place.
fn replies(subject: &Subject) -> Vec<LongReply> {
    let mut replies = Vec::new();
    let message = |reasoning: Option<&str>, content: Option<&str>, calls: Vec<MessageCall>| {
        AssistantMessage {
            reasoning: reasoning.map(str::to_owned),
            content: content.map(str::to_owned),
            calls,
        }
    };
    let places = [
        ("reasoning", message(Some(PLACEHOLDER), Some("Well."), Vec::new())),
        ("content", message(None, Some(PLACEHOLDER), Vec::new())),
        ("an argument", message(None, None, vec![call(PLACEHOLDER)])),
    ];
    for (place, message) in places {
        let Ok(written) = write(subject, &message.to_message(), &message.tools(), None) else {
            continue;
        };
        let Some((before, after)) = written.reply.split_once(PLACEHOLDER) else { continue };
        for (kind, filler) in fillers(subject.format()) {
            let (before, after) = (before.to_owned(), after.to_owned());
            let text = move |length: usize| format!("{before}{}{after}", filled(&filler, length));
            let (what, parser) = (format!("{kind} in {place}"), written.parser.clone());
            replies.push(LongReply { what, parser, text: Box::new(text) });
        }
    }
    replies.extend(many_calls(subject));
    replies
}

fn call(text: &str) -> MessageCall {
    MessageCall {
        id: "idOfCall0".to_owned(),
        name: "search".to_owned(),
        arguments: json!({"it": text}),
    }
}

/// Consecutive calls. The text of one more call is the difference between three calls and two.
fn many_calls(subject: &Subject) -> Option<LongReply> {
    let written = |calls: usize| {
        let calls = vec![call("What?"); calls];
        let message = AssistantMessage { reasoning: None, content: None, calls };
        write(subject, &message.to_message(), &message.tools(), None).ok()
    };
    let (two, three) = (written(2)?, written(3)?);
    let more = three.reply.len().checked_sub(two.reply.len()).filter(|more| *more > 0)?;
    let pairs = two.reply.bytes().zip(three.reply.bytes());
    let mut same = pairs.take_while(|(a, b)| a == b).count();
    while !three.reply.is_char_boundary(same) || !three.reply.is_char_boundary(same + more) {
        same -= 1;
    }
    let (before, after) = three.reply.split_at(same);
    let (before, after) = (before.to_owned(), after.to_owned());
    let text = move |length: usize| {
        format!("{before}{}{}", after[..more].repeat(length / more), &after[more..])
    };
    Some(LongReply { what: "many calls".to_owned(), parser: two.parser, text: Box::new(text) })
}

/// Texts that are hard to parse if they are repeated.
fn fillers(format: &ReplyFormat) -> Vec<(&'static str, String)> {
    let markers = markers(format);
    let cut = markers.all.iter().map(|marker| {
        let mut characters = marker.chars();
        characters.next_back();
        characters.as_str()
    });
    let mut close = String::new();
    let mut open = String::new();
    if let Some(reasoning) = &format.reasoning {
        open += &reasoning.open.to_string();
        close += &reasoning.close.to_string();
    }
    if let Some(tools) = &format.tools {
        open += &format!("{}{}", tools.section_open, tools.call_open);
        close += &format!("{}{}", tools.call_close, tools.section_close);
        if let CallShape::Named(call) = &tools.shape {
            open += &call.prefix.to_string();
            if let Arguments::Tagged { value_close, .. } = &call.arguments {
                close = format!("{value_close}{value_close}{close}");
            }
        }
    }
    let mut fillers = vec![
        ("words", "lorem ipsum ".to_owned()),
        ("`<`", "<".to_owned()),
        ("white space", " \n".to_owned()),
        ("blanks", " ".to_owned()),
        ("braces", "{".to_owned()),
        ("brackets", "[".to_owned()),
        ("quotes and backslashes", "\\\\\"'".to_owned()),
        ("cut markers", cut.collect()),
        ("openers", open),
        ("closers", close),
    ];
    fillers.retain(|(_, filler)| !filler.is_empty());
    fillers
}

/// Repeats a text up to a length.
fn filled(filler: &str, length: usize) -> String {
    let mut text = filler.repeat(length / filler.len() + 1);
    while text.len() > length || !text.is_char_boundary(text.len()) {
        text.pop();
    }
    text
}

/// The work of parsing a reply, complete or in chunks of this number of characters.
fn work_of_reading(parser: &ReplyParser, mut text: &str, chunk: Option<usize>) -> Work {
    let mut stream = parser.stream();
    let ((), work) = count_work(|| {
        while !text.is_empty() {
            let end = chunk.and_then(|characters| text.char_indices().nth(characters));
            let (piece, after) = text.split_at(end.map_or(text.len(), |(at, _)| at));
            stream.push(piece).for_each(drop);
            text = after;
        }
        stream.finish(FinishReason::End).for_each(drop);
    });
    work
}

//! Reading takes time in proportion to the text, whatever stands in it and however it is cut.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::json;
use typed_prompty::reply::format::{Arguments, CallShape, ReplyFormat};
use typed_prompty::reply::{FinishReason, ReplyParser};

use crate::markers::markers;
use crate::messages::{Called, Said};
use crate::subjects::{Subject, subjects};
use crate::writing::write;

const SMALL: usize = 4 * 1024;
const LARGE: usize = 64 * 1024;

/// How much longer a text 16 times as long may take.
const LIMIT: f64 = 20.0;

/// How often a pair is measured before it counts as too slow: other programs run beside the test.
const TRIES: usize = 6;

/// Of the measurements one in so many is made for each template, others for the next; all with
/// `THOROUGH=1`.
const SHARE: usize = 6;

/// The word that stands where a long text is put.
const HERE: &str = "zqhereqz";

#[test]
fn a_reply_16_times_as_long_takes_at_most_20_times_as_long() {
    let share = if std::env::var_os("THOROUGH").is_some() { 1 } else { SHARE };
    let (mut measured, mut worst, mut failed) = (0, 0.0_f64, Vec::new());
    for (number, subject) in subjects().enumerate() {
        for (index, reply) in replies(subject).into_iter().enumerate() {
            if (index + number) % share != 0 {
                continue;
            }
            for chunk in [None, Some(4)] {
                let growth = growth(&reply, chunk);
                measured += 1;
                worst = worst.max(growth);
                if growth > LIMIT {
                    let cut = if chunk.is_some() { "in 4-character chunks" } else { "whole" };
                    let what = &reply.what;
                    failed.push(format!("{}: {what}, {cut}: x{growth:.1}", subject.name));
                }
            }
        }
    }
    println!("linear: {measured} pairs of 4 KB and 64 KB, the worst growth x{worst:.1}");
    assert!(failed.is_empty(), "{} grow too fast:\n{}", failed.len(), failed.join("\n"));
}

/// A reply in two lengths.
struct Long {
    what: String,
    parser: ReplyParser,
    small: String,
    large: String,
}

/// Replies to a template's prompt with a long text in every place.
fn replies(subject: &Subject) -> Vec<Long> {
    let mut replies = Vec::new();
    let said = |reasoning: Option<&str>, content: Option<&str>, calls: Vec<Called>| Said {
        reasoning: reasoning.map(str::to_owned),
        content: content.map(str::to_owned),
        calls,
    };
    let places = [
        ("reasoning", said(Some(HERE), Some("Well."), Vec::new())),
        ("content", said(None, Some(HERE), Vec::new())),
        ("an argument", said(None, None, vec![call(HERE)])),
    ];
    for (place, said) in places {
        let Ok(written) = write(subject, &said.message(), &said.tools(), None) else { continue };
        let Some((front, behind)) = written.reply.split_once(HERE) else { continue };
        for (kind, filler) in fillers(subject.format()) {
            let text = |length: usize| format!("{front}{}{behind}", filled(&filler, length));
            let (what, parser) = (format!("{kind} in {place}"), written.parser.clone());
            replies.push(Long { what, parser, small: text(SMALL), large: text(LARGE) });
        }
    }
    replies.extend(many_calls(subject));
    replies
}

fn call(text: &str) -> Called {
    Called { id: "idOfCall0".to_owned(), name: "search".to_owned(), arguments: json!({"it": text}) }
}

/// Calls one behind another: what the template writes for three of them more than for two.
fn many_calls(subject: &Subject) -> Option<Long> {
    let written = |calls: usize| {
        let calls = vec![call("What?"); calls];
        let said = Said { reasoning: None, content: None, calls };
        write(subject, &said.message(), &said.tools(), None).ok()
    };
    let (two, three) = (written(2)?, written(3)?);
    let more = three.reply.len().checked_sub(two.reply.len()).filter(|more| *more > 0)?;
    let pairs = two.reply.bytes().zip(three.reply.bytes());
    let mut same = pairs.take_while(|(a, b)| a == b).count();
    while !three.reply.is_char_boundary(same) || !three.reply.is_char_boundary(same + more) {
        same -= 1;
    }
    let (front, behind) = three.reply.split_at(same);
    let text = |length: usize| {
        format!("{front}{}{}", behind[..more].repeat(length / more), &behind[more..])
    };
    let (small, large) = (text(SMALL), text(LARGE));
    Some(Long { what: "many calls".to_owned(), parser: two.parser, small, large })
}

/// Texts that are hard to read, again and again.
fn fillers(format: &ReplyFormat) -> Vec<(&'static str, String)> {
    let markers = markers(format);
    let begun = markers.all.iter().map(|marker| {
        let mut letters = marker.chars();
        letters.next_back();
        letters.as_str()
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
        ("begun markers", begun.collect()),
        ("openers", open),
        ("closers", close),
    ];
    fillers.retain(|(_, filler)| !filler.is_empty());
    fillers
}

/// A text again and again, up to a length.
fn filled(filler: &str, length: usize) -> String {
    let mut text = filler.repeat(length / filler.len() + 1);
    while text.len() > length || !text.is_char_boundary(text.len()) {
        text.pop();
    }
    text
}

/// How much longer the large reply takes than the small one, by the best times of both.
fn growth(reply: &Long, chunk: Option<usize>) -> f64 {
    let (mut small, mut large) = (Duration::MAX, Duration::MAX);
    let mut growth = f64::INFINITY;
    for _ in 0..TRIES {
        // The small one so often that it takes about as long to measure.
        let all = (0..16).map(|_| read(&reply.parser, &reply.small, chunk)).min();
        small = small.min(all.unwrap_or_default());
        large = large.min(read(&reply.parser, &reply.large, chunk));
        growth = large.as_secs_f64() / small.as_secs_f64();
        if growth <= LIMIT {
            break;
        }
    }
    growth
}

/// How long it takes to read a text, whole or in chunks of so many characters.
fn read(parser: &ReplyParser, mut text: &str, chunk: Option<usize>) -> Duration {
    let mut stream = parser.stream();
    let started = busy();
    while !text.is_empty() {
        let end = chunk.and_then(|characters| text.char_indices().nth(characters));
        let (piece, behind) = text.split_at(end.map_or(text.len(), |(at, _)| at));
        stream.push(piece).for_each(drop);
        text = behind;
    }
    stream.finish(FinishReason::End).for_each(drop);
    busy().saturating_sub(started)
}

/// How long this thread has been at work, where the system tells, else the time that has passed:
/// other programs may run in between.
fn busy() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system counts when a thread lets others go first.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|told| told.split(' ').next()?.parse().ok());
    told.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

//! Replies: a text is read the same however it is split, and none of its bytes is lost. Complete
//! calls contain JSON, and twice the text takes twice the work.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../crates/prompty-reply/tests/reply/support.rs"]
mod support;

use std::hint::black_box;

use prompty_reply::format::ReplyFormat;
use prompty_reply::{CallsInReasoning, FinishReason, ReplyOptions, ReplyParser};
use work_counting::{Work, check_linear, count_work};

use crate::reply_checks;

const FORMATS: [fn() -> ReplyFormat; 11] = [
    support::json,
    support::json_list,
    support::json_bare,
    support::json_name_is_key,
    support::named_json,
    support::tagged,
    support::tagged_with_types,
    support::nested,
    support::python,
    support::quoted_by_token,
    support::message_headers,
];

fn parser(format: ReplyFormat, flags: u8) -> ReplyParser {
    let options = ReplyOptions::default()
        .with_reasoning_in_content(flags & 1 != 0)
        .with_stop_at_first_call(flags & 6 == 6)
        .with_calls_in_reasoning(match flags >> 3 & 3 {
            0 => CallsInReasoning::End,
            1 => CallsInReasoning::Text,
            _ => CallsInReasoning::ByOpener,
        });
    let options = if flags & 32 != 0 {
        options.with_content_schema(prompty_core::value::Map::new())
    } else {
        options
    };
    let tail = match (flags >> 6, &format.headers, &format.reasoning) {
        (0, Some(headers), _) => headers.open.to_string(),
        (0, None, Some(reasoning)) => reasoning.open.to_string(),
        _ => String::new(),
    };
    let parser = ReplyParser::new(format).with_options(options);
    let parser = if flags & 2 != 0 { parser.with_tools(&support::tools()) } else { parser };
    parser.with_prompt_tail(&tail)
}

/// The work to read a repeated text in small pieces.
fn count_reading(parser: &ReplyParser, text: &str, times: usize, size: usize) -> Work {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
    let mut stream = parser.stream();
    let ((), work) = count_work(|| {
        for piece in std::iter::repeat_n(&pieces, times).flatten() {
            black_box(stream.push(piece).count());
        }
        black_box(stream.finish(FinishReason::End).count());
    });
    work
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let [format, flags, reason, sizes @ .., _] = data else { return false };
    let Some((sizes, text)) = sizes.split_at_checked(3) else { return false };
    let text = String::from_utf8_lossy(text);
    let parser = parser(FORMATS[usize::from(*format) % FORMATS.len()](), *flags);
    let reason = match reason % 4 {
        0 => FinishReason::Length,
        1 => FinishReason::Stop,
        2 => FinishReason::Cancelled,
        _ => FinishReason::End,
    };
    reply_checks::check(&parser, &text, sizes, reason);

    // The work is only counted for some texts, because that takes long.
    if !text.is_empty() && sizes[0] % 32 == 0 {
        let (few, size) = (2_048 / text.len() + 1, usize::from(sizes[1] % 8) + 1);
        if let Err(growth) = check_linear(few, |times| count_reading(&parser, &text, times, size)) {
            panic!("the work grows faster than {text:?}: {growth}");
        }
    }
    true
}

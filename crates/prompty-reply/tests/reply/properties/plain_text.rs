//! Replies that are only text take a separate code path, which must give the same result as the
//! machine.

use prompty_reply::{FinishReason, ReplyOptions};

use super::{cases, reply_checks};

/// White space at the start of a text: that of markers, and other white space.
const LEADS: [&str; 5] = ["", "\n", "\n\n", " \n\n ", "\u{a0}\n"];

/// Text after the white space.
const WORDS: [&str; 9] = ["", "Hm", "Hm.\n\n", "日本 \u{2003}", "{", "[1]", "} a", "a < b", "<mu"];

/// The maximum length of a text on this path.
const LONG: usize = 4096;

/// Ends of prompts: none, in reasoning, after it, in content, and incomplete markers.
const TAILS: [&str; 8] = [
    "",
    "<muse>",
    "<muse>\n",
    "<muse>\n\n</muse>",
    "<muse>\n\n</muse>\n\n",
    "One ",
    "<mu",
    "<|start|>assistant<|channel|>final<|message|>",
];

/// Reasoning as such or in the content, with and without the prompt's part of the message.
fn options() -> [ReplyOptions; 3] {
    [(false, false), (true, false), (true, true)].map(|(kept, prepended)| {
        ReplyOptions::default().with_reasoning_in_content(kept).with_prepend_continued(prepended)
    })
}

#[test]
fn plain_text_is_read_as_by_the_machine() {
    for case in cases() {
        for tail in TAILS.into_iter().chain([case.tail]) {
            for (options, has_tools) in
                options().into_iter().flat_map(|it| [(it.clone(), true), (it, false)])
            {
                let parser = case.parser(has_tools, options, tail);
                for (lead, words) in LEADS.into_iter().flat_map(|lead| WORDS.map(|it| (lead, it))) {
                    let text = format!("{lead}{words}");
                    reply_checks::check(&parser, &text, &[1, 7, 3], FinishReason::End);
                }
            }
        }
    }
}

#[test]
fn plain_text_of_any_length_is_content() {
    for case in cases().iter().filter(|case| case.tail.is_empty()) {
        let parser = case.parser(true, ReplyOptions::default(), "");
        for length in [LONG - 1, LONG, LONG + 1] {
            let text = "a".repeat(length);
            let reply = reply_checks::check(&parser, &text, &[255, 3], FinishReason::Length);
            assert_eq!(reply.content(), text, "{}", case.name);
        }
    }
}

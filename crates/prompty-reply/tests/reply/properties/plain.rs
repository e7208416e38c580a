//! Replies that are nothing but text are read on a way of their own: it tells what the machine tells.

use prompty_reply::{FinishReason, ReplyOptions};

use super::{cases, held};

/// White space that a text may begin with: what markers have around them, and other.
const LEADS: [&str; 5] = ["", "\n", "\n\n", " \n\n ", "\u{a0}\n"];

/// What may follow it.
const WORDS: [&str; 9] = ["", "Hm", "Hm.\n\n", "日本 \u{2003}", "{", "[1]", "} a", "a < b", "<mu"];

/// How long a text may be that is read so.
const LONG: usize = 4096;

/// Ends of prompts: none, in reasoning, behind it, in content, and such that may go on.
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

/// Reasoning as such or in the content, what the prompt has of the message told or not.
fn options() -> [ReplyOptions; 3] {
    [(false, false), (true, false), (true, true)].map(|(kept, prepended)| {
        ReplyOptions::default().with_reasoning_in_content(kept).with_prepend_continued(prepended)
    })
}

#[test]
fn text_alone_is_read_as_the_machine_reads_it() {
    for case in cases() {
        for tail in TAILS.into_iter().chain([case.tail]) {
            for (options, has_tools) in
                options().into_iter().flat_map(|it| [(it.clone(), true), (it, false)])
            {
                let parser = case.parser(has_tools, options, tail);
                for (lead, words) in LEADS.into_iter().flat_map(|lead| WORDS.map(|it| (lead, it))) {
                    let text = format!("{lead}{words}");
                    held::check(&parser, &text, &[1, 7, 3], FinishReason::End);
                }
            }
        }
    }
}

#[test]
fn text_alone_of_any_length_is_content() {
    for case in cases().iter().filter(|case| case.tail.is_empty()) {
        let parser = case.parser(true, ReplyOptions::default(), "");
        for length in [LONG - 1, LONG, LONG + 1] {
            let text = "a".repeat(length);
            let reply = held::check(&parser, &text, &[255, 3], FinishReason::Length);
            assert_eq!(reply.content(), text, "{}", case.name);
        }
    }
}

//! Replies that are drawn from the layout of a format are read by all its readers.

use super::{cases, drawn_replies};

#[test]
fn all_readers_of_a_format_agree_with_its_layout() {
    for case in cases() {
        if let Err(failures) = drawn_replies::check(&case.format, 60) {
            panic!("{}: {}", case.name, failures.join("\n"));
        }
    }
}

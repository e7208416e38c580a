//! What is drawn from the layout of a format is what all its readers read.

use super::{cases, laid_out};

#[test]
fn all_readers_of_a_format_are_held_to_its_layout() {
    for case in cases() {
        if let Err(failures) = laid_out::check(&case.format, 60) {
            panic!("{}: {}", case.name, failures.join("\n"));
        }
    }
}

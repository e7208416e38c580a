//! A prompt of the format's first version works, and one warning says what it is.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(Ask, "./ask.prompty");

fn main() {
    let _ = Ask::new("Why?");
}

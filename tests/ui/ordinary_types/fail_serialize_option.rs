//! `Serialize` takes the place of no check: a value that may be missing needs a guard, and one from
//! outside cannot be printed into instructions.

use serde::Serialize;
use typed_prompty::{Untrusted, prompt};

#[derive(Serialize)]
pub struct Note {
    pub text: String,
}

pub struct Event {
    pub note: Option<Note>,
}

prompt!(Ask { event: &Event, from: Untrusted<Note> }, "
system:
{{ event.note }} {{ from }}
");

fn main() {}

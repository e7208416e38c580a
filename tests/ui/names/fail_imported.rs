//! An imported type has the name of one that a prompt generates.

use typed_prompty::prompt;

mod voice {
    pub struct SupportTone;
}

use voice::SupportTone;

pub fn speak(_: SupportTone) {}

prompt!(pub Support, "./files/support.prompty");

fn main() {}

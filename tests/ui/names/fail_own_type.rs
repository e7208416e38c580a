//! A type of the user's has the name of one that a prompt generates.

use typed_prompty::prompt;

prompt!(pub Support, "./files/support.prompty");

pub struct SupportPassagesItem;

fn main() {}

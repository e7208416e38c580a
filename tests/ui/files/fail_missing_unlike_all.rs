//! A file that does not exist, in a folder that does not exist.

use typed_prompty::prompt;

prompt!(Ask, "./no/such/folder.prompty");

fn main() {}

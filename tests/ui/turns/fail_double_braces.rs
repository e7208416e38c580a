//! Two braces are text in the short form.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(Greet { name: &str }, user: "Hello {{ name }}");

fn main() {}

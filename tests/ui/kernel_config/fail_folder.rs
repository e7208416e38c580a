//! A mistake in the template beside a configuration is shown in the template's file.

use typed_prompty::prompt;

prompt!(Greet, "./wrong_folder/config.json");

fn main() {}

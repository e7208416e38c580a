//! A configuration that is no YAML.

use typed_prompty::prompt;

prompt!(Greet, "./not_yaml.yaml");

fn main() {}

//! A variable that the configuration does not declare, shown in the YAML file.

use typed_prompty::prompt;

prompt!(Greet, "./unknown_variable.yaml");

fn main() {}

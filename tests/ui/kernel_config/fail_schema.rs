//! A schema that is no JSON, in a configuration in JSON.

use typed_prompty::prompt;

prompt!(Write, "./schema.json");

fn main() {}

//! A unit struct is `null` to serde.

use typed_prompty::tools::Tool;

/// The time.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Now;

fn main() {}

//! A type whose name providers refuse.

use typed_prompty::tools::Tool;

/// The size.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Größe {
    city: String,
}

fn main() {}

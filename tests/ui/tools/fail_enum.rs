//! An enum in the place of a struct.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
enum Weather {
    Warm,
    Cold,
}

fn main() {}

//! A struct that serde reads as its only field.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
struct Weather {
    city: String,
}

fn main() {}

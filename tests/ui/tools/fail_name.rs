//! A name that providers refuse.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[tool(name = "get weather")]
struct Weather {
    city: String,
}

fn main() {}

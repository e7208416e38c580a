//! A key that does not exist.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[tool(descripton = "The weather.")]
struct Weather {
    city: String,
}

fn main() {}

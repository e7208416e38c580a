//! A field with options that only parameters have.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    #[tool(description = "The city.")]
    city: String,
}

fn main() {}

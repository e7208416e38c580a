//! A variant has no options.

use typed_prompty::tools::{Tool, ToolSet};

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    city: String,
}

#[derive(ToolSet)]
enum Action {
    #[tool(name = "forecast")]
    Weather(Weather),
}

fn main() {}

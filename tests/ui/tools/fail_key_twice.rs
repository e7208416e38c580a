//! A key that is given twice.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[tool(name = "a", name = "b")]
struct Weather {
    city: String,
}

fn main() {}

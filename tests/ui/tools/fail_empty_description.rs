//! A description without words.

use typed_prompty::tools::Tool;

#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[tool(description = " ")]
struct Weather {
    city: String,
}

fn main() {}

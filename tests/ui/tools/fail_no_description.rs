//! A struct that says nothing to the model.

use typed_prompty::tools::Tool;

#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    city: String,
}

fn main() {}

//! Arguments have names.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather(String);

fn main() {}

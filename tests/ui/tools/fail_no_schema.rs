//! A struct without a schema.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize)]
struct Weather {
    city: String,
}

fn main() {}

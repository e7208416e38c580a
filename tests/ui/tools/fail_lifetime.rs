//! Arguments that borrow.

use typed_prompty::tools::Tool;

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather<'a> {
    city: &'a str,
}

fn main() {}

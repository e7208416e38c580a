//! Two tools of one name.

use typed_prompty::tools::{Tool, ToolSet};

/// The weather.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    city: String,
}

/// Another.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
#[tool(name = "weather")]
struct Forecast {
    days: u8,
}

#[derive(ToolSet)]
enum Action {
    Weather(Weather),
    Forecast(Forecast),
}

fn main() {}

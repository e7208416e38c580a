//! A variant that holds what is no tool.

use typed_prompty::tools::ToolSet;

struct Weather {
    city: String,
}

#[derive(ToolSet)]
enum Action {
    Weather(Weather),
}

fn main() {}

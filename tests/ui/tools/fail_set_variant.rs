//! A variant holds one tool.

use typed_prompty::tools::ToolSet;

#[derive(ToolSet)]
enum Action {
    Weather { city: String },
    Now,
}

fn main() {}

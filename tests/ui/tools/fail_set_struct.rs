//! Only an enum is a set.

use typed_prompty::tools::ToolSet;

#[derive(ToolSet)]
struct Action {
    city: String,
}

fn main() {}

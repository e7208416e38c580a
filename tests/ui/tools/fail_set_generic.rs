//! A set of tools that are not known.

use typed_prompty::tools::ToolSet;

#[derive(ToolSet)]
enum Action<T> {
    Weather(T),
}

fn main() {}

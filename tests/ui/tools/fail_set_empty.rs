//! A set without tools.

use typed_prompty::tools::ToolSet;

#[derive(ToolSet)]
enum Action {}

fn main() {}

//! All that is wrong is told at once, and the stubs keep rustc quiet.

use typed_prompty::message::ToolCall;
use typed_prompty::tools::{ToolSet, tool};

#[tool(name = "send it")]
fn send(to: &str, (a, b): (String, String)) -> usize {
    to.len() + a.len() + b.len()
}

#[derive(ToolSet)]
enum Action {
    Send(SendArguments),
}

fn used() -> bool {
    let _ = Action::tools();
    Action::from_call(&ToolCall::new("1", "send", "{}")).is_ok()
}

fn main() {}

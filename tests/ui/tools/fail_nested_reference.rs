//! Parameters that borrow inside of their types.

use std::borrow::Cow;

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send<'a>(to: Option<&str>, text: Cow<'a, str>, signed: Cow<'static, str>) -> usize {
    to.map_or(0, str::len) + text.len() + signed.len()
}

fn main() {}

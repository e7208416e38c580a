//! A function that only a trait declares.

use typed_prompty::tools::tool;

trait Mail {
    /// Sends.
    #[tool]
    fn send(text: String) -> usize;
}

fn main() {}

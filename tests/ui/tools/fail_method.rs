//! A method.

use typed_prompty::tools::tool;

struct Mail;

impl Mail {
    /// Sends.
    #[tool]
    fn send(&self, text: String) -> usize {
        text.len()
    }
}

fn main() {}

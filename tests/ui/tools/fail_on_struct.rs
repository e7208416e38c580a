//! The attribute of functions on a struct.

use typed_prompty::tools::tool;

/// The weather.
#[tool]
struct Weather {
    city: String,
}

fn main() {}

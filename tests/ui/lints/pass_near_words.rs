//! Prose that is no marker.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
Note: be brief.
The user: {{ name }}
"
);

#[test]
fn main() {
    let _ = Ask { name: "x" };
}

//! Any files of a template become one text that is a valid template, with every place in one of the
//! files, or diagnostics with places in them. The files are separated by `%%%`; the names are `a`,
//! `b` and so on.

use prompty_template::jinja::assembly::{WhiteSpace, assemble};
use prompty_template::jinja::{Dialect, parse};
use prompty_template::walk;

use crate::assertions::{assert_assembled, is_limit};
use crate::inputs::read_data;

/// Texts that exceed the limits of the parser: blocks, branches, brackets, operators and length.
fn too_large() -> [String; 5] {
    [
        "{% if x %}".repeat(1_000),
        format!("{{% if x %}}{}", "{% elif x %}".repeat(1_000)),
        format!("{{{{ {}", "(".repeat(1_000)),
        format!("{{{{ x{} }}}}", " + x".repeat(5_000)),
        "x".repeat((1 << 20) + 1),
    ]
}

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(input) = read_data::<(bool, bool, &str)>(data) else { return false };
    let (trim_blocks, lstrip_blocks, text) = input;
    let options = WhiteSpace { trim_blocks, lstrip_blocks };
    let is_readable = |text: &str| parse(text, &Dialect::PROMPT).is_ok();
    let found = assert_assembled(text, "", is_readable, &|main, body, load| {
        assemble(main, body, options, load)
    });
    let Some(text) = found else { return false };
    match parse(&text, &Dialect::PROMPT) {
        Ok(template) => {
            let left = walk::first_unsupported(&template.nodes);
            assert!(left.is_none_or(|(construct, _)| construct == "autoescape"));
        }
        // Each file alone is within the limits of depth and length, but all together may exceed
        // them.
        Err(error) => {
            let parse = |text: &str| parse(text, &Dialect::PROMPT);
            assert!(is_limit(&error, parse, &too_large()), "{error:?} in {text}");
            return false;
        }
    }
    true
}

//! Any template and partials of Mustache or Handlebars become one text, with every place in one of
//! the files, or diagnostics with places in them. The files are separated by `%%%`; the names are
//! `a`, `b` and so on.

use prompty_template::handlebars::assembly::assemble as assemble_handlebars;
use prompty_template::mustache::assembly::assemble as assemble_mustache;
use prompty_template::mustache::parse;
use prompty_template::walk;

use crate::assertions::{assert_assembled, is_limit};
use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    let is_read = mustache(text);
    handlebars(text) && is_read
}

fn mustache(text: &str) -> bool {
    let is_readable = |text: &str| parse(text).is_ok();
    let Some(text) = assert_assembled(text, ".mustache", is_readable, &assemble_mustache) else {
        return false;
    };
    match parse(&text) {
        Ok(template) => assert!(walk::first_unsupported(&template.nodes).is_none()),
        // Each file alone is within the limit of depth, but all together may exceed it.
        Err(error) => {
            let too_large = ["{{#x}}".repeat(1_000)];
            assert!(is_limit(&error, parse, &too_large), "{error:?} in {text}");
            return false;
        }
    }
    true
}

/// The meaning of a name depends on the place of a partial, so the assembled text may not be a
/// valid template.
fn handlebars(text: &str) -> bool {
    let is_readable = |_: &str| true;
    let found = assert_assembled(text, ".handlebars", is_readable, &assemble_handlebars);
    found.is_some_and(|text| prompty_template::handlebars::parse(&text).is_ok())
}

//! Any template and partials of Mustache or Handlebars become one text, with every place in one of
//! the files, or diagnostics with places in them. The files are separated by `%%%`; the names are
//! `a`, `b` and so on.

use prompty_template::handlebars::assembly::assemble as assemble_handlebars;
use prompty_template::mustache::assembly::assemble as assemble_mustache;
use prompty_template::mustache::parse;
use prompty_template::walk;

use crate::assertions::assert_assembled;
use crate::inputs::read_data;

/// Runs the target on the bytes of a fuzzer. Returns whether they reached its last assertions.
pub fn run(data: &[u8]) -> bool {
    let Some(text) = read_data::<&str>(data) else { return false };
    mustache(text);
    handlebars(text);
    true
}

fn mustache(text: &str) {
    let is_readable = |text: &str| parse(text).is_ok();
    let Some(text) = assert_assembled(text, ".mustache", is_readable, &assemble_mustache) else {
        return;
    };
    match parse(&text) {
        Ok(template) => assert!(walk::first_unsupported(&template.nodes).is_none()),
        // Each file alone is within the limit of depth, but all together may exceed it.
        Err(error) => assert!(error.message.contains("lie deeper"), "{error:?} in {text}"),
    }
}

/// The meaning of a name depends on the place of a partial, so the assembled text may not be a
/// valid template.
fn handlebars(text: &str) {
    let is_readable = |_: &str| true;
    let found = assert_assembled(text, ".handlebars", is_readable, &assemble_handlebars);
    if let Some(text) = found {
        let _ = prompty_template::handlebars::parse(&text);
    }
}

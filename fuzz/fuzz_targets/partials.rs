//! Any template and partials of Mustache or Handlebars become one text, with every place in one of the files, or
//! findings with places in them. The files are parted by `%%%`; the names are `a`, `b` and so on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_template::handlebars::assembly::assemble as assemble_handlebars;
use prompty_template::mustache::assembly::assemble as assemble_mustache;
use prompty_template::mustache::parse;
use prompty_template::walk;
use typed_prompty_fuzz::assert_assembled;

fuzz_target!(|text: &str| {
    mustache(text);
    handlebars(text);
});

fn mustache(text: &str) {
    let can_be_read = |text: &str| parse(text).is_ok();
    let Some(text) = assert_assembled(text, ".mustache", can_be_read, &assemble_mustache) else {
        return;
    };
    match parse(&text) {
        Ok(template) => assert!(walk::first_unsupported(&template.nodes).is_none()),
        // Each file alone keeps to the bounds of depth, and all of them may not.
        Err(error) => assert!(error.message.contains("lie deeper"), "{error:?} in {text}"),
    }
}

/// What names stand for depends on where a partial is written, so what is put together need not be a template.
fn handlebars(text: &str) {
    let can_be_read = |_: &str| true;
    let found = assert_assembled(text, ".handlebars", can_be_read, &assemble_handlebars);
    if let Some(text) = found {
        let _ = prompty_template::handlebars::parse(&text);
    }
}

//! Any files of a template become one text that can be read as a template, with every place in one of the files, or
//! findings with places in them. The files are parted by `%%%`; the names are `a`, `b` and so on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_template::jinja::assembly::{WhiteSpace, assemble};
use prompty_template::jinja::{Dialect, parse};
use prompty_template::walk;
use typed_prompty_fuzz::assert_assembled;

fuzz_target!(|input: (bool, bool, &str)| {
    let (trim_blocks, lstrip_blocks, text) = input;
    let options = WhiteSpace { trim_blocks, lstrip_blocks };
    let can_be_read = |text: &str| parse(text, &Dialect::PROMPT).is_ok();
    let found = assert_assembled(text, "", can_be_read, &|main, body, load| {
        assemble(main, body, options, load)
    });
    let Some(text) = found else { return };
    match parse(&text, &Dialect::PROMPT) {
        Ok(template) => {
            let left = walk::first_unsupported(&template.nodes);
            assert!(left.is_none_or(|(construct, _)| construct == "autoescape"));
        }
        // Each file alone keeps to the bounds of depth and length, and all of them may not.
        Err(error) => {
            let told = ["nested too deep", "longer than", "too long"];
            assert!(told.iter().any(|it| error.message.contains(it)), "{error:?} in {text}");
        }
    }
});

//! Any files of a template become one text that can be read as a template, with every place in one of the files, or
//! findings with places in them. The files are parted by `%%%`; the names are `a`, `b` and so on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_core::diagnostic::{SourceText, Span};
use prompty_core::jinja::assembly::{Reason, Refusal, TemplateFile, WhiteSpace, assemble};
use prompty_core::jinja::{Dialect, parse, walk};
use typed_prompty_fuzz::assert_finding;

fuzz_target!(|input: (bool, bool, &str)| {
    let (trim_blocks, lstrip_blocks, text) = input;
    let text = text.replace('\r', "");
    let mut files = text.split("%%%");
    let main = SourceText::new("main", files.next().unwrap_or_default());
    let others: Vec<SourceText> =
        ('a'..='z').zip(files).map(|(name, text)| SourceText::new(name.to_string(), text)).collect();
    let body = Span::new(0, main.text().len());
    let options = WhiteSpace { trim_blocks, lstrip_blocks };
    let found = assemble(&main, body, options, &mut |name| {
        let file = others.iter().find(|file| file.name() == name);
        let source = file.cloned().ok_or_else(|| {
            let message = format!("there is no file `{name}`");
            Refusal::Missing(Reason { message, help: "write it".to_owned() })
        })?;
        let body = Span::new(0, source.text().len());
        Ok(TemplateFile { source, body })
    });
    found.findings.iter().for_each(|finding| assert_finding(&found.source, finding));
    assert!(found.is_whole || !found.findings.is_empty());
    let text = found.source.text();
    if !found.is_whole || parse(main.text(), &Dialect::PROMPT).is_err() {
        assert_eq!(text, main.text());
        return;
    }
    match parse(text, &Dialect::PROMPT) {
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
    for (at, character) in text.char_indices() {
        let (source, span) = found.source.origin(Span::new(at, at + character.len_utf8()));
        assert!(source.text().get(span.start..span.end).is_some());
    }
});

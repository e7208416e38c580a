//! Any Mustache template and partials become one text that can be read as a template, with every place in one of
//! the files, or findings with places in them. The files are parted by `%%%`; the names are `a`, `b` and so on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prompty_core::diagnostic::{SourceText, Span};
use prompty_core::jinja::assembly::{Reason, Refusal, TemplateFile};
use prompty_core::jinja::walk;
use prompty_core::mustache::assembly::assemble;
use prompty_core::mustache::parse;
use typed_prompty_fuzz::assert_finding;

fuzz_target!(|text: &str| {
    let text = text.replace('\r', "");
    let mut files = text.split("%%%");
    let main = SourceText::new("main", files.next().unwrap_or_default());
    let named = ('a'..='z').map(|name| format!("{name}.mustache"));
    let others: Vec<SourceText> =
        named.zip(files).map(|(name, text)| SourceText::new(name, text)).collect();
    let body = Span::new(0, main.text().len());
    let found = assemble(&main, body, &mut |name| {
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
    if !found.is_whole || parse(main.text()).is_err() {
        assert_eq!(text, main.text());
        return;
    }
    match parse(text) {
        Ok(template) => assert!(walk::first_unsupported(&template.nodes).is_none()),
        // Each file alone keeps to the bounds of depth, and all of them may not.
        Err(error) => assert!(error.message.contains("lie deeper"), "{error:?} in {text}"),
    }
    for (at, character) in text.char_indices() {
        let (source, span) = found.source.origin(Span::new(at, at + character.len_utf8()));
        assert!(source.text().get(span.start..span.end).is_some());
    }
});

//! Assertions that several targets share, about places, errors and renders.

use prompty_check::definition::Inspection;
use prompty_core::diagnostic::{Diagnostic, Severity, SourceSpan, SourceText};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::registry::Registry;
use prompty_runtime::render::PipelineBuilder;
use prompty_template::assembly::{AssembledTemplate, Reason, Refusal, TemplateFile};
use prompty_template::{SyntaxError, Template};

use crate::inputs::{inputs, limits};

/// Panics unless a span is inside of its text, between characters.
pub(crate) fn assert_span(text_in_span: Option<&str>) {
    assert!(text_in_span.is_some(), "the span is outside of its text");
}

/// Panics unless a diagnostic has a span in the source and can be rendered.
pub(crate) fn assert_diagnostic(source: &SourceText, diagnostic: &Diagnostic) {
    assert!(!diagnostic.message.is_empty());
    if let Some(span) = diagnostic.span {
        // It may be in another file of the template.
        let (source, span) = source.origin(span);
        assert_span(span.text_in(source.text()));
    }
    assert!(!diagnostic.render(source).is_empty());
}

/// Panics unless an inspection reports why a definition does not load. An inspection does not know
/// which endpoints its host trusts, and it reads no files and no parts of the template.
pub(crate) fn assert_loading_error(error: &Error, inspection: &Inspection) {
    assert!(!error.to_string().is_empty());
    let is_found_by_loading = matches!(
        error.kind(),
        ErrorKind::UntrustedEndpoint | ErrorKind::FileReference | ErrorKind::TemplateSyntax
    );
    let mut severities = inspection.diagnostics.iter().map(|it| it.severity);
    assert!(is_found_by_loading || severities.any(|it| it == Severity::Error), "{error:?}");
}

/// Panics unless a render may end with an error of this kind, whatever the template and the inputs.
pub(crate) fn assert_render_error(kind: ErrorKind) {
    assert!(
        matches!(
            kind,
            ErrorKind::Render | ErrorKind::Limit | ErrorKind::Undefined | ErrorKind::MissingInput
        ),
        "{kind:?}"
    );
}

/// Panics unless a pipeline accepts the same texts as the parser of the language. Its renders must
/// end early, with a bounded output. Returns whether the template was rendered.
pub(crate) fn assert_renders(
    format: &str,
    registry: &Registry,
    text: &str,
    is_readable: bool,
) -> bool {
    let builder = PipelineBuilder::from_text("t", text).with_format(format).with_registry(registry);
    let pipeline = match builder.with_limits(limits()).build() {
        Ok(pipeline) => pipeline,
        // The file of a partial is missing.
        Err(error) if error.kind() == ErrorKind::FileReference => return false,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax);
            return false;
        }
    };
    assert!(is_readable);
    match pipeline.render(inputs()) {
        Ok(rendered) => {
            assert!(rendered.text().len() <= limits().max_output);
            let _ = rendered.plain_text();
            pipeline.parse(&rendered).unwrap();
            true
        }
        Err(error) => {
            assert_render_error(error.kind());
            false
        }
    }
}

/// Whether an error is that of one of the texts that are too large for a parser.
pub(crate) fn is_limit(
    error: &SyntaxError,
    parse: impl Fn(&str) -> Result<Template, SyntaxError>,
    too_large: &[String],
) -> bool {
    let is_same = |text: &String| parse(text).is_err_and(|it| it.message == error.message);
    too_large.iter().any(is_same)
}

/// The function of a language that assembles a template and its files.
pub(crate) type Assemble<'a> = dyn Fn(
        &SourceText,
        SourceSpan,
        &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
    ) -> AssembledTemplate
    + 'a;

/// Assembles a template and its files, which are separated by `%%%`. The names of the files are
/// `a`, `b` and so on, with an extension. Panics unless the result says correctly whether it is
/// complete, and every place is in one of the files. An incomplete result must leave the template
/// unchanged. Returns the text if it is complete and the template is readable.
pub(crate) fn assert_assembled(
    text: &str,
    ending: &str,
    is_readable: fn(&str) -> bool,
    assemble: &Assemble<'_>,
) -> Option<String> {
    let text = text.replace('\r', "");
    let mut files = text.split("%%%");
    let main = SourceText::new("main", files.next().unwrap_or_default());
    let named = ('a'..='z').map(|name| format!("{name}{ending}"));
    let others: Vec<SourceText> =
        named.zip(files).map(|(name, text)| SourceText::new(name, text)).collect();
    let body = SourceSpan::new(0, main.text().len());
    let found = assemble(&main, body, &mut |name| {
        let file = others.iter().find(|file| file.name() == name);
        let source = file.cloned().ok_or_else(|| {
            let message = format!("unknown file `{name}`");
            Refusal::Missing(Reason { message, help: "create it".to_owned() })
        })?;
        let body = SourceSpan::new(0, source.text().len());
        Ok(TemplateFile { source, body })
    });
    found.findings.iter().for_each(|it| assert_diagnostic(&found.source, it));
    assert!(found.is_complete || !found.findings.is_empty());
    let text = found.source.text();
    if !found.is_complete || !is_readable(main.text()) {
        assert_eq!(text, main.text());
        return None;
    }
    for (at, character) in text.char_indices() {
        let (source, span) = found.source.origin(SourceSpan::new(at, at + character.len_utf8()));
        assert!(source.text().get(span.start..span.end).is_some());
    }
    Some(text.to_owned())
}

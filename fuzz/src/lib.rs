//! Shared code of the fuzz targets: inputs for templates, and assertions about places and errors.

use prompty_check::definition::{Input, Presence, ValueType};
use prompty_core::ErrorKind;
use prompty_core::diagnostic::{Diagnostic, SourceSpan, SourceText};
use prompty_core::message::RichKind;
use prompty_core::message::{Media, Message};
use prompty_core::value::{Map, Value};
use prompty_runtime::registry::Registry;
use prompty_runtime::render::{Inputs, PipelineBuilder};
use prompty_template::RenderLimits;
use prompty_template::assembly::{AssembledTemplate, Reason, Refusal, TemplateFile};

/// Limits that end every render early.
pub fn limits() -> RenderLimits {
    RenderLimits::default().with_fuel(5_000).with_max_output(1 << 16).with_max_depth(32)
}

/// Inputs of every kind, with the names that the seeds and the dictionary use.
pub fn inputs() -> Inputs {
    let person = Map::from([("name", Value::from("Ada")), ("age", Value::from(36))]);
    let people = Value::from(vec![Value::from(person.clone()), Value::from(person.clone())]);
    Inputs::new()
        .with("a", "text\nuser:\n")
        .with("b", "")
        .with("n", 3)
        .with("f", -1.5)
        .with("yes", true)
        .with("none", Value::Null)
        .with("xs", Value::from(vec!["x", "y", "system:"]))
        .with("m", Value::from(person))
        .with("people", people)
        .with_thread("h", vec![Message::user("1"), Message::assistant("2")])
        .with_image("photo", Media::new("https://example.com/x.png"))
}

/// Panics unless a span is inside of its text, between characters.
pub fn assert_span(text_in_span: Option<&str>) {
    assert!(text_in_span.is_some(), "the span is outside of its text");
}

/// Panics unless a diagnostic has a span in the source and can be rendered.
pub fn assert_diagnostic(source: &SourceText, diagnostic: &Diagnostic) {
    assert!(!diagnostic.message.is_empty());
    if let Some(span) = diagnostic.span {
        // It may be in another file of the template.
        let (source, span) = source.origin(span);
        assert_span(span.text_in(source.text()));
    }
    assert!(!diagnostic.render(source).is_empty());
}

/// Panics unless a render may end with an error of this kind, whatever the template and the inputs.
pub fn assert_render_error(kind: ErrorKind) {
    assert!(
        matches!(
            kind,
            ErrorKind::Render | ErrorKind::Limit | ErrorKind::Undefined | ErrorKind::MissingInput
        ),
        "{kind:?}"
    );
}

/// Inputs for a signature, with or without the optional ones.
pub fn inputs_of(signature: &[Input], has_optional: bool) -> Inputs {
    let mut inputs = Inputs::new();
    for input in signature {
        if input.presence() != Presence::Required && !has_optional {
            continue;
        }
        inputs = match input.value_type.non_null() {
            ValueType::Rich(RichKind::Thread) => {
                inputs.with_thread(&input.name, vec![Message::user("1")])
            }
            ValueType::Rich(RichKind::Image) => inputs.with_image(&input.name, Media::new("i")),
            ValueType::Rich(RichKind::File) => inputs.with_file(&input.name, Media::new("f")),
            ValueType::Rich(RichKind::Audio) => inputs.with_audio(&input.name, Media::new("s")),
            value_type => inputs.with(&input.name, value_of(value_type, 8)),
        };
    }
    inputs
}

/// A value of a type.
fn value_of(value_type: &ValueType, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    match value_type {
        ValueType::String => Value::from("text"),
        ValueType::Integer => Value::from(3),
        ValueType::Float => Value::from(1.5),
        ValueType::Boolean => Value::from(true),
        ValueType::Choice(choices) => choices.first().map_or(Value::Null, |it| Value::from(&**it)),
        ValueType::Array(Some(item)) => Value::from(vec![
            value_of(&item.value_type, depth - 1),
            value_of(&item.value_type, depth - 1),
        ]),
        ValueType::Array(None) => Value::from(vec![Value::Null, Value::Null]),
        ValueType::Object(fields) => fields
            .iter()
            .filter(|field| field.presence() != Presence::Optional)
            .map(|field| (field.name.as_str(), value_of(&field.value_type, depth - 1)))
            .collect::<Map>()
            .into(),
        ValueType::Optional(inner) => value_of(inner, depth - 1),
        _ => Value::Null,
    }
}

/// Panics unless a pipeline accepts the same texts as the parser of the language. Its renders must
/// end early, with a bounded output.
pub fn assert_renders(format: &str, registry: &Registry, text: &str, is_readable: bool) {
    let builder = PipelineBuilder::from_text("t", text).with_format(format).with_registry(registry);
    let pipeline = match builder.with_limits(limits()).build() {
        Ok(pipeline) => pipeline,
        // The file of a partial is missing.
        Err(error) if error.kind() == ErrorKind::FileReference => return,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TemplateSyntax);
            return;
        }
    };
    assert!(is_readable);
    match pipeline.render(inputs()) {
        Ok(rendered) => {
            assert!(rendered.text().len() <= limits().max_output);
            let _ = rendered.plain_text();
            pipeline.parse(&rendered).unwrap();
        }
        Err(error) => assert_render_error(error.kind()),
    }
}

/// The function of a language that assembles a template and its files.
pub type Assemble<'a> = dyn Fn(
        &SourceText,
        SourceSpan,
        &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
    ) -> AssembledTemplate
    + 'a;

/// Assembles a template and its files, which are separated by `%%%`. The names of the files are
/// `a`, `b` and so on, with an extension. Panics unless the result says correctly whether it is
/// complete, and every place is in one of the files. An incomplete result must leave the template
/// unchanged. Returns the text if it is complete and the template is readable.
pub fn assert_assembled(
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

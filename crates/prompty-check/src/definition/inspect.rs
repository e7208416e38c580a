//! Reads a front matter and reports all its errors, without resolving references. The macros and
//! the checks of texts use it, because they must not depend on variables and files.

use super::build::{self, Context, References};
use super::doubts::Doubts;
use super::first_version::{self, SampleFile};
use super::node::{Mapping, Node, NodeKind};
use super::yaml::{self, Duplicate, YamlError};
use super::{Definition, front_matter, semantic_kernel};
use std::path::{Path, PathBuf};

use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};

/// The result of [`inspect`].
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The definition, as far as the front matter can be read; `None` if it is not a YAML mapping.
    /// References are not resolved.
    pub definition: Option<Definition>,
    /// All errors and warnings about the front matter, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The source to which all spans refer: the given source with normalised line ends.
    pub source: SourceText,
    /// Whether the inputs are in another file (`inputs: ${file:...}`, or a sample of the first
    /// version) and therefore unknown here.
    pub open_inputs: bool,
    /// The files that were read, in addition to the prompt itself.
    pub files: Vec<PathBuf>,
    /// The declarations that the findings make uncertain.
    #[doc(hidden)]
    pub doubts: Doubts,
}

/// Reads a prompt's front matter, and reports all its errors. It reads no environment variables.
///
/// It reads one other file: the JSON file with samples that a prompt of the first version refers
/// to. The file must be in `folder`, the prompt's own. Without a folder no file is read.
#[doc(hidden)]
pub fn inspect(source: SourceText, folder: Option<&Path>) -> Inspection {
    let mut inspection = Inspection {
        definition: None,
        diagnostics: Vec::new(),
        source: source.normalised(),
        open_inputs: false,
        files: Vec::new(),
        doubts: Doubts::default(),
    };
    let converted = inspection.convert_configuration(folder);
    let parsed = converted.and_then(|findings| Ok((findings, parse_source(&inspection.source)?)));
    match parsed {
        Ok((findings, parsed)) => inspection.build_definition(parsed, findings, folder),
        Err(finding) => inspection.diagnostics.push(*finding),
    }
    inspection
}

impl Inspection {
    /// Converts the source if it is a configuration of Semantic Kernel. Returns the findings about
    /// the configuration.
    fn convert_configuration(
        &mut self,
        folder: Option<&Path>,
    ) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
        if !semantic_kernel::is_configuration(self.source.name()) {
            return Ok(Vec::new());
        }
        let file = folder.and_then(|folder| semantic_kernel::template_file(&self.source, folder));
        let template = file.as_ref().map(|(_, text)| text);
        let converted = semantic_kernel::convert(&self.source, template);
        self.files.extend(file.map(|(path, _)| path));
        let converted = converted?;
        self.source = converted.source;
        Ok(converted.findings)
    }

    /// Builds the definition, and sets all that follows from it. `findings` come before its own.
    fn build_definition(
        &mut self,
        mut parsed: ParsedSource,
        findings: Vec<Diagnostic>,
        folder: Option<&Path>,
    ) {
        let source = self.source.clone();
        let mut context = Context::new(&source, References::Unresolved);
        findings.into_iter().for_each(|finding| context.report(finding));
        build::report_duplicates(&mut context, &parsed.duplicates);
        self.convert_first_version(&mut context, &mut parsed.root, folder);
        let root = root_mapping(&parsed.root);
        let definition = build::definition(&mut context, &source, root, parsed.body);
        let inputs = root.get("inputs");
        self.open_inputs |= inputs.is_some_and(|inputs| context.is_unresolved(inputs));
        self.definition = Some(definition);
        let (diagnostics, misread) = context.finish();
        self.doubts = Doubts::of(root, &diagnostics, &misread);
        self.diagnostics = diagnostics;
        self.diagnostics.sort_by_key(|finding| finding.span.map(|span| span.start));
    }

    /// Converts a front matter of the first version, with the samples in its own file.
    fn convert_first_version(
        &mut self,
        context: &mut Context<'_>,
        root: &mut Node,
        folder: Option<&Path>,
    ) {
        let Some(converted) = first_version::convert(root) else { return };
        context.report(converted.finding());
        let sample = SampleFile::named_in(root);
        *root = converted.root;
        let Some(sample) = sample else { return };
        let read = folder.map(|folder| sample.read(folder));
        self.open_inputs = !matches!(read, Some(Ok(_)));
        match read {
            Some(Ok((path, with_samples))) => {
                self.files.push(path);
                *root = with_samples;
            }
            Some(Err(finding)) => context.report(*finding),
            None => {}
        }
    }
}

/// The first key of a front matter without delimiters, which would be taken for text. The lines
/// must be a map whose first key belongs to a front matter, such as `name: x` above a `---`.
fn undelimited_front_matter(text: &str) -> Option<SourceSpan> {
    let span = front_matter::possible_front_matter(text)?;
    let root = yaml::parse(span.text_in(text)?, span.start).ok()?.root?;
    let (key, entry) = root.as_map()?.iter().next()?;
    build::is_top_level_key(key).then_some(entry.key)
}

/// A source, split into front matter and body. The front matter is parsed.
pub(super) struct ParsedSource {
    /// The front matter, which is always a map.
    pub(super) root: Node,
    pub(super) duplicates: Vec<Duplicate>,
    /// The lines of the front matter; empty if there is none.
    pub(super) front_matter: SourceSpan,
    pub(super) body: SourceSpan,
}

/// The mapping of a front matter; an empty one if `root` is not a map.
pub(super) fn root_mapping(root: &Node) -> &Mapping {
    static EMPTY: std::sync::LazyLock<Mapping> = std::sync::LazyLock::new(Mapping::default);
    root.as_map().unwrap_or(&EMPTY)
}

/// Splits a source with normalised line ends (`\n`) and parses its front matter. All that loads,
/// checks or migrates a prompt reads its source here.
///
/// # Errors
///
/// Returns an error if the front matter has no delimiter before it, is not closed, is not YAML, or
/// is not a mapping.
pub(super) fn parse_source(source: &SourceText) -> Result<ParsedSource, Box<Diagnostic>> {
    let text = source.text();
    let split =
        front_matter::split(text).map_err(|front_matter::UnclosedFrontMatter(opener)| {
            Box::new(never_closed(source, opener))
        })?;
    let empty = || Node::new(NodeKind::Map(std::sync::Arc::default()), SourceSpan::default());
    let Some(span) = split.front_matter else {
        if let Some(key) = undelimited_front_matter(text) {
            let finding = invalid("it does not begin with `---`", key)
                .with_label("the front matter seems to begin here")
                .with_help("write a line with only `---` before it, and another one after it");
            return Err(Box::new(finding));
        }
        return Ok(ParsedSource {
            root: empty(),
            duplicates: Vec::new(),
            front_matter: SourceSpan::default(),
            body: split.body,
        });
    };
    #[expect(clippy::string_slice, reason = "`split` found the front matter in this text")]
    let yaml = &text[span.start..span.end];
    let document = yaml::parse(yaml, span.start)
        .map_err(|error| Box::new(invalid_yaml(error, yaml, source)))?;
    let root = document.root.filter(|root| !root.is_null()).unwrap_or_else(empty);
    if root.as_map().is_none() {
        let message = format!("expected a map of keys to values, found {}", root.kind_name());
        let help = as_yaml(yaml).map_or_else(
            || "write for example `name: greeting`".to_owned(),
            |line| format!("write it as YAML: `{line}`"),
        );
        let finding = invalid(&message, root.span).with_help(help);
        return Err(Box::new(finding));
    }
    Ok(ParsedSource { root, duplicates: document.duplicates, front_matter: span, body: split.body })
}

fn never_closed(source: &SourceText, opener: SourceSpan) -> Diagnostic {
    let finding = invalid("the front matter is never closed", opener).with_label("opened here");
    if let Some(closer) = front_matter::probable_closer(source.text(), opener.start) {
        let line = source.place(closer.start).line;
        return finding.with_help(format!("write `---` alone on line {line}, without indentation"));
    }
    finding
        .with_help("close it with a line that contains only `---`")
        .with_help("or remove this line, if the prompt has no front matter")
}

/// The YAML form of the first line `key = value` in a front matter, if there is one.
fn as_yaml(yaml: &str) -> Option<String> {
    yaml.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.trim();
        let value: String = value.trim().chars().take(40).collect();
        build::is_top_level_key(key).then(|| format!("{key}: {value}"))
    })
}

fn invalid(message: &str, span: SourceSpan) -> Diagnostic {
    Diagnostic::new(Code::FrontMatter, format!("invalid frontmatter: {message}")).with_span(span)
}

/// The finding about an error in YAML. The help is about the probable cause.
fn invalid_yaml(error: YamlError, yaml: &str, source: &SourceText) -> Diagnostic {
    let YamlError { message, span, help } = error;
    let mut diagnostic = invalid(&message, span);
    if let Some(line) = as_yaml(yaml) {
        return diagnostic.with_help(format!("write it as YAML: `{line}`"));
    }
    let line = source.line_at(span.start).1;
    if line.contains("{{") || line.contains("{%") {
        diagnostic = diagnostic.with_help("put a value that begins with a template tag in quotes");
    }
    if let Some(help) = help {
        diagnostic = diagnostic.with_help(help);
    }
    if diagnostic.help.is_empty() {
        let help = "check the brackets, quotes and indentation here and on the lines above";
        diagnostic = diagnostic.with_help(help);
    }
    diagnostic
}

/// Converts a finding into an error.
pub(crate) fn into_error(kind: ErrorKind, finding: &Diagnostic, source: &SourceText) -> Error {
    let mut error = Error::new(kind, finding.message.clone());
    if let Some(span) = finding.span {
        error = error.with_place(source.place(span.start));
    }
    match finding.help.first() {
        Some(help) => error.with_help(help.clone()),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::inspect;
    use prompty_core::diagnostic::{Code, SourceText};

    fn codes(front_matter: &str) -> Vec<(Code, String)> {
        let text = format!("---\n{front_matter}\n---\nBody");
        let inspection = inspect(SourceText::new("t", text), None);
        let found = inspection.diagnostics.into_iter();
        found
            .map(|finding| {
                let span = finding.span.unwrap();
                (
                    finding.code,
                    inspection.source.text().get(span.start..span.end).unwrap().to_owned(),
                )
            })
            .collect()
    }

    fn one(front_matter: &str) -> (Code, String) {
        let mut codes = codes(front_matter);
        assert_eq!(codes.len(), 1, "{codes:?}");
        codes.remove(0)
    }

    #[test]
    fn all_errors_are_found_at_once_in_the_order_of_the_source() {
        let found = codes("name: [a]\ninputs: 3\nmodel: {options: {temperature: hot}}\nzzz: 1");
        assert_eq!(
            found,
            [
                (Code::WrongType, "[a]".to_owned()),
                (Code::WrongType, "3".to_owned()),
                (Code::WrongType, "hot".to_owned()),
                (Code::UnknownKey, "zzz".to_owned()),
            ]
        );
    }

    #[test]
    fn a_duplicate_key_or_input_is_reported_at_its_second_place() {
        assert_eq!(one("name: a\nname: b"), (Code::Duplicate, "name".to_owned()));
        assert_eq!(one("inputs: [{name: x}, {name: x}]"), (Code::Duplicate, "x".to_owned()));
        assert_eq!(one("inputs: {x: 1, x: 2}"), (Code::Duplicate, "x".to_owned()));
    }

    #[test]
    fn unknown_keys_are_found_at_every_level_except_in_connections_and_custom_tools() {
        for front_matter in [
            "flavour: 1",
            "model: {flavour: 1}",
            "model: {options: {flavour: 1}}",
            "inputs: {x: {kind: string, flavour: 1}}",
            "inputs: {x: {kind: array, items: {kind: string, flavour: 1}}}",
            "template: {flavour: 1}",
            "tools: [{name: t, kind: function, flavour: 1}]",
            "tools: [{name: t, kind: mcp, flavour: 1}]",
            "tools: [{name: t, kind: openapi, flavour: 1}]",
        ] {
            assert_eq!(
                one(front_matter),
                (Code::UnknownKey, "flavour".to_owned()),
                "{front_matter}"
            );
        }
        assert!(codes("model: {connection: {kind: mine, flavour: 1}}").is_empty());
        assert!(codes("tools: [{name: t, kind: mine, flavour: 1}]").is_empty());
        assert!(codes("metadata: {flavour: 1}\nkind: prompt").is_empty());
    }

    #[test]
    fn a_key_of_version_1_gets_its_new_name_as_help() {
        let text = "---\nauthors: [a]\nmodel: {options: {max_tokens: 1}}\n---\n";
        let inspection = inspect(SourceText::new("t", text), None);
        let help: Vec<&str> =
            inspection.diagnostics.iter().map(|finding| finding.help[0].as_str()).collect();
        assert_eq!(
            help,
            [
                "use `authors` under `metadata`, its name since version 2",
                "use `maxOutputTokens`, its name since version 2",
            ]
        );
    }

    #[test]
    fn a_misspelt_key_or_kind_gets_a_suggestion() {
        for (front_matter, expected) in [
            ("modle: x", "a key with a similar name exists: `model`"),
            (
                "template: {format: {kind: jinja2, strct: true}}",
                "a key with a similar name exists: `strict`",
            ),
            ("inputs: {x: {kind: strin}}", "a kind with a similar name exists: `string`"),
            (
                "model: {options: {max_output_tokens: 1}}",
                "a key with a similar name exists: `maxOutputTokens`",
            ),
        ] {
            let text = format!("---\n{front_matter}\n---\n");
            let inspection = inspect(SourceText::new("t", text), None);
            assert_eq!(inspection.diagnostics[0].help[0], expected);
        }
        assert!(codes("template: {format: {kind: jinja2, autoescape: true}}").is_empty());
    }

    #[test]
    fn unknown_kinds_and_kinds_of_other_formats_are_found() {
        assert_eq!(one("inputs: {x: {kind: int}}"), (Code::UnknownKind, "int".to_owned()));
        assert_eq!(
            one("inputs: {x: {kind: array, items: txt}}"),
            (Code::UnknownKind, "txt".to_owned())
        );
        let inspection =
            inspect(SourceText::new("t", "---\ninputs: {x: {kind: int}}\n---\n"), None);
        assert_eq!(inspection.diagnostics[0].help[0], "use `integer`");
    }

    #[test]
    fn a_default_must_be_of_its_kind_and_among_the_allowed_values() {
        for (front_matter, place) in [
            ("inputs: {x: {kind: integer, default: 1.5}}", "1.5"),
            ("inputs: {x: {kind: string, default: 5}}", "5"),
            ("inputs: {x: {kind: boolean, default: 'true'}}", "'true'"),
            ("inputs: {x: {kind: string, enumValues: [a, b], default: c}}", "c"),
            ("inputs: {x: {kind: string, enumValues: [1]}}", "1"),
            ("inputs: {x: {kind: array, items: {kind: integer}, default: [a]}}", "[a]"),
            (
                "inputs: {x: {kind: object, properties: {y: {kind: integer}}, default: {y: a}}}",
                "{y: a}",
            ),
            ("inputs: {x: {kind: union, anyOf: [string, integer], default: [1]}}", "[1]"),
            ("inputs: {x: {kind: thread, default: hello}}", "hello"),
        ] {
            assert_eq!(one(front_matter), (Code::WrongDefault, place.to_owned()), "{front_matter}");
        }
        for front_matter in [
            "inputs: {x: {kind: float, default: 1}}",
            "inputs: {x: {kind: integer, default: 1.0}}",
            "inputs: {x: {kind: string, default: null}}",
            "inputs: {x: {kind: union, anyOf: [string, integer], default: 1}}",
            "inputs: {x: {default: [1]}}",
        ] {
            assert_eq!(codes(front_matter), [], "{front_matter}");
        }
    }

    #[test]
    fn a_union_needs_exactly_one_list_of_kinds() {
        for front_matter in [
            "inputs: {x: {kind: union}}",
            "inputs: {x: {kind: union, oneOf: []}}",
            "inputs: {x: {kind: union, oneOf: [string], anyOf: [integer]}}",
        ] {
            assert_eq!(one(front_matter).0, Code::WrongType, "{front_matter}");
        }
    }

    #[test]
    fn a_reference_may_have_a_value_of_any_type() {
        let front_matter = "inputs: ${file:inputs.yaml}\n\
            model: {connection: '${file:c.json}', options: {temperature: '${env:T}'}}\n\
            tools: ${file:tools.yaml}\ntemplate: ${file:t.yaml}";
        assert_eq!(codes(front_matter), []);
        let inspection = inspect(SourceText::new("t", format!("---\n{front_matter}\n---\n")), None);
        assert!(inspection.open_inputs);
    }

    #[test]
    fn a_malformed_front_matter_gives_one_finding_at_its_place() {
        for (text, line) in [
            ("---\nname: [x\n---\n", 2),
            ("---\n- a\n---\n", 2),
            ("---\ntext\n---", 2),
            ("\n---\nname: x", 2),
        ] {
            let inspection = inspect(SourceText::new("t", text), None);
            assert_eq!(inspection.definition, None);
            let finding = &inspection.diagnostics[0];
            assert_eq!(finding.code, Code::FrontMatter);
            assert_eq!(inspection.source.place(finding.span.unwrap().start).line, line, "{text}");
        }
    }
}

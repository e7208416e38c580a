//! Converts Semantic Kernel's prompt configuration, in YAML or JSON, into a prompt.
//!
//! The result is the text of a prompt: a front matter with the settings, and the template. Only the
//! conversion knows the configuration format. Every part of the text keeps its place in the
//! configuration, so messages show lines of the configuration's file.
//!
//! ```text
//! name: weather                          ---
//! template: Weather in {{$city}}?        name: "weather"
//! input_variables:                 ->    inputs:
//!   - name: city                           - {name: "city", kind: string, required: true}
//!                                        template: {format: {kind: semantic-kernel}, parser: …}
//!                                        ---
//!                                        Weather in {{$city}}?
//! ```

use std::path::{Path, PathBuf};

use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, SourceBuilder, SourceSpan, SourceText};
use prompty_core::files::{Roots, Within, read_text};
use prompty_core::value::{Map, Value};

use super::build::duplicate_findings;
use super::node::{Entry, Mapping, Node, NodeKind};
use super::{reference, scalar, schema_kinds, yaml};

/// The kind of the basic template language, which is the default of a configuration.
const BASIC: &str = "semantic-kernel";

/// The keys of a configuration.
const KEYS: [&str; 8] = [
    "name",
    "description",
    "template",
    "template_format",
    "input_variables",
    "output_variable",
    "execution_settings",
    TRUST,
];

/// The keys of an input variable.
const INPUT_KEYS: [&str; 7] =
    ["name", "description", "default", "is_required", "json_schema", "sample", TRUST];

/// The flag that disables the protection against injected messages.
const TRUST: &str = "allow_dangerously_set_content";

/// The settings of a model that a prompt supports, with Semantic Kernel's name first.
const OPTIONS: [(&str, &str); 8] = [
    ("temperature", "temperature"),
    ("max_tokens", "maxOutputTokens"),
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("frequency_penalty", "frequencyPenalty"),
    ("presence_penalty", "presencePenalty"),
    ("seed", "seed"),
    ("stop_sequences", "stopSequences"),
];

/// The name of the configuration's file in the form that is a folder.
pub(super) const CONFIGURATION_FILE: &str = "config.json";

/// The name of the template's file in the same folder.
const TEMPLATE_FILE: &str = "skprompt.txt";

/// The maximum length of the template's file.
const MAX_TEMPLATE_BYTES: usize = 4 << 20;

/// The result of a conversion.
#[derive(Debug)]
pub(super) struct ConvertedConfiguration {
    /// The text of a prompt. Its places are those of the configuration.
    pub(super) source: SourceText,
    /// The findings about the configuration. Their places are in `source`.
    pub(super) findings: Vec<Diagnostic>,
}

/// Whether the name of a source has an extension of configurations, unlike a prompt's file.
pub(crate) fn is_configuration(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').is_some_and(|(_, extension)| {
        ["yaml", "yml", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// The template's file next to a configuration and its path, in the form that is a folder.
pub(super) fn template_file(source: &SourceText, folder: &Path) -> Option<(PathBuf, SourceText)> {
    let prefix = source.name().strip_suffix(CONFIGURATION_FILE)?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(TEMPLATE_FILE);
    let roots = Roots::new([folder]);
    let text = read_text(&path, Within::Roots(&roots), MAX_TEMPLATE_BYTES).ok()?;
    Some((path, SourceText::new(format!("{prefix}{TEMPLATE_FILE}"), text).normalised()))
}

/// Converts a configuration. `template` is the text of `skprompt.txt`, if that exists.
///
/// # Errors
///
/// Returns a finding with its place if the text is not YAML, or if a value has the wrong type.
pub(super) fn convert(
    source: &SourceText,
    template: Option<&SourceText>,
) -> ConversionResult<ConvertedConfiguration> {
    let document = yaml::parse(source.text(), 0).map_err(|error| {
        let message = format!("invalid YAML: {}", error.message);
        let finding = Diagnostic::new(Code::FrontMatter, message).with_span(error.span);
        let help = "close each quotation mark; put a string that contains `: ` or ` #` in quotation \
                    marks, or indent it under `|`";
        Box::new(finding.with_help(error.help.unwrap_or(help)))
    })?;
    let start = SourceSpan::new(0, source.text().chars().next().map_or(0, char::len_utf8));
    let root = document.root.as_ref();
    let Some(configuration) = root.and_then(Node::as_map) else {
        let place = root.map_or(start, |root| root.span);
        let message = "a prompt configuration must be a map of keys to values";
        return type_error(place, message, "write for example `template: \"Hi {{$name}}\"`");
    };
    let mut writer =
        PromptWriter { source, builder: SourceBuilder::new(source.name()), findings: Vec::new() };
    writer.write("---\n", start);
    for (finding, place) in duplicate_findings(&document.duplicates, source) {
        writer.report(finding, place);
    }
    writer.write_prompt(configuration, template, start)?;
    Ok(ConvertedConfiguration { source: writer.builder.finish(), findings: writer.findings })
}

/// A finding about the type of a value.
fn type_finding(span: SourceSpan, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::WrongType, message).with_span(span)
}

/// The error about the type of a value.
fn type_error<T>(span: SourceSpan, message: impl Into<String>, help: &str) -> ConversionResult<T> {
    Err(Box::new(type_finding(span, message).with_help(help)))
}

/// Writes the prompt, part by part.
struct PromptWriter<'s> {
    source: &'s SourceText,
    builder: SourceBuilder,
    findings: Vec<Diagnostic>,
}

type ConversionResult<T = ()> = Result<T, Box<Diagnostic>>;

impl PromptWriter<'_> {
    /// Writes the rest of the front matter, and the template. `start` is the place of the parts that the
    /// configuration does not have.
    fn write_prompt(
        &mut self,
        configuration: &Mapping,
        template: Option<&SourceText>,
        start: SourceSpan,
    ) -> ConversionResult {
        for key in ["name", "description"] {
            if let Some(entry) = configuration.entries.get(key) {
                text(&entry.value, key)?;
                self.write_entry(key, entry)?;
            }
        }
        if let Some(entry) = configuration.entries.get("input_variables") {
            // The basic language can only print a variable.
            let format = configuration.get("template_format").and_then(Node::as_text);
            self.write_inputs(entry, format.is_none_or(|format| format == BASIC))?;
        }
        self.write_model_and_metadata(configuration)?;
        self.write_template_options(configuration, start)?;
        self.report_unused_keys(configuration, &KEYS);
        self.write("---\n", start);
        match (configuration.entries.get("template"), template) {
            (Some(entry), _) => {
                self.write_template(text(&entry.value, "template")?, entry.value.span);
            }
            (None, Some(file)) => self.builder.copy(file, SourceSpan::new(0, file.text().len())),
            (None, None) => {
                let message = "the configuration has no template";
                let help = "write it under `template:`, or in `skprompt.txt` next to this file";
                return type_error(start, message, help);
            }
        }
        Ok(())
    }

    /// Writes a text whose place is that of its cause in the configuration.
    fn write(&mut self, text: &str, cause: SourceSpan) {
        self.builder.write(text, self.source, cause);
    }

    /// Writes a key of the front matter with an unchanged value.
    fn write_entry(&mut self, key: &str, entry: &Entry) -> ConversionResult {
        self.write(&format!("{key}: "), entry.key);
        self.write_value(&entry.value)?;
        self.write("\n", entry.value.span);
        Ok(())
    }

    /// Writes an unchanged value.
    fn write_value(&mut self, node: &Node) -> ConversionResult {
        let value = plain_value(node)?;
        self.write(&value.to_json(), node.span);
        Ok(())
    }

    /// Writes the input variables. `are_texts`: an input without a type is a string.
    fn write_inputs(&mut self, entry: &Entry, are_texts: bool) -> ConversionResult {
        let NodeKind::List(inputs) = &entry.value.kind else {
            let help =
                "write each item with a `name`: `- {name: city, description: Where it rains}`";
            return type_error(entry.value.span, "`input_variables` must be a list", help);
        };
        if inputs.is_empty() {
            return Ok(());
        }
        self.write("inputs:\n", entry.key);
        inputs.iter().try_for_each(|input| self.write_input(input, are_texts))
    }

    fn write_input(&mut self, input: &Node, is_text: bool) -> ConversionResult {
        let Some(mapping) = input.as_map() else {
            let message = format!("an input variable must be a map, found {}", input.kind_name());
            return type_error(input.span, message, "write for example `- name: city`");
        };
        let Some(name) = mapping.entries.get("name") else {
            let message = "an input variable has no name";
            return type_error(input.span, message, "add one: `name: city`");
        };
        text(&name.value, "name")?;
        self.write("  - {name: ", name.key);
        self.write_value(&name.value)?;
        let default = mapping.entries.get("default").filter(|it| !it.value.is_null());
        let schema = match mapping.entries.get("json_schema") {
            Some(entry) => self.write_schema(entry)?,
            None => None,
        };
        let kind = match schema {
            Some(kind) => kind,
            // Defaults are strings in a configuration.
            None if is_text || default.is_some() => {
                self.write(", kind: string", name.key);
                "string".to_owned()
            }
            None => "any".to_owned(),
        };
        if let Some(entry) = mapping.entries.get("description") {
            text(&entry.value, "description")?;
            self.write(", description: ", entry.key);
            self.write_value(&entry.value)?;
        }
        if let Some(entry) = default {
            self.write_default(entry, &kind)?;
        }
        let required = is_required(mapping)?;
        self.write(&format!(", required: {required}}}\n"), input.span);
        self.report_unused_keys(mapping, &INPUT_KEYS);
        Ok(())
    }

    /// Writes a schema as a kind, and completely as `jsonSchema`, so that values are validated.
    /// Returns the kind; `None` if the text is empty.
    fn write_schema(&mut self, entry: &Entry) -> ConversionResult<Option<String>> {
        let written = text(&entry.value, "json_schema")?;
        if written.trim().is_empty() {
            return Ok(None);
        }
        let schema = match Value::from_json(written) {
            Ok(schema @ Value::Object(_)) => schema,
            // The text is often only the name of a type.
            _ if schema_kinds::is_type(written) => Value::from(Map::from([("type", written)])),
            Ok(other) => {
                let message =
                    format!("a JSON schema must be an object, found `{}`", other.to_json());
                return Err(Box::new(type_finding(entry.value.span, message)));
            }
            Err(error) => {
                let message = format!("`json_schema` is not valid JSON: {error}");
                let help = "write the schema as a JSON string: `'{\"type\": \"integer\"}'`";
                return type_error(entry.value.span, message, help);
            }
        };
        reject_references_in(&schema, entry.value.span)?;
        let property = schema_kinds::property(&schema);
        for (key, value) in property.iter() {
            self.write(&format!(", {key}: "), entry.key);
            self.write(&value.to_json(), entry.value.span);
        }
        self.write(", jsonSchema: ", entry.key);
        self.write(&schema.to_json(), entry.value.span);
        let kind = property.get("kind").and_then(Value::as_str);
        Ok(Some(kind.unwrap_or("any").to_owned()))
    }

    /// Writes a default, which is a string in a configuration. It is parsed according to the kind.
    fn write_default(&mut self, entry: &Entry, kind: &str) -> ConversionResult {
        let written = text(&entry.value, "default")?;
        let parsed = match kind {
            "integer" | "float" | "boolean" => {
                Node { kind: scalar::resolve(written), ..entry.value.clone() }.to_value()
            }
            "array" | "object" => {
                Value::from_json(written).unwrap_or_else(|_| Value::from(written))
            }
            _ => Value::from(written),
        };
        reject_references_in(&parsed, entry.value.span)?;
        self.write(", default: ", entry.key);
        self.write(&parsed.to_json(), entry.value.span);
        Ok(())
    }

    /// Writes the settings of the model, and other values that are kept as metadata.
    fn write_model_and_metadata(&mut self, configuration: &Mapping) -> ConversionResult {
        let mut metadata = Vec::new();
        if let Some(entry) = configuration.entries.get("execution_settings") {
            let Some(services) = entry.value.as_map() else {
                let message = "`execution_settings` must be a map of services to their settings";
                return type_error(
                    entry.value.span,
                    message,
                    "write settings for all services under `default`: `default: {temperature: 0.5}`",
                );
            };
            // A prompt has one model: the service `default`, or the only one. The settings of all
            // services are kept as metadata.
            let only = (services.entries.len() == 1).then(|| services.entries.values().next());
            if let Some(settings) = services.entries.get("default").or(only.flatten()) {
                self.write_model(settings)?;
            }
            metadata.push(("execution_settings", entry));
        }
        if let Some(entry) = configuration.entries.get("output_variable") {
            metadata.push(("output_variable", entry));
        }
        let Some((_, first)) = metadata.first() else { return Ok(()) };
        self.write("metadata: {", first.key);
        for (index, (key, entry)) in metadata.iter().enumerate() {
            self.write(if index == 0 { "" } else { ", " }, entry.key);
            self.write(&format!("{key}: "), entry.key);
            self.write_value(&entry.value)?;
        }
        self.write("}\n", first.key);
        Ok(())
    }

    /// Writes the settings of one service as a model.
    fn write_model(&mut self, settings: &Entry) -> ConversionResult {
        let Some(given) = settings.value.as_map() else {
            let message = "the settings of a service must be a map";
            let help = "write for example `default: {temperature: 0.5}`";
            return type_error(settings.value.span, message, help);
        };
        let id = given.get("model_id").or_else(|| given.get("ai_model_id"));
        self.write("model: {", settings.key);
        if let Some(id) = id {
            self.write("id: ", id.span);
            self.write_value(id)?;
            self.write(", ", id.span);
        }
        self.write("options: {", settings.key);
        let mut others = Map::new();
        for (key, entry) in given.iter() {
            if let Some((_, name)) = OPTIONS.iter().find(|(theirs, _)| *theirs == key) {
                if !entry.value.is_null() {
                    self.write(&format!("{name}: "), entry.key);
                    self.write_value(&entry.value)?;
                    self.write(", ", entry.key);
                }
            } else if !["model_id", "ai_model_id", "service_id"].contains(&key) {
                others.insert(key, plain_value(&entry.value)?);
            }
        }
        self.write("additionalProperties: ", settings.key);
        self.write(&Value::from(others).to_json(), settings.key);
        self.write("}}\n", settings.key);
        Ok(())
    }

    /// Writes the format of the template. The parser is always that of message tags.
    fn write_template_options(
        &mut self,
        configuration: &Mapping,
        start: SourceSpan,
    ) -> ConversionResult {
        self.write("template: {format: ", start);
        match configuration.entries.get("template_format") {
            None => self.write(&format!("{{kind: {BASIC}}}"), start),
            Some(entry) => {
                let format = text(&entry.value, "template_format")?;
                if format == "liquid" {
                    let help = "write the template in `semantic-kernel`, `handlebars` or `jinja2`: in Liquid, data \
                                with a colon can open a message";
                    return type_error(
                        entry.value.span,
                        "Liquid templates are not supported",
                        help,
                    );
                }
                reject_reference(format, entry.value.span)?;
                let format = Value::from(format).to_json();
                self.write(&format!("{{kind: {format}}}"), entry.value.span);
            }
        }
        self.write(", parser: {kind: message-tags}}\n", start);
        Ok(())
    }

    /// Writes the template line by line. Each line is searched for in the YAML text of the value at
    /// `span`, and if it is there, it keeps its place. After a line that is not there, because the
    /// string is folded or has escapes, no more are found.
    fn write_template(&mut self, template: &str, span: SourceSpan) {
        let mut start = span.start;
        let mut is_verbatim = true;
        for line in template.split_inclusive('\n') {
            let (words, line_end) = match line.strip_suffix('\n') {
                Some(words) => (words, "\n"),
                None => (line, ""),
            };
            let rest = self.source.text().get(start..span.end);
            let rest = rest.filter(|_| is_verbatim && !words.is_empty());
            match rest.and_then(|rest| rest.find(words)) {
                Some(distance) => {
                    let place = SourceSpan::new(start + distance, start + distance + words.len());
                    self.builder.copy(self.source, place);
                    start = place.end;
                    self.write(line_end, place);
                }
                None => {
                    is_verbatim &= words.is_empty();
                    self.write(line, SourceSpan::new(start, span.end.max(start)));
                }
            }
        }
    }

    /// Reports a finding at a place of the configuration. The key is not written to the prompt, so
    /// an empty comment represents the place there.
    fn report(&mut self, finding: Diagnostic, place: SourceSpan) {
        self.write("#", place);
        let end = self.builder.len();
        self.write("\n", place);
        self.findings.push(finding.with_span(SourceSpan::new(end - 1, end)));
    }

    /// Reports the keys of a map that the conversion ignores.
    fn report_unused_keys(&mut self, map: &Mapping, known: &[&str]) {
        for (key, entry) in map.iter() {
            match key {
                TRUST if matches!(entry.value.kind, NodeKind::Bool(true)) => {
                    self.report_trust_flag(entry.key);
                }
                _ if known.contains(&key) => {}
                _ => self.report_unknown_key(key, entry.key, known),
            }
        }
    }

    fn report_trust_flag(&mut self, key: SourceSpan) {
        let message = format!("`{TRUST}` has no effect");
        let finding = Diagnostic::new(Code::UnknownKey, message)
            .with_label("data never opens a message, and is never escaped")
            .with_help("remove it, and pass existing messages as an input of kind `thread`");
        self.report(finding, key);
    }

    fn report_unknown_key(&mut self, key: &str, place: SourceSpan, known: &[&str]) {
        let shown: String = key.chars().take(40).collect();
        let finding = Diagnostic::new(Code::UnknownKey, format!("unknown key `{shown}`"))
            .with_label("not a key of a prompt configuration");
        let finding = match suggest(key, known) {
            Some(similar) => {
                finding.with_help(format!("a key with a similar name exists: `{similar}`"))
            }
            None => finding.with_help(format!("available keys: `{}`", known.join("`, `"))),
        };
        self.report(finding, place);
    }
}

/// Whether a value for the input must be given, which is the default.
fn is_required(input: &Mapping) -> ConversionResult<bool> {
    match input.get("is_required") {
        None => Ok(true),
        Some(Node { kind: NodeKind::Bool(is_required), .. }) => Ok(*is_required),
        Some(other) => {
            let message = "`is_required` must be true or false";
            let help = "write `is_required: false` or `is_required: true`";
            type_error(other.span, message, help)
        }
    }
}

/// The string under a key.
fn text<'n>(node: &'n Node, key: &str) -> ConversionResult<&'n str> {
    let Some(text) = node.as_text() else {
        let message = format!("`{key}` must be a string, found {}", node.kind_name());
        return type_error(node.span, message, "put it in quotes");
    };
    Ok(text)
}

/// A value without references such as `${env:KEY}`. A configuration has none, but a prompt would
/// resolve them.
fn plain_value(node: &Node) -> ConversionResult<Value> {
    match &node.kind {
        NodeKind::Text(text) => reject_reference(text, node.span)?,
        NodeKind::List(items) => items.iter().try_for_each(|item| plain_value(item).map(|_| ()))?,
        NodeKind::Map(map) => {
            map.iter().try_for_each(|(_, entry)| plain_value(&entry.value).map(|_| ()))?;
        }
        _ => {}
    }
    Ok(node.to_value())
}

/// Rejects references in a value that was parsed from a string of the configuration.
fn reject_references_in(value: &Value, span: SourceSpan) -> ConversionResult {
    match value {
        Value::String(text) => reject_reference(text, span),
        Value::Array(items) => items.iter().try_for_each(|item| reject_references_in(item, span)),
        Value::Object(map) => map.iter().try_for_each(|(_, item)| reject_references_in(item, span)),
        _ => Ok(()),
    }
}

fn reject_reference(text: &str, span: SourceSpan) -> ConversionResult {
    if !reference::is_reference(text) {
        return Ok(());
    }
    let message = "a prompt configuration cannot refer to variables or files";
    type_error(span, message, "write the value itself, or use a `.prompty` file")
}

//! Builds a [`Definition`] from the tree of its front matter (Prompty §2, §4.4).
//!
//! Each module reads one part of the tree with the methods of [`Context`], which report a value of
//! the wrong type. So all mistakes are found at once.

mod context;
mod defaults;
mod input;
mod model;
mod tool;

pub(super) use context::{Context, MisreadKey, References, other_name as other_kind_name};
pub(super) use input::{KEYS as INPUT_KEYS, is_input};

use context::{KnownKeys, join};

use super::host::HostParts;
use super::node::{Entry, Mapping, Node, NodeKind};
use super::yaml::Duplicate;
use super::{Definition, TemplateOptions, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, SourceText};
use prompty_core::message::Role;
use prompty_core::trace::HiddenTexts;
use prompty_core::value::{Map, Value};
use prompty_template::{TEXT, TemplateCache};

const TOP_LEVEL: KnownKeys = KnownKeys {
    place: "the front matter",
    keys: &[
        "name",
        "displayName",
        "description",
        "metadata",
        "model",
        "inputs",
        "outputs",
        "tools",
        "template",
    ],
    renamed: &[
        ("authors", "`authors` under `metadata`"),
        ("tags", "`tags` under `metadata`"),
        ("version", "`version` under `metadata`"),
    ],
    other_names: &[
        ("variables", "inputs"),
        ("input_variables", "inputs"),
        ("arguments", "inputs"),
        ("params", "inputs"),
    ],
};

const TEMPLATE: KnownKeys = KnownKeys {
    place: "`template`",
    keys: &["format", "parser"],
    renamed: &[("type", "`format`")],
    other_names: &[("engine", "format")],
};

const FORMAT: KnownKeys = KnownKeys {
    place: "`template.format`",
    keys: &["kind", "strict", "trim_blocks", "lstrip_blocks"],
    renamed: &[("trimBlocks", "`trim_blocks`"), ("lstripBlocks", "`lstrip_blocks`")],
    other_names: &[],
};

const PARSER: KnownKeys = KnownKeys {
    place: "`template.parser`",
    keys: &["kind", "role", "white_space"],
    renamed: &[],
    other_names: &[],
};

/// Whether a text is a word that the format defines. These words are public, so messages show them
/// even if a file of the host contains them.
pub(super) fn is_word_of_the_format(text: &str) -> bool {
    let tables = [&TOP_LEVEL, &TEMPLATE, &FORMAT, &PARSER].into_iter();
    let mut tables = tables.chain(model::TABLES).chain(tool::TABLES).chain([&input::INPUT]);
    tables.any(|table| table.keys.contains(&text))
        || ValueType::names().contains(&text)
        || ["jinja2", "nunjucks", "mustache", "prompty", "message-tags", TEXT, "default"]
            .contains(&text)
}

/// The help for an input that is declared in another place.
const DECLARE_HELP: &str = "declare inputs under `inputs:`, with more indentation";

/// Whether a text is a key of the front matter itself.
pub(super) fn is_top_level_key(text: &str) -> bool {
    TOP_LEVEL.keys.contains(&text)
}

/// Reports the keys that occur twice.
pub(super) fn report_duplicates(context: &mut Context<'_>, duplicates: &[Duplicate]) {
    let findings: Vec<_> = duplicate_findings(duplicates, context.source).collect();
    findings.into_iter().for_each(|(finding, second)| context.report(finding.with_span(second)));
}

/// The findings about keys that occur twice, with their places in the YAML text.
pub(super) fn duplicate_findings(
    duplicates: &[Duplicate],
    source: &SourceText,
) -> impl Iterator<Item = (Diagnostic, SourceSpan)> {
    // At most 100 are reported, because the line of each place costs time.
    duplicates.iter().take(100).map(|Duplicate { key, first, second }| {
        let line = source.place(first.start).line;
        let finding =
            Diagnostic::new(Code::Duplicate, format!("the key `{key}` is specified twice"))
                .with_label("this value is used")
                .with_help("remove one of them, or give it another name")
                .with_note(format!("first used on line {line}"));
        (finding, *second)
    })
}

/// Builds the definition from a front matter.
pub(super) fn definition(
    context: &mut Context<'_>,
    source: &SourceText,
    front_matter: &Mapping,
    body: SourceSpan,
) -> Definition {
    let mut definition = empty_definition(source, body);
    definition.host = front_matter.host();
    for (key, entry) in front_matter.iter() {
        let node = &entry.value;
        match key {
            // `name: {kind: string}` declares an input with this name at the wrong level.
            "name" | "displayName" | "description" if is_declaration(node) => {
                context.note_misread(entry, &TOP_LEVEL, "inputs");
                let wrong = context.wrong_type(node, key, "a string");
                context.report(wrong.with_help(DECLARE_HELP));
            }
            "name" => definition.name = context.text(node, key),
            "displayName" => definition.display_name = context.text(node, key),
            "description" => definition.description = context.text(node, key),
            "metadata" => definition.metadata = context.free_map(node, key),
            "model" => definition.model = model::model(context, node),
            // `outputs: Ticket` names a Rust type.
            "outputs" if node.as_text().is_some() && !context.is_unresolved(node) => {
                definition.output_type = context.text(node, key);
                definition.output_type_span = Some(node.span);
            }
            "inputs" => definition.inputs = input::inputs(context, node, key),
            "outputs" => definition.outputs = input::inputs(context, node, key),
            "tools" => definition.tools = tool::tools(context, node),
            "template" => definition.template = template(context, node),
            // Every prompt has this kind.
            "kind" if node.as_text() == Some("prompt") => {}
            _ if is_declaration(node) => {
                definition.unknown.insert(key, node.to_value());
                report_outside_of_inputs(context, key, entry);
            }
            _ => context.unknown_key(key, entry, &TOP_LEVEL, &mut definition.unknown),
        }
    }
    if definition.template.parser == TEXT {
        definition.make_text();
    }
    definition
}

/// A definition without a front matter.
fn empty_definition(source: &SourceText, body: SourceSpan) -> Definition {
    #[expect(clippy::string_slice, reason = "the body was found in this source")]
    let instructions = source.text()[body.start..body.end].to_owned();
    Definition {
        name: None,
        display_name: None,
        description: None,
        metadata: Map::new(),
        model: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        output_type: None,
        output_type_span: None,
        tools: Vec::new(),
        template: TemplateOptions::default(),
        unknown: Map::new(),
        instructions,
        source: source.clone(),
        body,
        host: HostParts::None,
        hidden: HiddenTexts::default(),
        tree: TemplateCache::default(),
    }
}

/// Whether the value of a key declares an input: its `kind` is a kind of the format.
fn is_declaration(node: &Node) -> bool {
    let kind = node.get("kind").and_then(Node::as_text);
    kind.is_some_and(|kind| ValueType::names().contains(&kind))
}

/// Reports an input that is declared outside of `inputs`, for example because of wrong indentation.
fn report_outside_of_inputs(context: &mut Context<'_>, key: &str, entry: &Entry) {
    context.note_misread(entry, &TOP_LEVEL, "inputs");
    let finding = context.unknown_key_finding(key, entry, &TOP_LEVEL);
    context.report(finding.with_help(DECLARE_HELP));
}

/// Reads the options of the template.
fn template(context: &mut Context<'_>, node: &Node) -> TemplateOptions {
    let mut options = TemplateOptions::default();
    let mapping = match &node.kind {
        NodeKind::Map(mapping) => mapping,
        NodeKind::Null => return options,
        _ if context.is_unresolved(node) => return options,
        _ => {
            report_template(context, node);
            return options;
        }
    };
    options.host = mapping.host();
    for (key, entry) in mapping.iter() {
        match key {
            "format" => {
                let kind = read_format_or_parser(context, &entry.value, &FORMAT, &mut options);
                if let Some(kind) = kind {
                    (options.format, options.format_span) = kind;
                }
            }
            "parser" => {
                let kind = read_format_or_parser(context, &entry.value, &PARSER, &mut options);
                if let Some(kind) = kind {
                    (options.parser, options.parser_span) = kind;
                }
            }
            _ => context.unknown_key(key, entry, &TEMPLATE, &mut options.unknown),
        }
    }
    options
}

/// Reports a template that is not a map. The help contains the kind if it is a bare string.
fn report_template(context: &mut Context<'_>, node: &Node) {
    let is_word = |text: &&str| text.len() < 40 && !text.contains(|c: char| c.is_whitespace());
    let kind = node.as_text().filter(is_word).unwrap_or("jinja2");
    context.report(
        Diagnostic::new(
            Code::WrongType,
            format!(
                "Invalid template format: `template` must be a map, found {}",
                node.kind_name()
            ),
        )
        .with_span(node.span)
        .with_label("expected a map with `format` and `parser`")
        .with_help(format!(
            "write `template: {{format: {{kind: {kind}}}, parser: {{kind: prompty}}}}`"
        )),
    );
}

/// Reads `keep` or `trim`.
fn keeps_white_space(context: &mut Context<'_>, node: &Node, path: &str) -> bool {
    match context.text(node, path).as_deref() {
        Some("keep") => true,
        None | Some("trim") => false,
        Some(other) => {
            let finding = Diagnostic::new(Code::WrongType, format!("invalid `{path}`: `{other}`"))
                .with_span(node.span)
                .with_label("expected `keep` or `trim`")
                .with_help(
                    "write `keep` to keep the line breaks of inputs at the ends of messages",
                );
            context.report(finding);
            false
        }
    }
}

/// Reads the role of the message of a template without markers.
fn role(context: &mut Context<'_>, node: &Node, path: &str) -> Option<Role> {
    let role = Role::from(context.text(node, path)?.as_str());
    if !Role::OF_MARKERS.contains(&role) {
        let finding = Diagnostic::new(Code::UnknownRole, format!("unknown role `{role}`"))
            .with_span(node.span)
            .with_label("not a role of a template's messages")
            .with_help("use `system`, `user`, `assistant` or `developer`");
        context.report(finding);
    }
    Some(role)
}

/// Reads a format or parser: its kind, such as `jinja2`, or a map with the kind and its options.
/// Returns the kind with its span. Options that only the renderer or the parser defines are kept.
fn read_format_or_parser(
    context: &mut Context<'_>,
    node: &Node,
    known: &KnownKeys,
    options: &mut TemplateOptions,
) -> Option<(String, Option<SourceSpan>)> {
    if context.is_unresolved(node) {
        return None;
    }
    if node.as_text().is_some() {
        return context.text(node, known.place).map(|kind| (kind, Some(node.span)));
    }
    let place = known.place.trim_matches('`');
    let mapping = context.map(node, place)?;
    let mut kind = None;
    let mut others = Map::new();
    for (key, entry) in mapping.iter() {
        let value = &entry.value;
        let path = join(place, key);
        let mut flag = || context.boolean(value, &path).unwrap_or_default();
        match key {
            _ if !known.keys.contains(&key) => {
                context.misspelt_key(key, entry, known);
                others.insert(key, value.to_value());
            }
            "strict" => options.strict = flag(),
            "trim_blocks" => options.trim_blocks = flag(),
            "lstrip_blocks" => options.lstrip_blocks = flag(),
            "role" => options.role = role(context, value, &path),
            "white_space" => options.keeps_white_space = keeps_white_space(context, value, &path),
            // The only other key is `kind`.
            _ => kind = context.text(value, &path).map(|kind| (kind, Some(value.span))),
        }
    }
    if !others.is_empty() {
        options.unknown.insert(place.trim_start_matches("template."), Value::Object(others));
    }
    kind
}

//! Reads inputs, outputs and parameters, in the full form and in the short forms (Prompty §2.7).

use std::collections::HashMap;

use super::super::host::NamedHostParts;
use super::super::node::{Entry, Mapping, Node, NodeKind};
use super::super::{Input, ValueType};
use super::context::{Context, KnownKeys, join, other_name};
use super::defaults;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, suggest};
use prompty_core::message::{RichKind, ThreadRoles};
use prompty_core::schema::Schema;
use prompty_core::value::Value;

/// The key of the roles that a thread allows.
const ROLES: &str = "roles";

/// The maximum number of roles that a thread may declare. Each message is compared with them.
const MOST_ROLES: usize = 16;

/// The keys of an input.
pub(in super::super) const KEYS: &[&str] = &[
    "name",
    "kind",
    "description",
    "required",
    "nullable",
    "default",
    "example",
    "enumValues",
    "items",
    "properties",
    "oneOf",
    "anyOf",
    "strict",
    ROLES,
    "jsonSchema",
];

pub(super) const INPUT: KnownKeys = KnownKeys {
    place: "a property",
    keys: KEYS,
    renamed: &[("type", "`kind`"), ("sample", "`example`"), ("enum", "`enumValues`")],
    other_names: &[
        ("optional", "required"),
        ("mandatory", "required"),
        ("choices", "enumValues"),
        ("values", "enumValues"),
        ("options", "enumValues"),
        ("fields", "properties"),
    ],
};

/// Reads inputs from a list of maps with `name`, or from a map of names to inputs.
pub(super) fn inputs(context: &mut Context<'_>, node: &Node, path: &str) -> Vec<Input> {
    match &node.kind {
        NodeKind::Map(mapping) if is_json_schema(mapping) => {
            let wrong = context.wrong_type(node, path, "a list or a map of properties");
            context.report(wrong.with_label("this is a JSON schema").with_help(format!(
                "write only the properties: `{path}: {{question: {{kind: string}}}}`"
            )));
        }
        NodeKind::Map(mapping) => return inputs_by_name(context, mapping, path),
        NodeKind::List(items) => return inputs_in_list(context, items, path),
        NodeKind::Null => {}
        _ if context.is_unresolved(node) => {}
        _ => {
            let wrong = context.wrong_type(node, path, "a list or a map of properties");
            let help = format!("write for example `{path}: {{question: {{kind: string}}}}`");
            context.report(wrong.with_help(help));
        }
    }
    Vec::new()
}

fn inputs_by_name(context: &mut Context<'_>, mapping: &Mapping, path: &str) -> Vec<Input> {
    let named = mapping.iter().map(|(name, entry)| {
        let mut input = value_or_input(context, &entry.value, &join(path, name));
        input.name = name.to_owned();
        input.name_span = Some(entry.key);
        input.host.name = mapping.name_parts();
        input
    });
    named.collect()
}

fn inputs_in_list(context: &mut Context<'_>, items: &[Node], path: &str) -> Vec<Input> {
    let mut inputs = Vec::new();
    let mut bare_names = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if item.as_text().is_some() && !context.is_unresolved(item) {
            bare_names.push(item);
            continue;
        }
        inputs.extend(input_in_list(context, item, &format!("{path}[{index}]")));
    }
    if let Some(first) = bare_names.first() {
        report_bare_names(context, first, bare_names.len(), path);
    }
    without_duplicates(context, inputs)
}

/// Whether a map in the place of inputs is a JSON schema that contains them:
/// `{type: object, properties: {city: …}}`.
fn is_json_schema(mapping: &Mapping) -> bool {
    let holds = mapping.get("properties").is_some_and(|properties| properties.as_map().is_some());
    holds && mapping.get("type").and_then(Node::as_text) == Some("object")
}

/// Reports names in a list of inputs, with one finding for all of them.
fn report_bare_names(context: &mut Context<'_>, first: &Node, count: usize, path: &str) {
    let name = first.as_text().unwrap_or_default();
    let wrong = context.wrong_type(first, &format!("an item of `{path}`"), "a map with `name`");
    let mut wrong = wrong.with_help(format!("write `- name: {name}`, and `kind: string` below it"));
    wrong.message =
        format!("an item of `{path}` must be a map with `name` and `kind`, found a string");
    if count > 1 {
        wrong = wrong.with_help("do the same for the other names");
    }
    context.report(wrong);
}

/// Reads an input in a list. It must have a name.
fn input_in_list(context: &mut Context<'_>, item: &Node, path: &str) -> Option<Input> {
    let name = item.get("name");
    let Some(mapping) = item.as_map() else {
        if !context.is_unresolved(item) {
            let wrong = context.wrong_type(item, path, "a map with `name` and `kind`");
            context.report(wrong.with_help("write `- name: question`, and its other keys below"));
        }
        return None;
    };
    let Some(name) = name else {
        // `- question: {kind: string}` mixes the list with the map.
        let only = mapping
            .iter()
            .next()
            .filter(|(key, _)| mapping.entries.len() == 1 && !KEYS.contains(key));
        let name = only.map_or("question", |(key, _)| key);
        let message = format!("`{path}` has no `name`");
        let help = format!("write `- name: {name}`, and its other keys below");
        context.report_at(item.span, Code::WrongType, message, help);
        return None;
    };
    let mut input = from_mapping(context, mapping, path);
    input.name = context.text(name, &format!("{path}.name"))?;
    input.name_span = Some(name.span);
    input.host.name = name.host();
    Some(input)
}

/// Keeps the last of several inputs with the same name, as YAML does for equal keys.
fn without_duplicates(context: &mut Context<'_>, inputs: Vec<Input>) -> Vec<Input> {
    let mut kept: Vec<Input> = Vec::with_capacity(inputs.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for input in inputs {
        let Some(slot) = seen.get(&input.name).and_then(|index| kept.get_mut(*index)) else {
            seen.insert(input.name.clone(), kept.len());
            kept.push(input);
            continue;
        };
        let mut finding = Diagnostic::new(
            Code::Duplicate,
            format!("the name `{}` is specified twice", input.name),
        )
        .with_label("this declaration is used")
        .with_help("remove one of them, or give it another name");
        finding.span = input.name_span;
        if let Some(first) = slot.name_span {
            finding = finding.with_note(format!("first declared on line {}", context.line(first)));
        }
        context.report(finding);
        *slot = input;
    }
    kept
}

/// Reads the value of a name: an input in full, such as `{kind: string}`, or a value that is the
/// default, such as `Oslo`.
fn value_or_input(context: &mut Context<'_>, node: &Node, path: &str) -> Input {
    let Some(mapping) = node.as_map() else {
        return input_from_default(context, node);
    };
    if is_input(mapping) {
        return from_mapping(context, mapping, path);
    }
    // A map of wrong keys is read as a default, which would be printed, so it is reported.
    for (key, entry) in mapping.iter() {
        let renamed = INPUT.renamed.iter().find(|(old, _)| *old == key);
        let kind = entry.value.as_text().filter(|name| ValueType::from_name(name).is_some());
        let help = if let Some((_, new)) = renamed {
            format!("use {new}, its name since version 2")
        } else if kind.is_some() && suggest(key, &["kind"]).is_some() {
            context.note_misread(entry, &INPUT, "kind");
            "a key with a similar name exists: `kind`".to_owned()
        } else {
            continue;
        };
        context.report(
            Diagnostic::new(Code::UnknownKey, format!("unknown key `{key}` in a property"))
                .with_span(entry.key)
                .with_label(format!("`{path}` is therefore read as a default value"))
                .with_help(help),
        );
    }
    input_from_default(context, node)
}

/// Whether a map under a name is an input and not a default value.
pub(in super::super) fn is_input(mapping: &Mapping) -> bool {
    // A thread has a kind, so a map with only `roles` is a default, such as `{roles: [admin]}`.
    let is_input_key = |key: &str| key != ROLES && INPUT.keys.contains(&key);
    mapping.iter().any(|(key, _)| is_input_key(key)) || mapping.entries.is_empty()
}

/// Creates an input from a bare value, which is the default and determines the kind.
fn input_from_default(context: &Context<'_>, node: &Node) -> Input {
    let value_type = match &node.kind {
        NodeKind::Null => return Input::default(),
        // The kind is known only when the reference is resolved.
        _ if context.is_unresolved(node) => ValueType::Any,
        NodeKind::Bool(_) => ValueType::Boolean,
        NodeKind::Integer(_) => ValueType::Integer,
        NodeKind::Float(_) => ValueType::Float,
        NodeKind::Text(_) => ValueType::String,
        NodeKind::List(_) => ValueType::Array(None),
        NodeKind::Map(_) => ValueType::Object(Vec::new()),
    };
    Input {
        value_type,
        default: Some(node.to_value()),
        default_span: Some(node.span),
        host: NamedHostParts::under("default", node.host()),
        ..Input::default()
    }
}

/// Reads an input in full. The caller reads its name.
fn from_mapping(context: &mut Context<'_>, mapping: &Mapping, path: &str) -> Input {
    let mut input = Input::default();
    input.host.parts = mapping.host();
    let mut is_nullable = false;
    let mut allowed: &[Node] = &[];
    for (key, entry) in mapping.iter() {
        let node = &entry.value;
        let path = join(path, key);
        match key {
            "name" | "kind" | "items" | "properties" | "oneOf" | "anyOf" | "default" | ROLES => {}
            "description" => input.description = context.text(node, &path),
            "required" => input.required = context.boolean(node, &path).unwrap_or_default(),
            "nullable" => is_nullable = context.boolean(node, &path).unwrap_or_default(),
            "strict" => input.strict = context.boolean(node, &path).unwrap_or_default(),
            "jsonSchema" => input.schema = Some(json_schema(context, node, &path)),
            "example" => input.example = Some(node.to_value()),
            "enumValues" => allowed = context.list(node, &path),
            _ => context.unknown_key(key, entry, &INPUT, &mut input.unknown),
        }
    }
    // The meaning of these keys depends on the kind, which may follow them in the map.
    (input.value_type, input.kind_span) = value_type(context, mapping, path);
    input.one_of =
        mapping.get("oneOf").is_some() && matches!(input.value_type, ValueType::Union(_));
    input.enum_values = defaults::allowed_values(context, &input.value_type, allowed, path);
    if let Some(node) = mapping.get("default") {
        defaults::set_default(context, &mut input, node, path);
    }
    if let Some(entry) = mapping.entries.get(ROLES) {
        input.roles = thread_roles(context, &input.value_type, entry, path);
    }
    if let (ValueType::String, Some(values)) = (&input.value_type, strings(&input.enum_values)) {
        input.value_type = ValueType::Choice(values);
    }
    if is_nullable {
        input.value_type = input.value_type.nullable();
    }
    input
}

/// The values of a choice: if there are any, and all of them are strings.
fn strings(values: &[Value]) -> Option<Vec<String>> {
    let strings = values.iter().map(|value| value.as_str().map(str::to_owned));
    if values.is_empty() { None } else { strings.collect() }
}

/// Reads the schema that values must follow. Reports the parts of the schema that are not checked.
fn json_schema(context: &mut Context<'_>, node: &Node, path: &str) -> Value {
    let schema = Value::from(context.free_map(node, path));
    for doubt in Schema::from_value(&schema).warnings() {
        let finding = Diagnostic::new(Code::UncheckedSchema, doubt.message).with_span(node.span);
        let finding = match doubt.pointer.as_str() {
            "#" => finding.with_label("in this JSON schema"),
            place => finding.with_label(format!("in this JSON schema, at `{place}`")),
        };
        context.report(match doubt.help {
            Some(help) => finding.with_help(help),
            None => finding,
        });
    }
    schema
}

/// Reads the roles that a thread allows.
fn thread_roles(
    context: &mut Context<'_>,
    value_type: &ValueType,
    entry: &Entry,
    path: &str,
) -> ThreadRoles {
    let node = &entry.value;
    if *value_type != ValueType::Rich(RichKind::Thread) && !context.is_unresolved(node) {
        let message = format!("`{path}` has `roles`, but is not a thread");
        let finding = Diagnostic::new(Code::Declaration, message).with_span(entry.key);
        context.report(finding.with_help("declare it with `kind: thread`, or remove `roles`"));
        return ThreadRoles::DEFAULT;
    }
    if node.is_null() || context.is_unresolved(node) {
        return ThreadRoles::DEFAULT;
    }
    let path = join(path, ROLES);
    let given = context.list(node, &path);
    let NodeKind::List(_) = node.kind else { return ThreadRoles::DEFAULT };
    if given.is_empty() || given.len() > MOST_ROLES {
        let message = format!("`{path}` must list 1 to {MOST_ROLES} roles, found {}", given.len());
        let finding = Diagnostic::new(Code::WrongType, message).with_span(node.span);
        context.report(
            finding.with_help("write for example `roles: [system, user, assistant, tool]`"),
        );
        return ThreadRoles::DEFAULT;
    }
    let mut names = Vec::with_capacity(given.len());
    for item in given {
        let Some(name) = context.text(item, &path) else { continue };
        // Providers may have their own roles. A name that resembles a usual role is misspelt.
        if let Some(usual) = ThreadRoles::suggest_role(&name) {
            let message = format!("unknown role `{name}` in `{path}`");
            let help = format!("a role with a similar name exists: `{usual}`");
            context.report_at(item.span, Code::Declaration, message, help);
        }
        names.push(name);
    }
    ThreadRoles::new(names.iter().map(String::as_str))
}

/// Determines the type of an input, and the span of its kind.
fn value_type(
    context: &mut Context<'_>,
    mapping: &Mapping,
    path: &str,
) -> (ValueType, Option<SourceSpan>) {
    let node = mapping.get("kind");
    let name = node.and_then(|node| context.text(node, &format!("{path}.kind")));
    let Some((name, node)) = name.zip(node) else {
        return (type_without_kind(context, mapping, path), None);
    };
    let value_type = match name.as_str() {
        "array" => ValueType::Array(items(context, mapping, path)),
        "object" => ValueType::Object(fields(context, mapping, path)),
        "union" => union(context, mapping, node.span, path),
        _ if context.is_unresolved(node) => ValueType::Any,
        name => named_type(context, name, node, path),
    };
    (value_type, Some(node.span))
}

/// The type with this name. Reports a kind that the format does not define, and suggests a similar
/// one.
fn named_type(context: &mut Context<'_>, name: &str, node: &Node, path: &str) -> ValueType {
    if let Some(value_type) = ValueType::from_name(name) {
        return value_type;
    }
    let known = ValueType::names();
    let mut finding =
        Diagnostic::new(Code::UnknownKind, format!("unknown kind `{name}` of `{path}`"))
            .with_span(node.span)
            .with_label("not a kind of the format");
    if let Some(other) = other_name(name) {
        finding = finding.with_help(format!("use `{other}`"));
    } else if let Some(similar) = suggest(name, &known) {
        finding = finding.with_help(format!("a kind with a similar name exists: `{similar}`"));
    }
    context.report(finding.with_help(format!("available kinds: `{}`", known.join("`, `"))));
    ValueType::Unknown(name.to_owned())
}

/// Determines the type from the other keys if no kind is given.
fn type_without_kind(context: &mut Context<'_>, mapping: &Mapping, path: &str) -> ValueType {
    if let Some(node) = mapping.get("oneOf").or_else(|| mapping.get("anyOf")) {
        union(context, mapping, node.span, path)
    } else if mapping.get("items").is_some() {
        ValueType::Array(items(context, mapping, path))
    } else if mapping.get("properties").is_some() {
        ValueType::Object(fields(context, mapping, path))
    } else {
        ValueType::Any
    }
}

fn items(context: &mut Context<'_>, mapping: &Mapping, path: &str) -> Option<Box<Input>> {
    let node = mapping.get("items").filter(|node| !node.is_null())?;
    input_without_name(context, node, &format!("{path}.items")).map(Box::new)
}

fn fields(context: &mut Context<'_>, mapping: &Mapping, path: &str) -> Vec<Input> {
    let path = format!("{path}.properties");
    mapping.get("properties").map(|node| inputs(context, node, &path)).unwrap_or_default()
}

/// Reads the types of a union from `oneOf` or `anyOf`. `span` is the place of a finding.
fn union(context: &mut Context<'_>, mapping: &Mapping, span: SourceSpan, path: &str) -> ValueType {
    let branches = match (mapping.get("oneOf"), mapping.get("anyOf")) {
        (Some(node), None) => Some((node, "oneOf")),
        (None, Some(node)) => Some((node, "anyOf")),
        _ => None,
    };
    let mut types = Vec::new();
    if let Some((node, key)) = branches {
        if context.is_unresolved(node) {
            return ValueType::Any;
        }
        let path = join(path, key);
        for (index, node) in context.list(node, &path).iter().enumerate() {
            types.extend(input_without_name(context, node, &format!("{path}[{index}]")));
        }
    }
    if types.is_empty() {
        let message =
            format!("the union `{path}` needs exactly one non-empty list, `oneOf` or `anyOf`");
        let help = "list the kinds: `anyOf: [{kind: string}, {kind: integer}]`";
        context.report_at(span, Code::WrongType, message, help);
    }
    ValueType::Union(types)
}

/// Reads an input without a name: list items, or a branch of a union. A string is its kind, as in
/// `items: string`.
fn input_without_name(context: &mut Context<'_>, node: &Node, path: &str) -> Option<Input> {
    if let Some(mapping) = node.as_map() {
        let mut input = from_mapping(context, mapping, path);
        if let Some(name) = mapping.get("name") {
            input.name = context.text(name, &format!("{path}.name")).unwrap_or_default();
            input.name_span = Some(name.span);
            input.host.name = name.host();
        }
        return Some(input);
    }
    if context.is_unresolved(node) {
        return Some(Input::default());
    }
    let Some(name) = node.as_text() else {
        let wrong = context.wrong_type(node, path, "a property");
        context.report(wrong.with_help("write for example `items: {kind: string}`"));
        return None;
    };
    let value_type = named_type(context, name, node, path);
    let host = NamedHostParts::under("kind", node.host());
    Some(Input { value_type, kind_span: Some(node.span), host, ..Input::default() })
}

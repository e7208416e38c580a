//! Reads inputs, outputs and parameters, in full and in the short forms (§2.7).

use std::collections::HashMap;

use super::super::host::NamedHostParts;
use super::super::node::{Mapping, Node, NodeKind};
use super::super::{Kind, Property};
use super::context::{Context, KnownKeys, join, unknown_kind};
use super::defaults;
use prompty_core::diagnostic::{Code, Diagnostic, Span, suggest};
use prompty_core::message::RichKind;
use prompty_core::message::ThreadRoles;
use prompty_core::schema::Schema;
use prompty_core::value::Value;

/// The key of the roles that a thread allows.
const ROLES: &str = "roles";

/// The most roles that a thread may declare: each message is compared with them.
const MOST_ROLES: usize = 16;

/// The keys of a property.
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

pub(super) const PROPERTY: KnownKeys = KnownKeys {
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

/// Reads properties from a list of maps with `name`, or from a map from names to properties.
pub(super) fn properties(context: &mut Context<'_>, node: &Node, path: &str) -> Vec<Property> {
    let found = match &node.kind {
        NodeKind::Map(mapping) if is_json_schema(mapping) => {
            let wrong = context.wrong_type(node, path, "a list or a map of properties");
            context.report(wrong.label("this is a JSON schema").help(format!(
                "write the properties alone: `{path}: {{question: {{kind: string}}}}`"
            )));
            return Vec::new();
        }
        NodeKind::Map(mapping) => {
            let entries = mapping.iter();
            let named = entries.map(|(name, entry)| {
                let path = join(path, name);
                let mut property = value_or_property(context, &entry.value, &path);
                property.name = name.to_owned();
                property.name_span = Some(entry.key);
                property.host.name = mapping.name_parts();
                property
            });
            return named.collect();
        }
        NodeKind::List(items) => items,
        NodeKind::Null => return Vec::new(),
        _ => {
            if !context.is_unresolved(node) {
                let wrong = context.wrong_type(node, path, "a list or a map of properties");
                context.report(
                    wrong.help(format!("for example `{path}: {{question: {{kind: string}}}}`")),
                );
            }
            return Vec::new();
        }
    };
    let mut properties = Vec::new();
    let mut names = Vec::new();
    for (index, item) in found.iter().enumerate() {
        if item.as_text().is_some() && !context.is_unresolved(item) {
            names.push(item);
            continue;
        }
        properties.extend(property_in_list(context, item, &format!("{path}[{index}]")));
    }
    if let Some(first) = names.first() {
        report_bare_names(context, first, names.len(), path);
    }
    without_duplicates(context, properties)
}

/// Whether a map in the place of properties is a JSON schema that holds them.
fn is_json_schema(mapping: &Mapping) -> bool {
    let holds = mapping.get("properties").is_some_and(|properties| properties.as_map().is_some());
    holds && mapping.get("type").and_then(Node::as_text) == Some("object")
}

/// Reports names in a list of properties, once for all of them.
fn report_bare_names(context: &mut Context<'_>, first: &Node, count: usize, path: &str) {
    let name = first.as_text().unwrap_or_default();
    let wrong = context.wrong_type(first, &format!("an item of `{path}`"), "a map with `name`");
    let mut wrong = wrong.help(format!("write `- name: {name}`, and `kind: string` below it"));
    wrong.message = format!("an item of `{path}` must be a map with `name` and `kind`, found text");
    if count > 1 {
        wrong = wrong.help("the same for each of the other names");
    }
    context.report(wrong);
}

/// Reads a property in a list, which must have a name.
fn property_in_list(context: &mut Context<'_>, item: &Node, path: &str) -> Option<Property> {
    let name = item.get("name");
    let Some(mapping) = item.as_map() else {
        if !context.is_unresolved(item) {
            let wrong = context.wrong_type(item, path, "a map with `name` and `kind`");
            context.report(wrong.help("write `- name: question`, its other keys below"));
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
        context.report(
            Diagnostic::new(Code::WrongType, format!("`{path}` has no `name`")).at(item.span).help(
                format!("an item of the list is written `- name: {name}`, its other keys below"),
            ),
        );
        return None;
    };
    let mut property = from_mapping(context, mapping, path);
    property.name = context.text(name, &format!("{path}.name"))?;
    property.name_span = Some(name.span);
    property.host.name = name.host();
    Some(property)
}

/// Keeps the last of several properties with the same name, as YAML keeps the last of several equal
/// keys.
fn without_duplicates(context: &mut Context<'_>, properties: Vec<Property>) -> Vec<Property> {
    let mut kept: Vec<Property> = Vec::with_capacity(properties.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for property in properties {
        let Some(slot) = seen.get(&property.name).and_then(|index| kept.get_mut(*index)) else {
            seen.insert(property.name.clone(), kept.len());
            kept.push(property);
            continue;
        };
        let mut finding = Diagnostic::new(
            Code::Duplicate,
            format!("the name `{}` is declared twice", property.name),
        )
        .label("this one counts");
        finding.span = property.name_span;
        if let Some(first) = slot.name_span {
            finding = finding.note(format!("it is first declared on line {}", context.line(first)));
        }
        context.report(finding);
        *slot = property;
    }
    kept
}

/// Reads the value of a name: a property in full, or a value that gives both the kind and the
/// default.
fn value_or_property(context: &mut Context<'_>, node: &Node, path: &str) -> Property {
    let Some(mapping) = node.as_map() else {
        return shorthand(context, node);
    };
    if is_property(mapping) {
        return from_mapping(context, mapping, path);
    }
    for (key, entry) in mapping.iter() {
        if let Some((_, new)) = PROPERTY.renamed.iter().find(|(old, _)| *old == key) {
            context.report(
                Diagnostic::new(Code::UnknownKey, format!("unknown key `{key}` in a property"))
                    .at(entry.key)
                    .label(format!("so all of `{path}` is read as a default value"))
                    .help(format!("that was its name in version 1: now it is {new}")),
            );
            continue;
        }
        // A map of misspelt keys would be printed as it stands.
        let names_kind = entry.value.as_text().is_some_and(|text| Kind::from_name(text).is_some());
        if names_kind && suggest(key, &["kind"]).is_some() {
            context.note_misread(entry, &PROPERTY, "kind");
            context.report(
                Diagnostic::new(Code::UnknownKey, format!("unknown key `{key}` in a property"))
                    .at(entry.key)
                    .label(format!("so all of `{path}` is read as a default value"))
                    .help("did you mean `kind`?"),
            );
        }
    }
    shorthand(context, node)
}

/// Whether a map under a name is a property, and no default value.
pub(in super::super) fn is_property(mapping: &Mapping) -> bool {
    // A thread has a kind. So a map that has only `roles` is a default, such as `{roles: [admin]}`.
    let is_property_key = |key: &str| key != ROLES && PROPERTY.keys.contains(&key);
    mapping.iter().any(|(key, _)| is_property_key(key)) || mapping.entries.is_empty()
}

/// Makes a property from a bare value, which is the default and gives the kind.
fn shorthand(context: &Context<'_>, node: &Node) -> Property {
    let kind = match &node.kind {
        NodeKind::Null => return Property::default(),
        // The kind is known only when the reference is resolved.
        _ if context.is_unresolved(node) => Kind::Any,
        NodeKind::Bool(_) => Kind::Boolean,
        NodeKind::Integer(_) => Kind::Integer,
        NodeKind::Float(_) => Kind::Float,
        NodeKind::Text(_) => Kind::String,
        NodeKind::List(_) => Kind::Array(None),
        NodeKind::Map(_) => Kind::Object(Vec::new()),
    };
    Property {
        kind,
        default: Some(node.to_value()),
        default_span: Some(node.span),
        host: NamedHostParts::under("default", node.host()),
        ..Property::default()
    }
}

/// The nodes that describe the kind of a property.
#[derive(Default)]
struct KindParts<'n> {
    kind: Option<&'n Node>,
    items: Option<&'n Node>,
    properties: Option<&'n Node>,
    one_of: Option<&'n Node>,
    any_of: Option<&'n Node>,
}

fn from_mapping(context: &mut Context<'_>, mapping: &Mapping, path: &str) -> Property {
    let mut property = Property::default();
    property.host.parts = mapping.host();
    let mut parts = KindParts::default();
    let mut default = None;
    let mut roles = None;
    let mut allowed: &[Node] = &[];
    for (key, entry) in mapping.iter() {
        let node = &entry.value;
        let path = join(path, key);
        match key {
            // The caller has read the name.
            "name" => {}
            "kind" => parts.kind = Some(node),
            "items" => parts.items = Some(node),
            "properties" => parts.properties = Some(node),
            "oneOf" => parts.one_of = Some(node),
            "anyOf" => parts.any_of = Some(node),
            "description" => property.description = context.text(node, &path),
            "required" => property.required = context.boolean(node, &path).unwrap_or_default(),
            "nullable" => property.nullable = context.boolean(node, &path).unwrap_or_default(),
            "strict" => property.strict = context.boolean(node, &path).unwrap_or_default(),
            "default" => default = Some(node),
            ROLES => roles = Some((entry.key, node)),
            "jsonSchema" => property.schema = Some(json_schema(context, node, &path)),
            "example" => property.example = Some(node.to_value()),
            "enumValues" => allowed = context.list(node, &path),
            _ => context.unknown_key(key, entry, &PROPERTY, &mut property.unknown),
        }
    }
    (property.kind, property.kind_span) = kind(context, &parts, path);
    property.one_of = parts.one_of.is_some() && matches!(property.kind, Kind::Union(_));
    property.enum_values = defaults::allowed_values(context, &property.kind, allowed, path);
    if let Some(node) = default {
        defaults::set_default(context, &mut property, node, path);
    }
    if let Some((key, node)) = roles {
        property.roles = thread_roles(context, &property.kind, key, node, path);
    }
    property
}

/// Reads the schema that values must follow, and tells what of it they will not be held to.
fn json_schema(context: &mut Context<'_>, node: &Node, path: &str) -> Value {
    let schema = Value::from(context.free_map(node, path));
    for doubt in Schema::from_value(&schema).doubts() {
        let finding = Diagnostic::new(Code::UncheckedSchema, doubt.message).at(node.span);
        let finding = match doubt.pointer.as_str() {
            "#" => finding.label("in this JSON schema"),
            place => finding.label(format!("in this JSON schema, at `{place}`")),
        };
        context.report(match doubt.help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }
    schema
}

/// Reads the roles that a thread allows.
fn thread_roles(
    context: &mut Context<'_>,
    kind: &Kind,
    key: Span,
    node: &Node,
    path: &str,
) -> ThreadRoles {
    if *kind != Kind::Rich(RichKind::Thread) && !context.is_unresolved(node) {
        let message = format!("`{path}` has `roles`, but is not a thread");
        let finding = Diagnostic::new(Code::Declaration, message).at(key);
        context.report(finding.help("only an input of `kind: thread` has messages with roles"));
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
        let finding = Diagnostic::new(Code::WrongType, message).at(node.span);
        context.report(finding.help("for example `roles: [system, user, assistant, tool]`"));
        return ThreadRoles::DEFAULT;
    }
    let mut names = Vec::with_capacity(given.len());
    for item in given {
        let Some(name) = context.text(item, &path) else { continue };
        // A provider may have roles of its own. A name that is nearly a usual one is a misspelling.
        if let Some(usual) = ThreadRoles::misspelt(&name) {
            context.report(
                Diagnostic::new(Code::Declaration, format!("unknown role `{name}` in `{path}`"))
                    .at(item.span)
                    .help(format!("did you mean `{usual}`?")),
            );
        }
        names.push(name);
    }
    ThreadRoles::new(names.iter().map(String::as_str))
}

fn kind(context: &mut Context<'_>, parts: &KindParts<'_>, path: &str) -> (Kind, Option<Span>) {
    let named = parts
        .kind
        .and_then(|node| context.text(node, &format!("{path}.kind")).map(|name| (name, node)));
    let Some((name, node)) = named else {
        return (unnamed_kind(context, parts, path), None);
    };
    let kind = match name.as_str() {
        "array" => Kind::Array(items(context, parts, path)),
        "object" => Kind::Object(nested(context, parts, path)),
        "union" => union(context, parts, node.span, path),
        _ if context.is_unresolved(node) => Kind::Any,
        _ => Kind::from_name(&name).unwrap_or_else(|| {
            unknown_kind(context, &name, node, path, &Kind::NAMES);
            Kind::Unknown(name)
        }),
    };
    (kind, Some(node.span))
}

/// Finds the kind from the other keys if no kind is given.
fn unnamed_kind(context: &mut Context<'_>, parts: &KindParts<'_>, path: &str) -> Kind {
    if let Some(node) = parts.one_of.or(parts.any_of) {
        return union(context, parts, node.span, path);
    }
    if parts.items.is_some() {
        return Kind::Array(items(context, parts, path));
    }
    if parts.properties.is_some() {
        return Kind::Object(nested(context, parts, path));
    }
    Kind::Any
}

fn items(context: &mut Context<'_>, parts: &KindParts<'_>, path: &str) -> Option<Box<Property>> {
    let node = parts.items.filter(|node| !node.is_null())?;
    unnamed(context, node, &format!("{path}.items")).map(Box::new)
}

fn nested(context: &mut Context<'_>, parts: &KindParts<'_>, path: &str) -> Vec<Property> {
    let path = format!("{path}.properties");
    parts.properties.map(|node| properties(context, node, &path)).unwrap_or_default()
}

fn union(context: &mut Context<'_>, parts: &KindParts<'_>, span: Span, path: &str) -> Kind {
    let branches = match (parts.one_of, parts.any_of) {
        (Some(node), None) => Some((node, "oneOf")),
        (None, Some(node)) => Some((node, "anyOf")),
        _ => None,
    };
    let mut kinds = Vec::new();
    if let Some((node, key)) = branches {
        if context.is_unresolved(node) {
            return Kind::Any;
        }
        let path = join(path, key);
        let nodes = context.list(node, &path);
        let nodes = nodes.iter().enumerate();
        kinds = nodes
            .filter_map(|(index, node)| unnamed(context, node, &format!("{path}[{index}]")))
            .collect();
    }
    if kinds.is_empty() {
        let message =
            format!("the union `{path}` needs exactly one of `oneOf` and `anyOf`, not empty");
        context.report(
            Diagnostic::new(Code::WrongType, message)
                .at(span)
                .help("list the kinds: `anyOf: [{kind: string}, {kind: integer}]`"),
        );
    }
    Kind::Union(kinds)
}

/// Reads a property without a name: the items of a list, or a branch of a union. A bare text is its
/// kind.
fn unnamed(context: &mut Context<'_>, node: &Node, path: &str) -> Option<Property> {
    if let Some(mapping) = node.as_map() {
        let mut property = from_mapping(context, mapping, path);
        if let Some(name) = mapping.get("name") {
            property.name = context.text(name, &format!("{path}.name")).unwrap_or_default();
            property.name_span = Some(name.span);
            property.host.name = name.host();
        }
        return Some(property);
    }
    if context.is_unresolved(node) {
        return Some(Property::default());
    }
    let Some(name) = node.as_text() else {
        let wrong = context.wrong_type(node, path, "a property");
        context.report(wrong.help("for example `items: {kind: string}`"));
        return None;
    };
    let kind = Kind::from_name(name).unwrap_or_else(|| {
        unknown_kind(context, name, node, path, &Kind::NAMES);
        Kind::Unknown(name.to_owned())
    });
    let host = NamedHostParts::under("kind", node.host());
    Some(Property { kind, kind_span: Some(node.span), host, ..Property::default() })
}

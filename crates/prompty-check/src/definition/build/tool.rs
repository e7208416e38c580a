//! Reads tools and their bindings (Prompty §2.9).

use super::super::host::{HostParts, NamedHostParts};
use super::super::node::{Entry, Mapping, Node, NodeKind};
use super::super::{Binding, ToolDefinition, ToolKind};
use super::context::{Context, KnownKeys, join};
use super::input::inputs;
use super::model::connection;
use prompty_core::diagnostic::{Code, SourceSpan};
use prompty_core::value::Map;

const FUNCTION: KnownKeys = KnownKeys {
    place: "a function tool",
    keys: &["name", "kind", "description", "bindings", "parameters", "strict"],
    renamed: &[("type", "`kind`")],
    other_names: &[],
};

const MCP: KnownKeys = KnownKeys {
    place: "an MCP tool",
    keys: &[
        "name",
        "kind",
        "description",
        "bindings",
        "connection",
        "serverName",
        "approvalMode",
        "allowedTools",
    ],
    renamed: &[("type", "`kind`")],
    other_names: &[],
};

const OPENAPI: KnownKeys = KnownKeys {
    place: "an OpenAPI tool",
    keys: &["name", "kind", "description", "bindings", "connection", "specification"],
    renamed: &[("type", "`kind`")],
    other_names: &[],
};

/// The tables of this file.
pub(super) const TABLES: [&KnownKeys; 3] = [&FUNCTION, &MCP, &OPENAPI];

/// Reads tools from a list of maps with `name`, or from a map of names to tools.
pub(super) fn tools(context: &mut Context<'_>, node: &Node) -> Vec<ToolDefinition> {
    let mut tools = Vec::new();
    match &node.kind {
        NodeKind::Map(named) => {
            for (name, entry) in named.iter() {
                let path = format!("tools.{name}");
                let Some(mapping) = context.map(&entry.value, &path) else { continue };
                let mut tool = tool(context, mapping, (name.to_owned(), entry.key), &path);
                tool.host.name = named.name_parts();
                tools.push(tool);
            }
        }
        _ => {
            for (index, item) in context.list(node, "tools").iter().enumerate() {
                tools.extend(tool_in_list(context, item, &format!("tools[{index}]")));
            }
        }
    }
    tools
}

/// Reads a tool in a list. It must have a name.
fn tool_in_list(context: &mut Context<'_>, item: &Node, path: &str) -> Option<ToolDefinition> {
    let mapping = context.map(item, path)?;
    let Some(name) = mapping.get("name") else {
        let message = format!("`{path}` has no `name`");
        let help = "write `- name: get_weather`, and its other keys below";
        context.report_at(item.span, Code::WrongType, message, help);
        return None;
    };
    let text = context.text(name, &format!("{path}.name"))?;
    let mut tool = tool(context, mapping, (text, name.span), path);
    tool.host.name = name.host();
    Some(tool)
}

/// Reads a tool whose name is already read.
fn tool(
    context: &mut Context<'_>,
    mapping: &Mapping,
    (name, name_span): (String, SourceSpan),
    path: &str,
) -> ToolDefinition {
    let mut tool = ToolDefinition {
        name,
        name_span: Some(name_span),
        description: None,
        kind: kind(context, mapping, name_span, path),
        bindings: Vec::new(),
        unknown: Map::new(),
        host: NamedHostParts { parts: mapping.host(), name: HostParts::None },
    };
    for (key, entry) in mapping.iter() {
        let node = &entry.value;
        let path = join(path, key);
        match key {
            "name" | "kind" => {}
            "description" => tool.description = context.text(node, &path),
            "bindings" => tool.bindings = bindings(context, node, &path),
            _ => read_key_of_kind(context, &mut tool, key, entry, &path),
        }
    }
    tool
}

/// Reads the kind of a tool, without its settings.
fn kind(context: &mut Context<'_>, mapping: &Mapping, name: SourceSpan, path: &str) -> ToolKind {
    let kind = mapping.get("kind").and_then(|node| context.text(node, &format!("{path}.kind")));
    match kind.as_deref() {
        Some("mcp") => ToolKind::Mcp {
            connection: None,
            server_name: None,
            approval_mode: None,
            allowed_tools: Vec::new(),
        },
        Some("openapi") => ToolKind::OpenApi { connection: None, specification: None },
        Some(kind) if kind != "function" => {
            ToolKind::Custom { kind: kind.to_owned(), connection: None, options: Map::new() }
        }
        given => {
            if given.is_none() && mapping.get("parameters").is_none() {
                let message = format!("`{path}` has no `kind`");
                let help = "available kinds: function, mcp, openapi, and those of the host";
                context.report_at(name, Code::WrongType, message, help);
            }
            ToolKind::Function { parameters: Vec::new(), strict: false }
        }
    }
}

/// Reads a key that only tools of this kind have.
fn read_key_of_kind(
    context: &mut Context<'_>,
    tool: &mut ToolDefinition,
    key: &str,
    entry: &Entry,
    path: &str,
) {
    use ToolKind::{Custom, Function, Mcp, OpenApi};
    let node = &entry.value;
    match (&mut tool.kind, key) {
        (Function { parameters, .. }, "parameters") => *parameters = inputs(context, node, path),
        (Function { strict, .. }, "strict") => {
            *strict = context.boolean(node, path).unwrap_or_default();
        }
        (
            Mcp { connection: slot, .. }
            | OpenApi { connection: slot, .. }
            | Custom { connection: slot, .. },
            "connection",
        ) => *slot = connection(context, node, path),
        (Mcp { server_name, .. }, "serverName") => *server_name = context.text(node, path),
        (Mcp { approval_mode, .. }, "approvalMode") => *approval_mode = Some(node.to_value()),
        (Mcp { allowed_tools, .. }, "allowedTools") => *allowed_tools = context.texts(node, path),
        (OpenApi { specification, .. }, "specification") => *specification = Some(node.to_value()),
        (Custom { options, .. }, "options") => *options = context.free_map(node, path),
        // Only the host knows the other keys of its tools.
        (Custom { .. }, _) => {
            tool.unknown.insert(key, node.to_value());
        }
        (Function { .. }, _) => context.unknown_key(key, entry, &FUNCTION, &mut tool.unknown),
        (Mcp { .. }, _) => context.unknown_key(key, entry, &MCP, &mut tool.unknown),
        (OpenApi { .. }, _) => context.unknown_key(key, entry, &OPENAPI, &mut tool.unknown),
    }
}

/// Reads bindings from a map of parameters, or from a list of maps with `name`.
fn bindings(context: &mut Context<'_>, node: &Node, path: &str) -> Vec<Binding> {
    if let NodeKind::Map(mapping) = &node.kind {
        let entries = mapping.iter();
        let bindings =
            entries.map(|(name, entry)| binding(name, &entry.value, mapping.name_parts()));
        return bindings.collect();
    }
    let mut bindings = Vec::new();
    for (index, item) in context.list(node, path).iter().enumerate() {
        let path = format!("{path}[{index}]");
        let Some(mapping) = context.map(item, &path) else { continue };
        let name = mapping.get("name");
        let text = name.and_then(|name| context.text(name, &path));
        let Some((name, text)) = name.zip(text) else {
            let wrong = context.wrong_type(item, &path, "a map with `name` and `input`");
            context.report(wrong);
            continue;
        };
        bindings.push(binding(&text, item, name.host()));
    }
    bindings
}

/// Reads a binding. `{input: name}` refers to an input; any other node is the value itself.
fn binding(parameter: &str, node: &Node, name: HostParts) -> Binding {
    let input = node.get("input").and_then(Node::as_text).map(str::to_owned);
    let value = input.is_none().then(|| node.to_value());
    let host = NamedHostParts { name, ..NamedHostParts::under("value", node.host()) };
    Binding { parameter: parameter.to_owned(), input, value, host }
}

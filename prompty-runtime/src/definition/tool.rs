//! The tools of a prompt (§2.9).

use super::{Connection, Property};
use std::fmt;

use prompty_core::diagnostic::Span;
use prompty_core::trace::{REDACTED, is_secret, redact, redact_entries};
use prompty_core::value::{Map, Value};

/// A tool that the model may call.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name by which the model calls the tool.
    pub name: String,
    /// The span of the name in the source.
    pub name_span: Option<Span>,
    /// The description for the model.
    pub description: Option<String>,
    /// The kind of the tool, with the settings of that kind.
    pub kind: ToolKind,
    /// Parameters that the host fills in. The model does not see them.
    pub bindings: Vec<Binding>,
    /// The keys that the format does not define.
    pub unknown: Map,
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDefinition")
            .field("name", &self.name)
            .field("name_span", &self.name_span)
            .field("description", &self.description)
            .field("kind", &self.kind)
            .field("bindings", &self.bindings)
            .field("unknown", &redact_entries(&self.unknown))
            .finish()
    }
}

/// The kind of a tool, with the settings of that kind.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolKind {
    /// A function of the host.
    Function {
        /// The parameters of the function.
        parameters: Vec<Property>,
        /// Whether the provider must enforce the schema.
        strict: bool,
    },
    /// The tools of a Model Context Protocol server.
    Mcp {
        /// The connection to the server.
        connection: Option<Connection>,
        /// The name of the server.
        server_name: Option<String>,
        /// The calls that a person must approve: a text or a map.
        approval_mode: Option<Value>,
        /// The tools that may be called; empty if all are allowed.
        allowed_tools: Vec<String>,
    },
    /// The operations of an OpenAPI document.
    OpenApi {
        /// The connection to the service.
        connection: Option<Connection>,
        /// The document, or its location.
        specification: Option<Value>,
    },
    /// A kind that only the host defines.
    Custom {
        /// The name of the kind.
        kind: String,
        /// The connection to the tool.
        connection: Option<Connection>,
        /// The options of the tool.
        options: Map,
    },
}

impl ToolKind {
    /// The name of the kind in a source.
    pub fn name(&self) -> &str {
        match self {
            Self::Function { .. } => "function",
            Self::Mcp { .. } => "mcp",
            Self::OpenApi { .. } => "openapi",
            Self::Custom { kind, .. } => kind,
        }
    }
}

impl fmt::Debug for ToolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(self.name());
        match self {
            Self::Function { parameters, strict } => {
                shown.field("parameters", parameters).field("strict", strict)
            }
            Self::Mcp { connection, server_name, approval_mode, allowed_tools } => shown
                .field("connection", connection)
                .field("server_name", server_name)
                .field("approval_mode", approval_mode)
                .field("allowed_tools", allowed_tools),
            Self::OpenApi { connection, specification } => {
                shown.field("connection", connection).field("specification", specification)
            }
            Self::Custom { connection, options, .. } => {
                shown.field("connection", connection).field("options", &redact_entries(options))
            }
        };
        shown.finish()
    }
}

/// A parameter that the host fills in.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Binding {
    /// The name of the parameter.
    pub parameter: String,
    /// The input that gives the value: `{input: name}` in the file.
    pub input: Option<String>,
    /// The value, if the file gives one instead of an input.
    pub value: Option<Value>,
}

impl fmt::Debug for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Value| match is_secret(&self.parameter) {
            true => Value::from(REDACTED),
            false => redact(value),
        };
        f.debug_struct("Binding")
            .field("parameter", &self.parameter)
            .field("input", &self.input)
            .field("value", &self.value.as_ref().map(shown))
            .finish()
    }
}

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
    /// The name that the model calls.
    pub name: String,
    /// Where the source names it.
    pub name_span: Option<Span>,
    /// What it is for.
    pub description: Option<String>,
    /// What sort of tool it is.
    pub kind: ToolKind,
    /// Parameters that the host fills in and the model does not see.
    pub bindings: Vec<Binding>,
    /// Keys that the format does not have.
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

/// What sort of tool it is.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolKind {
    /// A function of the host.
    Function {
        /// Its parameters.
        parameters: Vec<Property>,
        /// Whether the provider must keep to the schema.
        strict: bool,
    },
    /// Tools of a Model Context Protocol server.
    Mcp {
        /// How to reach the server.
        connection: Option<Connection>,
        /// The server's name.
        server_name: Option<String>,
        /// When a person must approve a call: a text or a map.
        approval_mode: Option<Value>,
        /// The tools that may be called; empty when all may.
        allowed_tools: Vec<String>,
    },
    /// Operations of an OpenAPI document.
    OpenApi {
        /// How to reach the service.
        connection: Option<Connection>,
        /// The document, or where it is.
        specification: Option<Value>,
    },
    /// A kind that only the host knows.
    Custom {
        /// The kind's name.
        kind: String,
        /// How to reach the tool.
        connection: Option<Connection>,
        /// Its options.
        options: Map,
    },
}

impl ToolKind {
    /// The kind's name as it is written.
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
    /// The parameter.
    pub parameter: String,
    /// The input whose value it gets, `{input: name}` in the file.
    pub input: Option<String>,
    /// The value it gets, where the file gives one in place of an input.
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

//! The tools of a prompt (Prompty §2.9).

use super::{Connection, Input};
use std::fmt;

use super::host::{DebugFields, NamedHostParts};
use prompty_core::diagnostic::SourceSpan;
use prompty_core::trace::{REDACTED, is_secret};
use prompty_core::value::{Map, Value};

/// A tool that the model may call.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name by which the model calls the tool.
    pub name: String,
    /// The span of the name in the source.
    pub name_span: Option<SourceSpan>,
    /// The description for the model.
    pub description: Option<String>,
    /// The kind of the tool, with the settings of that kind.
    pub kind: ToolKind,
    /// The parameters that the host provides. The model does not see them.
    pub bindings: Vec<Binding>,
    /// The keys that the format does not define.
    pub unknown: Map,
    /// The parts of these fields that came from the host. `Debug` hides them.
    pub(super) host: NamedHostParts,
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, name_span, description, kind, bindings, unknown, host } = self;
        let mut fields = DebugFields::new(f, "ToolDefinition", &host.parts);
        fields
            .name("name", name, &host.name)
            .shown_as_is("name_span", name_span)
            .field("description", "description", description)
            .field("kind", "kind", &kind.name());
        kind.show_settings(&mut fields);
        fields.shown_as_is("bindings", bindings).unknown(unknown).finish()
    }
}

/// The kind of a tool, with the settings of that kind.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolKind {
    /// A function of the host.
    Function {
        /// The parameters of the function.
        parameters: Vec<Input>,
        /// Whether the provider must enforce the schema.
        strict: bool,
    },
    /// The tools of a Model Context Protocol server.
    Mcp {
        /// The connection to the server.
        connection: Option<Connection>,
        /// The name of the server.
        server_name: Option<String>,
        /// The calls that a person must approve: a string or a map.
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

    /// Shows the settings of the kind as fields of the tool, whose `fields` hide parts of the host.
    fn show_settings(&self, fields: &mut DebugFields<'_, '_, '_>) {
        match self {
            Self::Function { parameters, strict } => {
                fields.shown_as_is("parameters", parameters).field("strict", "strict", strict)
            }
            Self::Mcp { connection, server_name, approval_mode, allowed_tools } => fields
                .shown_as_is("connection", connection)
                .field("server_name", "serverName", server_name)
                .value("approval_mode", "approvalMode", approval_mode.as_ref())
                .field("allowed_tools", "allowedTools", allowed_tools),
            Self::OpenApi { connection, specification } => fields
                .shown_as_is("connection", connection)
                .value("specification", "specification", specification.as_ref()),
            Self::Custom { kind: _, connection, options } => {
                fields.shown_as_is("connection", connection).entries("options", "options", options)
            }
        };
    }
}

impl fmt::Debug for ToolKind {
    /// Shows only fields that hide their own parts. The tool shows the other settings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, connection) = match self {
            Self::Function { parameters, .. } => {
                return f
                    .debug_struct("Function")
                    .field("parameters", parameters)
                    .finish_non_exhaustive();
            }
            Self::Mcp { connection, .. } => ("Mcp", connection),
            Self::OpenApi { connection, .. } => ("OpenApi", connection),
            Self::Custom { connection, .. } => ("Custom", connection),
        };
        f.debug_struct(name).field("connection", connection).finish_non_exhaustive()
    }
}

/// A parameter that the host provides.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Binding {
    /// The name of the parameter.
    pub parameter: String,
    /// The input that gives the value: `{input: name}` in the file.
    pub input: Option<String>,
    /// The value, if the file gives one instead of an input.
    pub value: Option<Value>,
    /// The parts of these fields that came from the host. They are under the key `value`.
    pub(super) host: NamedHostParts,
}

impl fmt::Debug for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = is_secret(&self.parameter);
        let secret = Value::from(REDACTED);
        let value = self.value.as_ref().map(|value| if is_secret { &secret } else { value });
        DebugFields::new(f, "Binding", &self.host.parts)
            .name("parameter", &self.parameter, &self.host.name)
            .field("input", "value", &self.input)
            .value("value", "value", value)
            .finish()
    }
}

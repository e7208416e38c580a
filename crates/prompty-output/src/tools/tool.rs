//! The traits of tools and of sets of tools.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Call, ToolError, ToolErrorKind, read};
use crate::type_schema;
use prompty_core::message::{self, Strictness};
use prompty_core::value::Map;

/// A type that can be the arguments of a tool. Every suitable type implements the trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a tool",
    label = "cannot be read from JSON, or has no JSON schema",
    note = "the model is given the schema of the type, and a call is deserialized",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to it and to its field types",
    note = "if it has these already, its `schemars` has another version: `typed-prompty` needs `schemars = \"1\"`"
)]
pub trait Arguments: Sized {
    /// Reads the arguments of a call of the tool with that name.
    #[doc(hidden)]
    fn read(tool: &str, json: &str) -> Result<Self, ToolError>;

    /// The JSON schema of the arguments.
    #[doc(hidden)]
    fn schema() -> Map;
}

// If these were supertraits, rustc would report them instead of this trait.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Arguments for T {
    fn read(tool: &str, json: &str) -> Result<Self, ToolError> {
        read::read_arguments(tool, json)
    }

    fn schema() -> Map {
        type_schema::parameter_schema::<Self>()
    }
}

/// A tool that a model can call, as a Rust type: its fields are the arguments.
///
/// `#[derive(Tool)]` of the facade implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "is not a tool",
    note = "add `#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]` to it",
    note = "for a function with `#[tool]`, use its type `…Arguments`: `SendArguments` for `send`"
)]
pub trait Tool: Arguments {
    /// The name that the model calls.
    const NAME: &'static str;

    /// The description that the model reads.
    const DESCRIPTION: &'static str;

    /// The declaration for the model: name, description, and the JSON schema of the arguments.
    ///
    /// The schema has no references, unless a type contains itself. The doc comments of fields are
    /// their descriptions. An `Option` is optional. Unknown names are an error if the type has
    /// `#[serde(deny_unknown_fields)]`.
    fn tool() -> message::ToolSpec {
        let tool = message::ToolSpec::new(Self::NAME, Self::schema());
        // The type can be read from a call in strict mode, because `null` counts as missing.
        let tool = tool.with_strictness(Strictness::WherePossible);
        match Self::DESCRIPTION {
            "" => tool,
            description => tool.with_description(description),
        }
    }

    /// Reads the arguments of a call. Numbers keep all their digits, as far as the types of the
    /// fields allow.
    ///
    /// # Errors
    ///
    /// Returns [`ToolErrorKind::Incomplete`] if the call is not complete,
    /// [`ToolErrorKind::UnknownTool`] if it is a call of another tool, and
    /// [`ToolErrorKind::Arguments`] if its arguments do not fit.
    fn from_call(call: &impl Call) -> Result<Self, ToolError> {
        if call.name() != Self::NAME {
            return Err(ToolError::unknown(call.name(), &[Self::NAME]));
        }
        check_complete(call)?;
        Self::read(Self::NAME, call.arguments())
    }
}

/// Checks that a call is complete.
pub(super) fn check_complete(call: &impl Call) -> Result<(), ToolError> {
    if call.is_complete() {
        return Ok(());
    }
    let message = format!("the call to `{}` is not complete", call.name());
    let help = "call the tool again, with all of its arguments";
    Err(ToolError::new(ToolErrorKind::Incomplete, message).with_help(help))
}

/// A boxed tool, for a large variant of a set with small ones.
#[diagnostic::do_not_recommend]
impl<T: Tool> Tool for Box<T>
where
    Self: Arguments,
{
    const NAME: &'static str = T::NAME;
    const DESCRIPTION: &'static str = T::DESCRIPTION;
}

/// A set of tools as a Rust type: an enum with a variant for each tool.
///
/// `#[derive(ToolSet)]` of the facade implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of tools",
    label = "is not a set of tools",
    note = "add `#[derive(ToolSet)]` to an enum of tools"
)]
pub trait ToolSet: Sized {
    /// The names of the tools, in order.
    const NAMES: &'static [&'static str];

    /// The declarations for the model, in order.
    fn tools() -> Vec<message::ToolSpec>;

    /// Reads a call as the tool of its name.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Tool::from_call`]. For an unknown name, the help lists the
    /// available tools.
    fn from_call(call: &impl Call) -> Result<Self, ToolError>;
}

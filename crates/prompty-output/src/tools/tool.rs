//! Tools and sets of them as Rust types.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Call, ToolError, ToolErrorKind, read};
use crate::type_schema;
use prompty_core::message::{self, Strictness};
use prompty_core::value::Map;

/// What the arguments of a tool must be able to do. Every type that can do it implements the trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a tool",
    label = "cannot be read from JSON, or has no JSON schema",
    note = "a tool is told to a model by its schema, and a call of it is read as its type",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to it and to what it holds"
)]
pub trait Arguments: Sized {
    /// The arguments of a call of the tool of that name.
    #[doc(hidden)]
    fn read(tool: &str, json: &str) -> Result<Self, ToolError>;

    /// The JSON schema of the arguments.
    #[doc(hidden)]
    fn schema() -> Map;
}

// If they were supertraits, rustc would report them and not this trait.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Arguments for T {
    fn read(tool: &str, json: &str) -> Result<Self, ToolError> {
        read::arguments(tool, json)
    }

    fn schema() -> Map {
        type_schema::parameters::<Self>()
    }
}

/// A tool that a model can call, as a Rust type: its fields are the arguments.
///
/// `#[derive(Tool)]` of the facade implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "is not a tool",
    note = "add `#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]` to it",
    note = "the arguments of a function with `#[tool]` are `…Arguments`: `SendArguments` of `send`"
)]
pub trait Tool: Arguments {
    /// The name that the model calls.
    const NAME: &'static str;

    /// The description that the model reads.
    const DESCRIPTION: &'static str;

    /// What the model is told: name, description, and the JSON schema of the arguments.
    ///
    /// The schema has no references, unless a type holds itself. The doc comments of fields are their
    /// descriptions. An `Option` is optional. Unknown names are an error where the type says so
    /// (`#[serde(deny_unknown_fields)]`).
    fn tool() -> message::ToolSpec {
        let tool = message::ToolSpec::new(Self::NAME, Self::schema());
        // A call in the strict form reads as the type: `null` counts as missing.
        let tool = tool.with_strictness(Strictness::WherePossible);
        match Self::DESCRIPTION {
            "" => tool,
            description => tool.with_description(description),
        }
    }

    /// The arguments of a call. Numbers keep all their digits, as far as the fields have room.
    ///
    /// # Errors
    ///
    /// [`ToolErrorKind::Incomplete`] where the call is not whole, [`ToolErrorKind::UnknownTool`]
    /// where it is one of another tool, and [`ToolErrorKind::Arguments`] where its arguments do not
    /// fit.
    fn from_call(call: &impl Call) -> Result<Self, ToolError> {
        if call.name() != Self::NAME {
            return Err(ToolError::unknown(call.name(), &[Self::NAME]));
        }
        if !call.is_complete() {
            let message = format!("the call of `{}` is not complete", Self::NAME);
            let help = "call the tool again, with all of its arguments";
            return Err(ToolError::new(ToolErrorKind::Incomplete, message).with_help(help));
        }
        Self::read(Self::NAME, call.arguments())
    }
}

/// A large tool in a box can be a variant of a set beside small ones.
#[diagnostic::do_not_recommend]
impl<T: Tool> Tool for Box<T>
where
    Self: Arguments,
{
    const NAME: &'static str = T::NAME;
    const DESCRIPTION: &'static str = T::DESCRIPTION;
}

/// A set of tools as a Rust type: an enum with a variant for each.
///
/// `#[derive(ToolSet)]` of the facade implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of tools",
    label = "is not a set of tools",
    note = "add `#[derive(ToolSet)]` to an enum whose variants hold tools"
)]
pub trait ToolSet: Sized {
    /// The names of the tools, in order.
    const NAMES: &'static [&'static str];

    /// What the model is told, in order.
    fn tools() -> Vec<message::ToolSpec>;

    /// A call as the tool of its name.
    ///
    /// # Errors
    ///
    /// As [`Tool::from_call`]; where there is no tool of the name, the help lists those that are.
    fn from_call(call: &impl Call) -> Result<Self, ToolError>;
}

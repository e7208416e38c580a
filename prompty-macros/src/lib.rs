//! The procedural macros of `typed-prompty`. Use them through the facade, which documents them.
//!
//! This file only declares the macros. The work is split by phase: `parse` reads the tokens of the
//! user, `source` and `literal` find the text of the template, `check` calls the checker of the runtime crate,
//! `expand` generates code, and `report` converts findings into errors and warnings of rustc.

#[cfg(feature = "chat")]
mod chat_template;
mod check;
mod derive_prompt;
mod derive_to_value;
mod errors;
mod expand;
mod function;
mod literal;
mod model;
mod parse;
#[cfg(feature = "output")]
mod partial;
mod report;
mod shape;
mod slots;
mod source;
#[cfg(test)]
mod tests;
#[cfg(feature = "tools")]
mod tools;

use proc_macro::TokenStream;

/// Implements `prompt!` of the facade, which passes its own path in brackets first.
#[doc(hidden)]
#[proc_macro]
pub fn prompt(input: TokenStream) -> TokenStream {
    function::expand(input.into()).into()
}

/// Implements `chat_template!` of the facade, which passes its own path in brackets first.
#[cfg(feature = "chat")]
#[doc(hidden)]
#[proc_macro]
pub fn chat_template(input: TokenStream) -> TokenStream {
    chat_template::expand(input.into()).into()
}

/// Derives `Prompt` for a struct; the facade documents it at `Prompt`.
#[proc_macro_derive(Prompt, attributes(prompt))]
pub fn derive_prompt(input: TokenStream) -> TokenStream {
    derive_prompt::expand(input.into()).into()
}

/// Derives `ToValue` for a struct or an enum of names; the facade documents it at `ToValue`.
#[proc_macro_derive(ToValue, attributes(prompt))]
pub fn derive_to_value(input: TokenStream) -> TokenStream {
    derive_to_value::expand(input.into()).into()
}

/// Derives `Growable` for a type; the facade documents it at `output::Partial`.
#[cfg(feature = "output")]
#[proc_macro_derive(Partial, attributes(partial))]
pub fn derive_partial(input: TokenStream) -> TokenStream {
    partial::expand(input.into()).into()
}

/// Derives `Tool` for a struct; the facade documents it at `tools::Tool`.
#[cfg(feature = "tools")]
#[proc_macro_derive(Tool, attributes(tool))]
pub fn derive_tool(input: TokenStream) -> TokenStream {
    tools::derive_tool::expand(input.into()).into()
}

/// Derives `ToolSet` for an enum; the facade documents it at `tools::ToolSet`.
#[cfg(feature = "tools")]
#[proc_macro_derive(ToolSet, attributes(tool))]
pub fn derive_tool_set(input: TokenStream) -> TokenStream {
    tools::derive_tool_set::expand(input.into()).into()
}

/// Makes a tool from a function; the facade documents it at `tools::tool`.
#[cfg(feature = "tools")]
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tools::function::expand(options.into(), item.into()).into()
}

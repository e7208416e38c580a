//! The procedural macros of `typed-prompty`. Use them through the facade, which documents them.
//!
//! This file only parses, calls and converts. The work is split by phase: `parse` reads what the
//! user wrote, `source` finds the template's text, `check` asks the runtime crate's checker,
//! `expand` writes code, and `report` turns findings into what the compiler shows.

#[cfg(feature = "chat")]
mod chat_template;
mod check;
mod derive_prompt;
mod derive_to_value;
mod errors;
mod expand;
mod function;
mod model;
mod parse;
mod report;
mod shape;
mod source;
#[cfg(test)]
mod tests;
#[cfg(feature = "tools")]
mod tools;

use proc_macro::TokenStream;

/// The work of the facade's `prompt!`, which passes its own path in brackets first.
#[doc(hidden)]
#[proc_macro]
pub fn prompt(input: TokenStream) -> TokenStream {
    function::expand(input.into()).into()
}

/// The work of the facade's `chat_template!`, which passes its own path in brackets first.
#[cfg(feature = "chat")]
#[doc(hidden)]
#[proc_macro]
pub fn chat_template(input: TokenStream) -> TokenStream {
    chat_template::expand(input.into()).into()
}

/// Makes a struct a prompt; documented at the facade's `Prompt`.
#[proc_macro_derive(Prompt, attributes(prompt))]
pub fn derive_prompt(input: TokenStream) -> TokenStream {
    derive_prompt::expand(input.into()).into()
}

/// Makes a struct or an enum of names a value; documented at the facade's `ToValue`.
#[proc_macro_derive(ToValue, attributes(prompt))]
pub fn derive_to_value(input: TokenStream) -> TokenStream {
    derive_to_value::expand(input.into()).into()
}

/// Makes a struct a tool; documented at the facade's `tools::Tool`.
#[cfg(feature = "tools")]
#[proc_macro_derive(Tool, attributes(tool))]
pub fn derive_tool(input: TokenStream) -> TokenStream {
    tools::derive_tool::expand(input.into()).into()
}

/// Makes an enum a set of tools; documented at the facade's `tools::ToolSet`.
#[cfg(feature = "tools")]
#[proc_macro_derive(ToolSet, attributes(tool))]
pub fn derive_tool_set(input: TokenStream) -> TokenStream {
    tools::derive_tool_set::expand(input.into()).into()
}

/// Makes a function a tool; documented at the facade's `tools::tool`.
#[cfg(feature = "tools")]
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tools::function::expand(options.into(), item.into()).into()
}

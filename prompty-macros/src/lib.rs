//! The procedural macros of `typed-prompty`. Use them through the facade, which documents them.
//!
//! This crate declares the macros. `prompty-expand` implements them.

use proc_macro::TokenStream;

/// Implements `prompt!` of the facade, which passes its own path in brackets first.
#[doc(hidden)]
#[proc_macro]
pub fn prompt(input: TokenStream) -> TokenStream {
    prompty_expand::expand_prompt(input.into()).into()
}

/// Implements `chat_template!` of the facade, which passes its own path in brackets first.
#[cfg(feature = "local")]
#[doc(hidden)]
#[proc_macro]
pub fn chat_template(input: TokenStream) -> TokenStream {
    prompty_expand::expand_chat_template(input.into()).into()
}

/// Derives `Prompt` for a struct; the facade documents it at `Prompt`.
#[proc_macro_derive(Prompt, attributes(prompt))]
pub fn derive_prompt(input: TokenStream) -> TokenStream {
    prompty_expand::expand_derive_prompt(input.into()).into()
}

/// Derives `ToValue` for a struct or an enum of names; the facade documents it at `ToValue`.
#[proc_macro_derive(ToValue, attributes(prompt))]
pub fn derive_to_value(input: TokenStream) -> TokenStream {
    prompty_expand::expand_derive_to_value(input.into()).into()
}

/// Derives `Growable` for a type; the facade documents it at `output::Partial`.
#[cfg(feature = "output")]
#[proc_macro_derive(Partial, attributes(partial))]
pub fn derive_partial(input: TokenStream) -> TokenStream {
    prompty_expand::expand_derive_partial(input.into()).into()
}

/// Derives `Tool` for a struct; the facade documents it at `tools::Tool`.
#[cfg(feature = "tools")]
#[proc_macro_derive(Tool, attributes(tool))]
pub fn derive_tool(input: TokenStream) -> TokenStream {
    prompty_expand::expand_derive_tool(input.into()).into()
}

/// Derives `ToolSet` for an enum; the facade documents it at `tools::ToolSet`.
#[cfg(feature = "tools")]
#[proc_macro_derive(ToolSet, attributes(tool))]
pub fn derive_tool_set(input: TokenStream) -> TokenStream {
    prompty_expand::expand_derive_tool_set(input.into()).into()
}

/// Makes a tool from a function; the facade documents it at `tools::tool`.
#[cfg(feature = "tools")]
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    prompty_expand::expand_tool_attribute(options.into(), item.into()).into()
}

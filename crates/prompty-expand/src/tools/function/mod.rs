//! Expands `#[tool]`, which makes a function a tool.
//!
//! The function does not change. A struct of its arguments is added, which is a tool and can call
//! the function. The struct is next to the function and not in a separate module. Otherwise its
//! types could not name the items of an enclosing function body, which are not visible in a module.

mod expand;
mod signature;
mod types;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;

use self::signature::Function;
use super::options::ToolOptions;
use crate::errors::{Errors, error_with_help};

/// Expands the attribute.
pub fn expand_tool_attribute(written: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = ToolOptions::of_function(written, &mut errors);
    let expanded = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => expand::expand_function(&options, &function, &mut errors),
        Err(error) => {
            errors.push(type_keyword(&item).map_or(error, |span| {
                let help =
                    "on a type, use `#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]`";
                error_with_help(span, "`#[tool]` can only be used on a function", help)
            }));
            // An item that is not a function does not change.
            item
        }
    };
    let errors = errors.into_tokens();
    quote!(#errors #expanded)
}

/// The span of the keyword that begins a type.
fn type_keyword(item: &TokenStream) -> Option<Span> {
    item.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ["struct", "enum", "union"].iter().any(|it| ident == it) => {
            Some(ident.span())
        }
        _ => None,
    })
}

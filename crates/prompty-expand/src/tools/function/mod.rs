//! `#[tool]`: from a function to a tool.
//!
//! The function stays as it is. A struct of its arguments is added: it is a tool and can call the
//! function.

mod expand;
mod signature;
mod types;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;

use self::signature::Function;
use super::options::Options;
use crate::errors::{Errors, error_with_help};

/// The whole attribute.
pub fn expand(written: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::of_function(written, &mut errors);
    let expanded = match syn::parse2::<Function>(item.clone()) {
        Ok(function) => expand::expand(&options, &function, &mut errors),
        Err(error) => {
            errors.push(type_keyword(&item).map_or(error, |span| {
                let help =
                    "on a type, write `#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]`";
                error_with_help(span, "`#[tool]` goes on a function", help)
            }));
            // Everything but a function stays as it is.
            item
        }
    };
    let errors = errors.into_tokens();
    quote!(#errors #expanded)
}

/// The place of the keyword that begins a type.
fn type_keyword(item: &TokenStream) -> Option<Span> {
    item.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ["struct", "enum", "union"].iter().any(|it| ident == it) => {
            Some(ident.span())
        }
        _ => None,
    })
}

//! `#[derive(Prompt)]` for a prompt of slots: its fields fill slots, or stand for placeholders in texts of
//! the author.
//!
//! As with templates, `parse` reads the user's code, `check` calls what the runtime crate knows of slots, and
//! `expand` writes code. Wrong code gets a stub, so that one mistake is one error.

#[cfg(feature = "slots")]
mod check;
#[cfg(feature = "slots")]
mod expand;
#[cfg(feature = "slots")]
mod parse;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Data, DeriveInput, Meta};

/// The keys that say of a prompt that it is one of slots.
const KEYS: [&str; 4] = ["slots", "slot", "title", "part"];

/// Whether a struct says of itself that it is a prompt of slots.
pub(crate) fn is_of_slots(input: &DeriveInput) -> bool {
    let of_fields = match &input.data {
        Data::Struct(data) => data.fields.iter().flat_map(|field| &field.attrs).collect(),
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    };
    input.attrs.iter().chain(of_fields).any(names_slots)
}

fn names_slots(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let is_key = |token: TokenTree| match token {
        TokenTree::Ident(ident) => KEYS.iter().any(|key| ident == key),
        _ => false,
    };
    attribute.path().is_ident("prompt") && list.tokens.clone().into_iter().any(is_key)
}

/// Expands the derive of a prompt of slots.
#[cfg(feature = "slots")]
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = crate::errors::Errors::default();
    let prompt = parse::declaration(input, &mut errors);
    check::declaration(&prompt, &mut errors);
    expand::implementation(&prompt, errors)
}

/// Says which feature prompts of slots need.
#[cfg(not(feature = "slots"))]
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let help = "turn on the feature `slots` of `typed-prompty`";
    let message = "prompts of slots are not compiled in";
    crate::errors::error_with_help(input.ident.span(), message, help).into_compile_error()
}

//! Expands `#[derive(Prompt)]` for a prompt of slots. Its fields fill slots, or replace
//! placeholders in the author's texts.
//!
//! As with templates, `parse` reads the user's code, `check` applies the rules of slots in the core
//! crate, and `expand` generates code. Wrong code gets a stub, so that one mistake is one error.

#[cfg(feature = "slots")]
mod check;
#[cfg(feature = "slots")]
mod expand;
#[cfg(feature = "slots")]
mod parse;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Data, DeriveInput, Meta};

/// The keys that only a prompt of slots has.
const KEYS: [&str; 4] = ["slots", "slot", "title", "part"];

/// Whether a struct is a prompt of slots.
pub(crate) fn is_of_slots(input: &DeriveInput) -> bool {
    let of_fields = match &input.data {
        Data::Struct(data) => data.fields.iter().flat_map(|field| &field.attrs).collect(),
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    };
    input.attrs.iter().chain(of_fields).any(has_slot_key)
}

fn has_slot_key(attribute: &Attribute) -> bool {
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
    let prompt = parse::read_declaration(input, &mut errors);
    check::check_declaration(&prompt, &mut errors);
    expand::implementation(&prompt, errors)
}

/// Reports the feature that prompts of slots need.
#[cfg(not(feature = "slots"))]
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let help = "enable the feature `slots` of `typed-prompty`";
    let message = "prompts with slots are not enabled";
    crate::errors::error_with_help(input.ident.span(), message, help).into_compile_error()
}

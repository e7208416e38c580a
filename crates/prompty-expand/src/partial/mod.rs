//! Expands `#[derive(Partial)]`: a type whose values are shown while they are being received.
//!
//! `parse` reads the type and its attributes, `names` implements serde's renaming of fields,
//! `check` decides how the type grows and reports fields that cannot grow, and `expand` generates
//! the code.

mod check;
mod expand;
mod names;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::errors::{Errors, expand_derive};

/// Expands the derive.
pub fn expand_derive_partial(input: TokenStream) -> TokenStream {
    expand_derive(input, derive)
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let declared = parse::read_type(input, &mut errors);
    let code =
        check::growth_form(&declared, &mut errors).map(|form| expand::code(&declared, &form));
    let errors = errors.into_tokens();
    quote!(#errors #code)
}

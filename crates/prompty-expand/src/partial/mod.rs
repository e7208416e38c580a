//! `#[derive(Partial)]`: a type whose values are shown while they grow.
//!
//! `parse` reads the type and what is said of it, `names` knows how serde names fields, `check` decides how the
//! type grows and tells what cannot, and `expand` writes the code.

mod check;
mod expand;
mod names;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::errors::{Errors, expand_derive};

/// The whole derive.
pub fn expand(input: TokenStream) -> TokenStream {
    expand_derive(input, derive)
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let declared = parse::declared(input, &mut errors);
    let code = check::form(&declared, &mut errors).map(|form| expand::code(&declared, &form));
    let errors = errors.into_tokens();
    quote!(#errors #code)
}

//! Expands `#[derive(Prompt)]`: makes a struct a prompt.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::check;
use crate::errors::{Errors, error_with_help};
use crate::expansion::{self, StructOrigin};
use crate::model::{Context, FieldNames, Prompt};
use crate::parse::{attributes, fields};
use crate::rust_type::type_parameters;
use crate::source::{self, SourceLookup};

/// Expands the whole derive.
pub fn expand(input: TokenStream) -> TokenStream {
    match syn::parse2::<DeriveInput>(input) {
        Ok(input) if crate::slots::is_of_slots(&input) => crate::slots::derive(&input),
        Ok(input) => derive(&input),
        Err(error) => error.into_compile_error(),
    }
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = attributes::read_type_options(&input.attrs, &mut errors);
    let facade = match &options.facade {
        Some(path) => quote!(#path),
        None => quote!(::typed_prompty),
    };
    let context = Context { facade };
    let Data::Struct(data) = &input.data else {
        let help = "a prompt is a struct whose fields are its inputs";
        errors.push(error_with_help(input.ident.span(), "only a struct can be a prompt", help));
        return errors.into_tokens();
    };
    let inputs = fields::inputs(&data.fields, &type_parameters(&input.generics), &mut errors);
    let prompt = Prompt {
        visibility: input.vis.clone(),
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        inputs,
        options,
        names: FieldNames::OfRust,
    };
    let found = match (&prompt.options.path, &prompt.options.source) {
        (Some(path), None) => errors.keep(source::read(path)),
        (None, Some(text)) => Some(SourceLookup::Source(source::inline(text))),
        (Some(_), Some(text)) => {
            let help = "give either `path` or `source`";
            errors.push(error_with_help(text.span(), "a prompt has one text", help));
            None
        }
        // A misspelled key was reported before.
        (None, None) if !errors.is_empty() => None,
        (None, None) => {
            let help = "add `#[prompt(path = \"prompts/name.prompty\")]` or `#[prompt(source = \
                        \"…\")]` to it";
            errors.push(error_with_help(input.ident.span(), "a prompt needs its text", help));
            None
        }
    };
    check::refuse_types(&prompt.options, &mut errors);
    expansion::expand(&context, &StructOrigin::Derive, prompt, found, errors)
}

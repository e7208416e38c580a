//! Expands `#[derive(Prompt)]`: makes a struct a prompt.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput};

use crate::check;
use crate::errors::{Errors, expand_derive};
use crate::expansion::{self, StructOrigin};
use crate::model::{FieldNames, Prompt};
use crate::parse::{attributes, fields};
use crate::rust_type::type_parameters;
use crate::source::{self, Lookup};

/// Expands the derive.
pub fn expand_derive_prompt(input: TokenStream) -> TokenStream {
    expand_derive(input, |input| match crate::slots::is_of_slots(input) {
        true => crate::slots::derive(input),
        false => derive(input),
    })
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = attributes::read_type_options(&input.attrs, &mut errors);
    let facade = attributes::facade(options.facade.as_ref());
    let Data::Struct(data) = &input.data else {
        let help = "define a struct whose fields are the inputs";
        errors.add(input.ident.span(), "`Prompt` can only be derived for a struct", help);
        return errors.into_tokens();
    };
    let inputs = fields::inputs(&data.fields, &type_parameters(&input.generics), &mut errors);
    let prompt = Prompt {
        visibility: input.vis.clone(),
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        inputs,
        options,
        names: FieldNames::Rust,
    };
    let found = match (&prompt.options.path, &prompt.options.source) {
        (Some(path), None) => errors.keep(source::read(path)),
        (None, Some(text)) => Some(Lookup::Found(source::inline(text))),
        (Some(_), Some(text)) => {
            let help = "remove either `path` or `source`";
            errors.add(text.span(), "a prompt cannot have both `path` and `source`", help);
            None
        }
        // A misspelled key was reported before.
        (None, None) if !errors.is_empty() => None,
        (None, None) => {
            let help = "add `#[prompt(path = \"prompts/name.prompty\")]` or `#[prompt(source = \
                        \"…\")]`";
            errors.add(input.ident.span(), "this prompt has no text", help);
            None
        }
    };
    check::report_types_option(&prompt.options, &mut errors);
    expansion::expand_from_source(&facade, &StructOrigin::Derive, prompt, found, errors)
}

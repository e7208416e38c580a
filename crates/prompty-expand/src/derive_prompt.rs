//! Expands `#[derive(Prompt)]`: makes a struct a prompt.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput};

use crate::check;
use crate::errors::{Errors, expand_derive};
use crate::expansion::{self, StructOrigin};
use crate::model::{Context, FieldNames, Prompt};
use crate::parse::{attributes, fields};
use crate::rust_type::type_parameters;
use crate::source::{self, SourceLookup};

/// Expands the whole derive.
pub fn expand(input: TokenStream) -> TokenStream {
    expand_derive(input, |input| match crate::slots::is_of_slots(input) {
        true => crate::slots::derive(input),
        false => derive(input),
    })
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = attributes::read_type_options(&input.attrs, &mut errors);
    let facade = attributes::facade(options.facade.as_ref());
    let context = Context { facade };
    let Data::Struct(data) = &input.data else {
        let help = "a prompt is a struct whose fields are its inputs";
        errors.add(input.ident.span(), "only a struct can be a prompt", help);
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
            errors.add(text.span(), "a prompt has one text", help);
            None
        }
        // A misspelled key was reported before.
        (None, None) if !errors.is_empty() => None,
        (None, None) => {
            let help = "add `#[prompt(path = \"prompts/name.prompty\")]` or `#[prompt(source = \
                        \"…\")]` to it";
            errors.add(input.ident.span(), "a prompt needs its text", help);
            None
        }
    };
    check::refuse_types(&prompt.options, &mut errors);
    expansion::expand(&context, &StructOrigin::Derive, prompt, found, errors)
}

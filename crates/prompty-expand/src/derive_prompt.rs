//! Expands `#[derive(Prompt)]`: makes a struct a prompt.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::check;
use crate::errors::{Errors, error_with_help};
use crate::expand::nested::Names;
use crate::expand::{implementation, output, rendering};
use crate::model::{Context, FieldNames, Options, Prompt};
use crate::parse::{attributes, fields};
use crate::report::{self, Subjects};
use crate::rust_type::type_parameters;
use crate::source::{self, Source, SourceLookup};

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
    expand_derive(&context, prompt, found, errors).implementation
}

/// The implementation of a prompt for a struct.
pub(crate) struct Expansion {
    pub(crate) implementation: TokenStream,
    /// The sentence of the documentation that says how the prompt renders; `None` if it has errors.
    pub(crate) renders: Option<String>,
}

impl Expansion {
    fn failed(implementation: TokenStream) -> Self {
        Self { implementation, renders: None }
    }
}

/// Generates the implementation for a struct with declared inputs, or all errors and a fallback.
pub(crate) fn expand_derive(
    context: &Context,
    mut prompt: Prompt,
    found: Option<SourceLookup>,
    mut errors: Errors,
) -> Expansion {
    refuse_types(&prompt.options, &mut errors);
    let facade = &context.facade;
    let fallback = implementation::fallback(facade, &prompt);
    let mut source = match found {
        Some(SourceLookup::Source(source)) => source,
        Some(SourceLookup::Unknown(include)) => {
            return Expansion::failed(quote!(#include #fallback));
        }
        None => {
            let errors = errors.into_tokens();
            return Expansion::failed(quote!(#errors #fallback));
        }
    };
    if !errors.is_empty() {
        // With wrong inputs, each use of them would be reported again.
        return errors_and_fallback(&source, errors, &fallback);
    }
    let (definition, mut declared) = check::front_matter(&mut source);
    let Some(mut definition) = definition else {
        let subjects = Subjects::new(&prompt.inputs, &prompt.options);
        report::findings(&source, &declared.diagnostics, subjects, &mut errors);
        return errors_and_fallback(&source, errors, &fallback);
    };
    let options = &prompt.options;
    check::apply_options(options, &mut definition, &mut errors);
    let found = &mut declared.diagnostics;
    let is_whole = check::assemble(&mut source, &mut definition, options, found, &mut errors);
    let doubts = &declared.doubts;
    check::compare(&prompt.inputs, &definition, doubts, &mut errors);
    check::missing_fields(&prompt.ident, &prompt.inputs, &definition, doubts, &mut errors);
    let signature = check::signature(&prompt.ident, &prompt.inputs, &definition);
    let checked = check::template(definition, is_whole, declared, options, &signature);
    let (names, definition) = (Names::default(), &checked.definition);
    let made = output::put_type(facade, &mut prompt, definition, &source, names, &mut errors);
    let fallback = implementation::fallback(facade, &prompt);
    let fallback = quote!(#made #fallback);
    let subjects = Subjects::new(&prompt.inputs, &prompt.options);
    let warnings = report::findings(&source, &checked.report.diagnostics, subjects, &mut errors);
    if !errors.is_empty() || check::has_errors(&checked.report.diagnostics) {
        return errors_and_fallback(&source, errors, &fallback);
    }
    let rendering = rendering::choose(facade, &prompt, &source, &checked, &mut errors);
    if !errors.is_empty() {
        return errors_and_fallback(&source, errors, &fallback);
    }
    let implementation =
        implementation::expand_implementation(facade, &prompt, &source, &checked, &rendering);
    let renders = Some(rendering.documentation());
    Expansion { implementation: quote!(#warnings #made #implementation), renders }
}

/// Reports types that stand in for those of front matter where the fields are declared in Rust.
pub(crate) fn refuse_types(options: &Options, errors: &mut Errors) {
    if let Some(replaced) = options.types.first() {
        let message = "`types` goes with inputs that the front matter declares";
        let help = "the inputs are declared here: give the field that type";
        errors.push(error_with_help(replaced.span, message, help));
    }
}

fn errors_and_fallback(source: &Source, errors: Errors, fallback: &TokenStream) -> Expansion {
    let (errors, tracking) = (errors.into_tokens(), source.tracking());
    // The file is also tracked if it is wrong, so that rustc notices when it is corrected.
    Expansion::failed(quote!(#errors #tracking #fallback))
}

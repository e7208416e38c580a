//! The steps from the text of a prompt to its code, shared by `prompt!` and the derive.
//!
//! They read the front matter, assemble the template's files, check the template and generate code.
//! The place where the inputs are declared decides what the struct is, and which inputs the
//! template is checked with.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use crate::check::{self, CheckedTemplate};
use crate::declared_struct::DeclaredStruct;
use crate::errors::Errors;
use crate::expand::structs::{self, GeneratedTypes};
use crate::expand::{CheckedPrompt, implementation, output, rendering};
use crate::model::{Head, Prompt};
use crate::report::{self, Subjects};
use crate::source::{Lookup, Source};

/// The place where the inputs of a prompt are declared, which decides where its struct comes from.
pub(crate) enum StructOrigin<'p> {
    /// In the front matter. The struct is generated.
    FrontMatter(&'p Head),
    /// As fields in `prompt!`.
    Fields(&'p DeclaredStruct),
    /// In a struct of the user that derives `Prompt`.
    Derive,
}

/// Generates the code of a prompt, or all its errors and a stub. If the front matter declares the
/// inputs, `prompt` gets its inputs and generics here.
pub(crate) fn expand_from_source(
    facade: &TokenStream,
    origin: &StructOrigin<'_>,
    mut prompt: Prompt,
    found: Option<Lookup<Source>>,
    mut errors: Errors,
) -> TokenStream {
    let mut source = match found {
        Some(Lookup::Found(source)) => source,
        Some(Lookup::Unknown(include)) => {
            let stub = origin.stub(facade, &prompt);
            return quote!(#include #stub);
        }
        None => return origin.failed(facade, &prompt, errors, None),
    };
    if !errors.is_empty() && origin.is_in_rust() {
        // If the inputs are wrong, each use of them would be reported again.
        return origin.failed(facade, &prompt, errors, Some(&source));
    }
    let Some(result) = check_source(origin, &prompt, &mut source, &mut errors) else {
        return origin.failed(facade, &prompt, errors, Some(&source));
    };
    let CheckedSource { checked, warnings, is_doubtful } = result;
    let (definition, options) = (&checked.definition, &prompt.options);
    // Generate the types that the front matter declares.
    let mut types = GeneratedTypes::default();
    if let StructOrigin::FrontMatter(head) = origin {
        types =
            structs::generate_input_types(facade, head, definition, &source, options, &mut errors);
        // Fields may be missing, and each use of one would be reported again.
        if is_doubtful && !errors.is_empty() {
            return origin.failed(facade, &prompt, errors, Some(&source));
        }
        prompt.inputs = std::mem::take(&mut types.inputs);
        prompt.generics = types.generics.clone();
    }
    let names = std::mem::take(&mut types.names);
    let output_items =
        output::set_output_type(facade, &mut prompt, definition, &source, names, &mut errors);
    // Generate the implementation, or a fallback if there are errors.
    let known = CheckedPrompt { facade, prompt: &prompt, source: &source, checked: &checked };
    let rendering = (errors.is_empty())
        .then(|| rendering::choose(known, &mut errors))
        .filter(|_| errors.is_empty());
    let code = match &rendering {
        Some(rendering) => {
            let code = implementation::implement_prompt(known, rendering);
            quote!(#warnings #code)
        }
        None => {
            let (errors, tracking) = (errors.into_tokens(), source.tracking());
            let fallback = implementation::fallback(facade, &prompt);
            quote!(#errors #tracking #fallback)
        }
    };
    let renders = rendering.map(|rendering| rendering.documentation());
    let item = match origin {
        StructOrigin::FrontMatter(head) => {
            Some(types.prompt_struct(facade, head, definition, renders.as_deref()))
        }
        _ => origin.declared_item(facade, renders.as_deref()),
    };
    let nested = &types.nested;
    quote!(#nested #output_items #item #code)
}

/// The result of checking the source of a prompt.
struct CheckedSource {
    checked: CheckedTemplate,
    /// The code of the warnings.
    warnings: TokenStream,
    /// Whether some declarations of inputs could not be read, so that fields may be missing.
    is_doubtful: bool,
}

/// Reads the front matter, assembles the template's files, and checks the template. `None` if the
/// front matter cannot be read at all.
fn check_source(
    origin: &StructOrigin<'_>,
    prompt: &Prompt,
    source: &mut Source,
    errors: &mut Errors,
) -> Option<CheckedSource> {
    let options = &prompt.options;
    let subjects = Subjects::new(&prompt.inputs, options);
    let (definition, mut declared) = check::read_front_matter(source);
    let Some(mut definition) = definition else {
        report::report_diagnostics(source, &declared.diagnostics, subjects, errors);
        return None;
    };
    check::apply_options(options, &mut definition, errors);
    let diagnostics = &mut declared.diagnostics;
    let is_complete = check::assemble(source, &mut definition, options, diagnostics, errors);
    let doubts = &declared.doubts;
    let is_doubtful = doubts.any_input || !doubts.inputs.is_empty();
    if origin.is_in_rust() {
        check::compare_fields(prompt, &definition, doubts, errors);
    }
    let signature = check::signature(&prompt.ident, &prompt.inputs, &definition);
    let checked = check::check_template(definition, is_complete, declared, options, &signature);
    let diagnostics = &checked.report.diagnostics;
    let warnings = report::report_diagnostics(source, diagnostics, subjects, errors);
    Some(CheckedSource { checked, warnings, is_doubtful })
}

impl StructOrigin<'_> {
    /// Whether the inputs are declared in Rust.
    fn is_in_rust(&self) -> bool {
        !matches!(self, Self::FrontMatter(_))
    }

    /// The struct that is declared in `prompt!`, if there is one. `renders` is a sentence for its
    /// documentation.
    fn declared_item(&self, facade: &TokenStream, renders: Option<&str>) -> Option<TokenStream> {
        let Self::Fields(declared) = self else { return None };
        Some(declared.tokens(facade, renders))
    }

    /// The stub of a prompt whose text is not known.
    fn stub(&self, facade: &TokenStream, prompt: &Prompt) -> TokenStream {
        if let Self::FrontMatter(head) = self {
            return implementation::stub_of_unknown_inputs(facade, head);
        }
        let item = self.declared_item(facade, None);
        let fallback = implementation::fallback(facade, prompt);
        quote!(#item #fallback)
    }

    /// The errors of a prompt that cannot be processed further. If its inputs are unknown, the
    /// first error becomes its type, so that uses of the prompt cause no further errors.
    fn failed(
        &self,
        facade: &TokenStream,
        prompt: &Prompt,
        errors: Errors,
        source: Option<&Source>,
    ) -> TokenStream {
        // The file is tracked even if it is wrong, so that rustc notices when it is corrected.
        let tracking = source.map(Source::tracking);
        let Self::FrontMatter(head) = self else {
            let (errors, stub) = (errors.into_tokens(), self.stub(facade, prompt));
            return quote!(#errors #tracking #stub);
        };
        // Nearly every prompt borrows a string.
        let generics = match head.generics.params.is_empty() {
            true => parse_quote!(<'prompt>),
            false => head.generics.clone(),
        };
        let errors = errors.into_type(facade, &head.visibility, &head.ident, &generics);
        quote!(#errors #tracking)
    }
}

//! Expands `prompt!`: a prompt type from its source, or messages from literals.

use proc_macro2::TokenStream;
use prompty_core::diagnostic::Code;
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Fields, Generics, LitStr};

use crate::declared_struct::DeclaredStruct;
use crate::errors::Errors;
use crate::expand::{captures, implementation, output, statics, text_prompt, turns};
use crate::expansion::{self, StructOrigin};
use crate::model::{FieldNames, Head, Prompt};
use crate::parse::attributes;
use crate::parse::invocation::{PromptForm, PromptInvocation, Turn};
use crate::{check, report, source};

/// Expands the macro.
pub fn expand_prompt(input: TokenStream) -> TokenStream {
    let invocation = match syn::parse2::<PromptInvocation>(input) {
        Ok(invocation) => invocation,
        Err(error) => return error.into_compile_error(),
    };
    let facade = &invocation.facade;
    match invocation.form {
        PromptForm::Loaded { head, source } => expand_front_matter(facade, &head, &source),
        PromptForm::Declared { head, fields, source } => {
            expand_declared(facade, head, fields, &source)
        }
        PromptForm::Turns { head, fields, turns } => expand_turns(facade, head, fields, &turns),
        PromptForm::Expression { turns } => {
            let mut errors = Errors::default();
            let messages = turns::messages(facade, &turns, &mut errors);
            let errors = errors.into_tokens();
            quote!({ #errors #messages })
        }
    }
}

/// Expands a prompt whose front matter declares the inputs.
fn expand_front_matter(facade: &TokenStream, head: &Head, literal: &LitStr) -> TokenStream {
    let mut errors = Errors::default();
    let options = attributes::read_macro_options(head, &mut errors);
    if let Some(parameter) = head.generics.params.first() {
        let message = "a prompt whose front matter declares its inputs cannot have type parameters";
        let help = "declare the inputs in Rust: `prompt!(Name<T> { field: T }, \"…\")`";
        errors.add(parameter.span(), message, help);
    }
    let prompt = Prompt {
        visibility: head.visibility.clone(),
        ident: head.ident.clone(),
        generics: Generics::default(),
        inputs: Vec::new(),
        options,
        names: FieldNames::FrontMatter,
    };
    let found = errors.keep(source::from_literal(literal));
    expansion::expand_from_source(facade, &StructOrigin::FrontMatter(head), prompt, found, errors)
}

/// Expands a prompt whose inputs are declared in Rust and whose text is a template.
fn expand_declared(
    facade: &TokenStream,
    head: Head,
    fields: Fields,
    literal: &LitStr,
) -> TokenStream {
    let mut errors = Errors::default();
    let (declared, prompt) = DeclaredStruct::new(head, fields, &mut errors);
    let found = errors.keep(source::from_literal(literal));
    check::report_types_option(&prompt.options, &mut errors);
    expansion::expand_from_source(facade, &StructOrigin::Fields(&declared), prompt, found, errors)
}

/// Expands a prompt whose inputs are declared in Rust and whose messages are literals.
fn expand_turns(facade: &TokenStream, head: Head, fields: Fields, list: &[Turn]) -> TokenStream {
    let mut errors = Errors::default();
    let (declared, prompt) = DeclaredStruct::new(head, fields, &mut errors);
    check::report_types_option(&prompt.options, &mut errors);
    output::refuse_name(&prompt, &mut errors);
    output::refuse_schema(&prompt, &mut errors);
    let mut warnings = unused_warnings(&prompt, list);
    warnings.extend(output::unmentioned_warning(&prompt, list));
    let body = turns::bound_messages(facade, &prompt, list, &mut errors);
    let size = turns::size(facade, &prompt, list);
    let output = output::methods(facade, &prompt);
    let item = declared.tokens(facade, None);
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        let fallback = implementation::fallback(facade, &prompt);
        return quote!(#errors #item #fallback);
    }
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let (name, text) = (ident.to_string(), turns::template(list));
    let declarations = prompt.inputs.iter().map(|input| statics::declaration(facade, input, None));
    let listing = implementation::listing_item(facade, ident);
    let receiver = text_prompt::receiver(facade, &prompt);
    let inputs_struct = text_prompt::inputs_struct(facade, &prompt);
    // The size would need the texts of other prompts.
    let size = (!text_prompt::has_text_inputs(&prompt)).then(|| {
        quote! {
            fn len_hint(&self) -> core::primitive::usize {
                #[allow(unused_variables)]
                let prompt = self;
                #size
            }
        }
    });
    quote! {
        #warnings
        #item
        #output
        const _: () = {
            use #facade::__private::core;
            const __DEFINITION: #facade::StaticDefinition =
                #facade::StaticDefinition::new(#name, #text, #text)
                    .with_format("turns")
                    .with_inputs(&[#(#declarations),*]);
            #listing
            #[allow(unused_imports)]
            use #facade::__private::tiers::*;
            #inputs_struct
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition = __DEFINITION;
                fn messages(&self) -> core::result::Result<
                    #facade::__private::Vec<#facade::Message>,
                    #facade::Error,
                > {
                    let _span = #facade::__private::EnteredSpan::prepare(#name);
                    #[allow(unused_variables)]
                    let prompt = #receiver;
                    core::result::Result::Ok(#body)
                }
                #size
            }
        };
    }
}

/// Generates a warning for each input that no message captures.
fn unused_warnings(prompt: &Prompt, list: &[Turn]) -> TokenStream {
    if prompt.options.allow.iter().any(|name| name == "unused_input") {
        return TokenStream::new();
    }
    let mut used = Vec::new();
    for turn in list {
        match turn {
            Turn::Message { text, .. } => {
                used.extend(captures::captures(text).into_iter().map(|capture| capture.name));
            }
            Turn::Thread { messages, .. } => {
                used.extend(identifiers(quote!(#messages)));
            }
        }
    }
    let unused = prompt.inputs.iter().filter(|input| {
        // The names in the expression of a thread count as captured.
        !used.iter().any(|name| input.field == name || input.field.unraw() == name)
    });
    let warnings = unused.map(|input| {
        let name = input.field.unraw().to_string();
        let doubled = list.iter().find_map(|turn| turns::doubled_braces(turn, &name));
        let help = match doubled {
            Some(written) => {
                format!("`{written}` is literal text here; write `{{{name}}}` to capture the input")
            }
            None => format!("capture the input as `{{{name}}}`, or remove it"),
        };
        let text = format!("input `{}` is never used\n  = help: {help}", input.name());
        report::warning(Code::UnusedInput, &text, input.span)
    });
    warnings.collect()
}

/// All names in an expression.
fn identifiers(tokens: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(ident) => names.push(ident.to_string()),
            proc_macro2::TokenTree::Group(group) => names.extend(identifiers(group.stream())),
            _ => {}
        }
    }
    names
}

//! Expands `prompt!`: a prompt type from its source, or messages from literals.

use proc_macro2::TokenStream;
use prompty_check::check::{Presence, Signature};
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, Generics, Ident, LitStr, Visibility, parse_quote};

use crate::check;
use crate::derive_prompt::{Expansion, expand_derive, refuse_types};
use crate::errors::{Errors, error_with_help};
use crate::expand::constructors::{self, Given};
use crate::expand::derives::{self, NamedField};
use crate::expand::{
    captures, implementation, lifetimes, output, rendering, statics, structs, turns,
};
use crate::model::{Context, FieldNames, Head, Options, Prompt};
use crate::parse::invocation::{Form, Invocation, Turn};
use crate::parse::{attributes, fields};
use crate::report::{self, Subjects};
use crate::rust_type;
use crate::rust_type::type_parameters;
use crate::source::{self, SourceLookup};

/// Expands the whole macro.
pub fn expand(input: TokenStream) -> TokenStream {
    let invocation = match syn::parse2::<Invocation>(input) {
        Ok(invocation) => invocation,
        Err(error) => return error.into_compile_error(),
    };
    let context = Context { facade: invocation.facade };
    match invocation.form {
        Form::Loaded { head, source } => expand_front_matter(&context, &head, &source),
        Form::Declared { head, fields, source } => expand_declared(&context, head, fields, &source),
        Form::Turns { head, fields, turns } => expand_turns(&context, head, fields, &turns),
        Form::Expression { turns } => {
            let mut errors = Errors::default();
            let messages = turns::messages(&context.facade, &turns, &mut errors);
            let errors = errors.into_tokens();
            quote!({ #errors #messages })
        }
    }
}

/// Expands a prompt whose front matter declares the inputs: the struct is generated.
fn expand_front_matter(context: &Context, head: &Head, literal: &LitStr) -> TokenStream {
    let facade = &context.facade;
    let mut errors = Errors::default();
    let options = attributes::read_type_options(&head.attributes, &mut errors);
    if let Some(parameter) = head.generics.params.first() {
        let message = "a prompt whose front matter declares its inputs has no type parameters";
        let help = "declare the inputs in Rust: `prompt!(Name<T> { field: T }, \"…\")`";
        errors.push(error_with_help(parameter.span(), message, help));
    }
    let mut source = match errors.keep(source::from_literal(literal)) {
        Some(SourceLookup::Source(source)) => source,
        Some(SourceLookup::Unknown(include)) => {
            let unknown = implementation::stub_of_unknown_inputs(facade, head);
            return quote!(#include #unknown);
        }
        None => return type_of_errors(facade, errors, head),
    };
    let (definition, mut declared) = check::front_matter(&mut source);
    let Some(mut definition) = definition else {
        report::findings(&source, &declared.diagnostics, Subjects::default(), &mut errors);
        let (errors, tracking) = (type_of_errors(facade, errors, head), source.tracking());
        return quote!(#errors #tracking);
    };
    let is_doubtful = declared.doubts.any_input || !declared.doubts.inputs.is_empty();
    check::apply_options(&options, &mut definition, &mut errors);
    let is_whole = check::assemble(
        &mut source,
        &mut definition,
        &options,
        &mut declared.diagnostics,
        &mut errors,
    );
    let signature = Signature::from_definition(&definition).with_subject(head.ident.to_string());
    let checked = check::template(definition, is_whole, declared, &options, &signature);
    let subjects = Subjects::new(&[], &options);
    let warnings = report::findings(&source, &checked.report.diagnostics, subjects, &mut errors);
    let replaced = &options.types;
    let mut types =
        structs::expand_types(context, head, &checked.definition, &source, replaced, &mut errors);
    if is_doubtful && !errors.is_empty() {
        let (errors, tracking) = (type_of_errors(facade, errors, head), source.tracking());
        return quote!(#errors #tracking);
    }
    let inputs = std::mem::take(&mut types.inputs);
    let generics = types.generics.clone();
    let (visibility, ident) = (head.visibility.clone(), head.ident.clone());
    let names = FieldNames::OfFrontMatter;
    let mut prompt = Prompt { visibility, ident, generics, inputs, options, names };
    let taken = std::mem::take(&mut types.names);
    let definition = &checked.definition;
    let made = output::put_type(facade, &mut prompt, definition, &source, taken, &mut errors);
    let fallback = implementation::fallback(facade, &prompt);
    let nested = &types.nested;
    let rendering = errors
        .is_empty()
        .then(|| rendering::choose(facade, &prompt, &source, &checked, &mut errors));
    match rendering {
        Some(rendering) if errors.is_empty() => {
            let implementation = implementation::expand_implementation(
                facade, &prompt, &source, &checked, &rendering,
            );
            let renders = rendering.documentation();
            let item = types.prompt_struct(facade, head, &checked.definition, Some(&renders));
            quote!(#warnings #nested #made #item #implementation)
        }
        _ => {
            let (errors, tracking) = (errors.into_tokens(), source.tracking());
            let item = types.prompt_struct(facade, head, &checked.definition, None);
            quote!(#errors #tracking #nested #made #item #fallback)
        }
    }
}

/// The errors of a prompt whose inputs are not known. They are its type, so that no use of it is one more
/// error.
fn type_of_errors(facade: &TokenStream, errors: Errors, head: &Head) -> TokenStream {
    // Nearly every prompt borrows a text.
    let generics = match head.generics.params.is_empty() {
        true => parse_quote!(<'prompt>),
        false => head.generics.clone(),
    };
    errors.into_type(facade, &head.visibility, &head.ident, &generics)
}

/// Expands a prompt whose inputs are declared in Rust and whose text is a template.
fn expand_declared(context: &Context, head: Head, fields: Fields, literal: &LitStr) -> TokenStream {
    let mut errors = Errors::default();
    let (declared, prompt) = DeclaredStruct::new(head, fields, &mut errors);
    let found = errors.keep(source::from_literal(literal));
    let Expansion { implementation, renders } = expand_derive(context, prompt, found, errors);
    let item = declared.tokens(&context.facade, renders.as_deref());
    quote!(#item #implementation)
}

/// The struct of the declared inputs, with a lifetime for its references.
struct DeclaredStruct {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    ident: Ident,
    generics: Generics,
    fields: Fields,
}

impl DeclaredStruct {
    fn new(head: Head, mut fields: Fields, errors: &mut Errors) -> (Self, Prompt) {
        let options = attributes::read_type_options(&head.attributes, errors);
        let Head { attributes, visibility, ident, mut generics } = head;
        if let Fields::Named(named) = &mut fields {
            fields::mend(named, errors);
        }
        let added: Vec<bool> = fields.iter_mut().map(lifetimes::add_to_field).collect();
        if added.contains(&true) {
            generics.params.insert(0, parse_quote!('prompt));
        }
        for field in &mut fields {
            // Fields are the inputs of the prompt, so they are as visible as the prompt.
            if matches!(field.vis, Visibility::Inherited) {
                field.vis = parse_quote!(pub);
            }
        }
        let inputs = fields::inputs(&fields, &type_parameters(&generics), errors);
        let prompt = Prompt {
            visibility: visibility.clone(),
            ident: ident.clone(),
            generics: generics.clone(),
            inputs,
            options,
            names: FieldNames::OfRust,
        };
        (Self { attributes, visibility, ident, generics, fields }, prompt)
    }

    /// The struct with its constructors, `Debug` and `Clone`. `renders` is the sentence of its
    /// documentation that says how it renders, if it does.
    fn tokens(&self, facade: &TokenStream, renders: Option<&str>) -> TokenStream {
        let Self { attributes, visibility, ident, generics, fields } = self;
        let kept = attributes.iter().filter(|attribute| !attribute.path().is_ident("prompt"));
        let shown = fields.iter().map(|field| {
            let mut field = field.clone();
            let documented = field.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
            field.attrs.retain(|attribute| !attribute.path().is_ident("prompt"));
            if !documented {
                let text = format!(
                    "The input `{}`.",
                    field.ident.as_ref().map_or_else(String::new, ToString::to_string)
                );
                field.attrs.push(parse_quote!(#[doc = #text]));
            }
            field
        });
        let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        let title = format!("The prompt `{ident}`.");
        let title = (!documented).then(|| quote!(#[doc = #title]));
        let renders = renders.map(|renders| quote!(#[doc = ""] #[doc = #renders]));
        let (parameters, _, bounds) = generics.split_for_impl();
        let named: Vec<NamedField<'_>> =
            fields.iter().filter_map(|it| Some((it.ident.as_ref()?, &it.ty))).collect();
        let given = named.iter().map(|(field, ty)| {
            let subject = format!("the input `{}`", field.unraw());
            Given { field, ty, subject, is_declared: false }
        });
        let given: Vec<Given<'_>> = given.collect();
        let constructors = constructors::expand(facade, ident, generics, "the prompt", &given);
        let traits = derives::implement_both(facade, attributes, ident, generics, &named);
        quote! {
            #(#kept)*
            #title
            #renders
            #visibility struct #ident #parameters #bounds {
                #(#shown,)*
            }
            #constructors
            #traits
        }
    }
}

/// Expands a prompt whose inputs are declared in Rust and whose messages are literals.
fn expand_turns(context: &Context, head: Head, fields: Fields, list: &[Turn]) -> TokenStream {
    let facade = &context.facade;
    let mut errors = Errors::default();
    let (declared, prompt) = DeclaredStruct::new(head, fields, &mut errors);
    refuse_types(&prompt.options, &mut errors);
    output::refuse_name(&prompt, &mut errors);
    output::refuse_schema(&prompt, &mut errors);
    let mut warnings = unused_warnings(&prompt, list, &prompt.options);
    warnings.extend(output::untold(&prompt, list));
    let body = turns::bound_messages(facade, &prompt, list, &mut errors);
    let size = turns::size(facade, &prompt, list);
    let output = output::methods(facade, &prompt);
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        let item = declared.tokens(facade, None);
        let fallback = implementation::fallback(facade, &prompt);
        return quote!(#errors #item #fallback);
    }
    let item = declared.tokens(facade, None);
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let (name, text) = (ident.to_string(), turns::template(list));
    let declarations = prompt.inputs.iter().map(|input| {
        let (name, kind, rust_type) =
            (input.name(), input.value_type().name(), rust_type::source_text(&input.ty));
        let optional = (input.presence() != Presence::Required).then(|| quote!(.optional()));
        let description = input.input.description.as_ref().map(|it| quote!(.with_description(#it)));
        let roles = input.roles.as_ref().and_then(statics::roles);
        quote! {
            #facade::StaticInput::new(#name, #kind, #rust_type)
                #roles #optional #description
        }
    });
    let listing = implementation::expand_listing(facade, ident);
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
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition = __DEFINITION;
                fn messages(&self) -> core::result::Result<
                    #facade::__private::Vec<#facade::Message>,
                    #facade::Error,
                > {
                    let _span = #facade::__private::EnteredSpan::prepare(#name);
                    core::result::Result::Ok(#body)
                }
                fn len_hint(&self) -> core::primitive::usize {
                    #size
                }
            }
        };
    }
}

/// Generates a warning for each input that no message captures.
fn unused_warnings(prompt: &Prompt, list: &[Turn], options: &Options) -> TokenStream {
    if options.allow.iter().any(|name| name == "unused_input") {
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
            Some(written) => format!("`{written}` writes braces here: capture it as `{{{name}}}`"),
            None => format!("capture it as `{{{name}}}`, or remove it"),
        };
        let text = format!("input `{}` is never used\n  = help: {help}", input.name());
        report::warning("unused_input", &text, input.span)
    });
    warnings.collect()
}

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

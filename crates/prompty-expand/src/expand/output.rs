//! Generates the additional items of a prompt with an output: methods that read replies, and the
//! requirement. That is the text about the output, which describes the expected answer to the
//! model. A template prints it with `{{ output_requirement }}`.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use prompty_check::check::{Uses, missing_requirement_finding, reserved_name_finding};
use prompty_check::definition::Definition;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::OUTPUT_REQUIREMENT;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Ident, LitStr, Type};

use super::captures::captures;
use super::nested::UniqueNames;
use super::output_types::{self, UserOutputType};
use crate::errors::Errors;
use crate::model::{Head, ImplTarget, Prompt};
use crate::parse::invocation::Turn;
use crate::report::{self, Subjects};
use crate::rust_type;
use crate::source::Source;

/// Sets the output type of a prompt whose front matter declares outputs, and generates that type.
/// If the user gave a type, it generates a check of that type instead.
pub(crate) fn set_output_type(
    facade: &TokenStream,
    prompt: &mut Prompt,
    definition: &Definition,
    source: &Source,
    names: UniqueNames,
    errors: &mut Errors,
) -> Option<TokenStream> {
    if !cfg!(feature = "output") {
        refuse_schema(prompt, errors);
        let has_outputs = definition.output_type.is_some() || !definition.outputs.is_empty();
        let target = ImplTarget { facade, ident: &prompt.ident, generics: &prompt.generics };
        return has_outputs.then(|| methods_without_feature(target));
    }
    if let Some(name) = &definition.output_type {
        set_named_type(prompt, name, definition, source, errors);
    }
    if let Some(output) = &prompt.options.output {
        let has_diagnostics = !prompt.options.no_prelude;
        let user_type = UserOutputType { facade, output, has_diagnostics };
        return output_types::check_against_front_matter(&user_type, definition);
    }
    let head = Head {
        attributes: Vec::new(),
        visibility: prompt.visibility.clone(),
        text: None,
        ident: prompt.ident.clone(),
        generics: prompt.generics.clone(),
    };
    let types =
        output_types::generate_output_types(facade, &head, definition, source, names, errors);
    if types.is_none() {
        refuse_schema(prompt, errors);
    }
    let types = types?;
    prompt.options.output = Some(types.output);
    prompt.options.is_output_generated = true;
    Some(types.items)
}

/// Sets the output type to the Rust type that the front matter names. A different type in Rust is
/// an error.
fn set_named_type(
    prompt: &mut Prompt,
    name: &str,
    definition: &Definition,
    source: &Source,
    errors: &mut Errors,
) {
    let mut refuse = |message: String, help: &str| {
        let mut diagnostic = Diagnostic::new(Code::Declaration, message).with_help(help);
        diagnostic.span = definition.output_type_span;
        report::report_diagnostics(source, &[diagnostic], Subjects::default(), errors);
    };
    let span = source.code_span();
    let parser = |input: ParseStream<'_>| input.parse::<Type>();
    let parsed = name.parse::<TokenStream>().ok().map(|tokens| respanned(tokens, span));
    let Some(named) = parsed.and_then(|tokens| parser.parse2(tokens).ok()) else {
        let help = "write the name of a Rust type, `outputs: Ticket`, or declare the outputs: \
                    `outputs: {title: {kind: string}}`";
        return refuse(format!("`{name}` is not a type"), help);
    };
    let text = |ty: &Type| ty.to_token_stream().to_string();
    match &prompt.options.output {
        Some(output) if text(output) != text(&named) => {
            let message = format!(
                "the front matter declares the output `{name}`, but the Rust code declares `{}`",
                rust_type::source_text(output)
            );
            refuse(message, "remove the type in one of the two places");
        }
        Some(_) => {}
        None => prompt.options.output = Some(named),
    }
}

/// The tokens with another span.
fn respanned(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let inner = respanned(group.stream(), span);
            let mut moved = Group::new(group.delimiter(), inner);
            moved.set_span(span);
            TokenTree::Group(moved)
        }
        mut token => {
            token.set_span(span);
            token
        }
    });
    moved.collect()
}

/// Generates the methods that read replies to the prompt as a type, if it has an output.
pub(crate) fn methods(facade: &TokenStream, prompt: &Prompt) -> Option<TokenStream> {
    let output = prompt.options.output.as_ref()?;
    // rustc reports a wrong type at the key `output`.
    let new = match prompt.options.is_output_generated {
        true => quote!(#facade::output::output_of_schema::<#output>),
        false => new_output(facade, output),
    };
    let target = ImplTarget { facade, ident: &prompt.ident, generics: &prompt.generics };
    Some(methods_of_type(target, output, &new))
}

/// Like [`methods`], for a prompt of slots, whose output is a Rust type of the program.
#[cfg(feature = "slots")]
pub(crate) fn methods_of_slots(target: ImplTarget<'_>, output: &Type) -> TokenStream {
    methods_of_type(target, output, &new_output(target.facade, output))
}

/// Generates methods with the names of [`methods_of_type`] that nobody can call: rustc reports that
/// the feature is missing. The `for` keeps rustc from checking the bound before a call.
fn methods_without_feature(target: ImplTarget<'_>) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let feature = quote!(#facade::__private::OutputFeature);
    let methods = ["output", "parse", "stream"].map(|name| {
        let name = Ident::new(name, Span::call_site());
        let reply = (name == "parse").then(|| quote!(_: &#facade::__private::core::primitive::str));
        quote! {
            /// Needs the feature `output` of `typed-prompty`.
            pub fn #name<__T>(#reply) -> __T
            where
                for<'__a> &'__a Self: #feature,
            {
                <&Self as #feature>::result()
            }
        }
    });
    quote! {
        #[automatically_derived]
        #[allow(dead_code, unused_qualifications)]
        impl #parameters #ident #arguments #bounds {
            #(#methods)*
        }
    }
}

/// The function that creates the output of a Rust type.
fn new_output(facade: &TokenStream, output: &Type) -> TokenStream {
    quote_spanned!(output.span()=> #facade::output::output_of::<#output>)
}

fn methods_of_type(target: ImplTarget<'_>, output: &Type, new: &TokenStream) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let fixed = quote!(#facade::output::generated::StaticOutput);
    quote! {
        #[automatically_derived]
        #[allow(unused_qualifications)]
        impl #parameters #ident #arguments #bounds {
            fn __output() -> &'static #fixed<#output> {
                static OUTPUT: #fixed<#output> = #fixed::new(#new);
                &OUTPUT
            }

            #[allow(dead_code)]
            fn __output_requirement(&self) -> &'static #facade::__private::String {
                Self::__output().requirement_text()
            }

            /// The type of the model's answer: its schema, and how replies are read.
            #[must_use]
            pub fn output() -> &'static #facade::output::Output<#output> {
                Self::__output().output()
            }

            /// Reads a complete reply to the prompt.
            ///
            /// # Errors
            ///
            /// Returns an error if the reply contains no value of the type. It has the place and
            /// what was expected.
            pub fn parse(
                reply: &#facade::__private::core::primitive::str,
            ) -> #facade::__private::core::result::Result<
                #facade::output::Parsed<#output>,
                #facade::output::OutputError,
            > {
                Self::output().parse(reply)
            }

            /// A reader of a streamed reply to the prompt.
            #[must_use]
            pub fn stream() -> #facade::output::OutputStream<#output> {
                Self::output().stream()
            }
        }
    }
}

/// Generates the expression for the text about the output. Its type is a `Result`, whose error says
/// why there is no text. `None` if the template does not print the text.
pub(crate) fn requirement(prompt: &Prompt, uses: &Uses) -> Option<TokenStream> {
    uses.get(OUTPUT_REQUIREMENT)?;
    is_variable(prompt, OUTPUT_REQUIREMENT).then(|| quote!(Self::__output().requirement()))
}

/// Generates the statement that binds the text about the output, if a message of literals captures
/// it.
pub(crate) fn requirement_binding(prompt: &Prompt, text: &LitStr) -> Option<TokenStream> {
    is_captured(prompt, text).then(|| {
        let name = Ident::new(OUTPUT_REQUIREMENT, text.span());
        quote_spanned!(text.span()=> let #name = Self::__output().requirement()?;)
    })
}

/// The size of the text about the output, if a message of literals captures it.
pub(crate) fn requirement_size(prompt: &Prompt, text: &LitStr) -> Option<TokenStream> {
    is_captured(prompt, text).then(|| quote!(+ self.__output_requirement().len()))
}

/// The warning about an output that no message of literals describes to the model.
pub(crate) fn unmentioned_warning(prompt: &Prompt, turns: &[Turn]) -> Option<TokenStream> {
    let output = prompt.options.output.as_ref()?;
    let is_mentioned = turns.iter().any(|turn| match turn {
        Turn::Message { text, .. } => is_captured(prompt, text),
        Turn::Thread { .. } => false,
    });
    let is_allowed =
        prompt.options.allow.iter().any(|code| code == Code::OutputNotDescribed.name());
    if is_mentioned || is_allowed || prompt.options.output_schema.is_some() {
        return None;
    }
    let diagnostic = missing_requirement_finding(&format!("{{{OUTPUT_REQUIREMENT}}}"));
    Some(report::warning_without_place(&diagnostic, output.span()))
}

fn is_captured(prompt: &Prompt, text: &LitStr) -> bool {
    is_variable(prompt, OUTPUT_REQUIREMENT)
        && captures(text).iter().any(|capture| capture.name == OUTPUT_REQUIREMENT)
}

/// Reports a field that has the name of the text about the output, for messages of literals.
pub(crate) fn refuse_name(prompt: &Prompt, errors: &mut Errors) {
    let taken = prompt.inputs.iter().find(|input| input.name() == OUTPUT_REQUIREMENT);
    if let (Some(input), Some(_)) = (taken, &prompt.options.output) {
        let diagnostic = reserved_name_finding();
        errors.push(syn::Error::new(input.span, report::message_with_help(&diagnostic)));
    }
}

/// Reports `output_schema` of a prompt without an output.
pub(crate) fn refuse_schema(prompt: &Prompt, errors: &mut Errors) {
    let (Some(span), None) = (prompt.options.output_schema, &prompt.options.output) else { return };
    let message = "`output_schema` needs an output";
    errors.add(span, message, "add the type of the output: `output = Answer`");
}

/// Whether a name in the template means the text about the output.
pub(crate) fn is_variable(prompt: &Prompt, name: &str) -> bool {
    name == OUTPUT_REQUIREMENT
        && prompt.options.output.is_some()
        && prompt.inputs.iter().all(|input| input.name() != name)
}

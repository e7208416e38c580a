//! Generates what a prompt with an output has beside its messages: what reads replies, and the text that
//! tells the model what to answer with.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use prompty_check::check::{Uses, reserved_name, untold_output};
use prompty_check::definition::Definition;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::OUTPUT_REQUIREMENT;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Ident, LitStr, Type};

use super::captures::captures;
use super::nested::Names;
use super::output_types::{self, HeldType};
use crate::errors::Errors;
use crate::model::{Head, ImplTarget, Prompt};
use crate::parse::invocation::Turn;
use crate::report::{self, Subjects};
use crate::source::Source;

/// Gives the prompt the type of the outputs that its front matter declares, and generates that type. A type
/// of the user's is held to the front matter instead.
pub(crate) fn put_type(
    facade: &TokenStream,
    prompt: &mut Prompt,
    definition: &Definition,
    source: &Source,
    names: Names,
    errors: &mut Errors,
) -> Option<TokenStream> {
    if let Some(name) = &definition.output_type {
        take_named(prompt, name, definition, source, errors);
    }
    if let Some(output) = &prompt.options.output {
        let has_diagnostics = !prompt.options.no_prelude;
        let held = HeldType { facade, output, has_diagnostics };
        return output_types::hold_to_front_matter(&held, definition);
    }
    let head = Head {
        attributes: Vec::new(),
        visibility: prompt.visibility.clone(),
        ident: prompt.ident.clone(),
        generics: prompt.generics.clone(),
    };
    let made = output_types::expand(facade, &head, definition, source, names, errors);
    if made.is_none() {
        refuse_schema(prompt, errors);
    }
    let made = made?;
    prompt.options.output = Some(made.output);
    prompt.options.output_is_made = true;
    Some(made.items)
}

/// Gives the prompt the type of the program that its front matter names. With another one in Rust, one of the
/// two is wrong.
fn take_named(
    prompt: &mut Prompt,
    name: &str,
    definition: &Definition,
    source: &Source,
    errors: &mut Errors,
) {
    let mut refuse = |message: String, help: &str| {
        let mut finding = Diagnostic::new(Code::Declaration, message).with_help(help);
        finding.span = definition.output_type_span;
        report::findings(source, &[finding], Subjects::default(), errors);
    };
    if !cfg!(feature = "output") {
        return;
    }
    let span = source.code_span();
    let parser = |input: ParseStream<'_>| input.parse::<Type>();
    let parsed = name.parse::<TokenStream>().ok().map(|tokens| respanned(tokens, span));
    let Some(named) = parsed.and_then(|tokens| parser.parse2(tokens).ok()) else {
        let help = "name a type of the program, `outputs: Ticket`, or declare the outputs: \
                    `outputs: {title: {kind: string}}`";
        return refuse(format!("`{name}` is no type"), help);
    };
    let text = |ty: &Type| ty.to_token_stream().to_string();
    match &prompt.options.output {
        Some(output) if text(output) != text(&named) => {
            let message = format!("the output is `{name}` here, and another type in Rust");
            refuse(message, "name the type in one of the two places");
        }
        Some(_) => {}
        None => prompt.options.output = Some(named),
    }
}

/// The tokens at a place of the program.
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
    // What rustc says of the type is about the key.
    let new = match prompt.options.output_is_made {
        true => quote!(#facade::output::output_of_schema::<#output>),
        false => new_output(facade, output),
    };
    let target = ImplTarget { facade, ident: &prompt.ident, generics: &prompt.generics };
    Some(methods_of_type(target, output, &new))
}

/// The same for a prompt of slots, whose output is a type of the program.
#[cfg(feature = "slots")]
pub(crate) fn methods_of_slots(target: ImplTarget<'_>, output: &Type) -> TokenStream {
    methods_of_type(target, output, &new_output(target.facade, output))
}

/// The function that makes the output of a type of the program.
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

            /// The type that the model must answer with: its schema, and how replies are read.
            #[must_use]
            pub fn output() -> &'static #facade::output::Output<#output> {
                Self::__output().output()
            }

            /// Reads a whole reply to the prompt.
            ///
            /// # Errors
            ///
            /// If the reply holds no value of the type. The error says where and what was expected.
            pub fn parse(
                reply: &#facade::__private::core::primitive::str,
            ) -> #facade::__private::core::result::Result<
                #facade::output::Parsed<#output>,
                #facade::output::OutputError,
            > {
                Self::output().parse(reply)
            }

            /// A reader of a reply to the prompt that comes in pieces.
            #[must_use]
            pub fn stream() -> #facade::output::OutputStream<#output> {
                Self::output().stream()
            }
        }
    }
}

/// Generates the expression that gives the text about the output or says why there is none, if the template
/// writes the text.
pub(crate) fn requirement(prompt: &Prompt, uses: &Uses) -> Option<TokenStream> {
    uses.get(OUTPUT_REQUIREMENT)?;
    is_variable(prompt, OUTPUT_REQUIREMENT).then(|| quote!(Self::__output().requirement()))
}

/// Generates the statement that gives a message of literals the text about the output, if it captures it.
pub(crate) fn captured(prompt: &Prompt, text: &LitStr) -> Option<TokenStream> {
    is_captured(prompt, text).then(|| {
        let name = Ident::new(OUTPUT_REQUIREMENT, text.span());
        quote_spanned!(text.span()=> let #name = Self::__output().requirement()?;)
    })
}

/// The size of the text about the output, if a message of literals captures it.
pub(crate) fn captured_size(prompt: &Prompt, text: &LitStr) -> Option<TokenStream> {
    is_captured(prompt, text).then(|| quote!(+ self.__output_requirement().len()))
}

/// The warning about an output that nothing tells the model, for messages of literals.
pub(crate) fn untold(prompt: &Prompt, turns: &[Turn]) -> Option<TokenStream> {
    let output = prompt.options.output.as_ref()?;
    let is_told = turns.iter().any(|turn| match turn {
        Turn::Message { text, .. } => is_captured(prompt, text),
        Turn::Thread { .. } => false,
    });
    let is_allowed = prompt.options.allow.iter().any(|code| code == Code::UntoldOutput.name());
    if is_told || is_allowed || prompt.options.output_schema.is_some() {
        return None;
    }
    let finding = untold_output(&format!("{{{OUTPUT_REQUIREMENT}}}"));
    Some(report::unplaced(&finding, output.span()))
}

fn is_captured(prompt: &Prompt, text: &LitStr) -> bool {
    is_variable(prompt, OUTPUT_REQUIREMENT)
        && captures(text).iter().any(|capture| capture.name == OUTPUT_REQUIREMENT)
}

/// Reports a field that has the name of the text about the output, for messages of literals.
pub(crate) fn refuse_name(prompt: &Prompt, errors: &mut Errors) {
    let taken = prompt.inputs.iter().find(|input| input.name() == OUTPUT_REQUIREMENT);
    if let (Some(input), Some(_)) = (taken, &prompt.options.output) {
        let finding = reserved_name();
        errors.push(syn::Error::new(input.span, report::text_of(&finding)));
    }
}

/// Reports `output_schema` where there is no output.
pub(crate) fn refuse_schema(prompt: &Prompt, errors: &mut Errors) {
    let (Some(span), None) = (prompt.options.output_schema, &prompt.options.output) else { return };
    let message = "this prompt has no output whose schema could be sent";
    errors.add(span, message, "name its type: `output = Answer`");
}

/// Whether a name of the template is the text about the output.
pub(crate) fn is_variable(prompt: &Prompt, name: &str) -> bool {
    name == OUTPUT_REQUIREMENT
        && prompt.options.output.is_some()
        && prompt.inputs.iter().all(|input| input.name() != name)
}

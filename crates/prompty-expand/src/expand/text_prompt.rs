//! Generates the parts of `impl TextPrompt` that differ from those of `impl Prompt`, and the texts of
//! text prompts that are inputs.
//!
//! The code of a template reads its inputs as fields of the variable `prompt`. If an input is a text
//! prompt, `prompt` is an `__Inputs`, which has the text in a field with the same name. All other
//! fields are those of the prompt, to which it derefs:
//!
//! ```text
//! struct __Inputs<'inputs, 'prompt> {
//!     __prompt: &'inputs Ask<'prompt>,
//!     skills: <Skills<'prompt> as TextPrompt>::Text,
//! }
//! ```
//!
//! So each text is rendered once, before the template, and its error is the error of the prompt.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Type, parse_quote};

use super::respanned;
use crate::model::{InputField, Prompt};
use crate::rust_type;

/// The type of the text of a text prompt, without those of its inputs that are text prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOutput {
    /// `String`: no input is untrusted.
    Trusted,
    /// `Untrusted<String>`.
    Untrusted,
}

/// The type of a prompt's text. It is untrusted if the type of an input names `Untrusted`. For
/// values whose types hide it, the generated code requires that they are trusted.
pub(crate) fn text_output(prompt: &Prompt) -> TextOutput {
    match prompt.inputs.iter().any(|input| names_untrusted(&input.ty)) {
        true => TextOutput::Untrusted,
        false => TextOutput::Trusted,
    }
}

/// Generates the type of the text. If an input is a text prompt with an untrusted text, it is
/// untrusted too.
pub(crate) fn text_type(facade: &TokenStream, prompt: &Prompt) -> TokenStream {
    let own = match text_output(prompt) {
        TextOutput::Trusted => quote!(#facade::__private::String),
        TextOutput::Untrusted => quote!(#facade::Untrusted<#facade::__private::String>),
    };
    text_inputs(prompt).fold(own, |all, input| {
        let (text, span) = (text_of(facade, input), input.ty.span());
        quote_spanned!(span=> <#all as #facade::__private::PromptText>::Joined<#text>)
    })
}

/// The inputs that are text prompts.
fn text_inputs(prompt: &Prompt) -> impl Iterator<Item = &InputField> {
    prompt.inputs.iter().filter(|input| input.is_text)
}

/// Whether an input is a text prompt.
pub(crate) fn has_text_inputs(prompt: &Prompt) -> bool {
    text_inputs(prompt).next().is_some()
}

/// Generates the type of the text of an input, without its `Option`.
fn text_of(facade: &TokenStream, input: &InputField) -> TokenStream {
    let ty = rust_type::without_option(&input.ty);
    quote_spanned!(ty.span()=> <#ty as #facade::TextPrompt>::Text)
}

/// The type of the variable `prompt` in the code of a template.
pub(crate) fn receiver_type(prompt: &Prompt) -> TokenStream {
    let ident = &prompt.ident;
    if !has_text_inputs(prompt) {
        let (_, arguments, _) = prompt.generics.split_for_impl();
        return quote!(#ident #arguments);
    }
    let mut generics = prompt.generics.clone();
    generics.params.insert(0, parse_quote!('_));
    let (_, arguments, _) = generics.split_for_impl();
    quote!(__Inputs #arguments)
}

/// Generates the struct of the inputs, if an input is a text prompt.
pub(crate) fn inputs_struct(facade: &TokenStream, prompt: &Prompt) -> TokenStream {
    if !has_text_inputs(prompt) {
        return TokenStream::new();
    }
    let ident = &prompt.ident;
    let (_, arguments, _) = prompt.generics.split_for_impl();
    let mut generics = prompt.generics.clone();
    generics.params.insert(0, parse_quote!('__inputs));
    let (parameters, own_arguments, bounds) = generics.split_for_impl();
    let fields = text_inputs(prompt).map(|input| {
        let (field, text) = (&input.field, text_of(facade, input));
        match input.input.required {
            true => quote!(#field: #text),
            false => quote!(#field: core::option::Option<#text>),
        }
    });
    quote! {
        struct __Inputs #parameters #bounds {
            __prompt: &'__inputs #ident #arguments,
            #(#fields,)*
        }
        impl #parameters core::ops::Deref for __Inputs #own_arguments #bounds {
            type Target = #ident #arguments;
            fn deref(&self) -> &Self::Target {
                self.__prompt
            }
        }
    }
}

/// Generates the value of the variable `prompt` in a method that returns a `Result`.
pub(crate) fn receiver(facade: &TokenStream, prompt: &Prompt) -> TokenStream {
    if !has_text_inputs(prompt) {
        return quote!(self);
    }
    let fields = text_inputs(prompt).map(|input| {
        let span = proc_macro2::Span::call_site().located_at(input.ty.span());
        let field = respanned(&input.field, span);
        let text = quote_spanned!(span=> #facade::TextPrompt::text);
        match input.input.required {
            true => quote_spanned!(span=> #field: #text(&self.#field)?),
            false => quote_spanned!(span=> #field: match &self.#field {
                core::option::Option::Some(given) => core::option::Option::Some(#text(given)?),
                core::option::Option::None => core::option::Option::None,
            }),
        }
    });
    quote!(&__Inputs { #(#fields,)* __prompt: self })
}

/// Whether a type contains `Untrusted`.
fn names_untrusted(ty: &Type) -> bool {
    struct Finder(bool);
    impl VisitMut for Finder {
        fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
            self.0 |= segment.ident == "Untrusted";
            syn::visit_mut::visit_path_segment_mut(self, segment);
        }
    }
    let mut finder = Finder(false);
    // syn is built only with the visitor that may change what it visits.
    finder.visit_type_mut(&mut ty.clone());
    finder.0
}

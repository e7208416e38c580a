//! What a prompt gets whose source is wrong: implementations that compile, so that one mistake is
//! one error.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, Ident};

use crate::model::Head;
use crate::report::Errors;

/// A type of which nothing is known: the errors stand in its place, so that rustc takes it for wrong
/// already and says nothing about what uses it.
pub(crate) fn of_unknown(head: &Head, errors: Errors) -> TokenStream {
    let (visibility, ident) = (&head.visibility, &head.ident);
    let mut errors = errors.into_list().into_iter();
    let first = errors.next().map(|error| error.into_compile_error());
    let others = errors.map(|error| error.into_compile_error());
    // An expression and a type take no semicolon behind a macro.
    let first = first.into_iter().flatten().filter(
        |token| !matches!(token, proc_macro2::TokenTree::Punct(punct) if punct.as_char() == ';'),
    );
    quote! {
        #(#others)*
        #[allow(dead_code, missing_docs)]
        #visibility type #ident<'prompt> = #(#first)*;
    }
}

/// An implementation of `Prompt` without messages.
pub(crate) fn of(facade: &TokenStream, ident: &Ident, generics: &Generics) -> TokenStream {
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let name = ident.to_string();
    quote! {
        const _: () = {
            use #facade::__private::core;
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition =
                    #facade::StaticDefinition::new(#name, "", "");
                fn messages(&self) -> core::result::Result<
                    #facade::__private::Vec<#facade::Message>,
                    #facade::Error,
                > {
                    core::result::Result::Ok(#facade::__private::Vec::new())
                }
            }
        };
    }
}

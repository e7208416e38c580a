//! The errors of a macro, collected so that rustc reports all of them at once.

use proc_macro2::{Span, TokenStream};
use prompty_core::diagnostic::suggest;
use quote::quote;
use syn::{DeriveInput, Generics, Ident, Visibility};

/// The errors that a macro found so far.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// Adds an error with a help line.
    pub(crate) fn add(&mut self, span: Span, message: &str, help: &str) {
        self.push(error_with_help(span, message, help));
    }

    /// Adds the error of a result, or returns its value.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Converts all errors into `compile_error!`s. The first one becomes the definition of the type
    /// `ident`. rustc then knows that the type is wrong and reports no errors about its uses.
    pub(crate) fn into_type(
        self,
        facade: &TokenStream,
        visibility: &Visibility,
        ident: &Ident,
        generics: &Generics,
    ) -> TokenStream {
        let mut errors = self.list.into_iter().map(syn::Error::into_compile_error);
        let Some(first) = errors.next() else { return TokenStream::new() };
        let lifetimes = generics.lifetimes().map(|parameter| &parameter.lifetime);
        // rustc marks a type as wrong only if the error is in an expression: here, the length of an
        // array.
        quote! {
            #[allow(missing_docs, dead_code)]
            #visibility type #ident #generics =
                <[(#(&#lifetimes (),)*); { #first }]
                    as #facade::__private::core::iter::IntoIterator>::Item;
            #(#errors)*
        }
    }

    /// Converts all errors into `compile_error!`s.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.list.into_iter().map(syn::Error::into_compile_error).collect()
    }
}

/// Makes an error with a help line, in the form of the checker's diagnostics.
pub(crate) fn error_with_help(span: Span, message: &str, help: &str) -> syn::Error {
    syn::Error::new(span, format!("{message}\n  = help: {help}"))
}

/// Parses the input of a derive and expands it.
pub(crate) fn expand_derive(
    input: TokenStream,
    derive: impl FnOnce(&DeriveInput) -> TokenStream,
) -> TokenStream {
    syn::parse2(input).map_or_else(syn::Error::into_compile_error, |input| derive(&input))
}

/// A help line about a wrong name: it suggests a similar name, or lists the known names. `what` is
/// the noun with its article, such as `a key`.
pub(crate) fn suggestion(what: &str, wrong: &str, known: &[&str]) -> String {
    match suggest(wrong, known) {
        Some(similar) => format!("{what} with a similar name exists: `{similar}`"),
        None => {
            let (_, noun) = what.split_once(' ').unwrap_or(("", what));
            format!("available {noun}s: `{}`", known.join("`, `"))
        }
    }
}

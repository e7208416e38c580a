//! Collects the errors of a macro, so that rustc reports all of them at once.

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

    /// Keeps the error of a result, and returns its value.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes the first error and the others apart.
    fn split(self) -> (Option<syn::Error>, Self) {
        let mut list = self.list.into_iter();
        (list.next(), Self { list: list.collect() })
    }

    /// Converts all errors into `compile_error!`s. The first one is the type `ident`, of which nothing is
    /// known: what the program does with such a type is no error of its own.
    pub(crate) fn into_type(
        self,
        facade: &TokenStream,
        visibility: &Visibility,
        ident: &Ident,
        generics: &Generics,
    ) -> TokenStream {
        let (first, others) = self.split();
        let others = others.into_tokens();
        let Some(first) = first.map(syn::Error::into_compile_error) else { return others };
        let lifetimes = generics.lifetimes().map(|parameter| &parameter.lifetime);
        // Only an error in an expression gives a type that the compiler knows to be wrong.
        quote! {
            #[allow(missing_docs, dead_code)]
            #visibility type #ident #generics =
                <[(#(&#lifetimes (),)*); { #first }]
                    as #facade::__private::core::iter::IntoIterator>::Item;
            #others
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

/// Expands a derive of an input that can be read.
pub(crate) fn expand_derive(
    input: TokenStream,
    derive: impl FnOnce(&DeriveInput) -> TokenStream,
) -> TokenStream {
    syn::parse2(input).map_or_else(syn::Error::into_compile_error, |input| derive(&input))
}

/// A help line about a wrong name: it suggests a similar name, or lists the known names.
pub(crate) fn suggestion(what: &str, wrong: &str, known: &[&str]) -> String {
    match suggest(wrong, known) {
        Some(similar) => format!("{what} with a similar name exists: `{similar}`"),
        None => format!("there are: `{}`", known.join("`, `")),
    }
}

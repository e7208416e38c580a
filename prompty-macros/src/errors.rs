//! Collects the errors of a macro, so that rustc reports all of them at once.

use proc_macro2::{Span, TokenStream};
use prompty_core::diagnostic::suggest;

/// The errors that a macro found so far.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// Keeps the error of a result, and returns its value.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
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

/// A help line about a wrong name: it suggests a similar name, or lists the known names.
pub(crate) fn suggestion(what: &str, wrong: &str, known: &[&str]) -> String {
    match suggest(wrong, known) {
        Some(similar) => format!("{what} with a similar name exists: `{similar}`"),
        None => format!("there are: `{}`", known.join("`, `")),
    }
}

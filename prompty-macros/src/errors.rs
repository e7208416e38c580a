//! The errors of a macro: collected, so that all are shown at once.

use proc_macro2::{Span, TokenStream};
use prompty_core::diagnostic::suggest;

/// The errors that were found so far; all are shown at once.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// Keeps the error of a result; gives back its value.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All errors as `compile_error!`s.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.list.into_iter().map(syn::Error::into_compile_error).collect()
    }
}

/// An error with a line that says how to mend it, set as in the findings of the checker.
pub(crate) fn helped(span: Span, message: &str, help: &str) -> syn::Error {
    syn::Error::new(span, format!("{message}\n  = help: {help}"))
}

/// A help line about a name: the one that was probably meant, else what there is.
pub(crate) fn similar(what: &str, wrong: &str, known: &[&str]) -> String {
    match suggest(wrong, known) {
        Some(similar) => format!("{what} with a similar name exists: `{similar}`"),
        None => format!("there are: `{}`", known.join("`, `")),
    }
}

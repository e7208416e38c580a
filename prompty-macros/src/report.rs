//! Findings as what the compiler shows.
//!
//! Errors become `compile_error!`s, each with its own place. Stable Rust has one channel for
//! warnings from macros: the use of a deprecated item whose note is the warning.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_runtime::diagnostic::{Diagnostic, Severity};
use quote::quote_spanned;

use crate::source::Source;

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
        self.list.into_iter().map(|error| error.into_compile_error()).collect()
    }
}

/// A template's findings as errors and warnings at the template's literal.
pub(crate) fn findings(source: &Source, found: &[Diagnostic], errors: &mut Errors) -> TokenStream {
    let mut warnings = TokenStream::new();
    for diagnostic in found {
        let text = source.render(diagnostic);
        let text = text.trim_end();
        match diagnostic.severity {
            Severity::Warning => {
                warnings.extend(warning(diagnostic.code.name(), text, source.span()));
            }
            _ => errors.push(syn::Error::new(source.span(), text)),
        }
    }
    warnings
}

/// A warning at a place. The item that is deprecated has the name of the lint, so that the line
/// `use of deprecated constant` reads as it should.
pub(crate) fn warning(name: &str, text: &str, span: Span) -> TokenStream {
    let name = Ident::new(&format!("prompt_{name}"), span);
    let text = format!("{text}\n");
    quote_spanned! {span=>
        const _: () = {
            #[deprecated(note = #text)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #name
        };
    }
}

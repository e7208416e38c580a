//! Findings as what the compiler shows.
//!
//! Errors become `compile_error!`s, each with its own place. Stable Rust has one channel for
//! warnings from macros: the use of a deprecated item whose note is the warning.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, suggest};
use quote::quote_spanned;

use crate::model::Input;
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

/// A template's findings as errors and warnings at the template's literal.
///
/// What is said of an input that Rust declares points at its field.
pub(crate) fn findings(
    source: &Source,
    found: &[Diagnostic],
    inputs: &[Input],
    errors: &mut Errors,
) -> TokenStream {
    let mut warnings = TokenStream::new();
    for diagnostic in found {
        let text = source.render(diagnostic);
        let text = text.trim_end();
        let unused = (diagnostic.code == Code::UnusedInput && diagnostic.span.is_none())
            .then(|| {
                inputs.iter().find(|it| diagnostic.message.contains(&format!("`{}`", it.name)))
            })
            .flatten();
        let span = unused.map_or_else(|| source.span(), |input| input.span);
        match diagnostic.severity {
            Severity::Warning => warnings.extend(warning(diagnostic.code.name(), text, span)),
            _ => errors.push(syn::Error::new(span, text)),
        }
    }
    warnings
}

/// A warning at a place. The item that is deprecated has the name of the lint, so that the line
/// `use of deprecated constant` reads as it should.
pub(crate) fn warning(name: &str, text: &str, span: Span) -> TokenStream {
    let indent = text
        .lines()
        .rev()
        .find_map(|line| line.trim_start().starts_with("= ").then(|| line.find("= ")).flatten())
        .map_or_else(|| "  ".to_owned(), |width| " ".repeat(width));
    let text = format!("{text}\n{indent}= note: allow it with `#[prompt(allow({name}))]`");
    let name = Ident::new(&format!("prompt_{name}"), span);
    quote_spanned! {span=>
        const _: () = {
            #[deprecated(note = #text)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #name
        };
    }
}

//! The checker's findings as what the compiler shows.
//!
//! Errors become `compile_error!`s, each with its own place. Stable Rust has one channel for
//! warnings from macros: the use of a deprecated item whose note is the warning.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic, Severity};
use quote::quote_spanned;

use crate::errors::Errors;
use crate::model::Input;
use crate::source::Source;

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

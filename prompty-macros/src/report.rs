//! Converts the findings of the checker into errors and warnings of rustc.
//!
//! Errors become `compile_error!`s, each with its own span. A macro in stable Rust has only one way
//! to give a warning: it uses a deprecated item whose note is the text of the warning.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic, Severity};
use prompty_runtime::check::Allowed;
use quote::quote_spanned;

use crate::errors::Errors;
use crate::model::Input;
use crate::source::Source;

/// Reports the findings about a template at the literal of the template.
///
/// A finding about an input that is declared in Rust is reported at its field.
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

/// Generates a warning. The deprecated item has the name of the lint, so that rustc's line `use of
/// deprecated constant` reads well.
pub(crate) fn warning(name: &str, text: &str, span: Span) -> TokenStream {
    let text = match Code::from_name(name).is_none_or(Allowed::can_allow) {
        true => with_note(text, name),
        // Some findings of such a code are errors, which nobody can allow.
        false => text.to_owned(),
    };
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

/// The text of a warning with the way to allow it.
fn with_note(text: &str, name: &str) -> String {
    let indent = text
        .lines()
        .rev()
        .find_map(|line| line.trim_start().starts_with("= ").then(|| line.find("= ")).flatten())
        .map_or_else(|| "  ".to_owned(), |width| " ".repeat(width));
    format!("{text}\n{indent}= note: allow it with `#[prompt(allow({name}))]`")
}

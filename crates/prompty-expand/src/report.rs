//! Converts the findings of the checker into errors and warnings of rustc.
//!
//! Errors become `compile_error!`s, each with its own span. A macro in stable Rust has only one way
//! to give a warning: it uses a deprecated item whose note is the text of the warning.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::check::Allowed;
use prompty_core::diagnostic::{Code, Diagnostic, Severity};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::model::{InputField, Options};
use crate::source::Source;

/// What findings are about that stands in Rust, and not in the prompt's text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Subjects<'a> {
    /// The fields.
    pub(crate) inputs: &'a [InputField],
    /// The type in `output = Answer`.
    pub(crate) output: Option<Span>,
}

impl<'a> Subjects<'a> {
    pub(crate) fn new(inputs: &'a [InputField], options: &Options) -> Self {
        Self { inputs, output: options.output.as_ref().map(Spanned::span) }
    }

    /// The place of what a finding without a place is about.
    fn span(&self, finding: &Diagnostic) -> Option<Span> {
        if finding.span.is_some() {
            return None;
        }
        let is_named = |it: &&InputField| finding.message.contains(&format!("`{}`", it.name()));
        match finding.code {
            Code::UnusedInput | Code::Declaration => {
                self.inputs.iter().find(is_named).map(|input| input.span)
            }
            Code::UntoldOutput => self.output,
            _ => None,
        }
    }
}

/// Reports the findings about a template at the literal of the template.
///
/// A finding about an input that is declared in Rust is reported at its field, one about the output at its
/// type.
pub(crate) fn findings(
    source: &Source,
    found: &[Diagnostic],
    subjects: Subjects<'_>,
    errors: &mut Errors,
) -> TokenStream {
    let mut warnings = TokenStream::new();
    for diagnostic in found {
        let text = source.render(diagnostic);
        let text = text.trim_end();
        let span = subjects.span(diagnostic).unwrap_or_else(|| source.span());
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

/// Generates the warning of a finding that is about no text.
pub(crate) fn unplaced(finding: &Diagnostic, span: Span) -> TokenStream {
    warning(finding.code.name(), &text_of(finding), span)
}

/// What a finding says that is about no text.
pub(crate) fn text_of(finding: &Diagnostic) -> String {
    let help = finding.help.iter().map(|help| format!("\n  = help: {help}"));
    help.fold(finding.message.clone(), |text, help| text + &help)
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

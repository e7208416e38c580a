//! Converts the diagnostics of the checker into errors and warnings of rustc.
//!
//! A macro in stable Rust can point at a literal, but not into it. So the message of an error
//! contains the lines of the template, with carets, as text. Errors become `compile_error!`s, each
//! with its own span. There is only one way to emit a warning on stable Rust: the code uses a
//! deprecated item whose note is the text of the warning.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::check::AllowedCodes;
use prompty_core::diagnostic::{Code, Diagnostic, Severity};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::model::{InputField, PromptOptions};
use crate::source::Source;

/// The parts of a prompt that are written in Rust and not in the prompt's text. Some diagnostics
/// are about them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Subjects<'a> {
    /// The fields.
    pub(crate) inputs: &'a [InputField],
    /// The type in `output = Answer`.
    pub(crate) output: Option<Span>,
}

impl<'a> Subjects<'a> {
    pub(crate) fn new(inputs: &'a [InputField], options: &PromptOptions) -> Self {
        Self { inputs, output: options.output.as_ref().map(Spanned::span) }
    }

    /// The span of the Rust code that a diagnostic without a place is about.
    fn span(&self, diagnostic: &Diagnostic) -> Option<Span> {
        if diagnostic.span.is_some() {
            return None;
        }
        // The message contains the name of the input in backticks.
        let is_named = |it: &&InputField| diagnostic.message.contains(&format!("`{}`", it.name()));
        match diagnostic.code {
            Code::UnusedInput | Code::Declaration | Code::MisplacedRich => {
                self.inputs.iter().find(is_named).map(|input| input.span)
            }
            Code::OutputNotDescribed => self.output,
            _ => None,
        }
    }
}

/// Reports the diagnostics of a template at the literal of the template.
///
/// A diagnostic about an input that is declared in Rust is reported at its field. A diagnostic
/// about the output is reported at its type.
pub(crate) fn report_diagnostics(
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
            Severity::Warning => warnings.extend(warning(diagnostic.code, text, span)),
            _ => errors.push(syn::Error::new(span, text)),
        }
    }
    warnings
}

/// Generates a warning. The deprecated item has the name of the lint, which makes rustc's line `use
/// of deprecated constant` meaningful.
pub(crate) fn warning(code: Code, text: &str, span: Span) -> TokenStream {
    let name = code.name();
    let text = match AllowedCodes::can_allow(code) {
        true => with_note(text, name),
        // With such a finding, the prompt may not work. So it cannot be allowed.
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

/// Generates the warning for a diagnostic that has no place in a text.
pub(crate) fn warning_without_place(diagnostic: &Diagnostic, span: Span) -> TokenStream {
    warning(diagnostic.code, &message_with_help(diagnostic), span)
}

/// The message and the help lines of a diagnostic that has no place in a text.
pub(crate) fn message_with_help(diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.iter().map(|help| format!("\n  = help: {help}"));
    help.fold(diagnostic.message.clone(), |text, help| text + &help)
}

/// The text of a warning, with a note that says how to allow it. The note has the indentation of
/// the last help line.
fn with_note(text: &str, name: &str) -> String {
    let indent = text
        .lines()
        .rev()
        .find_map(|line| line.trim_start().starts_with("= ").then(|| line.find("= ")).flatten())
        .map_or_else(|| "  ".to_owned(), |width| " ".repeat(width));
    format!("{text}\n{indent}= note: allow it with `#[prompt(allow({name}))]`")
}

//! Diagnostics: what is wrong in a prompt, where, and how to fix it.
//!
//! The macros, the loader and the command-line check all create [`Diagnostic`]s and draw them with
//! [`Diagnostic::render`]:
//!
//! ```
//! # use prompty_core as typed_prompty;
//! use typed_prompty::diagnostic::{Code, Diagnostic, SourceText, SourceSpan};
//!
//! let source = SourceText::new("hi.prompty", "user:\nHi {{ nme }}\n");
//! let report = Diagnostic::new(Code::UnknownInput, "unknown input `nme`")
//!     .with_span(SourceSpan::new(12, 15))
//!     .with_label("not an input")
//!     .with_help("an input with a similar name exists: `name`");
//! assert_eq!(
//!     report.render(&source),
//!     "\
//! error: unknown input `nme`
//!  --> hi.prompty:2:7
//!   |
//! 2 | Hi {{ nme }}
//!   |       ^^^ not an input
//!   |
//!   = help: an input with a similar name exists: `name`
//! "
//! );
//! ```

mod code;
mod edits;
mod fail_build;
mod literal;
mod pieces;
mod snippet;
mod source;
mod source_builder;
mod span;
#[doc(hidden)]
pub mod suggest;

pub use code::{Code, Severity};
#[doc(hidden)]
pub use edits::Edits;
#[doc(hidden)]
pub use fail_build::fail_build;
#[doc(hidden)]
pub use literal::LiteralPiece;
pub use source::{Place, SourceText};
#[doc(hidden)]
pub use source_builder::{PieceStart, SourceBuilder};
pub use span::{SourceSpan, TemplateSpan};
pub use suggest::suggest;

/// A finding in a prompt: a code, a severity, a message, its place, and how to fix it.
///
/// A parser of templates reports places in the template, as `Diagnostic<TemplateSpan>`.
/// [`in_source`](Diagnostic::in_source) converts them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic<S = SourceSpan> {
    /// The kind of the finding.
    pub code: Code,
    /// How severe it is.
    pub severity: Severity,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// The range of bytes that it is about.
    pub span: Option<S>,
    /// The text after the carets.
    pub label: Option<String>,
    /// Ways to fix it, one per line.
    pub help: Vec<String>,
    /// Additional facts, one per line.
    pub notes: Vec<String>,
}

impl<S> Diagnostic<S> {
    /// Creates a finding with the default severity of its code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            span: None,
            label: None,
            help: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same finding at a place.
    #[must_use]
    pub fn with_span(mut self, span: S) -> Self {
        self.span = Some(span);
        self
    }

    /// The same finding with a text after its carets.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The same finding with one more way to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The same finding with one more note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

impl Diagnostic<TemplateSpan> {
    /// The same finding with its span in the source. `body` is the span of the template in it.
    #[must_use]
    pub fn in_source(self, body: SourceSpan) -> Diagnostic {
        let Self { code, severity, message, span, label, help, notes } = self;
        let span = span.map(|span| span.in_source(body));
        Diagnostic { code, severity, message, span, label, help, notes }
    }
}

//! The options of reply grammars.

use prompty_core::message::ToolChoice;

/// The options of a reply grammar.
///
/// Arguments that a format writes as JSON or as literals keep the order of the tool's schema. Up to
/// seven tagged arguments may have any order. If there are more, only some may have any position
/// (five of eight, three of twelve, two of thirty), required ones first. The rest keep the schema's
/// order among themselves, because the size of a grammar doubles with each argument that may have
/// any position. No argument is written twice.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_reply as reply; }
/// use typed_prompty::message::ToolChoice;
/// use typed_prompty::reply::grammar::{GrammarOptions, GrammarStart};
///
/// let options = GrammarOptions::new()
///     .with_tool_choice(ToolChoice::Required)
///     .with_parallel(false)
///     .with_start(GrammarStart::AfterReasoning);
/// assert!(!options.parallel);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct GrammarOptions {
    /// The tools that the model may or must call.
    pub tool_choice: ToolChoice,
    /// Whether a reply may contain more than one call, if the format supports that.
    pub parallel: bool,
    /// The position at which the grammar starts to apply.
    pub start: GrammarStart,
    /// Whether keywords of a schema that a grammar cannot express are ignored and reported. If not,
    /// they are errors.
    pub widen: bool,
}

/// The position at which a grammar that is not lazy starts to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum GrammarStart {
    /// At the reply's first token. The grammar then includes reasoning.
    #[default]
    FirstToken,
    /// After the reasoning. The server then detects the end of reasoning.
    AfterReasoning,
}

impl Default for GrammarOptions {
    fn default() -> Self {
        Self {
            tool_choice: ToolChoice::Auto,
            parallel: true,
            start: GrammarStart::FirstToken,
            widen: false,
        }
    }
}

impl GrammarOptions {
    /// Returns options with which the model decides which tools it calls, and how many.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the choice of tools.
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets whether a reply may contain several calls.
    pub fn with_parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// Sets the position at which the grammar starts to apply.
    pub fn with_start(mut self, start: GrammarStart) -> Self {
        self.start = start;
        self
    }

    /// Sets whether keywords that a grammar cannot express are ignored.
    pub fn with_widen(mut self, widen: bool) -> Self {
        self.widen = widen;
        self
    }
}

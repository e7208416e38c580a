//! What a grammar of replies is to hold a model to.

use prompty_core::message::ToolChoice;

/// How a grammar of replies is made.
///
/// Arguments that a format writes as JSON, or as literals, stand in the order of the tool's schema.
/// Those in tags may stand in any order where there are seven at most. Of more, only some may stand
/// anywhere (five of eight, three of twelve, two of thirty), the required ones before others, and the
/// rest keep the schema's order among themselves: what lets all stand anywhere is a grammar that
/// doubles with each. None stands twice.
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
    /// Which tools the model may or must call.
    pub tool_choice: ToolChoice,
    /// Whether a reply may have more than one call, where the format has room for that.
    pub parallel: bool,
    /// Where the grammar comes into force.
    pub start: GrammarStart,
    /// Whether keywords of a schema that a grammar cannot say are left out, and told; otherwise they
    /// are errors.
    pub widen: bool,
}

/// Where a grammar that is not lazy comes into force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum GrammarStart {
    /// At the reply's first token: the grammar has a place for reasoning.
    #[default]
    FirstToken,
    /// Behind the reasoning: the server knows where that ends.
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
    /// The model decides which tools it calls, and how many.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options with another choice of tools.
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// The same options, with several calls in a reply, or one at most.
    pub fn with_parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// The same options with another place from which on the grammar holds.
    pub fn with_start(mut self, start: GrammarStart) -> Self {
        self.start = start;
        self
    }

    /// The same options, with keywords left out that a grammar cannot say, or not.
    pub fn with_widen(mut self, widen: bool) -> Self {
        self.widen = widen;
        self
    }
}

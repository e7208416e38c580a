//! A stretch of reasoning or content, and the white space that its opening marker brings with it.

use super::markers::common_start;
use super::program::Program;
use prompty_core::text::slice;

/// A stretch of reasoning or content.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) is_reasoning: bool,
    /// Whether the prompt opened the reasoning.
    pub(super) by_prompt: bool,
    /// Whether only white space has come yet.
    pub(super) leading: bool,
    /// That white space. Where nothing follows it but a marker, it is markup.
    pub(super) lead: String,
    /// What the opening marker brings with it.
    pub(super) after: OpeningSpace,
    /// White space behind what was taken for a call: a marker that follows may claim it.
    pub(super) trail: String,
    /// Whether the opener of reasoning that is kept in the content has yet to be said.
    pub(super) opener_is_due: bool,
}

/// The white space that belongs to a marker in front of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct OpeningSpace {
    pub(super) marker: Opener,
    /// How much of it has come before.
    pub(super) had: usize,
}

/// A marker in front of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Opener {
    #[default]
    None,
    /// The reply's start: content may stand behind the white space that reasoning has in front.
    Start,
    Reasoning,
    ReasoningEnd,
    Content,
    Header,
}

impl OpeningSpace {
    pub(super) fn text(self, program: &Program) -> &str {
        let (format, reasoning) = (&program.format, program.format.reasoning.as_ref());
        let space = match self.marker {
            Opener::None => None,
            Opener::Start => reasoning.map(|it| &it.open.before),
            Opener::Reasoning => reasoning.map(|it| &it.open.after),
            Opener::ReasoningEnd => reasoning.map(|it| &it.close.after),
            Opener::Content => Some(&format.content.open.after),
            Opener::Header => format.headers.as_ref().map(|it| &it.end.after),
        };
        space.map_or("", |space| slice(space, self.had..))
    }
}

impl Segment {
    /// The segment with which replies of a format begin.
    pub(super) fn start(program: &Program) -> Self {
        let reasoning = program.format.reasoning.as_ref();
        let begins_with_reasoning = reasoning
            .is_some_and(|reasoning| reasoning.open.is_none() && !reasoning.close.is_none());
        let after = OpeningSpace { marker: Opener::Start, had: 0 };
        Self { is_reasoning: begins_with_reasoning, leading: true, after, ..Self::default() }
    }

    /// Whether a marker, or a header, opened it as content.
    pub(super) fn is_opened_content(&self) -> bool {
        !self.is_reasoning && matches!(self.after.marker, Opener::Content | Opener::Header)
    }

    /// Whether white space was read that is not decided yet.
    pub(super) fn holds_space(&self) -> bool {
        !self.lead.is_empty() || !self.trail.is_empty()
    }

    /// Leaves out the white space that has come: what of the opening marker's is left may still come.
    /// Says how much it was.
    pub(super) fn forget_lead(&mut self, program: &Program) -> usize {
        self.after.had += common_start(&self.lead, self.after.text(program));
        let forgotten = self.lead.len();
        self.lead.clear();
        forgotten
    }
}

//! A stretch of reasoning or content, and the white space that its opening marker brings with it.

use super::markdown_fence::MarkdownFence;
use super::markers::split_common_start;
use super::program::Program;

/// A stretch of reasoning or content.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) is_reasoning: bool,
    /// Whether the prompt opened the reasoning.
    pub(super) by_prompt: bool,
    /// Whether only white space has come yet.
    pub(super) is_leading: bool,
    /// That white space. It is markup where only a marker follows it.
    pub(super) lead: String,
    /// The white space that the opening marker brings with it.
    pub(super) after: OpeningSpace,
    /// White space behind what looked like a call. It may belong to a marker that follows.
    pub(super) trailing_space: String,
    /// Whether the opener of reasoning has still to be reported, where reasoning is part of the
    /// content.
    pub(super) opener_is_due: bool,
    /// The last letters of the content that are no white space.
    pub(super) last: [char; 2],
    /// The Markdown fence around content that has a schema.
    pub(super) fence: MarkdownFence,
}

/// The white space that belongs to a marker in front of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct OpeningSpace {
    pub(super) marker: Opener,
    /// How many bytes of it have been read.
    pub(super) read: usize,
}

/// A marker in front of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Opener {
    #[default]
    None,
    /// None, at the reply's start. The white space in front of reasoning may stand in front of content.
    Start,
    Reasoning,
    ReasoningEnd,
    Content,
    Header,
}

impl OpeningSpace {
    /// The part of it that may still come.
    #[expect(clippy::string_slice, reason = "`forget_lead` adds what it finds in this rest")]
    pub(super) fn rest(self, program: &Program) -> &str {
        let (format, reasoning) = (&program.format, program.format.reasoning.as_ref());
        let space = match self.marker {
            Opener::None => None,
            Opener::Start => reasoning.map(|it| &it.open.before),
            Opener::Reasoning => reasoning.map(|it| &it.open.after),
            Opener::ReasoningEnd => reasoning.map(|it| &it.close.after),
            Opener::Content => Some(&format.content.open.after),
            Opener::Header => format.headers.as_ref().map(|it| &it.end.after),
        };
        space.map_or("", |space| &space[self.read..])
    }
}

impl Segment {
    /// The segment with which replies of a format begin.
    pub(super) fn start(program: &Program) -> Self {
        let reasoning = program.format.reasoning.as_ref();
        let begins_with_reasoning = reasoning
            .is_some_and(|reasoning| reasoning.open.is_none() && !reasoning.close.is_none());
        let after = OpeningSpace { marker: Opener::Start, read: 0 };
        Self { is_reasoning: begins_with_reasoning, is_leading: true, after, ..Self::default() }
    }

    /// Whether a marker or a header opened it as content.
    pub(super) fn is_opened_content(&self) -> bool {
        !self.is_reasoning && matches!(self.after.marker, Opener::Content | Opener::Header)
    }

    /// Notes the last letters of content.
    pub(super) fn note(&mut self, text: &str) {
        let mut letters = text.chars().rev().filter(|letter| !letter.is_whitespace());
        let [_, before] = self.last;
        self.last = match (letters.next(), letters.next()) {
            (None, _) => return,
            (Some(last), None) => [before, last],
            (Some(last), Some(before)) => [before, last],
        };
    }

    /// Whether what follows stands in quotes, or inside of a list or an object.
    pub(super) fn is_quoting(&self) -> bool {
        let [before, last] = self.last;
        "\"'`[{(,".contains(last) || (last == ':' && matches!(before, '"' | '\''))
    }

    /// Whether nothing has opened it, and nothing stands in it.
    pub(super) fn is_between_messages(&self) -> bool {
        self.is_leading && matches!(self.after.marker, Opener::None | Opener::Start)
    }

    /// Whether white space was read that is not decided yet.
    pub(super) fn holds_space(&self) -> bool {
        !self.lead.is_empty() || !self.trailing_space.is_empty()
    }

    /// Forgets the white space that was read, and returns how much it was. The rest of the opening
    /// marker's white space may still come.
    pub(super) fn forget_lead(&mut self, program: &Program) -> usize {
        let (common, _) = split_common_start(&self.lead, self.after.rest(program));
        self.after.read += common.len();
        let forgotten = self.lead.len();
        self.lead.clear();
        forgotten
    }
}

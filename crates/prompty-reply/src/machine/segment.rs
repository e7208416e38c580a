//! A segment of reasoning or content, and the white space that belongs to its opening marker.
//!
//! If the template writes `<think>\n` before reasoning, and the reply is `<think>\n\nHm.`, the line
//! breaks are `lead` until `Hm.` arrives. The first one is that of the marker, so it is markup. The
//! second one is reasoning.

use super::markdown_fence::MarkdownFence;
use super::markers::split_common_start;
use super::program::Program;

/// A segment of reasoning or content.
#[derive(Debug, Clone, Default)]
pub(super) struct Segment {
    pub(super) is_reasoning: bool,
    /// Whether the prompt opened the reasoning.
    pub(super) by_prompt: bool,
    /// Whether only white space was read yet.
    pub(super) is_leading: bool,
    /// That white space. It is markup if only a marker follows it.
    pub(super) lead: String,
    /// The white space that belongs to the opening marker.
    pub(super) opening_space: OpeningSpace,
    /// White space after text that looked like a call, and is read as text after all. It may belong
    /// to a following marker.
    pub(super) trailing_space: String,
    /// Whether the prompt opened the reasoning and nothing was reported since. If reasoning is part
    /// of the content, its opener must still be reported.
    pub(super) opener_is_due: bool,
    /// The last two characters of the content that are not white space.
    pub(super) last: [char; 2],
    /// The Markdown fence around content that has a schema.
    pub(super) fence: MarkdownFence,
}

/// The white space that belongs to the marker before a segment, as far as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct OpeningSpace {
    pub(super) marker: SegmentOpener,
    /// The number of its bytes that were read.
    pub(super) read: usize,
}

/// The marker before a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SegmentOpener {
    /// None whose white space belongs to the segment: a call or the end of a message is before it.
    #[default]
    None,
    /// None, at the start of the reply. The white space that belongs before reasoning may also
    /// precede content.
    Start,
    /// The opener of reasoning.
    Reasoning,
    /// The closer of reasoning, before content.
    ReasoningEnd,
    /// The opener of content.
    Content,
    /// The end of a message's header.
    Header,
}

impl OpeningSpace {
    /// The part of the white space that may still follow.
    #[expect(
        clippy::string_slice,
        reason = "`forget_lead` adds the length of a prefix of this rest"
    )]
    pub(super) fn rest(self, program: &Program) -> &str {
        let (format, reasoning) = (&program.format, program.format.reasoning.as_ref());
        let space = match self.marker {
            SegmentOpener::None => None,
            SegmentOpener::Start => reasoning.map(|it| &it.open.before),
            SegmentOpener::Reasoning => reasoning.map(|it| &it.open.after),
            SegmentOpener::ReasoningEnd => reasoning.map(|it| &it.close.after),
            SegmentOpener::Content => Some(&format.content.open.after),
            SegmentOpener::Header => format.headers.as_ref().map(|it| &it.end.after),
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
        let opening_space = OpeningSpace { marker: SegmentOpener::Start, read: 0 };
        Self {
            is_reasoning: begins_with_reasoning,
            is_leading: true,
            opening_space,
            ..Self::default()
        }
    }

    /// Whether a marker or a header opened it as content.
    pub(super) fn is_opened_content(&self) -> bool {
        !self.is_reasoning
            && matches!(self.opening_space.marker, SegmentOpener::Content | SegmentOpener::Header)
    }

    /// Remembers the last characters of content.
    pub(super) fn remember_end(&mut self, text: &str) {
        let mut characters = text.chars().rev().filter(|character| !character.is_whitespace());
        let [_, before] = self.last;
        self.last = match (characters.next(), characters.next()) {
            (None, _) => return,
            (Some(last), None) => [before, last],
            (Some(last), Some(before)) => [before, last],
        };
    }

    /// Whether the following text is in quotes, or inside a list or an object: after `"`, `[` or
    /// `"key":`.
    pub(super) fn is_quoting(&self) -> bool {
        let [before, last] = self.last;
        "\"'`[{(,".contains(last) || (last == ':' && matches!(before, '"' | '\''))
    }

    /// Whether no marker opened the segment and it is empty.
    pub(super) fn is_between_messages(&self) -> bool {
        self.is_leading
            && matches!(self.opening_space.marker, SegmentOpener::None | SegmentOpener::Start)
    }

    /// Whether white space was read whose meaning is not decided yet.
    pub(super) fn holds_space(&self) -> bool {
        !self.lead.is_empty() || !self.trailing_space.is_empty()
    }

    /// Discards the white space that was read, and returns its length. The rest of the opening
    /// marker's white space may still follow.
    pub(super) fn forget_lead(&mut self, program: &Program) -> usize {
        let (common, _) = split_common_start(&self.lead, self.opening_space.rest(program));
        self.opening_space.read += common.len();
        let forgotten = self.lead.len();
        self.lead.clear();
        forgotten
    }
}

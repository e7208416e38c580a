//! Removes the Markdown fence that models put around JSON. Only content with a schema is read this
//! way.

use prompty_core::work::add_steps;

/// The opening and closing characters of a fence.
const FENCE: &str = "```";

/// The maximum length of a fence's first line, and of the white space after its last line.
const LONGEST_LINE: usize = 64;

/// The position in a segment of content, relative to its fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FencePosition {
    /// The content's start.
    #[default]
    Start,
    /// After the fence's first line.
    Inside,
    /// The fence is missing or has ended.
    Outside,
}

/// Removes the fence from content that arrives in pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct MarkdownFence {
    position: FencePosition,
    /// Text that may be part of the fence.
    held: String,
}

/// A piece of content, or of the fence around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FencePiece<'text> {
    Content(&'text str),
    Fence(&'text str),
}

impl MarkdownFence {
    /// Takes a piece of the content. Passes on all text in order, except for text that may be part
    /// of the fence, which is held back.
    pub(super) fn push(&mut self, text: &str, mut out: impl FnMut(FencePiece<'_>)) {
        self.held.push_str(text);
        add_steps(self.held.len());
        if self.position == FencePosition::Start {
            match first_line(&self.held) {
                FirstLine::Cut => return,
                FirstLine::None => self.position = FencePosition::Outside,
                FirstLine::Ends(end) => {
                    out(FencePiece::Fence(self.held.drain(..end).as_str()));
                    self.position = FencePosition::Inside;
                }
            }
        }
        let certain = match self.position {
            FencePosition::Inside => last_line_start(&self.held),
            FencePosition::Start | FencePosition::Outside => self.held.len(),
        };
        if certain > 0 {
            out(FencePiece::Content(self.held.drain(..certain).as_str()));
        }
    }

    /// Ends the segment of content.
    pub(super) fn end(&mut self, mut out: impl FnMut(FencePiece<'_>)) {
        let space = self.held.len() - self.held.trim_end().len();
        let is_fence = self.position == FencePosition::Inside
            && self.held.trim() == FENCE
            && space <= LONGEST_LINE;
        if !self.held.is_empty() {
            out(if is_fence {
                FencePiece::Fence(&self.held)
            } else {
                FencePiece::Content(&self.held)
            });
        }
        self.held.clear();
        self.position = FencePosition::Start;
    }
}

enum FirstLine {
    /// It may be the start of a fence.
    Cut,
    /// It does not open a fence.
    None,
    /// It opens a fence, and ends at this byte.
    Ends(usize),
}

fn first_line(text: &str) -> FirstLine {
    let is_cut = text.len() < LONGEST_LINE;
    match text.split_once('\n') {
        Some((line, _)) if line.starts_with(FENCE) && line.len() < LONGEST_LINE => {
            FirstLine::Ends(line.len() + 1)
        }
        None if is_cut && (text.starts_with(FENCE) || FENCE.starts_with(text)) => FirstLine::Cut,
        _ => FirstLine::None,
    }
}

/// The start of the text that may close the fence: a line break, the fence, and white space.
fn last_line_start(text: &str) -> usize {
    let without_space = text.trim_end();
    let without_mark = without_space.trim_end_matches('`');
    let marks = without_space.len() - without_mark.len();
    if marks == 0 {
        // Only a line break at the end can be followed by the fence.
        return text.rfind('\n').filter(|at| text.get(at + 1..) == Some("")).unwrap_or(text.len());
    }
    let is_near = text.len() - without_space.len() <= LONGEST_LINE;
    let line = without_mark.strip_suffix('\n').map(str::len);
    line.filter(|_| marks <= FENCE.len() && is_near).unwrap_or(text.len())
}

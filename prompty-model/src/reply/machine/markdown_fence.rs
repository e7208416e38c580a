//! The Markdown fence that models put around JSON, taken off content that has a schema.

use prompty_core::text::slice;

/// The mark of a fence.
const MARK: &str = "```";

/// The longest first line of a fence, and the most white space behind its last one.
const LONGEST_LINE: usize = 64;

/// What is known of the fence around a stretch of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// The content's start.
    #[default]
    Start,
    /// SkippingSink the fence's first line.
    Inside,
    /// There is no fence, or it has ended.
    Outside,
}

/// Takes the fence off, piece by piece.
#[derive(Debug, Clone, Default)]
pub(super) struct MarkdownFence {
    place: Place,
    /// What may be part of the fence.
    held: String,
}

/// A piece of content, or of the fence around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'text> {
    Content(&'text str),
    Fence(&'text str),
}

impl MarkdownFence {
    /// Takes a piece of the content. What is given out is, in order, what was taken, but for what may
    /// yet be part of the fence.
    pub(super) fn push(&mut self, text: &str, mut out: impl FnMut(Piece<'_>)) {
        self.held.push_str(text);
        if self.place == Place::Start {
            match first_line(&self.held) {
                FirstLine::Cut => return,
                FirstLine::None => self.place = Place::Outside,
                FirstLine::Ends(end) => {
                    out(Piece::Fence(slice(&self.held, ..end)));
                    self.held.drain(..end);
                    self.place = Place::Inside;
                }
            }
        }
        let sure = match self.place {
            Place::Inside => last_line_start(&self.held),
            Place::Start | Place::Outside => self.held.len(),
        };
        if sure > 0 {
            out(Piece::Content(slice(&self.held, ..sure)));
            self.held.drain(..sure);
        }
    }

    /// Ends the stretch of content.
    pub(super) fn end(&mut self, mut out: impl FnMut(Piece<'_>)) {
        let space = self.held.len() - self.held.trim_end().len();
        let is_fence =
            self.place == Place::Inside && self.held.trim() == MARK && space <= LONGEST_LINE;
        if !self.held.is_empty() {
            out(if is_fence { Piece::Fence(&self.held) } else { Piece::Content(&self.held) });
        }
        self.held.clear();
        self.place = Place::Start;
    }
}

enum FirstLine {
    /// It may become a fence's.
    Cut,
    /// It is none of a fence.
    None,
    /// It is a fence's, and ends there.
    Ends(usize),
}

fn first_line(text: &str) -> FirstLine {
    let is_cut = text.len() < LONGEST_LINE;
    match text.split_once('\n') {
        Some((line, _)) if line.starts_with(MARK) && line.len() < LONGEST_LINE => {
            FirstLine::Ends(line.len() + 1)
        }
        None if is_cut && (text.starts_with(MARK) || MARK.starts_with(text)) => FirstLine::Cut,
        _ => FirstLine::None,
    }
}

/// Where the text begins that may be a fence's last line: the line break, the mark, white space.
fn last_line_start(text: &str) -> usize {
    let without_space = text.trim_end();
    let without_mark = without_space.trim_end_matches('`');
    let marks = without_space.len() - without_mark.len();
    if marks == 0 {
        // Only the last line break can be the one in front of the mark.
        return text.rfind('\n').filter(|at| text.get(at + 1..) == Some("")).unwrap_or(text.len());
    }
    let is_near = text.len() - without_space.len() <= LONGEST_LINE;
    let line = without_mark.strip_suffix('\n').map(str::len);
    line.filter(|_| marks <= MARK.len() && is_near).unwrap_or(text.len())
}

//! Takes the Markdown fence off that models put around JSON. Only content with a schema is read so.

use prompty_core::work::add_steps;

/// What a fence begins and ends with.
const FENCE: &str = "```";

/// The longest first line of a fence, and the most white space behind its last one.
const LONGEST_LINE: usize = 64;

/// What is known of the fence around a stretch of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// The content's start.
    #[default]
    Start,
    /// Behind the fence's first line.
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
    /// Takes a piece of the content. All text is given out in order, except for text that may turn out
    /// to be part of the fence, which is held.
    pub(super) fn push(&mut self, text: &str, mut out: impl FnMut(Piece<'_>)) {
        self.held.push_str(text);
        add_steps(self.held.len());
        if self.place == Place::Start {
            match first_line(&self.held) {
                FirstLine::Cut => return,
                FirstLine::None => self.place = Place::Outside,
                FirstLine::Ends(end) => {
                    out(Piece::Fence(self.held.drain(..end).as_str()));
                    self.place = Place::Inside;
                }
            }
        }
        let sure = match self.place {
            Place::Inside => last_line_start(&self.held),
            Place::Start | Place::Outside => self.held.len(),
        };
        if sure > 0 {
            out(Piece::Content(self.held.drain(..sure).as_str()));
        }
    }

    /// Ends the stretch of content.
    pub(super) fn end(&mut self, mut out: impl FnMut(Piece<'_>)) {
        let space = self.held.len() - self.held.trim_end().len();
        let is_fence =
            self.place == Place::Inside && self.held.trim() == FENCE && space <= LONGEST_LINE;
        if !self.held.is_empty() {
            out(if is_fence { Piece::Fence(&self.held) } else { Piece::Content(&self.held) });
        }
        self.held.clear();
        self.place = Place::Start;
    }
}

enum FirstLine {
    /// It may open a fence.
    Cut,
    /// It does not belong to a fence.
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

/// Where the text begins that may close the fence: a line break, the fence, white space.
fn last_line_start(text: &str) -> usize {
    let without_space = text.trim_end();
    let without_mark = without_space.trim_end_matches('`');
    let marks = without_space.len() - without_mark.len();
    if marks == 0 {
        // Only a line break at the end can stand in front of the fence.
        return text.rfind('\n').filter(|at| text.get(at + 1..) == Some("")).unwrap_or(text.len());
    }
    let is_near = text.len() - without_space.len() <= LONGEST_LINE;
    let line = without_mark.strip_suffix('\n').map(str::len);
    line.filter(|_| marks <= FENCE.len() && is_near).unwrap_or(text.len())
}

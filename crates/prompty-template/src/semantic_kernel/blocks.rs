//! Finds the blocks of a template: `{{`, the content, `}}`.
//!
//! `{{ {{ f '}}' }} {{$x` has the closed block `{{ f '}}' }}`. The first two braces are text,
//! because other braces follow before a `}}`. The last two begin a block that is never closed.

use prompty_core::diagnostic::TemplateSpan;

/// A block with content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BraceBlock {
    /// The complete span, including braces.
    pub(super) span: TemplateSpan,
    /// The content, without white space around it.
    pub(super) content: TemplateSpan,
}

/// The blocks of a template, and the last one if it is never closed.
#[derive(Debug, Default)]
pub(super) struct BraceBlocks {
    pub(super) closed: Vec<BraceBlock>,
    pub(super) open: Option<UnclosedBlock>,
}

/// A block that is never closed. Its braces are text.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnclosedBlock {
    pub(super) start: usize,
    /// The quotation mark that is never closed.
    pub(super) quote: Option<u8>,
}

/// Finds the blocks. Each `{{` outside of quotation marks begins a new block, so only the last two
/// braces of `{{{` are used. Quotation marks have a meaning only after a `{{`, and braces between
/// them have none. A block without content is text.
pub(super) fn find(text: &str) -> BraceBlocks {
    let bytes = text.as_bytes();
    let mut blocks = BraceBlocks::default();
    let mut position = 0;
    while let Some(pair) = bytes.get(position..).and_then(|rest| rest.first_chunk::<2>()) {
        let here = position;
        // If both bytes of the pair are used, one more is skipped.
        position += 1;
        match (&mut blocks.open, pair) {
            (Some(UnclosedBlock { quote: quote @ Some(_), .. }), pair) => {
                if is_escape(pair) {
                    position += 1;
                } else if quote.is_some_and(|mark| pair.starts_with(&[mark])) {
                    *quote = None;
                }
            }
            (open, b"{{") => *open = Some(UnclosedBlock { start: here, quote: None }),
            (Some(open), [mark @ (b'\'' | b'"'), _]) => open.quote = Some(*mark),
            (open @ Some(_), b"}}") => {
                let closed = open.take().map(|open| TemplateSpan::new(open.start, here + 2));
                blocks.closed.extend(closed.and_then(|span| block(text, span)));
                position += 1;
            }
            _ => {}
        }
    }
    // The loop reads pairs of bytes, so it has not read a quotation mark in the last byte.
    if let (Some(open), Some(mark @ (b'\'' | b'"'))) = (&mut blocks.open, bytes.get(position)) {
        open.quote = match open.quote {
            Some(opener) if opener == *mark => None,
            Some(opener) => Some(opener),
            None => Some(*mark),
        };
    }
    blocks
}

/// Whether a backslash escapes the next byte.
pub(super) fn is_escape(pair: &[u8]) -> bool {
    matches!(pair, [b'\\', b'\'' | b'"' | b'\\'])
}

/// Returns the block with this span, unless it has no content.
fn block(text: &str, span: TemplateSpan) -> Option<BraceBlock> {
    let inner = text.get(span.start + 2..span.end.checked_sub(2)?)?;
    let content = inner.trim();
    let start = span.start + 2 + inner.len() - inner.trim_start().len();
    let content_span = TemplateSpan::new(start, start + content.len());
    (!content.is_empty()).then_some(BraceBlock { span, content: content_span })
}

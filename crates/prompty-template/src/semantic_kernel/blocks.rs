//! Where the blocks of a template lie: `{{`, what it holds, `}}`.

use prompty_core::diagnostic::TemplateSpan;

/// A block that holds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// All of it, braces included.
    pub(super) span: TemplateSpan,
    /// What it holds, without white space around it.
    pub(super) content: TemplateSpan,
}

/// The blocks of a template, and what is left open at its end.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) closed: Vec<Block>,
    pub(super) open: Option<OpenBlock>,
}

/// A block that is never closed: its braces are text.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenBlock {
    pub(super) start: usize,
    /// The quotation mark that is never closed, with its place.
    pub(super) quote: Option<(u8, usize)>,
}

/// Finds the blocks. Each `{{` outside of quotation marks begins anew, so of `{{{` the last two count.
/// Quotation marks count behind a `{{` alone; between them braces mean nothing. A block that holds
/// nothing is text.
pub(super) fn find(text: &str) -> Blocks {
    let bytes = text.as_bytes();
    let mut blocks = Blocks::default();
    let mut position = 0;
    while let Some(pair) = bytes.get(position..).and_then(|rest| rest.first_chunk::<2>()) {
        position += 1;
        let here = position - 1;
        match (&mut blocks.open, pair) {
            (Some(OpenBlock { quote: quote @ Some(_), .. }), pair) => {
                if is_escape(pair) {
                    position += 1;
                } else if quote.is_some_and(|(mark, _)| pair.starts_with(&[mark])) {
                    *quote = None;
                }
            }
            (open, b"{{") => *open = Some(OpenBlock { start: here, quote: None }),
            (Some(open), [mark @ (b'\'' | b'"'), _]) => open.quote = Some((*mark, here)),
            (open @ Some(_), b"}}") => {
                let closed = open.take().map(|open| TemplateSpan::new(open.start, here + 2));
                blocks.closed.extend(closed.and_then(|span| block(text, span)));
                position += 1;
            }
            _ => {}
        }
    }
    // A quotation mark may be the last byte.
    if let (Some(open), Some(mark @ (b'\'' | b'"'))) = (&mut blocks.open, bytes.get(position)) {
        open.quote = match open.quote {
            Some((opener, _)) if opener == *mark => None,
            Some(quote) => Some(quote),
            None => Some((*mark, position)),
        };
    }
    blocks
}

/// Whether a backslash makes the next byte an ordinary one.
pub(super) fn is_escape(pair: &[u8]) -> bool {
    matches!(pair, [b'\\', b'\'' | b'"' | b'\\'])
}

fn block(text: &str, span: TemplateSpan) -> Option<Block> {
    let inner = text.get(span.start + 2..span.end.checked_sub(2)?)?;
    let content = inner.trim();
    let start = span.start + 2 + inner.len() - inner.trim_start().len();
    let content_span = TemplateSpan::new(start, start + content.len());
    (!content.is_empty()).then_some(Block { span, content: content_span })
}

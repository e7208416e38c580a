//! The markers around calls: around all of them and around each (T2), and the text between two
//! (T3). The codes are explained at the head of `analysis`.
//!
//! Example: of `<all><c>FIRST</c>, <c>SECOND</c></all>`, the texts around the calls are given:
//! `open` is `<all><c>`, `between` is `</c>, <c>`, and `close` is `</c></all>`. The common end of
//! `between` and `open` opens a call: `<c>`. The common start of `between` and `close` closes it:
//! `</c>`. The rest of each text is a marker of the section, or the separator.

use super::piece::Piece;
use prompty_reply::format::{Marker, Text};

/// The markers around calls.
#[derive(Debug, Default)]
pub(super) struct CallFrame<'t> {
    pub(super) section_open: Option<Piece<'t>>,
    pub(super) section_close: Option<Piece<'t>>,
    pub(super) call_open: Option<Piece<'t>>,
    pub(super) call_close: Option<Piece<'t>>,
    pub(super) separator: &'t str,
}

impl<'t> CallFrame<'t> {
    /// Divides the texts before the first call, between two calls, and after the last call into
    /// markers. `follows_value` returns whether the text after the value of an argument begins with
    /// the given text.
    pub(super) fn new(
        open: Piece<'t>,
        between: Option<Piece<'t>>,
        close: Piece<'t>,
        follows_value: impl Fn(&str) -> bool,
    ) -> Self {
        let some = |piece: Piece<'t>| (!piece.is_blank()).then_some(piece);
        let Some(between) = between else {
            let (call_open, call_close) = (some(open), some(close));
            return Self { call_open, call_close, ..Self::default() };
        };
        let mut opener_len = between.common_end_len(open);
        let mut closer_len = between.common_start_len(close);
        // If a text is in both, it closes a call, unless it also appears after each value.
        if opener_len + closer_len > between.len() {
            let both = between.to(closer_len).from(between.len() - opener_len);
            if !both.is_blank() && follows_value(both.text().trim()) {
                closer_len = between.len() - opener_len;
            } else {
                opener_len = between.len() - closer_len;
            }
        }
        if between.from(between.len() - opener_len).is_blank() {
            opener_len = 0;
        }
        if between.to(closer_len).is_blank() {
            closer_len = 0;
        }
        // White space before an opener is not part of it: the first call may not have it.
        let call_open = some(open.from(open.len() - opener_len)).map(Piece::trim_start);
        let trimmed_len = call_open.map_or(0, Piece::len);
        Self {
            section_open: some(open.without_last(trimmed_len)),
            section_close: some(close.from(closer_len)),
            call_open,
            call_close: some(close.to(closer_len)),
            separator: between.from(closer_len).without_last(trimmed_len).text(),
        }
    }
}

/// A piece as a marker.
pub(super) fn marker(piece: Option<Piece<'_>>) -> Marker {
    piece.map_or(Marker::NONE, Marker::new)
}

/// An owned text.
pub(super) fn text(text: &str) -> Text {
    Text::Owned(text.to_owned())
}

//! The markers around calls: around all of them (T2), around each, and between two (T3).

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
    /// markers. `begins` returns whether other markers begin with a text.
    pub(super) fn new(
        open: Piece<'t>,
        between: Option<Piece<'t>>,
        close: Piece<'t>,
        begins: impl Fn(&str) -> bool,
    ) -> Self {
        let some = |piece: Piece<'t>| (!piece.is_blank()).then_some(piece);
        let Some(between) = between else {
            let (call_open, call_close) = (some(open), some(close));
            return Self { call_open, call_close, ..Self::default() };
        };
        let mut opener = between.shared_end(open);
        let mut closer = between.shared_start(close);
        if opener + closer > between.len() {
            let both = between.from(between.len() - opener).to(opener + closer - between.len());
            if !both.is_blank() && begins(both.text().trim()) {
                closer = between.len() - opener;
            } else {
                opener = between.len() - closer;
            }
        }
        if between.from(between.len() - opener).is_blank() {
            opener = 0;
        }
        if between.to(closer).is_blank() {
            closer = 0;
        }
        // White space before an opener is not part of it: the first call may not have it.
        let call_open = some(open.from(open.len() - opener)).map(Piece::trim_start);
        let own = call_open.map_or(0, Piece::len);
        Self {
            section_open: some(open.without_end(if own > 0 { own } else { opener })),
            section_close: some(close.from(closer)),
            call_open,
            call_close: some(close.to(closer)),
            separator: between.from(closer).without_end(own).text(),
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

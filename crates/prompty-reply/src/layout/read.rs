//! Queries on a layout.

use super::{Header, LayoutPart, Mark, Slot, Unit, call_openers};
use crate::format::{Marker, ReplyFormat, Text};

/// The markers around a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurroundingMarkers<'p> {
    /// Its opener, or the opener of the message whose body it is.
    pub(crate) open: &'p Marker,
    /// The words of the message's header, and the marker that ends the header.
    pub(crate) header: Option<(&'p str, &'p Marker)>,
    pub(crate) close: &'p Marker,
}

impl SurroundingMarkers<'_> {
    /// The text of the markers before the data at the start of a reply. If replies are messages,
    /// the opener of the first one is left out, because the prompt ends with it.
    pub(crate) fn text_before_at_start(&self) -> String {
        match self.header {
            Some((words, end)) => format!("{words}{end}"),
            None => self.open.to_string(),
        }
    }

    /// The text of the markers before the data elsewhere.
    pub(crate) fn text_before(&self) -> String {
        match self.header {
            Some(_) => format!("{}{}", self.open, self.text_before_at_start()),
            None => self.text_before_at_start(),
        }
    }
}

impl ReplyFormat {
    /// Writes a reply that continues a prompt: reasoning, and content after it.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn write_texts(
        &self,
        is_reasoning_open: bool,
        reasoning: &str,
        content: Option<&str>,
    ) -> String {
        let layout = LayoutPart::of_format(self);
        let mut text = String::new();
        if let Some(around) = layout.markers_around(&Slot::Reasoning) {
            let open =
                if is_reasoning_open { String::new() } else { around.text_before_at_start() };
            text = format!("{open}{reasoning}");
            if content.is_some() {
                text += &around.close.to_string();
            }
        }
        if let (Some(content), Some(around)) = (content, layout.markers_around(&Slot::Content)) {
            let open =
                if text.is_empty() { around.text_before_at_start() } else { around.text_before() };
            text += &format!("{open}{content}");
        }
        text
    }

    /// A prompt tail after which a reply begins with the data of this slot.
    pub(crate) fn prompt_tail_before(&self, slot: &Slot) -> String {
        LayoutPart::of_format(self)
            .markers_around(slot)
            .map(|around| around.text_before())
            .unwrap_or_default()
    }
}

impl LayoutPart {
    /// Returns this part and all parts inside it, in the order in which the template writes them.
    /// Alternative spellings and the separators of repetitions are not among them.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        let inside: Vec<&Self> = match self {
            Self::Literal(_) | Self::Slot(_) => Vec::new(),
            Self::Row(parts) | Self::Choice(parts) => parts.iter().collect(),
            Self::Optional(part)
            | Self::Unit(_, part)
            | Self::Spellings(part, _)
            | Self::Repeat { part, .. } => vec![part],
        };
        std::iter::once(self).chain(inside.into_iter().flat_map(Self::parts)).collect()
    }

    /// The part with this name.
    pub(crate) fn find(&self, wanted: Unit) -> Option<&Self> {
        self.parts().into_iter().find_map(|part| match part {
            Self::Unit(unit, part) if *unit == wanted => Some(&**part),
            _ => None,
        })
    }

    /// All literals of a kind, except separators.
    pub(crate) fn marked(&self, mark: Mark) -> impl Iterator<Item = &Marker> {
        self.parts().into_iter().filter_map(move |part| match part {
            Self::Literal(literal) if literal.mark == mark => Some(&literal.marker),
            _ => None,
        })
    }

    /// The header of a message.
    pub(crate) fn header(&self) -> Option<&Header> {
        self.parts().into_iter().find_map(|part| match part {
            Self::Slot(Slot::Header(header)) => Some(header),
            _ => None,
        })
    }

    /// The markers around the text of a slot. `None` if replies do not have any.
    pub(crate) fn markers_around(&self, slot: &Slot) -> Option<SurroundingMarkers<'_>> {
        let marker = |mark| self.marked(mark).next();
        let is_reasoning = *slot == Slot::Reasoning;
        if let Some(Header { reasoning, content, closers: [of_reasoning, of_content], .. }) =
            self.header()
        {
            let (words, close) =
                if is_reasoning { (reasoning, of_reasoning) } else { (content, of_content) };
            let words = words.first().map_or("", Text::as_ref);
            let header = Some((words, marker(Mark::HeaderEnd)?));
            return Some(SurroundingMarkers { open: marker(Mark::HeaderOpen)?, header, close });
        }
        let (open, close) = match is_reasoning {
            true => (Mark::ReasoningOpen, Mark::ReasoningClose),
            false => (Mark::ContentOpen, Mark::ContentClose),
        };
        Some(SurroundingMarkers { open: marker(open)?, header: None, close: marker(close)? })
    }

    /// The part that is written first.
    fn first(&self) -> Option<&Self> {
        self.parts().into_iter().find(|part| match part {
            Self::Literal(literal) => !literal.marker.is_none(),
            part => matches!(part, Self::Slot(_)),
        })
    }

    /// The literals with which a call may begin inside other text.
    pub(crate) fn call_openers(&self) -> impl Iterator<Item = &Marker> {
        let literals = self.parts().into_iter().filter_map(|part| match part {
            Self::Literal(literal) => Some(literal),
            _ => None,
        });
        call_openers(literals, |literal| literal).map(|literal| &literal.marker)
    }
}

/// Whether the first of some parts shows by itself that a call begins.
pub(crate) fn begin_with_call_opener(parts: &[LayoutPart]) -> bool {
    match parts.iter().find_map(LayoutPart::first) {
        Some(LayoutPart::Literal(literal)) => literal.shows_call(),
        _ => false,
    }
}

//! What readers ask of a layout.

use super::{Header, Mark, Part, Slot, Unit, call_openers};
use crate::format::{Marker, ReplyFormat, Text};

/// What stands around a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'p> {
    /// What opens it, or the message that has it as its body.
    pub(crate) open: &'p Marker,
    /// What the header of the message says, and what ends that.
    pub(crate) header: Option<(&'p str, &'p Marker)>,
    pub(crate) close: &'p Marker,
}

impl Around<'_> {
    /// What stands in front of it at the start of a reply: the prompt ends with the opener of a message.
    pub(crate) fn at_start(&self) -> String {
        match self.header {
            Some((says, end)) => format!("{says}{end}"),
            None => self.open.to_string(),
        }
    }

    /// What stands in front of it elsewhere.
    pub(crate) fn front(&self) -> String {
        match self.header {
            Some(_) => format!("{}{}", self.open, self.at_start()),
            None => self.at_start(),
        }
    }
}

impl ReplyFormat {
    /// A reply that goes on from where its prompt has left it: reasoning, and content behind it.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn write_texts(
        &self,
        is_reasoning_open: bool,
        reasoning: &str,
        content: Option<&str>,
    ) -> String {
        let layout = Part::of_format(self);
        let mut text = String::new();
        if let Some(around) = layout.around(&Slot::Reasoning) {
            let open = if is_reasoning_open { String::new() } else { around.at_start() };
            text = format!("{open}{reasoning}");
            if content.is_some() {
                text += &around.close.to_string();
            }
        }
        if let (Some(content), Some(around)) = (content, layout.around(&Slot::Content)) {
            let open = if text.is_empty() { around.at_start() } else { around.front() };
            text += &format!("{open}{content}");
        }
        text
    }

    /// What stands in front of a text of this slot.
    pub(crate) fn in_front_of(&self, slot: &Slot) -> String {
        Part::of_format(self).around(slot).map(|around| around.front()).unwrap_or_default()
    }
}

impl Part {
    /// It and all parts inside of it, as and in the order in which the template writes them.
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

    /// A part that readers know by name, without the name.
    pub(crate) fn find(&self, wanted: Unit) -> Option<&Self> {
        self.parts().into_iter().find_map(|part| match part {
            Self::Unit(unit, part) if *unit == wanted => Some(&**part),
            _ => None,
        })
    }

    /// All literals with a mark, but for separators.
    pub(crate) fn marked(&self, mark: Mark) -> impl Iterator<Item = &Marker> {
        self.parts().into_iter().filter_map(move |part| match part {
            Self::Literal(literal) if literal.mark == mark => Some(&literal.marker),
            _ => None,
        })
    }

    /// What the header of a message says.
    pub(crate) fn header(&self) -> Option<&Header> {
        self.parts().into_iter().find_map(|part| match part {
            Self::Slot(Slot::Header(header)) => Some(header),
            _ => None,
        })
    }

    /// What stands around the text of a slot; nothing where replies have none.
    pub(crate) fn around(&self, slot: &Slot) -> Option<Around<'_>> {
        let marker = |mark| self.marked(mark).next();
        let is_reasoning = *slot == Slot::Reasoning;
        if let Some(Header { reasoning, content, closers: [of_reasoning, of_content], .. }) =
            self.header()
        {
            let (says, close) =
                if is_reasoning { (reasoning, of_reasoning) } else { (content, of_content) };
            let says = says.first().map_or("", Text::as_ref);
            let header = Some((says, marker(Mark::HeaderEnd)?));
            return Some(Around { open: marker(Mark::HeaderOpen)?, header, close });
        }
        let (open, close) = match is_reasoning {
            true => (Mark::ReasoningOpen, Mark::ReasoningClose),
            false => (Mark::ContentOpen, Mark::ContentClose),
        };
        Some(Around { open: marker(open)?, header: None, close: marker(close)? })
    }

    /// What is written first of it.
    fn first(&self) -> Option<&Self> {
        self.parts().into_iter().find(|part| match part {
            Self::Literal(literal) => !literal.marker.is_none(),
            part => matches!(part, Self::Slot(_)),
        })
    }

    /// What a call may begin with, in text that is no call.
    pub(crate) fn call_openers(&self) -> impl Iterator<Item = &Marker> {
        let literals = self.parts().into_iter().filter_map(|part| match part {
            Self::Literal(literal) => Some(literal),
            _ => None,
        });
        call_openers(literals, |literal| literal).map(|literal| &literal.marker)
    }
}

/// Whether a reader knows by what some parts begin with that a call begins, in whatever text it stands.
pub(crate) fn show_a_call(parts: &[Part]) -> bool {
    match parts.iter().find_map(Part::first) {
        Some(Part::Literal(literal)) => literal.shows_a_call(),
        _ => false,
    }
}

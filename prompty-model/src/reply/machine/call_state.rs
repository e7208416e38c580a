//! What the machine remembers of the call that it reads.

use super::markers::MarkerSet;
use super::program::Action;
use crate::reply::format::Text;
use crate::reply::sink::Sink;

/// A call that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    /// Which call of the reply it is.
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) name: String,
    /// Whether the call was reported, with its name.
    pub(super) is_started: bool,
    /// Whether any arguments have come.
    pub(super) has_arguments: bool,
    /// Whether braces that the model left open were closed for it.
    pub(super) mended: bool,
    /// Arguments that came before the name.
    pub(super) early: String,
}

impl Call {
    /// Whether it has begun and not ended.
    pub(super) fn is_open(&self) -> bool {
        self.is_started
    }

    /// Takes more of the arguments, as JSON text.
    #[inline]
    pub(super) fn arguments(&mut self, text: &str, sink: &mut impl Sink) {
        if self.is_started {
            sink.arguments(self.index, text);
        } else {
            self.early_arguments(text);
        }
    }

    /// A function of its own, so that [`Call::arguments`] is short enough to be inlined.
    #[cold]
    fn early_arguments(&mut self, text: &str) {
        self.early.push_str(text);
    }

    /// Makes the next call the first of the reply.
    pub(super) fn restart_index(&mut self) {
        self.index = 0;
    }

    /// Forgets what has been read of a call that has not begun.
    pub(super) fn forget(&mut self) {
        self.id.clear();
        self.name.clear();
        self.early.clear();
        self.is_started = false;
        self.has_arguments = false;
        self.mended = false;
    }
}

/// What a field of a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Field {
    Name,
    Arguments,
    Id,
    /// An object that holds name and arguments.
    Function,
    #[default]
    Other,
}

/// What comes next in the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    #[default]
    Start,
    Key,
    Colon,
    Value,
    Skipped,
    CommaOrEnd,
}

/// A call that is read as a JSON object.
#[derive(Debug, Clone, Default)]
pub(super) struct CallObject {
    /// How many objects are open: the call, and a function inside it.
    pub(super) depth: usize,
    pub(super) place: Place,
    pub(super) field: Field,
}

impl CallObject {
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Whether a key of a call has been read.
    pub(super) fn has_field(&self) -> bool {
        self.field != Field::Other
    }

    pub(super) fn value_is_whole(&mut self) {
        self.place = Place::CommaOrEnd;
    }
}

/// A tagged argument that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct Argument {
    pub(super) key: String,
    /// Whether the markup says that the value is a text; nothing where it does not say.
    pub(super) is_text: Option<bool>,
    /// Whether the value is surely a text, and so is reported piece by piece.
    pub(super) streams: bool,
    /// The value, where it has to be complete before it is reported.
    pub(super) value: String,
    /// What closes the value.
    pub(super) close: Option<MarkerSet<Action>>,
    /// The white space behind the opening tag that is not part of the value.
    pub(super) after: Text,
    /// How many bytes of it have been read.
    pub(super) skipped: usize,
    pub(super) quoted: Quoted,
}

/// Whether the value is a text in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Quoted {
    #[default]
    No,
    /// Nothing of the value has been read.
    Maybe,
    Yes,
}

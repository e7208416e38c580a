//! What the machine remembers of the call that it reads.

use std::collections::BTreeSet;

use super::markers::MarkerSet;
use crate::convert::{LiteralReader, Notation, Progress};
use crate::event::Event;
use crate::format::Text;
use crate::sink::Sink;

/// What is known of the opener in front of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Opening {
    /// Whether an opener was read, and no call yet.
    pub(super) awaits_call: bool,
    /// What the opener is.
    pub(super) sign: Sign,
    /// Whether the prompt ends with it.
    pub(super) by_prompt: bool,
    /// Whether calls stand in a list that was opened.
    pub(super) in_list: bool,
}

/// What says that a call may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sign {
    /// No marker: the text looks like a call.
    #[default]
    Bare,
    /// A marker of plain words, or of brackets alone.
    Words,
    /// A tag.
    Markup,
    /// A control token, which is never text.
    Control,
}

impl Opening {
    /// That of a call that an opener announces.
    pub(super) fn of_sign(sign: Sign) -> Self {
        Self { awaits_call: true, sign, ..Self::default() }
    }

    pub(super) fn is_bare(self) -> bool {
        self.sign == Sign::Bare
    }
}

/// A call that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    /// Which call of the reply it is.
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) name: String,
    /// Where the name begins in the text of the call.
    pub(super) name_at: Option<usize>,
    /// Whether the call was reported, with its name.
    pub(super) is_started: bool,
    /// Whether any arguments have come.
    pub(super) has_arguments: bool,
    /// Whether its arguments are whole, and what follows them is not known yet.
    pub(super) is_whole: bool,
    /// The keys of its arguments that have tags.
    keys: BTreeSet<String>,
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

    /// Notes the key of an argument.
    pub(super) fn add_key(&mut self, key: &str) {
        self.keys.insert(key.to_owned());
    }

    /// Whether an argument with a key was read.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// That it began.
    pub(super) fn started(&self, known: bool) -> Event<'_> {
        let (index, id, name) = (self.index, &*self.id, &*self.name);
        Event::CallStarted { index, id, name, known, free_text: false }
    }

    /// That it ended.
    pub(super) fn ended(&self, complete: bool) -> Event<'_> {
        let mended = complete && self.mended;
        Event::CallEnded { index: self.index, id: &self.id, complete, mended }
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
        self.name_at = None;
        self.early.clear();
        self.is_started = false;
        self.has_arguments = false;
        self.is_whole = false;
        self.keys.clear();
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
    /// Whether a key has been read that no call has.
    pub(super) has_other: bool,
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
    /// Where it begins in the text of the call.
    pub(super) start: usize,
    /// Where in the text of the call the first closing tag ends that was taken for data.
    pub(super) closed_at: Option<usize>,
    /// What reads it ahead, where it may be a list or an object in JSON, and how far.
    ahead: Option<(LiteralReader, usize)>,
    /// What closes the value.
    pub(super) close: Option<MarkerSet<()>>,
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

impl Argument {
    /// Begins a value that may be a list or an object in JSON, or not.
    pub(super) fn begin(&mut self, may_be_json: bool) {
        self.value.clear();
        self.skipped = 0;
        self.closed_at = None;
        self.ahead = may_be_json.then(|| (LiteralReader::value(Notation::default()), 0));
    }

    /// Whether the value ends, as far as it was read, inside of a text in JSON: what would close it is data.
    pub(super) fn is_in_json_text(&mut self) -> bool {
        let is_open = self.value.trim_start().starts_with(['{', '[']);
        let Some((reader, read)) = self.ahead.as_mut().filter(|_| is_open) else { return false };
        let Some(unread) = self.value.get(*read..) else { return false };
        let piece = reader.read(unread, false, |_| {});
        if piece.progress != Progress::More {
            self.ahead = None;
            return false;
        }
        *read += piece.read.len();
        reader.is_in_text()
    }
}

/// What reads the data of a call.
#[derive(Debug, Clone)]
pub(super) struct Data {
    pub(super) reader: LiteralReader,
    /// Whether arguments are read that are a literal, and in which quotes.
    pub(super) quotes: Option<Quotes>,
    pub(super) object: CallObject,
    pub(super) argument: Argument,
}

/// Whether arguments that are a literal stand inside of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Text,
    /// A text that should hold arguments, and does not.
    WrongText,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            reader: LiteralReader::value(Notation::default()),
            quotes: None,
            object: CallObject::default(),
            argument: Argument::default(),
        }
    }
}

//! The state of the call that the machine reads.

use std::collections::BTreeSet;

use super::markers::MarkerSet;
use crate::convert::{LiteralNotation, LiteralProgress, LiteralReader};
use crate::event::Event;
use crate::format::Text;
use crate::sink::Sink;

/// The properties of the opener of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Opening {
    /// Whether an opener was read, but no call yet.
    pub(super) awaits_call: bool,
    /// The kind of the opener.
    pub(super) kind: OpenerKind,
    /// Whether the prompt ends with it.
    pub(super) by_prompt: bool,
    /// Whether the calls are in a list that was opened.
    pub(super) in_list: bool,
}

/// The kind of text that announces a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum OpenerKind {
    /// No marker: the text looks like a call.
    #[default]
    Bare,
    /// A marker of plain words or of brackets alone.
    Words,
    /// A tag.
    Markup,
    /// A control token, which is never text.
    Control,
}

impl Opening {
    /// The opening of a call that an opener of this kind announces.
    pub(super) fn of_kind(kind: OpenerKind) -> Self {
        Self { awaits_call: true, kind, ..Self::default() }
    }

    pub(super) fn is_bare(self) -> bool {
        self.kind == OpenerKind::Bare
    }
}

/// A call that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct CallState {
    /// The index of the call in the reply.
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) name: String,
    /// Where the name begins in the text of the call.
    pub(super) name_at: Option<usize>,
    /// Whether the call was reported, with its name.
    pub(super) is_started: bool,
    /// Whether any arguments were read.
    pub(super) has_arguments: bool,
    /// Whether the arguments are complete. The text after them is not known yet.
    pub(super) has_complete_arguments: bool,
    /// The keys of its tagged arguments.
    keys: BTreeSet<String>,
    /// Whether braces that the model left open were closed.
    pub(super) repaired: bool,
    /// Arguments that were read before the name.
    pub(super) early: String,
}

impl CallState {
    /// Whether the call was reported and has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.is_started
    }

    /// Records the key of an argument.
    pub(super) fn add_key(&mut self, key: &str) {
        self.keys.insert(key.to_owned());
    }

    /// Whether an argument with a key was read.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// The event that reports its start.
    pub(super) fn started(&self, known: bool) -> Event<'_> {
        let (index, id, name) = (self.index, &*self.id, &*self.name);
        Event::CallStarted { index, id, name, known, free_text: false }
    }

    /// The event that reports its end.
    pub(super) fn ended(&self, complete: bool) -> Event<'_> {
        let repaired = complete && self.repaired;
        Event::CallEnded { index: self.index, id: &self.id, complete, repaired }
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

    /// A separate function, so that [`CallState::arguments`] is short enough to be inlined.
    #[cold]
    fn early_arguments(&mut self, text: &str) {
        self.early.push_str(text);
    }

    /// Makes the next call the first one of the reply.
    pub(super) fn restart_index(&mut self) {
        self.index = 0;
    }

    /// Resets the state for the next call.
    pub(super) fn forget(&mut self) {
        self.id.clear();
        self.name.clear();
        self.name_at = None;
        self.early.clear();
        self.is_started = false;
        self.has_arguments = false;
        self.has_complete_arguments = false;
        self.keys.clear();
        self.repaired = false;
    }
}

/// The meaning of a field of a call object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CallField {
    Name,
    Arguments,
    Id,
    /// An object that contains name and arguments.
    Function,
    #[default]
    Other,
}

/// The next element expected in the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ObjectPosition {
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
    /// The number of open objects: the call, and a function inside it.
    pub(super) depth: usize,
    pub(super) position: ObjectPosition,
    pub(super) field: CallField,
    /// Whether a key was read that calls do not have.
    pub(super) has_other: bool,
}

impl CallObject {
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Whether a key of a call was read.
    pub(super) fn has_field(&self) -> bool {
        self.field != CallField::Other
    }

    pub(super) fn finish_value(&mut self) {
        self.position = ObjectPosition::CommaOrEnd;
    }
}

/// A tagged argument that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct TaggedArgument {
    pub(super) key: String,
    /// Whether the markup says that the value is a string; `None` if it does not say.
    pub(super) is_text: Option<bool>,
    /// Whether the value is certainly a string, and so is reported piece by piece.
    pub(super) streams: bool,
    /// The value, if it must be complete before it is reported.
    pub(super) value: String,
    /// Where the value begins in the text of the call.
    pub(super) start: usize,
    /// Where the first closing tag ends that was read as data, in the text of the call.
    pub(super) closed_at: Option<usize>,
    /// A reader ahead of the value's end, if the value may be an array or object in JSON, and how
    /// far it read.
    ahead: Option<(LiteralReader, usize)>,
    /// The closing tag of the value.
    pub(super) close: Option<MarkerSet<()>>,
    /// The white space after the opening tag that is not part of the value.
    pub(super) after: Text,
    /// How many bytes of that white space were read.
    pub(super) skipped: usize,
    pub(super) quoted: QuotingState,
}

/// Whether the value is a string in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum QuotingState {
    #[default]
    No,
    /// Nothing of the value was read yet.
    Maybe,
    Yes,
}

impl TaggedArgument {
    /// Begins a value. It may be an array or object in JSON if `may_be_json`.
    pub(super) fn begin(&mut self, may_be_json: bool) {
        self.value.clear();
        self.skipped = 0;
        self.closed_at = None;
        self.ahead = may_be_json.then(|| (LiteralReader::value(LiteralNotation::default()), 0));
    }

    /// Whether the value so far ends inside a JSON string. Then a closing tag is data.
    pub(super) fn is_in_json_string(&mut self) -> bool {
        let is_open = self.value.trim_start().starts_with(['{', '[']);
        let Some((reader, read)) = self.ahead.as_mut().filter(|_| is_open) else { return false };
        let Some(unread) = self.value.get(*read..) else { return false };
        let piece = reader.read(unread, false, |_| {});
        if piece.progress != LiteralProgress::More {
            self.ahead = None;
            return false;
        }
        *read += piece.read.len();
        reader.is_in_string()
    }
}

/// The readers of a call's data.
#[derive(Debug, Clone)]
pub(super) struct CallData {
    pub(super) reader: LiteralReader,
    /// How literal arguments that are being read are quoted. `None` if none are being read.
    pub(super) quotes: Option<LiteralQuotes>,
    pub(super) object: CallObject,
    pub(super) argument: TaggedArgument,
}

/// Whether literal arguments are inside a JSON string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiteralQuotes {
    None,
    String,
    /// A string that should contain arguments, but does not.
    InvalidString,
}

impl Default for CallData {
    fn default() -> Self {
        Self {
            reader: LiteralReader::value(LiteralNotation::default()),
            quotes: None,
            object: CallObject::default(),
            argument: TaggedArgument::default(),
        }
    }
}

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
    /// Whether an opener was read, but its call was not reported yet.
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
    /// No marker: the text looks like a call, such as `{"name": …`.
    #[default]
    Bare,
    /// A marker that is not markup, such as `Action:`. Prose may contain it.
    Words,
    /// A tag, such as `<tool_call>`.
    Markup,
    /// A control token, such as `<|tool|>`, which is never text.
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
    /// Where the name begins: an offset in `Machine::raw`, the text of the call.
    pub(super) name_at: Option<usize>,
    /// Whether the call was reported, with its name, and has not ended.
    pub(super) is_open: bool,
    /// Whether any arguments were read.
    pub(super) has_arguments: bool,
    /// Whether the arguments are complete, and the call ends unless the text after them continues
    /// them; see `arguments_continue`.
    pub(super) has_complete_arguments: bool,
    /// The keys of its tagged arguments.
    keys: BTreeSet<String>,
    /// Whether braces that the model left open were closed by the machine.
    pub(super) repaired: bool,
    /// Arguments that were read before the name, as JSON text.
    pub(super) early: String,
}

impl CallState {
    /// Records the key of an argument.
    pub(super) fn add_key(&mut self, key: &str) {
        self.keys.insert(key.to_owned());
    }

    /// Whether an argument with a key was read.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// The event that reports its start.
    pub(super) fn started_event(&self, known: bool) -> Event<'_> {
        let (index, id, name) = (self.index, &*self.id, &*self.name);
        Event::CallStarted { index, id, name, known, free_text: false }
    }

    /// The event that reports its end.
    pub(super) fn ended_event(&self, complete: bool) -> Event<'_> {
        let repaired = complete && self.repaired;
        Event::CallEnded { index: self.index, id: &self.id, complete, repaired }
    }

    /// Takes more of the arguments, as JSON text.
    #[inline]
    pub(super) fn push_arguments(&mut self, text: &str, sink: &mut impl Sink) {
        if self.is_open {
            sink.arguments(self.index, text);
        } else {
            self.push_early_arguments(text);
        }
    }

    /// A separate function, so that [`CallState::push_arguments`] is short enough to be inlined.
    #[cold]
    fn push_early_arguments(&mut self, text: &str) {
        self.early.push_str(text);
    }

    /// Resets the state for the next call.
    pub(super) fn reset(&mut self) {
        self.id.clear();
        self.name.clear();
        self.name_at = None;
        self.early.clear();
        self.is_open = false;
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
    /// The opening brace.
    #[default]
    Start,
    Key,
    Colon,
    Value,
    /// The rest of a value that has no meaning, or of an id without quotes.
    Skipped,
    CommaOrEnd,
}

/// A call that is read as a JSON object.
#[derive(Debug, Clone, Default)]
pub(super) struct CallObject {
    /// The number of open objects: the call, and a function inside it.
    pub(super) depth: usize,
    pub(super) position: ObjectPosition,
    /// The meaning of the last key.
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

    /// Whether the last key is one of a call.
    pub(super) fn has_field(&self) -> bool {
        self.field != CallField::Other
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
    /// The value so far, if it must be complete before it is reported. If the arguments are a
    /// literal inside a JSON string, the text without escapes that was not read yet.
    pub(super) value: String,
    /// Where the value begins: an offset in `Machine::raw`, the text of the call.
    pub(super) start: usize,
    /// Where the first closing tag ends that was read as data: an offset in `Machine::raw`.
    pub(super) closed_at: Option<usize>,
    /// A reader of the value so far, if the value may be an array or object in JSON, and the number
    /// of bytes that it read.
    ahead: Option<(LiteralReader, usize)>,
    /// The closing tag of the value.
    pub(super) close: Option<MarkerSet<()>>,
    /// The white space that the template writes after the opening tag. It is not part of the value.
    pub(super) opening_space: Text,
    /// How many bytes of that white space were read.
    pub(super) opening_space_read: usize,
    pub(super) quoted: QuotingState,
}

/// Whether the value is a string in the quotes of [`Quoting`](crate::format::Quoting), such as
/// `<![CDATA[…]]>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum QuotingState {
    #[default]
    No,
    /// The format has such quotes, and nothing of the value was read yet.
    Maybe,
    Yes,
}

impl TaggedArgument {
    /// Begins a value. It may be an array or object in JSON if `may_be_json`.
    pub(super) fn begin(&mut self, may_be_json: bool) {
        self.value.clear();
        self.opening_space_read = 0;
        self.closed_at = None;
        self.ahead = may_be_json.then(|| (LiteralReader::value(LiteralNotation::default()), 0));
    }

    /// Lets the reader ahead read the value up to its current end. Returns whether that is inside a
    /// JSON string, as in `["a`. A closing tag that follows is data then.
    pub(super) fn read_ahead_in_json_string(&mut self) -> bool {
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
    Unquoted,
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

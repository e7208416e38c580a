//! The audited prompt: its text, and the places of data with markup. Only this module creates a
//! [`PromptText`], so its ranges are always checked.

use std::fmt;
use std::ops::Range;

use super::align::{Placeholders, is_form_of};
use prompty_core::value::Map;

/// The text of a prompt.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_chat as chat; }
/// use typed_prompty::message::Message;
/// use typed_prompty::chat::{ChatTemplate, DataRange, DataSource, MessageField, PromptOptions};
///
/// let text = "{% for m in messages %}<|turn|>{{ m.content }}{% endfor %}";
/// let template = ChatTemplate::from_text(text)?;
/// let prompt = template.prompt(&[Message::user("<|turn|>?")], &[], &PromptOptions::new())?;
/// assert_eq!(prompt.text, "<|turn|><|turn|>?");
/// let data: &DataRange = &prompt.data_ranges[0];
/// assert_eq!(data.bytes, 8..17);
/// assert_eq!(data.source, DataSource::Message { index: 0, field: MessageField::Content });
/// assert_eq!(data.source.to_string(), "the content of message 0");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptText {
    /// The complete text.
    pub text: String,
    /// The end of the text that opens the assistant's turn, with the text that the model continues.
    /// It is empty if the text has no such end.
    pub generation_prompt: String,
    /// The variables that the template was rendered with.
    pub variables: Map,
    /// The places of data with markup of the template, in order. A tokenizer must read no added
    /// tokens there; [`pieces`](Self::pieces) divides the text for it.
    pub data_ranges: Vec<DataRange>,
    guard: ConstructorGuard,
}

/// Keeps other modules from creating a [`PromptText`] with unchecked ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ConstructorGuard;

/// Data with markup, and its expected place in a text.
#[derive(Debug, Clone)]
pub(super) struct LocatedData<'d> {
    pub(super) bytes: Range<usize>,
    pub(super) source: DataSource,
    pub(super) data: &'d str,
}

impl PromptText {
    /// Creates a text in which no data contains markup.
    pub(super) fn without_ranges(text: String, generation_prompt: String, variables: Map) -> Self {
        let (data_ranges, guard) = (Vec::new(), ConstructorGuard);
        Self { text, generation_prompt, variables, data_ranges, guard }
    }

    /// Creates a text with the places of data that contains markup.
    ///
    /// # Errors
    ///
    /// Returns the source of the first piece of data whose place is wrong. The places must be in
    /// order, and must not overlap or cut a character. Each must contain its data in a form in
    /// which a template may write it.
    pub(super) fn with_ranges(
        text: String,
        generation_prompt: String,
        variables: Map,
        located: Vec<LocatedData<'_>>,
    ) -> Result<Self, DataSource> {
        let mut data_ranges = Vec::with_capacity(located.len());
        let mut end = 0;
        for LocatedData { bytes, source, data } in located {
            let written = text.get(bytes.clone()).filter(|written| !written.is_empty());
            if bytes.start < end || !written.is_some_and(|written| is_form_of(written, data)) {
                return Err(source);
            }
            end = bytes.end;
            data_ranges.push(DataRange { bytes, source });
        }
        Ok(Self { text, generation_prompt, variables, data_ranges, guard: ConstructorGuard })
    }

    /// The text in pieces: data with markup, and the text between.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_chat as chat; }
    /// use typed_prompty::chat::{ChatTemplate, PromptOptions, PromptPiece};
    /// use typed_prompty::message::Message;
    ///
    /// let text = "{% for m in messages %}<|turn|>{{ m.content }}{% endfor %}";
    /// let template = ChatTemplate::from_text(text)?;
    /// let prompt = template.prompt(&[Message::user("<|turn|>?")], &[], &PromptOptions::new())?;
    /// let pieces: Vec<_> = prompt.pieces().collect();
    /// assert_eq!(pieces, [PromptPiece::Template("<|turn|>"), PromptPiece::Data("<|turn|>?")]);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn pieces(&self) -> impl Iterator<Item = PromptPiece<'_>> {
        pieces(&self.text, &self.data_ranges)
    }
}

/// A part of a prompt's text that is data with markup, alone or with its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DataRange {
    /// The byte range in the prompt's text.
    pub bytes: Range<usize>,
    /// The origin of the data.
    pub source: DataSource,
}

/// The origin of a piece of data. Indices count from zero, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DataSource {
    /// A message.
    Message {
        /// The index of the message.
        index: usize,
        /// The part of the message.
        field: MessageField,
    },
    /// An offered tool: its name, its description or its schema.
    Tool {
        /// The index of the tool.
        index: usize,
    },
    /// A document.
    Document {
        /// The index of the document.
        index: usize,
    },
    /// A variable that the caller sets.
    Variable {
        /// Its name.
        name: String,
    },
    /// The tool that the model is forced to call.
    ToolChoice,
}

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageField {
    /// The role, if it is not one of the usual ones.
    Role,
    /// Text, an image, a file or audio.
    Content,
    /// Reasoning.
    Reasoning,
    /// The id of a call, in the call or in its result.
    CallId,
    /// The name of a tool, in a call or in a result.
    ToolName,
    /// A key or a value in the arguments of a call.
    Arguments,
    /// The content of a tool result.
    ToolResult,
    /// Metadata.
    Metadata,
}

impl fmt::Display for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message { index, field } => write!(f, "the {field} of message {index}"),
            Self::Tool { index } => write!(f, "tool {index}"),
            Self::Document { index } => write!(f, "document {index}"),
            Self::Variable { name } => write!(f, "the variable `{name}`"),
            Self::ToolChoice => f.write_str("the choice of a tool"),
        }
    }
}

impl fmt::Display for MessageField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Role => "role",
            Self::Content => "content",
            Self::Reasoning => "reasoning",
            Self::CallId => "call id",
            Self::ToolName => "tool name",
            Self::Arguments => "arguments",
            Self::ToolResult => "tool result",
            Self::Metadata => "metadata",
        })
    }
}

/// A piece of a prompt's text, for a tokenizer.
///
/// A tokenizer first splits a text at its *added tokens*; then its model reads the text between
/// them. Only some added tokens are special. Others, such as `<tool_call>`, are control tokens as
/// well, so a switch for special tokens is not enough. To keep data from becoming structure, a
/// tokenizer must
///
/// - search for added tokens, special or not, in each [`Template`](Self::Template) piece
///   separately, and not in [`Data`](Self::Data) pieces;
/// - give its model the text between the added tokens across the borders of pieces, so that a
///   border changes no id and adds no space before a piece.
///
/// The guide's page on control tokens has code for this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptPiece<'text> {
    /// Text in which added tokens are read: the template's text, with data that contains no markup.
    Template(&'text str),
    /// Data in which no added tokens are read, special or not. It becomes ordinary tokens, with the
    /// same ids as elsewhere.
    Data(&'text str),
}

/// Whether a place overlaps one of the ranges, which are in order and do not overlap.
pub(super) fn overlaps_any<T>(
    ranges: &[T],
    bytes: impl Fn(&T) -> &Range<usize>,
    place: &Range<usize>,
) -> bool {
    let next = ranges.partition_point(|it| bytes(it).end <= place.start);
    ranges.get(next).is_some_and(|it| bytes(it).start < place.end)
}

/// A text from a position on, with its data that contains markup replaced by placeholders.
#[derive(Debug)]
pub(crate) struct MaskedText {
    /// The text from that position on, or from the start of data that extends across the position.
    pub(crate) text: String,
    /// Each placeholder, and the data that it replaces.
    pub(crate) data: Vec<(String, String)>,
}

impl PromptText {
    /// The generation prompt with placeholders for data with markup.
    pub(crate) fn masked_generation_prompt(&self) -> MaskedText {
        let Self { text, generation_prompt, data_ranges, .. } = self;
        let (front, _) = split_before_end(text, generation_prompt.len());
        let start = front.len();
        let ranges = data_ranges.iter().enumerate().filter(|(_, range)| range.bytes.end > start);
        let placeholders = Placeholders::absent_from(&[text]);
        let mut masked = MaskedText { text: String::new(), data: Vec::new() };
        let mut at = start;
        for (number, range) in ranges {
            let Some(data) = text.get(range.bytes.clone()) else { continue };
            // Data that extends across the start has no text before it.
            masked.text.extend(text.get(at..range.bytes.start));
            let placeholder = placeholders.get(number);
            masked.text.push_str(&placeholder);
            masked.data.push((placeholder, data.to_owned()));
            at = range.bytes.end;
        }
        masked.text.extend(text.get(at..));
        masked
    }
}

/// Splits a text in two. The second part has `bytes` bytes, or a few more for a full character.
#[expect(clippy::string_slice, reason = "`floor_char_boundary` gives a place in the text")]
pub(crate) fn split_before_end(text: &str, bytes: usize) -> (&str, &str) {
    let at = text.floor_char_boundary(text.len().saturating_sub(bytes));
    (&text[..at], &text[at..])
}

/// The pieces of a text, divided at the borders of data with markup. A range that does not fit the
/// text, because the caller changed it, gives no piece.
pub(crate) fn pieces<'text>(
    text: &'text str,
    ranges: &'text [DataRange],
) -> impl Iterator<Item = PromptPiece<'text>> {
    let end = ranges.last().map_or(0, |last| last.bytes.end);
    let mut at = 0;
    let parts = ranges.iter().flat_map(move |range| {
        let front = text.get(at..range.bytes.start).map(PromptPiece::Template);
        at = range.bytes.end;
        [front, text.get(range.bytes.clone()).map(PromptPiece::Data)]
    });
    let rest = text.get(end..).map(PromptPiece::Template);
    parts
        .chain([rest])
        .flatten()
        .filter(|piece| !matches!(piece, PromptPiece::Template("") | PromptPiece::Data("")))
}

#[cfg(test)]
mod tests {
    use super::{DataSource, LocatedData, PromptText};
    use prompty_core::value::Map;

    /// The result for data at some places of `é<|end|>ß`.
    fn marked(places: &[(std::ops::Range<usize>, &str)]) -> Result<PromptText, DataSource> {
        let located = places.iter().enumerate().map(|(index, (bytes, data))| LocatedData {
            bytes: bytes.clone(),
            source: DataSource::Document { index },
            data,
        });
        PromptText::with_ranges("é<|end|>ß".into(), String::new(), Map::new(), located.collect())
    }

    #[test]
    fn ranges_in_order_that_contain_their_data_are_accepted() {
        let text = marked(&[(0..2, "é"), (2..9, "<|end|>"), (9..11, "ß")]).unwrap();
        assert_eq!(text.pieces().count(), 3);
    }

    #[test]
    fn other_ranges_are_refused() {
        let refused: [&[_]; 7] = [
            &[(2..9, "<|end|>"), (0..2, "é")],
            &[(0..9, "é<|end|>"), (2..9, "<|end|>")],
            &[(1..9, "<|end|>")],
            &[(9..12, "ß")],
            &[(2..2, "")],
            &[(2..9, "<|END|>")],
            &[(2..8, "<|end|>")],
        ];
        for places in refused {
            assert!(marked(places).is_err(), "{places:?}");
        }
    }
}

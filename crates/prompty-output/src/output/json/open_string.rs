//! A string in quotes while it is read, and the decision which of its quotes closes it.
//!
//! Models forget to escape quotes in strings. So for each quote, the text after it decides whether
//! it closes the string. What is accepted after a string depends on its [`ValueRole`]. In
//! `{"a": "say "hi", then go", "b": 1}`, the string of the key `a` is read as follows:
//!
//! | quote | text after it | meaning |
//! |---|---|---|
//! | before `hi` | a letter | part of the string |
//! | after `hi` | a comma, but no key: `, then go` | part of the string |
//! | after `go` | a comma and a key: `, "b":` | closes the string |
//!
//! The machine (`machine/strings.rs`) adds each character with [`OpenString::push`]. For a quote it
//! calls [`OpenString::take_nested_quote`], then [`OpenString::meaning_of_quote`]. If the quote is
//! part of the string, it calls [`OpenString::push_quote`].
//!
//! Text is kept in `pending` while it may still turn out not to be part of the string:
//!
//! - from a comma on, if a key follows: the closing quote may be missing ([`UnclearComma`]);
//! - line breaks and closing brackets at the end: they may close the containers (`closers_at`);
//! - from the first quote on that is part of the string: if the reply ends before the string, that
//!   quote may have closed it ([`UnclearQuote`]).

use super::characters::{WIDE_CLOSING_BRACE, WIDE_CLOSING_BRACKET, WIDE_COLON, WIDE_COMMA};
use super::lookahead::{self, Lookahead, is_blank, is_word};
use super::quote::{IncompleteInput, JsonResult, Quote, is_fence, opening_quote};
use super::word::is_scalar;

/// The position of a value or key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueRole {
    Key,
    /// The value of an entry.
    Entry,
    /// An item of an array.
    Item,
    /// The outermost value.
    Root,
}

/// An open string.
#[derive(Debug, Clone)]
pub(super) struct OpenString {
    pub(super) quote: Quote,
    pub(super) role: ValueRole,
    /// The byte in the reply of its opening quote.
    pub(super) start: usize,
    /// The text that was read and not yet emitted.
    pub(super) pending: String,
    /// The first quote that may have closed the string.
    pub(super) unclear: Option<UnclearQuote>,
    /// Whether the last quote in the string opened a quotation, as in `say "hi`.
    in_quotation: bool,
    last: Option<char>,
    /// The last character that is not blank.
    last_visible: Option<char>,
    /// Open JSON in the string whose quotes have no backslashes.
    nested: Option<NestedJson>,
    /// A comma that may have been the end, if the closing quote is missing.
    pub(super) comma: Option<UnclearComma>,
    /// The byte in `pending` at which trailing line breaks and closing brackets begin. If the reply
    /// ends after them, they may close the containers around the string.
    pub(super) closers_at: Option<usize>,
    /// Whether it has a control character without a backslash. Only the first one is reported.
    pub(super) has_control: bool,
}

/// A quote that may have closed the string.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnclearQuote {
    /// Its byte in the pending text.
    pub(super) pending_at: usize,
    /// The byte in the reply after it.
    pub(super) reply_end: usize,
}

/// A comma, and how much of `, key: ` has been read since.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnclearComma {
    /// Its byte in the pending text.
    pub(super) pending_at: usize,
    /// Its byte in the reply.
    pub(super) reply_at: usize,
    stage: CommaStage,
}

/// What has been read since a comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommaStage {
    /// At most blanks.
    Start,
    /// The beginning of a bare key.
    Word,
    /// A bare key and a blank.
    AfterWord,
    /// A bare key, its colon, and at most blanks.
    Colon,
}

/// JSON inside of a string.
#[derive(Debug, Clone, Copy)]
struct NestedJson {
    /// The number of its open brackets. With the last bracket, the nested JSON ends.
    depth: usize,
    in_quotes: bool,
}

/// The meaning of a quote inside of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteMeaning {
    /// It closes the string.
    Closes,
    /// It is part of the string.
    Data,
    /// It belongs to the next entry: the string ended at the comma, without its quote.
    EndedAtComma,
}

impl OpenString {
    pub(super) const fn new(quote: Quote, role: ValueRole, start: usize) -> Self {
        Self {
            quote,
            role,
            start,
            pending: String::new(),
            unclear: None,
            in_quotation: false,
            last: None,
            last_visible: None,
            nested: None,
            comma: None,
            closers_at: None,
            has_control: false,
        }
    }

    /// Adds a character of the string, which is at the byte `reply_at` of the reply.
    pub(super) fn push(&mut self, character: char, reply_at: usize) {
        self.last = Some(character);
        self.follow_nested(character);
        if !is_blank(character) {
            self.last_visible = Some(character);
        }
        if matches!(character, '\n' | '}' | ']') && self.role != ValueRole::Key {
            self.closers_at.get_or_insert(self.pending.len());
        } else if !character.is_whitespace() {
            self.closers_at = None;
        }
        if self.role == ValueRole::Entry {
            self.follow_comma(character, reply_at);
        }
        self.pending.push(character);
    }

    /// Adds a character that was escaped.
    pub(super) fn push_escaped(&mut self, character: char) {
        self.last = Some(character);
        self.last_visible = Some(character);
        self.closers_at = None;
        self.comma = None;
        self.pending.push(character);
    }

    /// Updates `comma` with the next character.
    fn follow_comma(&mut self, character: char, reply_at: usize) {
        use CommaStage::{AfterWord, Colon, Start, Word};
        if character == ',' {
            let pending_at = self.pending.len();
            self.comma = Some(UnclearComma { pending_at, reply_at, stage: Start });
            return;
        }
        let Some(comma) = &mut self.comma else { return };
        comma.stage = match (comma.stage, character) {
            (Word | AfterWord, ':') => Colon,
            (Word, it) if it.is_whitespace() => AfterWord,
            (stage, it) if it.is_whitespace() => stage,
            (Start | Word, it) if is_word(it) => Word,
            // No key follows the comma.
            _ => return self.comma = None,
        };
    }

    /// Updates `nested` with the next character, which is not a quote.
    fn follow_nested(&mut self, character: char) {
        let Some(nested) = self.nested.as_mut().filter(|it| !it.in_quotes) else { return };
        match character {
            '{' | '[' => nested.depth += 1,
            '}' | ']' => nested.depth -= 1,
            _ => {}
        }
        if nested.depth == 0 {
            self.nested = None;
        }
    }

    /// Updates `nested` with the next quote, which is before the text `after`. Returns whether the
    /// quote belongs to nested JSON. Then the state has changed, and the quote must be added.
    ///
    /// Nested JSON begins with `{` and a key, as in `"{"a": 1}"`, or with `[` and a string, as in
    /// `"["a", "b"]"`. A letter directly follows its first quote. In valid JSON, a quote in this
    /// place would close the string, and no letter could follow it. So valid JSON is never read as
    /// nested.
    pub(super) fn take_nested_quote(&mut self, after: &str, is_final: bool) -> JsonResult<bool> {
        if let Some(nested) = &mut self.nested {
            nested.in_quotes = !nested.in_quotes;
            return Ok(true);
        }
        if self.quote != Quote::Double || self.role == ValueRole::Key {
            return Ok(false);
        }
        let is_delimiter: fn(char) -> bool = match self.last_visible {
            Some('{') => |it| it == ':',
            Some('[') => |it| matches!(it, ',' | ']'),
            _ => return Ok(false),
        };
        let begins = lookahead::is_word_in_quotes(after, is_delimiter, is_final)?;
        if begins {
            self.nested = Some(NestedJson { depth: 1, in_quotes: true });
        }
        Ok(begins)
    }

    /// Takes the part out of the pending text that is certainly part of the string.
    pub(super) fn take_certain(&mut self) -> String {
        if self.unclear.is_some() || self.role == ValueRole::Key {
            return String::new();
        }
        let comma_at = self.comma.map(|comma| comma.pending_at);
        let end = comma_at.into_iter().chain(self.closers_at).min().unwrap_or(self.pending.len());
        if end == 0 {
            // Otherwise the uncertain text would be copied for each piece.
            return String::new();
        }
        let uncertain = self.pending.split_off(end);
        if let Some(comma) = &mut self.comma {
            comma.pending_at -= end;
        }
        if let Some(closers_at) = &mut self.closers_at {
            *closers_at -= end;
        }
        std::mem::replace(&mut self.pending, uncertain)
    }

    /// Adds a quote that is part of the string. It is at the byte `reply_at` of the reply, before
    /// the text `after`.
    pub(super) fn push_quote(&mut self, quote: &str, reply_at: usize, after: &str) {
        // It opens a quotation after a blank or punctuation and before a word, as in `say ("hi`.
        self.in_quotation = self.last.is_none_or(|it| is_blank(it) || "([{<>=:,".contains(it))
            && after.chars().next().is_some_and(|it| !is_blank(it));
        let reply_end = reply_at + quote.len();
        self.unclear.get_or_insert(UnclearQuote { pending_at: self.pending.len(), reply_end });
        self.comma = None;
        self.closers_at = None;
        self.pending.push_str(quote);
        self.last = quote.chars().last();
        self.last_visible = self.last;
    }

    /// Decides whether the quote before the text `after` closes the string.
    pub(super) fn meaning_of_quote(&self, after: &str, is_final: bool) -> JsonResult<QuoteMeaning> {
        let closes = match (self.quote, self.role) {
            // Such a quote does not occur inside of a string.
            (Quote::Triple | Quote::Escaped | Quote::Doubled | Quote::DoubledSingle, _) => true,
            (Quote::Fence, _) | (_, ValueRole::Entry) => closes_entry(after, is_final)?,
            (_, ValueRole::Key) => closes_key(after, is_final)?,
            (_, ValueRole::Item) => self.closes_item(after, is_final)?,
            (_, ValueRole::Root) => closes_root(after, is_final)?,
        };
        if closes {
            return Ok(QuoteMeaning::Closes);
        }
        let is_missing_before_comma = match self.comma.map(|comma| comma.stage) {
            _ if self.quote == Quote::Fence => false,
            // `"first, b: "second"`.
            Some(CommaStage::Colon) => true,
            // `"first,"key": 1`: this quote opens the next key.
            Some(CommaStage::Start) => lookahead::is_rest_of_key(after, is_final)?,
            _ => false,
        };
        Ok(if is_missing_before_comma { QuoteMeaning::EndedAtComma } else { QuoteMeaning::Data })
    }

    /// Whether a quote closes the item of an array.
    fn closes_item(&self, after: &str, is_final: bool) -> JsonResult<bool> {
        let Lookahead::Character { character, skipped, rest, .. } =
            lookahead::next_visible(after, is_final)?
        else {
            return Ok(true);
        };
        Ok(match character {
            ']' | WIDE_CLOSING_BRACKET | '}' => true,
            // `["say "hi", then go"]`: the quote before the comma closes the quotation.
            _ if self.in_quotation => false,
            ',' | WIDE_COMMA => true,
            '`' => is_fence(rest, is_final)?,
            // `["a"b"]`: the quote is inside of a word.
            _ if skipped.is_empty() => false,
            // `["a" ["b"]]`, `["a" "b"]` and `["a" 1]`: only the comma is missing.
            '{' | '[' => true,
            _ => begins_quote_or_scalar(rest, is_final)?,
        })
    }
}

/// Whether a text begins with a string in quotes, a number or a literal.
fn begins_quote_or_scalar(rest: &str, is_final: bool) -> JsonResult<bool> {
    Ok(opening_quote(rest, is_final)?.is_some() || is_scalar(first_word(rest, is_final)?))
}

/// The word at the start of a text, up to a blank or a delimiter. It is empty if it is too long.
fn first_word(rest: &str, is_final: bool) -> JsonResult<&str> {
    let is_end = |it: char| is_blank(it) || matches!(it, ',' | ']' | '}');
    let near = lookahead::within_lookahead(rest);
    match near.split_once(is_end) {
        Some((word, _)) => Ok(word),
        None if near.len() < rest.len() => Ok(""),
        None if is_final => Ok(rest),
        None => Err(IncompleteInput),
    }
}

/// Whether a quote closes a key.
fn closes_key(after: &str, is_final: bool) -> JsonResult<bool> {
    let Lookahead::Character { character, skipped, rest, .. } =
        lookahead::next_visible(after, is_final)?
    else {
        return Ok(true);
    };
    Ok(match character {
        // A colon or `=>`, or the key has no value: `{"a"}`.
        ':' | WIDE_COLON | '=' | ',' | '}' | ']' => true,
        // The colon is missing: `"a" -1`, `"a" .5`, `"a" {`; below also `"a" "b"` and `"a" true`.
        '+' | '-' | '.' | '{' | '[' | '0'..='9' => true,
        _ if skipped.is_empty() => opening_quote(rest, is_final)?.is_some(),
        _ => begins_quote_or_scalar(rest, is_final)?,
    })
}

/// Whether a quote closes the value of an entry.
fn closes_entry(after: &str, is_final: bool) -> JsonResult<bool> {
    let Lookahead::Character { character, skipped, rest, after: after_character } =
        lookahead::next_visible(after, is_final)?
    else {
        return Ok(true);
    };
    match character {
        // A stray colon is skipped later.
        '}' | WIDE_CLOSING_BRACE | ':' => Ok(true),
        ']' => ends_at_bracket(after_character, is_final),
        '`' => is_fence(rest, is_final),
        ',' | WIDE_COMMA => match lookahead::next_visible(after_character, is_final)? {
            // After the comma, the entries end, or `...` or `#comment` follows.
            Lookahead::End
            | Lookahead::Far
            | Lookahead::Character { character: '}' | ',' | '.' | '#', .. } => Ok(true),
            Lookahead::Character { rest, .. } => lookahead::is_key(rest, is_final),
        },
        // `"a"b`: the quote is inside of a word.
        it if skipped.is_empty() && is_word(it) => Ok(false),
        // `"a" b: 1`: only the comma is missing.
        _ => lookahead::is_key(rest, is_final),
    }
}

/// Whether a bracket after the value of an entry can close an array: a delimiter, a blank or the
/// end follows it, or text after the JSON such as `.` or `</answer>`. In a pattern such as `['"](`
/// it is part of the string.
fn ends_at_bracket(after: &str, is_final: bool) -> JsonResult<bool> {
    let is_delimiter = |it| is_blank(it) || ",}])`.;<，｝".contains(it);
    match after.chars().next() {
        None if !is_final => Err(IncompleteInput),
        next => Ok(next.is_none_or(is_delimiter)),
    }
}

/// Whether a quote closes the outermost value. More text in the same line is part of the string,
/// except for `,`, `;` and a fence.
fn closes_root(after: &str, is_final: bool) -> JsonResult<bool> {
    Ok(match lookahead::next_visible(after, is_final)? {
        Lookahead::End | Lookahead::Far => true,
        Lookahead::Character { character, skipped, .. } => {
            skipped.contains('\n') || matches!(character, ',' | ';' | '`')
        }
    })
}

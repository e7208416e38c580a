//! A string in quotes while it is read: the part that is certain, and the meaning of its quotes.

use super::lookahead::{self, Lookahead, is_blank, is_word};
use super::quote::{IncompleteInput, Opening, Quote, is_fence, opening};
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
    /// The byte of its opening quote.
    pub(super) start: usize,
    /// The text that was read and not yet emitted.
    pub(super) pending: String,
    /// The first quote that may have closed the string.
    pub(super) unclear: Option<UnclearQuote>,
    /// Whether an opening quote inside of the string is still open.
    inner_is_open: bool,
    previous: Option<char>,
    /// The last character that is not blank.
    visible: Option<char>,
    /// Open JSON in the string whose quotes have no backslashes.
    inner: Option<NestedJson>,
    /// A comma that may have been the end, if the closing quote is missing.
    pub(super) comma: Option<UnclearComma>,
    /// The byte in `pending` at which trailing line breaks and closing brackets begin.
    pub(super) closers: Option<usize>,
}

/// A quote that may have closed the string.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnclearQuote {
    /// Its byte in the pending text.
    pub(super) pending: usize,
    /// The byte in the reply after it.
    pub(super) after: usize,
}

/// A comma, and how much of `, key: ` has been read since.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnclearComma {
    /// Its byte in the pending text.
    pub(super) pending: usize,
    /// Its byte in the reply.
    pub(super) at: usize,
    stage: CommaStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommaStage {
    Comma,
    Word,
    AfterWord,
    Colon,
}

/// JSON inside of a string.
#[derive(Debug, Clone, Copy)]
struct NestedJson {
    /// The number of its open brackets.
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
            inner_is_open: false,
            previous: None,
            visible: None,
            inner: None,
            comma: None,
            closers: None,
        }
    }

    /// Adds a character of the string, which is at the byte `at` of the reply.
    pub(super) fn push(&mut self, character: char, at: usize) {
        self.previous = Some(character);
        self.follow_inner(character);
        if !is_blank(character) {
            self.visible = Some(character);
        }
        if matches!(character, '\n' | '}' | ']') && self.role != ValueRole::Key {
            self.closers.get_or_insert(self.pending.len());
        } else if !character.is_whitespace() {
            self.closers = None;
        }
        if self.role == ValueRole::Entry {
            self.follow_comma(character, at);
        }
        self.pending.push(character);
    }

    /// Adds a character that was escaped.
    pub(super) fn push_escaped(&mut self, character: char) {
        self.previous = Some(character);
        self.visible = Some(character);
        self.closers = None;
        self.comma = None;
        self.pending.push(character);
    }

    fn follow_comma(&mut self, character: char, at: usize) {
        use CommaStage::{AfterWord, Colon, Comma as Start, Word};
        if character == ',' {
            self.comma = Some(UnclearComma { pending: self.pending.len(), at, stage: Start });
            return;
        }
        let Some(comma) = &mut self.comma else { return };
        let stage = match (comma.stage, character) {
            (Word | AfterWord, ':') => Some(Colon),
            (Word, it) if it.is_whitespace() => Some(AfterWord),
            (stage, it) if it.is_whitespace() => Some(stage),
            (Start | Word, it) if is_word(it) => Some(Word),
            _ => None,
        };
        match stage {
            Some(stage) => comma.stage = stage,
            None => self.comma = None,
        }
    }

    fn follow_inner(&mut self, character: char) {
        let Some(inner) = self.inner.as_mut().filter(|it| !it.in_quotes) else { return };
        match character {
            '{' | '[' => inner.depth += 1,
            '}' | ']' => inner.depth -= 1,
            _ => {}
        }
        if inner.depth == 0 {
            self.inner = None;
        }
    }

    /// Whether a quote belongs to JSON inside of the string: to open JSON, or to JSON that it
    /// begins. JSON begins with a bracket in the string that a key follows, or a string and a
    /// delimiter. In valid JSON, no letter follows a closing quote directly, so valid JSON is never
    /// read in this way.
    pub(super) fn is_inner_quote(
        &mut self,
        after: &str,
        is_final: bool,
    ) -> Result<bool, IncompleteInput> {
        if let Some(inner) = &mut self.inner {
            inner.in_quotes = !inner.in_quotes;
            return Ok(true);
        }
        if self.quote != Quote::Double || self.role == ValueRole::Key {
            return Ok(false);
        }
        let is_delimiter: fn(char) -> bool = match self.visible {
            Some('{') => |it| it == ':',
            Some('[') => |it| matches!(it, ',' | ']'),
            _ => return Ok(false),
        };
        let begins = lookahead::is_word_in_quotes(after, is_delimiter, is_final)?;
        if begins {
            self.inner = Some(NestedJson { depth: 1, in_quotes: true });
        }
        Ok(begins)
    }

    /// Takes the certain part out of the pending text.
    pub(super) fn take_certain(&mut self) -> Option<String> {
        if self.unclear.is_some() || self.role == ValueRole::Key {
            return None;
        }
        let comma = self.comma.map(|comma| comma.pending);
        let end = comma.into_iter().chain(self.closers).min().unwrap_or(self.pending.len());
        let uncertain = self.pending.split_off(end);
        let certain = std::mem::replace(&mut self.pending, uncertain);
        if let Some(comma) = &mut self.comma {
            comma.pending -= end;
        }
        if let Some(closers) = &mut self.closers {
            *closers -= end;
        }
        (!certain.is_empty()).then_some(certain)
    }

    /// Adds a quote to the string. `after` is the text after it.
    pub(super) fn push_quote(&mut self, quote: &str, at: usize, after: &str) {
        let is_opening = self.previous.is_none_or(|it| is_blank(it) || "([{<>=:,".contains(it))
            && after.chars().next().is_some_and(|it| !is_blank(it));
        self.inner_is_open = is_opening;
        let after = at + quote.len();
        self.unclear.get_or_insert(UnclearQuote { pending: self.pending.len(), after });
        self.comma = None;
        self.closers = None;
        self.pending.push_str(quote);
        self.previous = quote.chars().last();
        self.visible = self.previous;
    }

    /// Decides whether the quote before `after` closes the string.
    pub(super) fn meaning_of_quote(
        &self,
        after: &str,
        is_final: bool,
    ) -> Result<QuoteMeaning, IncompleteInput> {
        match self.quote {
            Quote::Triple | Quote::Escaped | Quote::Doubled | Quote::DoubledSingle => {
                return Ok(QuoteMeaning::Closes);
            }
            Quote::Fence => {
                let closes = closes_entry(after, is_final)?;
                return Ok(if closes { QuoteMeaning::Closes } else { QuoteMeaning::Data });
            }
            _ => {}
        }
        let closes = match self.role {
            ValueRole::Key => closes_key(after, is_final),
            ValueRole::Entry => closes_entry(after, is_final),
            ValueRole::Item => self.closes_item(after, is_final),
            ValueRole::Root => closes_root(after, is_final),
        }?;
        if closes {
            return Ok(QuoteMeaning::Closes);
        }
        Ok(match self.comma.map(|comma| comma.stage) {
            // `"first, b: "second"`.
            Some(CommaStage::Colon) => QuoteMeaning::EndedAtComma,
            // `"first,"key": 1`: with the quote, what follows is a key.
            Some(CommaStage::Comma) if lookahead::is_rest_of_key(after, is_final)? => {
                QuoteMeaning::EndedAtComma
            }
            _ => QuoteMeaning::Data,
        })
    }

    fn closes_item(&self, after: &str, is_final: bool) -> Result<bool, IncompleteInput> {
        let Lookahead::Character { character, skipped, rest, .. } =
            lookahead::next(after, is_final)?
        else {
            return Ok(true);
        };
        Ok(match character {
            ']' | '\u{ff3d}' | '}' => true,
            // An opening quote inside of the string is open, which this one closes.
            _ if self.inner_is_open => false,
            ',' | '\u{ff0c}' => true,
            '`' => is_fence(rest, is_final)?,
            _ if skipped.is_empty() => false,
            '{' | '[' => true,
            _ if is_quote(rest, is_final)? => true,
            _ => is_scalar(scalar(rest, is_final)?),
        })
    }
}

/// The word at the start of a text, up to a blank or a delimiter.
fn scalar(rest: &str, is_final: bool) -> Result<&str, IncompleteInput> {
    let is_end = |it: char| is_blank(it) || matches!(it, ',' | ']' | '}');
    match rest.split_once(is_end) {
        Some((word, _)) => Ok(word),
        None if is_final => Ok(rest),
        None if rest.len() > lookahead::MAX_LOOKAHEAD => Ok(""),
        None => Err(IncompleteInput),
    }
}

fn is_quote(rest: &str, is_final: bool) -> Result<bool, IncompleteInput> {
    match opening(rest, is_final) {
        Opening::Quote(..) => Ok(true),
        Opening::None => Ok(false),
        Opening::Wait => Err(IncompleteInput),
    }
}

fn closes_key(after: &str, is_final: bool) -> Result<bool, IncompleteInput> {
    let Lookahead::Character { character, skipped, rest, .. } = lookahead::next(after, is_final)?
    else {
        return Ok(true);
    };
    Ok(match character {
        ':' | '\u{ff1a}' | ',' | '}' | ']' | '=' | '+' | '-' | '.' | '{' | '[' => true,
        it if it.is_ascii_digit() => true,
        _ if skipped.is_empty() => is_quote(rest, is_final)?,
        _ => is_quote(rest, is_final)? || is_scalar(scalar(rest, is_final)?),
    })
}

fn closes_entry(after: &str, is_final: bool) -> Result<bool, IncompleteInput> {
    let Lookahead::Character { character, skipped, rest, after } =
        lookahead::next(after, is_final)?
    else {
        return Ok(true);
    };
    match character {
        '}' | '\u{ff5d}' | ':' => Ok(true),
        ']' => ends_at_bracket(after, is_final),
        '`' => is_fence(rest, is_final),
        ',' | '\u{ff0c}' => match lookahead::next(after, is_final)? {
            Lookahead::End
            | Lookahead::Far
            | Lookahead::Character { character: '}' | ',' | '.' | '#', .. } => Ok(true),
            Lookahead::Character { rest, .. } => lookahead::is_key(rest, is_final),
        },
        it if skipped.is_empty() && is_word(it) => Ok(false),
        _ => lookahead::is_key(rest, is_final),
    }
}

/// Whether a bracket after the value of an entry can close an array: a delimiter, a blank or the
/// end follows it. In a pattern such as `['"](` it is part of the string.
fn ends_at_bracket(after: &str, is_final: bool) -> Result<bool, IncompleteInput> {
    match after.chars().next() {
        None if !is_final => Err(IncompleteInput),
        next => Ok(next.is_none_or(|it| is_blank(it) || ",}])`.;<\u{ff0c}\u{ff5d}".contains(it))),
    }
}

fn closes_root(after: &str, is_final: bool) -> Result<bool, IncompleteInput> {
    Ok(match lookahead::next(after, is_final)? {
        Lookahead::End | Lookahead::Far => true,
        Lookahead::Character { character, skipped, .. } => {
            skipped.contains('\n') || matches!(character, ',' | ';' | '`')
        }
    })
}

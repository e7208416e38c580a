//! A text between quotes while it is read: what of it is certain, and which quote closes it.

use super::behind::{self, Next, is_blank, is_word};
use super::quote::{Early, Opening, Quote, is_fence, opening};
use super::word::is_scalar;

/// What a value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    /// The value of an entry.
    Entry,
    /// A value of a list.
    Item,
    /// The whole.
    Root,
}

/// A text that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenText {
    pub(super) quote: Quote,
    pub(super) role: Role,
    /// Where its quote stands.
    pub(super) start: usize,
    /// What was read and not yet told.
    pub(super) held: String,
    /// The first quote that may or may not have closed the text.
    pub(super) unclear: Option<Unclear>,
    /// Whether a quote inside of the text opened something.
    inner_is_open: bool,
    previous: Option<char>,
    /// The last character that is no blank.
    visible: Option<char>,
    /// JSON in the text whose quotes have no backslashes, while it is open.
    inner: Option<Inner>,
    /// A comma that may have been the end, if the closing quote is missing.
    pub(super) comma: Option<Comma>,
    /// Where, in what is held, line breaks and closing brackets begin behind which nothing else came.
    pub(super) closers: Option<usize>,
}

/// A quote that may or may not have closed the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unclear {
    /// Where it stands in what is held.
    pub(super) held: usize,
    /// Where the text behind it begins.
    pub(super) behind: usize,
}

/// A comma, and how much of `, key: ` stands behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comma {
    /// Where it stands in what is held.
    pub(super) held: usize,
    /// Where it stands in the reply.
    pub(super) at: usize,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Comma,
    Word,
    BehindWord,
    Colon,
}

/// JSON inside of a text.
#[derive(Debug, Clone, Copy)]
struct Inner {
    /// How many of its brackets are open.
    depth: usize,
    in_quotes: bool,
}

/// What a quote inside of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It closes the text.
    Closes,
    /// It is a part of the text.
    Data,
    /// It belongs to what follows: the text ended at the comma, without its quote.
    EndedAtComma,
}

impl OpenText {
    pub(super) const fn new(quote: Quote, role: Role, start: usize) -> Self {
        Self {
            quote,
            role,
            start,
            held: String::new(),
            unclear: None,
            inner_is_open: false,
            previous: None,
            visible: None,
            inner: None,
            comma: None,
            closers: None,
        }
    }

    /// Adds a character of the text, which stands at `at` in the reply.
    pub(super) fn push(&mut self, character: char, at: usize) {
        self.previous = Some(character);
        self.follow_inner(character);
        if !is_blank(character) {
            self.visible = Some(character);
        }
        if matches!(character, '\n' | '}' | ']') && self.role != Role::Key {
            self.closers.get_or_insert(self.held.len());
        } else if !character.is_whitespace() {
            self.closers = None;
        }
        if self.role == Role::Entry {
            self.follow_comma(character, at);
        }
        self.held.push(character);
    }

    /// Adds a character that stood as an escape.
    pub(super) fn push_escaped(&mut self, character: char) {
        self.previous = Some(character);
        self.visible = Some(character);
        self.closers = None;
        self.comma = None;
        self.held.push(character);
    }

    fn follow_comma(&mut self, character: char, at: usize) {
        use Stage::{BehindWord, Colon, Comma as Start, Word};
        if character == ',' {
            self.comma = Some(Comma { held: self.held.len(), at, stage: Start });
            return;
        }
        let Some(comma) = &mut self.comma else { return };
        let stage = match (comma.stage, character) {
            (Word | BehindWord, ':') => Some(Colon),
            (Word, it) if it.is_whitespace() => Some(BehindWord),
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

    /// Whether a quote belongs to JSON inside of the text: to that which is open, or to one that it begins.
    /// That is a bracket of the text with a key behind it, or a text and a delimiter. No quote that closes
    /// a text has a letter right behind it, so sound JSON is never read so.
    pub(super) fn is_inner_quote(&mut self, behind: &str, is_all: bool) -> Result<bool, Early> {
        if let Some(inner) = &mut self.inner {
            inner.in_quotes = !inner.in_quotes;
            return Ok(true);
        }
        if self.quote != Quote::Double || self.role == Role::Key {
            return Ok(false);
        }
        let is_delimiter: fn(char) -> bool = match self.visible {
            Some('{') => |it| it == ':',
            Some('[') => |it| matches!(it, ',' | ']'),
            _ => return Ok(false),
        };
        let begins = behind::is_word_in_quotes(behind, is_delimiter, is_all)?;
        if begins {
            self.inner = Some(Inner { depth: 1, in_quotes: true });
        }
        Ok(begins)
    }

    /// Takes what is certain out of what is held.
    pub(super) fn certain(&mut self) -> Option<String> {
        if self.unclear.is_some() || self.role == Role::Key {
            return None;
        }
        let comma = self.comma.map(|comma| comma.held);
        let end = comma.into_iter().chain(self.closers).min().unwrap_or(self.held.len());
        let uncertain = self.held.split_off(end);
        let certain = std::mem::replace(&mut self.held, uncertain);
        if let Some(comma) = &mut self.comma {
            comma.held -= end;
        }
        if let Some(closers) = &mut self.closers {
            *closers -= end;
        }
        (!certain.is_empty()).then_some(certain)
    }

    /// Notes that a quote is a part of the text.
    pub(super) fn push_quote(&mut self, quote: &str, at: usize, behind: &str) {
        let is_opening = self.previous.is_none_or(|it| is_blank(it) || "([{<>=:,".contains(it))
            && behind.chars().next().is_some_and(|it| !is_blank(it));
        self.inner_is_open = is_opening;
        let behind = at + quote.len();
        self.unclear.get_or_insert(Unclear { held: self.held.len(), behind });
        self.comma = None;
        self.closers = None;
        self.held.push_str(quote);
        self.previous = quote.chars().last();
        self.visible = self.previous;
    }

    /// Whether the quote in front of `behind` closes the text.
    pub(super) fn verdict(&self, behind: &str, is_all: bool) -> Result<Verdict, Early> {
        match self.quote {
            Quote::Triple | Quote::Escaped | Quote::Doubled | Quote::DoubledSingle => {
                return Ok(Verdict::Closes);
            }
            Quote::Fence => {
                let closes = closes_entry(behind, is_all)?;
                return Ok(if closes { Verdict::Closes } else { Verdict::Data });
            }
            _ => {}
        }
        let closes = match self.role {
            Role::Key => closes_key(behind, is_all),
            Role::Entry => closes_entry(behind, is_all),
            Role::Item => self.closes_item(behind, is_all),
            Role::Root => closes_root(behind, is_all),
        }?;
        if closes {
            return Ok(Verdict::Closes);
        }
        Ok(match self.comma.map(|comma| comma.stage) {
            // `"first, b: "second"`.
            Some(Stage::Colon) => Verdict::EndedAtComma,
            // `"first,"key": 1`: with the quote, what follows is a key.
            Some(Stage::Comma) if behind::is_rest_of_key(behind, is_all)? => Verdict::EndedAtComma,
            _ => Verdict::Data,
        })
    }

    fn closes_item(&self, behind: &str, is_all: bool) -> Result<bool, Early> {
        let Next::Character { character, skipped, rest, .. } = behind::next(behind, is_all)? else {
            return Ok(true);
        };
        Ok(match character {
            ']' | '\u{ff3d}' | '}' => true,
            // A quote was opened inside of the text: this one closes it.
            _ if self.inner_is_open => false,
            ',' | '\u{ff0c}' => true,
            '`' => is_fence(rest, is_all)?,
            _ if skipped.is_empty() => false,
            '{' | '[' => true,
            _ if is_quote(rest, is_all)? => true,
            _ => is_scalar(scalar(rest, is_all)?),
        })
    }
}

/// The word at the start of a text, up to a blank or a delimiter.
fn scalar(rest: &str, is_all: bool) -> Result<&str, Early> {
    let is_end = |it: char| is_blank(it) || matches!(it, ',' | ']' | '}');
    match rest.split_once(is_end) {
        Some((word, _)) => Ok(word),
        None if is_all => Ok(rest),
        None if rest.len() > behind::REACH => Ok(""),
        None => Err(Early),
    }
}

fn is_quote(rest: &str, is_all: bool) -> Result<bool, Early> {
    match opening(rest, is_all) {
        Opening::Quote(..) => Ok(true),
        Opening::None => Ok(false),
        Opening::Wait => Err(Early),
    }
}

fn closes_key(behind: &str, is_all: bool) -> Result<bool, Early> {
    let Next::Character { character, skipped, rest, .. } = behind::next(behind, is_all)? else {
        return Ok(true);
    };
    Ok(match character {
        ':' | '\u{ff1a}' | ',' | '}' | ']' | '=' | '+' | '-' | '.' | '{' | '[' => true,
        it if it.is_ascii_digit() => true,
        _ if skipped.is_empty() => is_quote(rest, is_all)?,
        _ => is_quote(rest, is_all)? || is_scalar(scalar(rest, is_all)?),
    })
}

fn closes_entry(behind: &str, is_all: bool) -> Result<bool, Early> {
    let Next::Character { character, skipped, rest, after } = behind::next(behind, is_all)? else {
        return Ok(true);
    };
    match character {
        '}' | '\u{ff5d}' | ':' => Ok(true),
        ']' => ends_at_bracket(after, is_all),
        '`' => is_fence(rest, is_all),
        ',' | '\u{ff0c}' => match behind::next(after, is_all)? {
            Next::End | Next::Far | Next::Character { character: '}' | ',' | '.' | '#', .. } => {
                Ok(true)
            }
            Next::Character { rest, .. } => behind::is_key(rest, is_all),
        },
        it if skipped.is_empty() && is_word(it) => Ok(false),
        _ => behind::is_key(rest, is_all),
    }
}

/// Whether a bracket of a list can close one here, behind the value of an entry: then a delimiter, a blank
/// or the end stands behind it. In a pattern such as `['"](` it belongs to the text.
fn ends_at_bracket(behind: &str, is_all: bool) -> Result<bool, Early> {
    match behind.chars().next() {
        None if !is_all => Err(Early),
        next => Ok(next.is_none_or(|it| is_blank(it) || ",}])`.;<\u{ff0c}\u{ff5d}".contains(it))),
    }
}

fn closes_root(behind: &str, is_all: bool) -> Result<bool, Early> {
    Ok(match behind::next(behind, is_all)? {
        Next::End | Next::Far => true,
        Next::Character { character, skipped, .. } => {
            skipped.contains('\n') || matches!(character, ',' | ';' | '`')
        }
    })
}

//! Lookahead in damaged text. The following text decides whether a quote closes its string, and
//! whether a word ends.
//!
//! Each lookahead is bounded by [`MAX_LOOKAHEAD`], so that the cost of reading is proportional to
//! the length of the text. `is_final` says that no more text will arrive. If it is false, a
//! function that needs more text returns [`IncompleteInput`].

use prompty_core::work::add_steps;

use super::characters::WIDE_COLON;
pub(super) use super::characters::{MAX_LOOKAHEAD, after_first, is_blank};
use super::quote::{IncompleteInput, JsonResult, Quote, opening_quote};

/// The next character after blanks and comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookahead<'text> {
    Character {
        character: char,
        /// The blanks and comments before it.
        skipped: &'text str,
        /// The text that begins with it.
        rest: &'text str,
        /// The text after it.
        after: &'text str,
    },
    /// The end of the text.
    End,
    /// There are only blanks within the maximum lookahead.
    Far,
}

/// The delimiters of a comment, and the text inside of it.
pub(super) struct CommentStart<'text> {
    pub(super) opener: &'static str,
    /// The text after the opener.
    pub(super) inside: &'text str,
    /// The delimiter that ends it.
    pub(super) end: &'static str,
}

/// A text without its end `rest`.
#[expect(clippy::string_slice, reason = "`rest` is the end of the text")]
pub(super) fn without_end<'text>(text: &'text str, rest: &str) -> &'text str {
    &text[..text.len() - rest.len()]
}

/// The beginning of a text, as far as the lookahead reaches.
pub(super) fn within_lookahead(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_LOOKAHEAD)).unwrap_or(text)
}

/// The comment at the start of a text.
pub(super) fn comment_start(rest: &str, is_final: bool) -> JsonResult<Option<CommentStart<'_>>> {
    if matches!(rest, "/" | "#") && !is_final {
        return Err(IncompleteInput);
    }
    let (opener, end) = match rest.chars().next() {
        Some('/') if rest.starts_with("/*") => ("/*", "*/"),
        Some('/') => ("//", "\n"),
        // `#fff` is a value.
        Some('#') if rest.chars().nth(1).is_none_or(is_blank) => ("#", "\n"),
        _ => return Ok(None),
    };
    Ok(rest.strip_prefix(opener).map(|inside| CommentStart { opener, inside, end }))
}

/// Finds the next character after blanks and comments.
pub(super) fn next_visible(text: &str, is_final: bool) -> JsonResult<Lookahead<'_>> {
    let mut rest = text;
    loop {
        add_steps(1);
        let mut characters = rest.chars();
        let Some(character) = characters.next() else {
            return if is_final { Ok(Lookahead::End) } else { Err(IncompleteInput) };
        };
        let after = characters.as_str();
        if text.len() - rest.len() > MAX_LOOKAHEAD {
            return Ok(Lookahead::Far);
        }
        if is_blank(character) {
            rest = after;
            continue;
        }
        let Some(CommentStart { inside, end, .. }) = comment_start(rest, is_final)? else {
            return Ok(Lookahead::Character {
                character,
                skipped: without_end(text, rest),
                rest,
                after,
            });
        };
        let near = within_lookahead(inside);
        let end_at = near.find(end);
        add_steps(end_at.unwrap_or(near.len()));
        match end_at {
            Some(at) => rest = inside.get(at + end.len()..).unwrap_or_default(),
            None if near.len() < inside.len() => return Ok(Lookahead::Far),
            None if is_final => return Ok(Lookahead::End),
            None => return Err(IncompleteInput),
        }
    }
}

/// Whether a text begins with a key and its colon. The key is quoted or a bare word: `"a": ` or
/// `a: `.
pub(super) fn is_key(rest: &str, is_final: bool) -> JsonResult<bool> {
    let (is_quoted, after_key) = match opening_quote(rest, is_final)? {
        Some((quote, inside)) => match after_closing_quote(inside, quote, is_final)? {
            Some(after) => (true, after),
            // The text was cut inside of the key.
            None => return Ok(is_final && rest.len() < MAX_LOOKAHEAD && !rest.contains('\n')),
        },
        None => match after_word(rest, is_final)? {
            Some(after) => (false, after),
            None => return Ok(false),
        },
    };
    match next_visible(after_key, is_final)? {
        // The text was cut after the key.
        Lookahead::End => Ok(is_quoted),
        Lookahead::Character { character: ':' | WIDE_COLON, .. } if is_quoted => Ok(true),
        // `https://` is not a key.
        Lookahead::Character { character: ':' | WIDE_COLON, after, .. } => match after {
            "" | "/" if !is_final => Err(IncompleteInput),
            after => Ok(after != "/" && !after.starts_with("//")),
        },
        _ => Ok(false),
    }
}

/// Whether a text begins with the inside of a quoted key, its closing quote and its colon.
pub(super) fn is_rest_of_key(rest: &str, is_final: bool) -> JsonResult<bool> {
    let Some(after) = after_closing_quote(rest, Quote::Double, is_final)? else { return Ok(false) };
    let has_inside = !rest.starts_with('"');
    let is_colon = |next| matches!(next, Lookahead::Character { character: ':' | WIDE_COLON, .. });
    Ok(has_inside && is_colon(next_visible(after, is_final)?))
}

/// Whether a text begins with the inside of a quoted string that begins with a letter, its closing
/// quote and a delimiter.
pub(super) fn is_word_in_quotes(
    rest: &str,
    is_delimiter: fn(char) -> bool,
    is_final: bool,
) -> JsonResult<bool> {
    match rest.chars().next() {
        None if !is_final => return Err(IncompleteInput),
        first if !first.is_some_and(is_word) => return Ok(false),
        _ => {}
    }
    let Some(after) = after_closing_quote(rest, Quote::Double, is_final)? else { return Ok(false) };
    Ok(match next_visible(after, is_final)? {
        Lookahead::Character { character, .. } => is_delimiter(character),
        Lookahead::End | Lookahead::Far => false,
    })
}

/// The inside of the next string and the text after it, if `+` joins that string to the one that
/// ends here.
pub(super) fn after_joining_quote(rest: &str, is_final: bool) -> JsonResult<Option<&str>> {
    let Lookahead::Character { character: '+', after, .. } = next_visible(rest, is_final)? else {
        return Ok(None);
    };
    match next_visible(after, is_final)? {
        Lookahead::Character { character: '"', after, .. } => Ok(Some(after)),
        _ => Ok(None),
    }
}

/// The text after a quoted key, whose inside is at the start of `text`. A key has no line break.
fn after_closing_quote(text: &str, quote: Quote, is_final: bool) -> JsonResult<Option<&str>> {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        add_steps(1);
        if text.len() - rest.len() > MAX_LOOKAHEAD || character == '\n' {
            return Ok(None);
        }
        if let Some(after) = quote.after_closing(rest, is_final)? {
            return Ok(Some(after));
        }
        rest = after_first(rest);
        if character == '\\' {
            rest = after_first(rest);
        }
    }
    if is_final { Ok(None) } else { Err(IncompleteInput) }
}

/// The text after the bare word at the start of a text.
fn after_word(text: &str, is_final: bool) -> JsonResult<Option<&str>> {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        add_steps(1);
        if !is_word(character) {
            return Ok((rest.len() < text.len()).then_some(rest));
        }
        if text.len() - rest.len() > MAX_LOOKAHEAD {
            return Ok(None);
        }
        rest = after_first(rest);
    }
    if is_final { Ok(None) } else { Err(IncompleteInput) }
}

/// Whether a character may be part of a bare key.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '-')
}

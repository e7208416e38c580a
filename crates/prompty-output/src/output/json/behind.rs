//! What stands behind a place in a damaged text: whether a quote closes its text, and whether a word
//! ends, is told by what follows.
//!
//! Every look is bounded by [`REACH`], so that the cost of reading stays in proportion to the text.

use prompty_core::text::slice;
use prompty_core::work::add_steps;

use super::quote::{Early, Opening, Quote, opening};
pub(super) use super::reach::{REACH, is_blank};

/// What stands behind blanks and comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A character, and how many bytes in front of it were skipped.
    Character(char, usize),
    /// The end of the text.
    End,
    /// Blanks as far as the look reaches.
    Far,
}

/// How a comment opens and ends.
pub(super) struct Comment {
    /// How many bytes open it.
    pub(super) length: usize,
    /// What ends it.
    pub(super) end: &'static str,
}

/// The comment at the start of a text.
pub(super) fn comment(rest: &str, is_all: bool) -> Result<Option<Comment>, Early> {
    if matches!(rest, "/" | "#") && !is_all {
        return Err(Early);
    }
    let (length, end) = match rest.chars().next() {
        Some('/') if rest.starts_with("/*") => (2, "*/"),
        Some('/') if rest.starts_with("//") => (2, "\n"),
        // `#fff` is a value.
        Some('#') if rest.chars().nth(1).is_none_or(is_blank) => (1, "\n"),
        _ => return Ok(None),
    };
    Ok(Some(Comment { length, end }))
}

/// Looks behind blanks and comments.
pub(super) fn next(rest: &str, is_all: bool) -> Result<Next, Early> {
    let mut at = 0;
    loop {
        add_steps(1);
        let behind = slice(rest, at..);
        let Some(character) = behind.chars().next() else {
            return if is_all { Ok(Next::End) } else { Err(Early) };
        };
        if at > REACH {
            return Ok(Next::Far);
        }
        if is_blank(character) {
            at += character.len_utf8();
            continue;
        }
        let Some(Comment { length, end }) = comment(behind, is_all)? else {
            return Ok(Next::Character(character, at));
        };
        match slice(behind, length..).find(end) {
            Some(found) => at += length + found + end.len(),
            None if is_all => return Ok(Next::End),
            None if behind.len() > REACH => return Ok(Next::Far),
            None => return Err(Early),
        }
    }
}

/// Whether a key and its colon stand at the start of a text: quoted, or a bare word.
pub(super) fn is_key(rest: &str, is_all: bool) -> Result<bool, Early> {
    let quote = match opening(rest, is_all) {
        Opening::Quote(quote, length) => Some((quote, length)),
        Opening::None => None,
        Opening::Wait => return Err(Early),
    };
    let end = match quote {
        Some((quote, length)) => match closing_quote(slice(rest, length..), quote, is_all)? {
            Some(end) => length + end,
            // The text was cut inside of the key.
            None => return Ok(is_all && rest.len() < REACH && !rest.contains('\n')),
        },
        None => match word_end(rest, is_all)? {
            Some(end) => end,
            None => return Ok(false),
        },
    };
    match next(slice(rest, end..), is_all)? {
        // The text was cut behind the key.
        Next::End => Ok(quote.is_some()),
        Next::Character(colon @ (':' | '\u{ff1a}'), at) => {
            if quote.is_some() {
                return Ok(true);
            }
            // `https://` is no key.
            match slice(rest, end + at + colon.len_utf8()..) {
                "" | "/" if !is_all => Err(Early),
                behind => Ok(behind != "/" && !behind.starts_with("//")),
            }
        }
        _ => Ok(false),
    }
}

/// Whether the inside of a quoted key, its quote and its colon stand at the start of a text.
pub(super) fn is_rest_of_key(rest: &str, is_all: bool) -> Result<bool, Early> {
    let Some(end) = closing_quote(rest, Quote::Double, is_all)? else { return Ok(false) };
    let is_colon = |next| matches!(next, Next::Character(':' | '\u{ff1a}', _));
    Ok(end > 1 && is_colon(next(slice(rest, end..), is_all)?))
}

/// Whether the inside of a quoted text that begins with a letter, its quote and a delimiter stand at the
/// start of a text.
pub(super) fn is_word_in_quotes(
    rest: &str,
    is_delimiter: fn(char) -> bool,
    is_all: bool,
) -> Result<bool, Early> {
    match rest.chars().next() {
        None if !is_all => return Err(Early),
        first if !first.is_some_and(is_word) => return Ok(false),
        _ => {}
    }
    let Some(end) = closing_quote(rest, Quote::Double, is_all)? else { return Ok(false) };
    Ok(match next(slice(rest, end..), is_all)? {
        Next::Character(character, _) => is_delimiter(character),
        Next::End | Next::Far => false,
    })
}

/// Where the next text begins, inside of its quote, if `+` joins it to the one that ends here.
pub(super) fn joined(rest: &str, is_all: bool) -> Result<Option<usize>, Early> {
    let Next::Character('+', plus) = next(rest, is_all)? else { return Ok(None) };
    match next(slice(rest, plus + 1..), is_all)? {
        Next::Character('"', at) => Ok(Some(plus + 1 + at + 1)),
        _ => Ok(None),
    }
}

/// The end of the quoted key whose inside begins a text. A key has no line break.
fn closing_quote(rest: &str, quote: Quote, is_all: bool) -> Result<Option<usize>, Early> {
    let mut characters = rest.char_indices();
    while let Some((at, character)) = characters.next() {
        add_steps(1);
        if at > REACH || character == '\n' {
            return Ok(None);
        }
        if let Some(length) = quote.closing_length(slice(rest, at..), is_all)? {
            return Ok(Some(at + length));
        }
        if character == '\\' {
            characters.next();
        }
    }
    if is_all { Ok(None) } else { Err(Early) }
}

/// The end of the bare word at the start of a text.
fn word_end(rest: &str, is_all: bool) -> Result<Option<usize>, Early> {
    for (at, character) in rest.char_indices() {
        add_steps(1);
        if !is_word(character) {
            return Ok((at > 0).then_some(at));
        }
        if at > REACH {
            return Ok(None);
        }
    }
    if is_all { Ok(None) } else { Err(Early) }
}

/// Whether a character may stand in a bare key.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '-')
}

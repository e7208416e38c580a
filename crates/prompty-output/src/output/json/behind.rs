//! What stands behind a place in a damaged text: whether a quote closes its text, and whether a word
//! ends, is told by what follows.
//!
//! Every look is bounded by [`REACH`], so that the cost of reading stays in proportion to the text.

use prompty_core::work::add_steps;

use super::quote::{Early, Opening, Quote, opening};
pub(super) use super::reach::{REACH, after_first, is_blank};

/// What stands behind blanks and comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next<'text> {
    Character {
        character: char,
        /// The blanks and comments in front of it.
        skipped: &'text str,
        /// The text that begins with it.
        rest: &'text str,
        /// The text after it.
        after: &'text str,
    },
    /// The end of the text.
    End,
    /// Blanks as far as the look reaches.
    Far,
}

/// How a comment opens and ends.
pub(super) struct Comment<'text> {
    pub(super) opener: &'static str,
    /// The text after the opener.
    pub(super) inside: &'text str,
    /// What ends it.
    pub(super) end: &'static str,
}

/// The part of a text in front of its end `rest`.
#[expect(clippy::string_slice, reason = "`rest` is the end of the text")]
pub(super) fn before<'text>(text: &'text str, rest: &str) -> &'text str {
    &text[..text.len() - rest.len()]
}

/// The comment at the start of a text.
pub(super) fn comment(rest: &str, is_all: bool) -> Result<Option<Comment<'_>>, Early> {
    if matches!(rest, "/" | "#") && !is_all {
        return Err(Early);
    }
    let (opener, end) = match rest.chars().next() {
        Some('/') if rest.starts_with("/*") => ("/*", "*/"),
        Some('/') => ("//", "\n"),
        // `#fff` is a value.
        Some('#') if rest.chars().nth(1).is_none_or(is_blank) => ("#", "\n"),
        _ => return Ok(None),
    };
    Ok(rest.strip_prefix(opener).map(|inside| Comment { opener, inside, end }))
}

/// Looks behind blanks and comments.
pub(super) fn next(text: &str, is_all: bool) -> Result<Next<'_>, Early> {
    let mut rest = text;
    loop {
        add_steps(1);
        let mut characters = rest.chars();
        let Some(character) = characters.next() else {
            return if is_all { Ok(Next::End) } else { Err(Early) };
        };
        let after = characters.as_str();
        if text.len() - rest.len() > REACH {
            return Ok(Next::Far);
        }
        if is_blank(character) {
            rest = after;
            continue;
        }
        let Some(Comment { inside, end, .. }) = comment(rest, is_all)? else {
            return Ok(Next::Character { character, skipped: before(text, rest), rest, after });
        };
        match inside.split_once(end) {
            Some((_, after)) => rest = after,
            None if is_all => return Ok(Next::End),
            None if rest.len() > REACH => return Ok(Next::Far),
            None => return Err(Early),
        }
    }
}

/// Whether a key and its colon stand at the start of a text: quoted, or a bare word.
pub(super) fn is_key(rest: &str, is_all: bool) -> Result<bool, Early> {
    let (is_quoted, after_key) = match opening(rest, is_all) {
        Opening::Quote(quote, inside) => match after_closing_quote(inside, quote, is_all)? {
            Some(after) => (true, after),
            // The text was cut inside of the key.
            None => return Ok(is_all && rest.len() < REACH && !rest.contains('\n')),
        },
        Opening::None => match after_word(rest, is_all)? {
            Some(after) => (false, after),
            None => return Ok(false),
        },
        Opening::Wait => return Err(Early),
    };
    match next(after_key, is_all)? {
        // The text was cut after the key.
        Next::End => Ok(is_quoted),
        Next::Character { character: ':' | '\u{ff1a}', .. } if is_quoted => Ok(true),
        // `https://` is not a key.
        Next::Character { character: ':' | '\u{ff1a}', after, .. } => match after {
            "" | "/" if !is_all => Err(Early),
            after => Ok(after != "/" && !after.starts_with("//")),
        },
        _ => Ok(false),
    }
}

/// Whether the inside of a quoted key, its quote and its colon stand at the start of a text.
pub(super) fn is_rest_of_key(rest: &str, is_all: bool) -> Result<bool, Early> {
    let Some(after) = after_closing_quote(rest, Quote::Double, is_all)? else { return Ok(false) };
    let has_inside = !rest.starts_with('"');
    let is_colon = |next| matches!(next, Next::Character { character: ':' | '\u{ff1a}', .. });
    Ok(has_inside && is_colon(next(after, is_all)?))
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
    let Some(after) = after_closing_quote(rest, Quote::Double, is_all)? else { return Ok(false) };
    Ok(match next(after, is_all)? {
        Next::Character { character, .. } => is_delimiter(character),
        Next::End | Next::Far => false,
    })
}

/// The inside of the next text, with what follows it, if `+` joins it to the one that ends here.
pub(super) fn joined(rest: &str, is_all: bool) -> Result<Option<&str>, Early> {
    let Next::Character { character: '+', after, .. } = next(rest, is_all)? else {
        return Ok(None);
    };
    match next(after, is_all)? {
        Next::Character { character: '"', after, .. } => Ok(Some(after)),
        _ => Ok(None),
    }
}

/// What follows the quoted key whose inside begins a text. A key has no line break.
fn after_closing_quote(text: &str, quote: Quote, is_all: bool) -> Result<Option<&str>, Early> {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        add_steps(1);
        if text.len() - rest.len() > REACH || character == '\n' {
            return Ok(None);
        }
        if let Some(after) = quote.after_closing(rest, is_all)? {
            return Ok(Some(after));
        }
        rest = after_first(rest);
        if character == '\\' {
            rest = after_first(rest);
        }
    }
    if is_all { Ok(None) } else { Err(Early) }
}

/// What follows the bare word at the start of a text.
fn after_word(text: &str, is_all: bool) -> Result<Option<&str>, Early> {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        add_steps(1);
        if !is_word(character) {
            return Ok((rest.len() < text.len()).then_some(rest));
        }
        if text.len() - rest.len() > REACH {
            return Ok(None);
        }
        rest = after_first(rest);
    }
    if is_all { Ok(None) } else { Err(Early) }
}

/// Whether a character may stand in a bare key.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '-')
}

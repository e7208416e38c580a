//! The patterns of response templates: as much of Python's regular expressions as says where literal
//! text, white space and a name stand.

use crate::reply::format::{Marker, Suffix};

/// The most white space that a repetition stands for.
const MOST_SPACE: usize = 64;

/// How deep groups may be nested.
const DEEPEST: usize = 16;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text.
    Text(String),
    /// White space that may be missing, as it is written in full.
    Space(String),
    /// A group with a name.
    Named(String),
    /// A word that varies.
    Word,
    /// Any text.
    Any,
    /// What may be missing.
    Optional(Vec<Piece>),
    /// One of several texts.
    OneOf(Vec<String>),
}

/// Reads a pattern. What it holds beyond the pieces is the error.
pub(super) fn parse(pattern: &str) -> Result<Vec<Piece>, String> {
    let mut reader = Reader { rest: pattern, depth: 0 };
    let pieces = reader.alternatives()?;
    if reader.rest.is_empty() { Ok(pieces) } else { Err(reader.not_understood()) }
}

/// The marker that pieces of text and white space make.
pub(super) fn marker(pieces: &[Piece]) -> Result<Marker, String> {
    let mut canonical = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Space(text) => canonical.push_str(text),
            Piece::Named(name) => return Err(format!("the group `{name}` in this place")),
            Piece::Word | Piece::Any => return Err("text that varies, in this place".to_owned()),
            Piece::Optional(_) => return Err("what may be missing, in this place".to_owned()),
            Piece::OneOf(_) => return Err("one of several texts, in this place".to_owned()),
        }
    }
    Ok(Marker::new(canonical))
}

/// A text as a pattern.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' | '.' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | '[' | ']' | '|' | '(' | ')' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}

/// White space of which less may stand, as a pattern: nothing where it is not of one kind.
pub(super) fn space(space: &str) -> Option<String> {
    let Some(first) = space.chars().next() else { return Some(String::new()) };
    let count = space.chars().count();
    if count > MOST_SPACE || space.chars().any(|character| character != first) {
        return None;
    }
    let one = escape(first.encode_utf8(&mut [0; 4]));
    Some(if count == 1 { format!("{one}?") } else { format!("{one}{{0,{count}}}") })
}

/// Whether a marker is written as a literal: it has no white space around it.
pub(super) fn is_literal(marker: &Marker) -> bool {
    marker.before.is_empty() && marker.after.is_empty()
}

/// A marker as a pattern.
pub(super) fn of_marker(marker: &Marker) -> Option<String> {
    Some(format!("{}{}{}", space(&marker.before)?, escape(&marker.text), space(&marker.after)?))
}

/// What stands behind a name as a pattern.
pub(super) fn of_suffix(suffix: &Suffix) -> Option<String> {
    let text = of_marker(&suffix.text)?;
    match &suffix.hint {
        Some(hint) => Some(format!("{text}\\w*{}", of_marker(&hint.end)?)),
        None => Some(text),
    }
}

/// How often a part stands, as far as it matters.
enum Times {
    Once,
    /// Not at all, or so often.
    UpTo(usize),
    Many,
}

struct Reader<'pattern> {
    rest: &'pattern str,
    depth: usize,
}

impl Reader<'_> {
    fn not_understood(&self) -> String {
        let shown: String = self.rest.chars().take(12).collect();
        format!("`{shown}` in a pattern")
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    /// Reads sequences with `|` between them.
    fn alternatives(&mut self) -> Result<Vec<Piece>, String> {
        let first = self.sequence()?;
        if !self.rest.starts_with('|') {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.eat("|") {
            all.push(self.sequence()?);
        }
        let texts = all.into_iter().map(|pieces| match <[Piece; 1]>::try_from(pieces) {
            Ok([Piece::Text(text)]) => Ok(text),
            _ => Err("`|` between what is no text".to_owned()),
        });
        Ok(vec![Piece::OneOf(texts.collect::<Result<_, _>>()?)])
    }

    fn sequence(&mut self) -> Result<Vec<Piece>, String> {
        let mut pieces: Vec<Piece> = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with([')', '|']) {
            for piece in self.part()? {
                match (pieces.last_mut(), piece) {
                    (Some(Piece::Text(text)), Piece::Text(more)) => text.push_str(&more),
                    (_, piece) => pieces.push(piece),
                }
            }
        }
        Ok(pieces)
    }

    fn part(&mut self) -> Result<Vec<Piece>, String> {
        let whole = self.not_understood();
        match self.next() {
            Some('\\') => self.escaped(whole).map(|piece| vec![piece]),
            Some('.') => match self.times()? {
                Times::Many => Ok(vec![Piece::Any]),
                Times::Once | Times::UpTo(_) => Err(whole),
            },
            Some('[') => {
                self.class()?;
                match self.times()? {
                    Times::Many => Ok(vec![Piece::Word]),
                    Times::Once | Times::UpTo(_) => Err(whole),
                }
            }
            Some('(') => self.group(whole),
            Some('^' | '$' | '*' | '+' | '?') | None => Err(whole),
            Some(character) => self.literal(character, whole).map(|piece| vec![piece]),
        }
    }

    fn escaped(&mut self, whole: String) -> Result<Piece, String> {
        match self.next() {
            Some('s') => self.times().map(|_| Piece::Space("\n".to_owned())),
            Some('w' | 'd' | 'S') => match self.times()? {
                Times::Many => Ok(Piece::Word),
                Times::Once | Times::UpTo(_) => Err(whole),
            },
            Some('n') => self.literal('\n', whole),
            Some('t') => self.literal('\t', whole),
            Some('r') => self.literal('\r', whole),
            Some(character) if !character.is_alphanumeric() => self.literal(character, whole),
            _ => Err(whole),
        }
    }

    fn literal(&mut self, character: char, whole: String) -> Result<Piece, String> {
        let is_space = character.is_whitespace();
        match self.times()? {
            Times::Once => Ok(Piece::Text(character.to_string())),
            Times::Many if is_space => Ok(Piece::Space(character.to_string())),
            Times::UpTo(most) if is_space && most <= MOST_SPACE => {
                Ok(Piece::Space(character.to_string().repeat(most)))
            }
            Times::Many | Times::UpTo(_) => Err(whole),
        }
    }

    /// Reads how often a part stands.
    fn times(&mut self) -> Result<Times, String> {
        let whole = self.not_understood();
        let times = if self.eat("*") || self.eat("+") {
            Times::Many
        } else if self.eat("?") {
            Times::UpTo(1)
        } else if let Some(rest) = self.rest.strip_prefix("{0,") {
            let (most, rest) = rest.split_once('}').ok_or_else(|| whole.clone())?;
            let most = most.parse().map_err(|_| whole.clone())?;
            self.rest = rest;
            Times::UpTo(most)
        } else {
            let digit = self.rest.strip_prefix('{').and_then(|rest| rest.chars().next());
            if digit.is_some_and(|digit| digit.is_ascii_digit() || digit == ',') {
                return Err(whole);
            }
            return Ok(Times::Once);
        };
        // Whether it takes as much as it can makes no difference between literal texts.
        self.eat("?");
        if self.rest.starts_with(['*', '+', '?']) { Err(whole) } else { Ok(times) }
    }

    /// Reads a class of characters behind its `[`.
    fn class(&mut self) -> Result<(), String> {
        self.eat("^");
        self.eat("]");
        loop {
            match self.next() {
                Some('\\') => {
                    self.next();
                }
                Some(']') => return Ok(()),
                Some(_) => {}
                None => return Err("a class of characters without an end".to_owned()),
            }
        }
    }

    /// Reads a group behind its `(`.
    fn group(&mut self, whole: String) -> Result<Vec<Piece>, String> {
        if self.depth == DEEPEST {
            return Err(whole);
        }
        self.depth += 1;
        let pieces = self.group_inside(whole)?;
        self.depth -= 1;
        Ok(pieces)
    }

    fn group_inside(&mut self, whole: String) -> Result<Vec<Piece>, String> {
        if self.eat("?P<") {
            let (name, rest) = self.rest.split_once('>').ok_or_else(|| whole.clone())?;
            let name = name.to_owned();
            self.rest = rest;
            let inside = self.sequence()?;
            let is_one = matches!(inside.as_slice(), [Piece::Word | Piece::Any]);
            return match is_one && self.eat(")") {
                true => Ok(vec![Piece::Named(name)]),
                false => Err(format!("what the group `{name}` is made of")),
            };
        }
        if !self.eat("?:") {
            return Err(whole);
        }
        let inside = self.alternatives()?;
        if !self.eat(")") {
            return Err(whole);
        }
        match self.times()? {
            Times::Once => Ok(inside),
            Times::UpTo(1) => Ok(vec![Piece::Optional(inside)]),
            Times::UpTo(_) | Times::Many => Err(whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    fn blank(text: &str) -> Piece {
        Piece::Space(text.to_owned())
    }

    #[test]
    fn literal_text_white_space_and_names() {
        assert_eq!(
            parse("\\s*<call>\\n?<do=(?P<name>[^>\\n]+)>\\n{0,2}").unwrap(),
            [
                blank("\n"),
                text("<call>"),
                blank("\n"),
                text("<do="),
                Piece::Named("name".to_owned()),
                text(">"),
                blank("\n\n")
            ]
        );
        assert_eq!(
            parse("(?:<\\|a\\|>)?b(?:c|d\\.)").unwrap(),
            [
                Piece::Optional(vec![text("<|a|>")]),
                text("b"),
                Piece::OneOf(vec!["c".to_owned(), "d.".to_owned()])
            ]
        );
        // What is white space around a marker is white space here.
        for white in ["\u{2000}", "\u{b}", "\n\n"] {
            assert_eq!(parse(&space(white).unwrap()).unwrap(), [blank(white)]);
        }
        assert_eq!(parse("a.*?{b}").unwrap(), [text("a"), Piece::Any, text("{b}")]);
    }

    #[test]
    fn what_a_format_cannot_say_is_not_understood() {
        for (pattern, shown) in [
            ("a(?=b)", "`(?=b)` in a pattern"),
            ("</(?P=key)>", "`(?P=key)>` in a pattern"),
            ("a\\b", "`\\b` in a pattern"),
            ("ab*", "`b*` in a pattern"),
            ("(?P<name>a|b)", "what the group `name` is made of"),
            ("a)", "`)` in a pattern"),
            ("a$", "`$` in a pattern"),
            ("[ab", "a class of characters without an end"),
            ("a{2}", "`{2}` in a pattern"),
            ("a+|\\w+", "`a+|\\w+` in a pattern"),
        ] {
            assert_eq!(parse(pattern).unwrap_err(), shown, "{pattern}");
        }
    }

    #[test]
    fn a_text_as_a_pattern_is_that_text() {
        for written in ["<|a.b|>", "[X](y)*+?^$\\{}", "a\nb\t"] {
            assert_eq!(parse(&escape(written)).unwrap(), [text(written)]);
        }
    }
}

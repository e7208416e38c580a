//! Patterns of JSON schemas: the part of ECMAScript's regular expressions that a grammar can say.

use super::escape;
use crate::reply::grammar::{CharacterClass, Expression};

/// How deep groups may stand in groups.
const DEEPEST: usize = 48;

/// A pattern, in characters of the text that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    Class(CharacterClass),
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    Repeat { of: Box<Self>, at_least: u32, at_most: Option<u32> },
}

impl Pattern {
    /// Reads a pattern, as a pattern of whole texts. What it says where that cannot be.
    ///
    /// Where it begins with `^` and ends with `$`, both are of the whole pattern, as those who write
    /// `^a|b$` mean it; without them any text may stand before or behind.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let anchored = text.strip_prefix('^').and_then(|text| text.strip_suffix('$'));
        if let Some(inner) = anchored
            && ends_plainly(inner)
        {
            let mut reader = Reader { rest: inner.chars().collect::<Vec<_>>().into(), deep: 0 };
            // Where there are anchors inside, they are those of its alternatives.
            if let Ok(found) = reader.choice(Anchors::None)
                && reader.rest.is_empty()
            {
                return Ok(found);
            }
        }
        let mut reader = Reader { rest: text.chars().collect::<Vec<_>>().into(), deep: 0 };
        let found = reader.choice(Anchors::Outer)?;
        match reader.rest.is_empty() {
            true => Ok(found),
            false => Err("a `)` without its `(`".to_owned()),
        }
    }

    /// The shortest text, and the longest where there is one, in characters.
    pub(super) fn lengths(&self) -> (u64, Option<u64>) {
        match self {
            Self::Class(_) => (1, Some(1)),
            Self::Sequence(parts) => {
                parts.iter().map(Self::lengths).fold((0, Some(0)), |all, part| {
                    let longest = all.1.zip(part.1).map(|(all, part)| all.saturating_add(part));
                    (all.0.saturating_add(part.0), longest)
                })
            }
            Self::Choice(parts) => parts
                .iter()
                .map(Self::lengths)
                .reduce(|all, part| {
                    (all.0.min(part.0), all.1.zip(part.1).map(|(all, part)| all.max(part)))
                })
                .unwrap_or((0, Some(0))),
            Self::Repeat { of, at_least, at_most } => {
                let (shortest, longest) = of.lengths();
                let longest = match longest {
                    Some(0) => Some(0),
                    _ => longest
                        .zip(*at_most)
                        .map(|(longest, at_most)| longest.saturating_mul(at_most.into())),
                };
                (shortest.saturating_mul((*at_least).into()), longest)
            }
        }
    }

    /// The texts of the pattern as JSON spells them.
    pub(super) fn expression(&self) -> Expression {
        match self {
            Self::Class(class) => escape::one_of(class),
            Self::Sequence(parts) => {
                // Characters in a row are one text.
                let mut row = Vec::new();
                let mut text = String::new();
                for part in parts {
                    match part {
                        Self::Class(class) if class.single().is_some() => {
                            text.extend(class.single());
                        }
                        _ => {
                            row.extend((!text.is_empty()).then(|| escape::text(&text).into()));
                            text.clear();
                            row.push(part.expression());
                        }
                    }
                }
                row.extend((!text.is_empty()).then(|| escape::text(&text).into()));
                Expression::Sequence(row)
            }
            Self::Choice(parts) => Expression::choice(parts.iter().map(Self::expression)),
            Self::Repeat { of, at_least, at_most } => of.expression().repeated(*at_least, *at_most),
        }
    }

    fn anything() -> Self {
        let any = Self::Class(CharacterClass::any());
        Self::Repeat { of: Box::new(any), at_least: 0, at_most: None }
    }
}

/// Whether the last character is no escaped one, so that a `$` behind it was an anchor.
fn ends_plainly(text: &str) -> bool {
    text.chars().rev().take_while(|&character| character == '\\').count() % 2 == 0
}

/// What `^` and `$` may be where a reader stands.
#[derive(Clone, Copy, PartialEq)]
enum Anchors {
    /// The ends of the text, at the ends of each alternative.
    Outer,
    None,
}

struct Reader {
    rest: std::collections::VecDeque<char>,
    deep: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.front().copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest.pop_front();
        }
        found
    }

    fn next(&mut self) -> Result<char, String> {
        self.rest.pop_front().ok_or_else(|| "it ends too early".to_owned())
    }

    fn choice(&mut self, anchors: Anchors) -> Result<Pattern, String> {
        let mut ways = vec![self.sequence(anchors)?];
        while self.take('|') {
            ways.push(self.sequence(anchors)?);
        }
        Ok(match ways.len() {
            1 => ways.pop().unwrap_or(Pattern::Sequence(Vec::new())),
            _ => Pattern::Choice(ways),
        })
    }

    fn sequence(&mut self, anchors: Anchors) -> Result<Pattern, String> {
        let mut parts = Vec::new();
        let anchored = anchors == Anchors::Outer && self.take('^');
        if anchors == Anchors::Outer && !anchored {
            parts.push(Pattern::anything());
        }
        let mut ended = false;
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            if ended {
                return Err("an anchor inside".to_owned());
            }
            if next == '$' && anchors == Anchors::Outer {
                self.rest.pop_front();
                ended = true;
                continue;
            }
            let part = self.part()?;
            parts.push(self.repeated(part)?);
        }
        if anchors == Anchors::Outer && !ended {
            parts.push(Pattern::anything());
        }
        Ok(match parts.len() {
            1 => parts.pop().unwrap_or(Pattern::Sequence(Vec::new())),
            _ => Pattern::Sequence(parts),
        })
    }

    fn repeated(&mut self, part: Pattern) -> Result<Pattern, String> {
        let (at_least, at_most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => self.counts()?,
            _ => return Ok(part),
        };
        self.rest.pop_front();
        // Whether as few as can be are taken makes no difference to whole texts.
        self.take('?');
        if matches!(self.peek(), Some('*' | '+' | '?')) {
            return Err("a repetition of a repetition".to_owned());
        }
        if at_most.is_some_and(|at_most| at_most < at_least) {
            return Err("a repetition whose counts are in the wrong order".to_owned());
        }
        Ok(Pattern::Repeat { of: Box::new(part), at_least, at_most })
    }

    /// The counts in braces. The closing one is left, to be taken as a `*` is.
    fn counts(&mut self) -> Result<(u32, Option<u32>), String> {
        let length = self.rest.iter().position(|&character| character == '}');
        let Some(length) = length else { return Err("a `{` without its `}`".to_owned()) };
        let inner: String = self.rest.iter().take(length).skip(1).collect();
        let (least, most) = match inner.split_once(',') {
            Some((least, "")) => (least, None),
            Some((least, most)) => (least, Some(most)),
            None => (inner.as_str(), Some(inner.as_str())),
        };
        let number = |text: &str| {
            text.parse::<u32>().map_err(|_| format!("`{{{inner}}}`, which is no count"))
        };
        let counts = (number(least)?, most.map(number).transpose()?);
        self.rest.drain(..length);
        Ok(counts)
    }

    fn part(&mut self) -> Result<Pattern, String> {
        match self.next()? {
            '(' => self.group(),
            '[' => self.class().map(Pattern::Class),
            '.' => Ok(Pattern::Class(CharacterClass::of("\n\r\u{2028}\u{2029}").negated())),
            '\\' => self.escape(false).map(Pattern::Class),
            anchor @ ('^' | '$') => Err(format!("an anchor `{anchor}` inside")),
            misplaced @ ('*' | '+' | '?' | '{') => {
                Err(format!("`{misplaced}` with nothing to repeat"))
            }
            plain => Ok(Pattern::Class(CharacterClass::range(plain, plain))),
        }
    }

    fn group(&mut self) -> Result<Pattern, String> {
        if self.take('?') {
            match self.next()? {
                ':' => {}
                '=' | '!' => return Err("a look-ahead".to_owned()),
                '<' => match self.next()? {
                    '=' | '!' => return Err("a look-behind".to_owned()),
                    _ => while self.next()? != '>' {},
                },
                _ => return Err("a group of a kind that is not known".to_owned()),
            }
        }
        self.deep += 1;
        if self.deep > DEEPEST {
            return Err(format!("groups that are more than {DEEPEST} deep"));
        }
        let inner = self.choice(Anchors::None)?;
        self.deep -= 1;
        match self.take(')') {
            true => Ok(inner),
            false => Err("a `(` without its `)`".to_owned()),
        }
    }

    /// The rest of a class, up to its bracket.
    fn class(&mut self) -> Result<CharacterClass, String> {
        let negated = self.take('^');
        let mut class = CharacterClass::none();
        while !self.take(']') {
            let first = self.member()?;
            let is_range = self.peek() == Some('-') && self.rest.get(1) != Some(&']');
            class = match (first.single(), is_range) {
                (Some(from), true) => {
                    self.rest.pop_front();
                    let Some(to) = self.member()?.single().filter(|to| from <= *to) else {
                        return Err("a range of characters without a proper end".to_owned());
                    };
                    class.or(&CharacterClass::range(from, to))
                }
                _ => class.or(&first),
            };
        }
        Ok(if negated { class.negated() } else { class })
    }

    fn member(&mut self) -> Result<CharacterClass, String> {
        match self.next()? {
            '\\' => self.escape(true),
            plain => Ok(CharacterClass::range(plain, plain)),
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self, in_class: bool) -> Result<CharacterClass, String> {
        let digits = CharacterClass::range('0', '9');
        let word = || digits.or(&[('a', 'z'), ('A', 'Z'), ('_', '_')].into_iter().collect());
        let one = |character| Ok(CharacterClass::range(character, character));
        match self.next()? {
            'd' => Ok(digits),
            'D' => Ok(digits.negated()),
            'w' => Ok(word()),
            'W' => Ok(word().negated()),
            's' => Ok(space()),
            'S' => Ok(space().negated()),
            't' => one('\t'),
            'n' => one('\n'),
            'r' => one('\r'),
            'f' => one('\u{c}'),
            'v' => one('\u{b}'),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => one('\0'),
            'b' if in_class => one('\u{8}'),
            'x' => self.code(2),
            'u' if self.take('{') => {
                let length = self.rest.iter().take(8).position(|&character| character == '}');
                let code = self.code(length.unwrap_or(0))?;
                self.take('}');
                Ok(code)
            }
            'u' => self.code(4),
            'b' | 'B' => Err("a word boundary".to_owned()),
            'p' | 'P' => Err("a property of characters".to_owned()),
            'k' | '1'..='9' => Err("a reference back to a group".to_owned()),
            letter if letter.is_ascii_alphanumeric() => {
                Err(format!("`\\{letter}`, which is not known"))
            }
            plain => one(plain),
        }
    }

    fn code(&mut self, digits: usize) -> Result<CharacterClass, String> {
        let text: String = self.rest.drain(..digits.min(self.rest.len())).collect();
        let character = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32);
        let character = character.filter(|_| digits > 0 && text.len() == digits);
        let class = character.map(|character| CharacterClass::range(character, character));
        class.ok_or_else(|| format!("`{text}`, which is the code of no character"))
    }
}

/// What ECMAScript counts as white space.
fn space() -> CharacterClass {
    [
        ('\t', '\r'),
        (' ', ' '),
        ('\u{a0}', '\u{a0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{2000}', '\u{200a}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{202f}', '\u{202f}'),
        ('\u{205f}', '\u{205f}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{feff}', '\u{feff}'),
    ]
    .into_iter()
    .collect()
}

//! Parses regular expressions: patterns of JSON schemas (ECMA-262) and of response templates
//! (Python's `re`). The result is a tree with positions.
//!
//! The crate `regex-syntax` cannot be used, because it reads Rust's dialect. There a `[` inside a
//! class opens a nested one (`[^[]`), a `{` that begins no count is an error, `\<` is the start of
//! a word, and `\0` is a backreference. Translating these first would need a parser as well.
//!
//! [`parse`] descends by precedence: alternatives (`a|b`), sequences (`ab`), repetitions (`a*`),
//! parts (a character, a class, a group). `ab*|c` becomes
//! `Choice([Sequence([a, Repeat(b)]), Sequence([c])])`, where `a` is a `Class` of one character.
//!
//! Nesting and counts are limited. Look-arounds, backreferences and other constructs that a grammar
//! cannot express are errors that name the construct.

use std::iter::Peekable;
use std::str::CharIndices;

mod character_class;
mod program;

pub use character_class::CharacterClass;
pub use program::Program;

/// The maximum nesting of groups, which limits the use of the stack.
const MAX_DEPTH: usize = 48;

/// The maximum count of a repetition.
const MAX_COUNT: u32 = 100_000;

/// The dialect of a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A `]` directly after the opening bracket closes an empty class.
    EcmaScript,
    /// A `]` directly after the opening bracket is a literal.
    Python,
}

/// A node of a regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The offset at which it begins, in bytes.
    pub at: usize,
    pub kind: NodeKind,
}

/// The kind of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// A character of a class. A literal character is a class of one.
    Class(CharacterClass),
    /// A `.`: any character except line breaks.
    Any,
    /// A `^`.
    Start,
    /// A `$`.
    End,
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat {
        of: Box<Node>,
        at_least: u32,
        at_most: Option<u32>,
        /// The offset of the count, in bytes.
        count_at: usize,
    },
    Group {
        name: Option<String>,
        of: Box<Node>,
    },
}

/// Why a regular expression cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The offset of the problem, in bytes.
    pub at: usize,
    /// The construct that is wrong, as a noun phrase such as "a look-ahead".
    pub why: String,
}

/// Parses a regular expression.
///
/// # Errors
/// Returns an error if the text is not a regular expression, if it has a construct that a grammar
/// cannot express, or if it is nested too deeply.
pub fn parse(text: &str, dialect: Dialect) -> Result<Node, PatternError> {
    let rest = text.char_indices().peekable();
    let mut parser = PatternParser { text, rest, dialect, depth: 0 };
    let node = parser.parse_choice()?;
    match parser.rest.peek() {
        None => Ok(node),
        Some(_) => Err(parser.error(parser.offset(), "an unmatched `)`")),
    }
}

/// The characters that ECMAScript treats as white space.
pub fn white_space() -> CharacterClass {
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

struct PatternParser<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    dialect: Dialect,
    /// The number of open groups.
    depth: usize,
}

impl PatternParser<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, character)| *character)
    }

    /// The offset of the next character, in bytes.
    fn offset(&self) -> usize {
        self.rest.clone().peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn error(&self, at: usize, why: impl Into<String>) -> PatternError {
        PatternError { at, why: why.into() }
    }

    /// Consumes a character if it is next, and returns whether it was.
    fn take_if_next(&mut self, expected: char) -> bool {
        self.rest.next_if(|(_, next)| *next == expected).is_some()
    }

    /// Consumes the next character of a construct that began at an offset.
    fn next_in(&mut self, at: usize) -> Result<char, PatternError> {
        let next = self.rest.next().map(|(_, character)| character);
        next.ok_or_else(|| self.error(at, "an unexpected end"))
    }

    /// Parses sequences with `|` between them.
    fn parse_choice(&mut self) -> Result<Node, PatternError> {
        let at = self.offset();
        let first = self.parse_sequence()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut branches = vec![first];
        while self.take_if_next('|') {
            branches.push(self.parse_sequence()?);
        }
        Ok(Node { at, kind: NodeKind::Choice(branches) })
    }

    fn parse_sequence(&mut self) -> Result<Node, PatternError> {
        let at = self.offset();
        let mut parts = Vec::new();
        while self.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            let part = self.parse_part()?;
            parts.push(self.parse_repetition(part)?);
        }
        Ok(Node { at, kind: NodeKind::Sequence(parts) })
    }

    /// Parses the count after a part. Without one, the part is returned unchanged.
    fn parse_repetition(&mut self, part: Node) -> Result<Node, PatternError> {
        let count_at = self.offset();
        let Some((at_least, at_most)) = self.parse_count()? else { return Ok(part) };
        // Whether the repetition is lazy makes no difference to whether a text matches.
        self.take_if_next('?');
        if matches!(self.peek(), Some('*' | '+' | '?')) {
            return Err(self.error(count_at, "a repetition of a repetition"));
        }
        if matches!(part.kind, NodeKind::Start | NodeKind::End) {
            return Err(self.error(part.at, "a repetition of an anchor"));
        }
        let at = part.at;
        let kind = NodeKind::Repeat { of: Box::new(part), at_least, at_most, count_at };
        Ok(Node { at, kind })
    }

    /// Parses how often the previous part repeats, as a minimum and a maximum: `*` -> (0, `None`).
    fn parse_count(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let count = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') if self.begins_count() => return self.parse_count_in_braces().map(Some),
            _ => return Ok(None),
        };
        self.rest.next();
        Ok(Some(count))
    }

    /// Whether the next brace opens a count. Any other brace is a literal.
    fn begins_count(&self) -> bool {
        let after = self.rest.clone().nth(1);
        after.is_some_and(|(_, next)| next.is_ascii_digit() || next == ',')
    }

    /// Parses `{2}` -> (2, 2), `{2,}` -> (2, `None`) and `{2,3}` -> (2, 3).
    fn parse_count_in_braces(&mut self) -> Result<(u32, Option<u32>), PatternError> {
        let at = self.offset();
        self.rest.next();
        let mut inner = String::new();
        loop {
            match self.rest.next() {
                Some((_, '}')) => break,
                Some((_, character)) => inner.push(character),
                None => return Err(self.error(at, "an unclosed `{`")),
            }
        }
        let (least, most) = match inner.split_once(',') {
            Some((least, "")) => (least, None),
            Some((least, most)) => (least, Some(most)),
            None => (inner.as_str(), Some(inner.as_str())),
        };
        let number = |text: &str| {
            let count = text.parse::<u32>().ok().filter(|count| *count <= MAX_COUNT);
            count.ok_or_else(|| self.error(at, format!("the invalid count `{{{inner}}}`")))
        };
        let (least, most) = (number(least)?, most.map(number).transpose()?);
        match most.is_some_and(|most| most < least) {
            true => Err(self.error(at, "a count whose maximum is less than its minimum")),
            false => Ok((least, most)),
        }
    }

    /// Parses a character, an escape, a class, a group or an anchor.
    fn parse_part(&mut self) -> Result<Node, PatternError> {
        let at = self.offset();
        let kind = match self.next_in(at)? {
            '(' => self.parse_group(at)?,
            '[' => NodeKind::Class(self.parse_class(at)?),
            '.' => NodeKind::Any,
            '^' => NodeKind::Start,
            '$' => NodeKind::End,
            '\\' => NodeKind::Class(self.parse_escape(at, false)?),
            misplaced @ ('*' | '+' | '?') => {
                return Err(self.error(at, format!("a `{misplaced}` with nothing to repeat")));
            }
            plain => NodeKind::Class(CharacterClass::range(plain, plain)),
        };
        Ok(Node { at, kind })
    }

    /// Parses a group after its parenthesis.
    fn parse_group(&mut self, at: usize) -> Result<NodeKind, PatternError> {
        let name = if self.take_if_next('?') { self.parse_group_name(at)? } else { None };
        if self.depth == MAX_DEPTH {
            return Err(self.error(at, format!("groups nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let inner = self.parse_choice()?;
        self.depth -= 1;
        match self.take_if_next(')') {
            true => Ok(NodeKind::Group { name, of: Box::new(inner) }),
            false => Err(self.error(at, "an unclosed `(`")),
        }
    }

    /// Parses a group's name after the `?`; `None` for a group without a name.
    fn parse_group_name(&mut self, at: usize) -> Result<Option<String>, PatternError> {
        let is_python = self.take_if_next('P');
        match self.next_in(at)? {
            // `(?:a)`
            ':' if !is_python => return Ok(None),
            // `(?P=name)`
            '=' if is_python => return Err(self.error(at, "a backreference")),
            // `(?=a)`, `(?!a)`
            '=' | '!' if !is_python => return Err(self.error(at, "a look-ahead")),
            // `(?<=a)`, `(?<!a)`
            '<' if !is_python && matches!(self.peek(), Some('=' | '!')) => {
                return Err(self.error(at, "a look-behind"));
            }
            // `(?<name>a)`, `(?P<name>a)`
            '<' => {}
            _ => return Err(self.error(at, "a group of an unknown kind")),
        }
        let mut name = String::new();
        loop {
            match self.next_in(at)? {
                '>' => return Ok(Some(name)),
                character => name.push(character),
            }
        }
    }

    /// Parses a class after its bracket.
    fn parse_class(&mut self, at: usize) -> Result<CharacterClass, PatternError> {
        let negated = self.take_if_next('^');
        // The ranges are sorted once at the end, because a class may have very many members.
        let mut ranges = Vec::new();
        // In Python, the first member may be a `]`: `[]a]`.
        let mut is_first = self.dialect == Dialect::Python;
        while is_first || !self.take_if_next(']') {
            is_first = false;
            let first = self.parse_member(at)?;
            match (first.single(), self.begins_range()) {
                (Some(from), true) => {
                    self.rest.next();
                    let to = self.parse_member(at)?.single().filter(|to| from <= *to);
                    let to = to.ok_or_else(|| self.error(at, "an invalid range of characters"))?;
                    ranges.push((from, to));
                }
                _ => ranges.extend(first.ranges()),
            }
        }
        let class: CharacterClass = ranges.into_iter().collect();
        Ok(if negated { class.negated() } else { class })
    }

    /// Whether a `-` is next that is not the last of its class.
    fn begins_range(&self) -> bool {
        let mut rest = self.rest.clone().map(|(_, character)| character);
        rest.next() == Some('-') && rest.next() != Some(']')
    }

    /// Parses a character or an escape in a class.
    fn parse_member(&mut self, class_at: usize) -> Result<CharacterClass, PatternError> {
        let at = self.offset();
        match self.rest.next() {
            Some((_, '\\')) => self.parse_escape(at, true),
            Some((_, plain)) => Ok(CharacterClass::range(plain, plain)),
            None => Err(self.error(class_at, UNCLOSED_CLASS)),
        }
    }

    /// Parses an escape after its backslash.
    fn parse_escape(&mut self, at: usize, in_class: bool) -> Result<CharacterClass, PatternError> {
        let digits = CharacterClass::range('0', '9');
        let word = || digits.or(&[('a', 'z'), ('A', 'Z'), ('_', '_')].into_iter().collect());
        let one = |character| Ok(CharacterClass::range(character, character));
        match self.next_in(at)? {
            'd' => Ok(digits),
            'D' => Ok(digits.negated()),
            'w' => Ok(word()),
            'W' => Ok(word().negated()),
            's' => Ok(white_space()),
            'S' => Ok(white_space().negated()),
            't' => one('\t'),
            'n' => one('\n'),
            'r' => one('\r'),
            'f' => one('\u{c}'),
            'v' => one('\u{b}'),
            // `\01` would be an octal code.
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => one('\0'),
            'b' if in_class => one('\u{8}'),
            'x' => self.parse_code(at, 2),
            // `\u{1F600}`. A code needs at most six digits, so the `}` is searched only nearby. If
            // it is not found, `parse_code` reports a code of zero digits.
            'u' if self.take_if_next('{') => {
                let digits = self.rest.clone().take(8).position(|(_, next)| next == '}');
                let code = self.parse_code(at, digits.unwrap_or(0))?;
                self.take_if_next('}');
                Ok(code)
            }
            'u' => self.parse_code(at, 4),
            'b' | 'B' => Err(self.error(at, "a word boundary")),
            'p' | 'P' => Err(self.error(at, "a Unicode property")),
            'k' | '1'..='9' => Err(self.error(at, "a backreference")),
            letter if letter.is_ascii_alphanumeric() => {
                Err(self.error(at, format!("the unknown escape `\\{letter}`")))
            }
            plain => one(plain),
        }
    }

    /// Parses a character code of a number of hexadecimal digits.
    fn parse_code(&mut self, at: usize, digits: usize) -> Result<CharacterClass, PatternError> {
        let text: String = self.rest.by_ref().take(digits).map(|(_, digit)| digit).collect();
        let is_code = digits > 0
            && text.len() == digits
            && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let code = u32::from_str_radix(&text, 16).ok().filter(|_| is_code);
        let character = code
            .and_then(char::from_u32)
            .ok_or_else(|| self.error(at, format!("the invalid character code `{text}`")))?;
        Ok(CharacterClass::range(character, character))
    }
}

/// The [`PatternError::why`] of a class that is not closed.
pub const UNCLOSED_CLASS: &str = "an unclosed character class";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn why(text: &str) -> (usize, String) {
        let error = parse(text, Dialect::EcmaScript).unwrap_err();
        (error.at, error.why)
    }

    #[test]
    fn an_unsupported_construct_is_named_at_its_offset() {
        for (text, at, expected) in [
            ("a(?=b)", 1, "a look-ahead"),
            ("a(?!b)", 1, "a look-ahead"),
            ("(?<!a)b", 0, "a look-behind"),
            ("(a)\\1", 3, "a backreference"),
            ("(?P<a>b)(?P=a)", 8, "a backreference"),
            ("ä\\b", 2, "a word boundary"),
            ("\\p{L}", 0, "a Unicode property"),
            ("a**", 1, "a repetition of a repetition"),
            ("a{3,2}", 1, "a count whose maximum is less than its minimum"),
            ("[ab", 0, "an unclosed character class"),
            ("a)", 1, "an unmatched `)`"),
            ("(a", 0, "an unclosed `(`"),
        ] {
            assert_eq!(why(text), (at, expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn nesting_and_counts_are_limited() {
        let nested = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        assert!(parse(&nested(MAX_DEPTH), Dialect::EcmaScript).is_ok());
        assert_eq!(why(&nested(50_000)).0, MAX_DEPTH);
        assert!(parse("a{100000}", Dialect::EcmaScript).is_ok());
        assert_eq!(why("a{100001}").1, "the invalid count `{100001}`");
    }

    #[test]
    fn a_bracket_at_the_start_of_a_class_is_read_by_dialect() {
        let first = |text, dialect| match parse(text, dialect).unwrap().kind {
            NodeKind::Sequence(parts) => parts.into_iter().next().unwrap().kind,
            kind => kind,
        };
        let bracket = CharacterClass::from_characters("]");
        assert_eq!(first("[]]", Dialect::Python), NodeKind::Class(bracket));
        assert_eq!(first("[]]", Dialect::EcmaScript), NodeKind::Class(CharacterClass::none()));
        assert_eq!(
            first("[[]", Dialect::EcmaScript),
            NodeKind::Class(CharacterClass::from_characters("["))
        );
    }
}

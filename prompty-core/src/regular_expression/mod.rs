//! The one reader of regular expressions: patterns of JSON schemas (ECMA-262) and of response
//! templates (Python's `re`). It gives a tree with places; what a schema or a template needs of it are
//! functions over that tree.
//!
//! Not `regex-syntax`, which reads Rust's own dialect: to it a `[` inside of a class opens another
//! one (`[^[]`), `{` that begins no count is an error, `\<` is the start of a word, and `\0` a
//! reference. To write these anew before it reads them would be a reader, too.
//!
//! Nesting and counts are bounded. Look-arounds, references back to groups and what else no grammar can
//! say are errors that name it.

use std::iter::Peekable;
use std::str::CharIndices;

mod character_class;
mod program;

pub use character_class::CharacterClass;
pub use program::Program;

/// How deep groups may stand in groups.
const DEEPEST: usize = 48;

/// The largest count of a repetition.
const LARGEST_COUNT: u32 = 100_000;

/// Whose regular expressions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A `]` right behind the opening bracket closes an empty class.
    EcmaScript,
    /// A `]` right behind the opening bracket stands for itself.
    Python,
}

/// A part of a regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where it begins, in bytes.
    pub at: usize,
    pub kind: Kind,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// One character of a class; of a single one, where it stands for itself.
    Class(CharacterClass),
    /// A `.`: any character but line breaks.
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
        /// Where the count begins, in bytes.
        count_at: usize,
    },
    Group {
        name: Option<String>,
        of: Box<Node>,
    },
}

/// Why a text cannot be read, as what it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Where, in bytes.
    pub at: usize,
    pub why: String,
}

/// Reads a regular expression.
///
/// # Errors
/// Where it is none, where it has what no grammar can say, and where it is too deep.
pub fn parse(text: &str, dialect: Dialect) -> Result<Node, Unreadable> {
    let rest = text.char_indices().peekable();
    let mut reader = Reader { text, rest, dialect, depth: 0 };
    let found = reader.choice()?;
    match reader.rest.peek() {
        None => Ok(found),
        Some(_) => Err(reader.error(reader.place(), "a `)` without its `(`")),
    }
}

/// What ECMAScript counts as white space.
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

struct Reader<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    dialect: Dialect,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, character)| *character)
    }

    fn place(&self) -> usize {
        self.rest.clone().peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn error(&self, at: usize, why: impl Into<String>) -> Unreadable {
        Unreadable { at, why: why.into() }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, found)| *found == wanted).is_some()
    }

    /// The next character of what began at a place.
    fn next_of(&mut self, at: usize) -> Result<char, Unreadable> {
        let found = self.rest.next().map(|(_, character)| character);
        found.ok_or_else(|| self.error(at, "an end that comes too early"))
    }

    /// Sequences with `|` between them.
    fn choice(&mut self) -> Result<Node, Unreadable> {
        let at = self.place();
        let first = self.sequence()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut ways = vec![first];
        while self.take('|') {
            ways.push(self.sequence()?);
        }
        Ok(Node { at, kind: Kind::Choice(ways) })
    }

    fn sequence(&mut self) -> Result<Node, Unreadable> {
        let at = self.place();
        let mut parts = Vec::new();
        while self.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            let part = self.part()?;
            parts.push(self.repeated(part)?);
        }
        Ok(Node { at, kind: Kind::Sequence(parts) })
    }

    fn repeated(&mut self, part: Node) -> Result<Node, Unreadable> {
        let count_at = self.place();
        let Some((at_least, at_most)) = self.count()? else { return Ok(part) };
        // Whether it takes as much as it can makes no difference to whole texts.
        self.take('?');
        if matches!(self.peek(), Some('*' | '+' | '?')) {
            return Err(self.error(count_at, "a repetition of a repetition"));
        }
        if matches!(part.kind, Kind::Start | Kind::End) {
            return Err(self.error(part.at, "a repetition of an anchor"));
        }
        let at = part.at;
        let kind = Kind::Repeat { of: Box::new(part), at_least, at_most, count_at };
        Ok(Node { at, kind })
    }

    /// How often the part in front stands, where that is said.
    fn count(&mut self) -> Result<Option<(u32, Option<u32>)>, Unreadable> {
        let count = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') if self.begins_count() => return self.count_in_braces().map(Some),
            _ => return Ok(None),
        };
        self.rest.next();
        Ok(Some(count))
    }

    /// Whether the brace that is next opens a count: any other stands for itself.
    fn begins_count(&self) -> bool {
        let behind = self.rest.clone().nth(1);
        behind.is_some_and(|(_, next)| next.is_ascii_digit() || next == ',')
    }

    fn count_in_braces(&mut self) -> Result<(u32, Option<u32>), Unreadable> {
        let at = self.place();
        self.rest.next();
        let mut inner = String::new();
        loop {
            match self.rest.next() {
                Some((_, '}')) => break,
                Some((_, character)) => inner.push(character),
                None => return Err(self.error(at, "a `{` without its `}`")),
            }
        }
        let (least, most) = match inner.split_once(',') {
            Some((least, "")) => (least, None),
            Some((least, most)) => (least, Some(most)),
            None => (inner.as_str(), Some(inner.as_str())),
        };
        let number = |text: &str| {
            let count = text.parse::<u32>().ok().filter(|count| *count <= LARGEST_COUNT);
            count.ok_or_else(|| self.error(at, format!("`{{{inner}}}`, which is no count")))
        };
        let (least, most) = (number(least)?, most.map(number).transpose()?);
        match most.is_some_and(|most| most < least) {
            true => Err(self.error(at, "a repetition whose counts are in the wrong order")),
            false => Ok((least, most)),
        }
    }

    fn part(&mut self) -> Result<Node, Unreadable> {
        let at = self.place();
        let kind = match self.next_of(at)? {
            '(' => self.group(at)?,
            '[' => Kind::Class(self.class(at)?),
            '.' => Kind::Any,
            '^' => Kind::Start,
            '$' => Kind::End,
            '\\' => Kind::Class(self.escape(at, false)?),
            misplaced @ ('*' | '+' | '?') => {
                return Err(self.error(at, format!("`{misplaced}` with nothing to repeat")));
            }
            plain => Kind::Class(CharacterClass::range(plain, plain)),
        };
        Ok(Node { at, kind })
    }

    /// A group, behind its parenthesis.
    fn group(&mut self, at: usize) -> Result<Kind, Unreadable> {
        let name = if self.take('?') { self.group_name(at)? } else { None };
        if self.depth == DEEPEST {
            return Err(self.error(at, format!("groups that are more than {DEEPEST} deep")));
        }
        self.depth += 1;
        let inner = self.choice()?;
        self.depth -= 1;
        match self.take(')') {
            true => Ok(Kind::Group { name, of: Box::new(inner) }),
            false => Err(self.error(at, "a `(` without its `)`")),
        }
    }

    /// What stands behind the `?` of a group: its name, or that it has none.
    fn group_name(&mut self, at: usize) -> Result<Option<String>, Unreadable> {
        let is_python = self.take('P');
        match self.next_of(at)? {
            ':' if !is_python => return Ok(None),
            '=' if is_python => return Err(self.error(at, "a reference back to a group")),
            '=' | '!' if !is_python => return Err(self.error(at, "a look-ahead")),
            '<' if !is_python && matches!(self.peek(), Some('=' | '!')) => {
                return Err(self.error(at, "a look-behind"));
            }
            '<' => {}
            _ => return Err(self.error(at, "a group of a kind that is not known")),
        }
        let mut name = String::new();
        loop {
            match self.next_of(at)? {
                '>' => return Ok(Some(name)),
                character => name.push(character),
            }
        }
    }

    /// A class, behind its bracket.
    fn class(&mut self, at: usize) -> Result<CharacterClass, Unreadable> {
        let negated = self.take('^');
        // Put in order once: a class may have as many members as the text has characters.
        let mut ranges = Vec::new();
        let mut is_first = self.dialect == Dialect::Python;
        while is_first || !self.take(']') {
            is_first = false;
            let first = self.member(at)?;
            match (first.single(), self.begins_range()) {
                (Some(from), true) => {
                    self.rest.next();
                    let to = self.member(at)?.single().filter(|to| from <= *to);
                    let to = to.ok_or_else(|| {
                        self.error(at, "a range of characters without a proper end")
                    })?;
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

    fn member(&mut self, class_at: usize) -> Result<CharacterClass, Unreadable> {
        let at = self.place();
        match self.rest.next() {
            Some((_, '\\')) => self.escape(at, true),
            Some((_, plain)) => Ok(CharacterClass::range(plain, plain)),
            None => Err(self.error(class_at, UNCLOSED_CLASS)),
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self, at: usize, in_class: bool) -> Result<CharacterClass, Unreadable> {
        let digits = CharacterClass::range('0', '9');
        let word = || digits.or(&[('a', 'z'), ('A', 'Z'), ('_', '_')].into_iter().collect());
        let one = |character| Ok(CharacterClass::range(character, character));
        match self.next_of(at)? {
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
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => one('\0'),
            'b' if in_class => one('\u{8}'),
            'x' => self.code(at, 2),
            'u' if self.take('{') => {
                let digits = self.rest.clone().take(8).position(|(_, found)| found == '}');
                let code = self.code(at, digits.unwrap_or(0))?;
                self.take('}');
                Ok(code)
            }
            'u' => self.code(at, 4),
            'b' | 'B' => Err(self.error(at, "a word boundary")),
            'p' | 'P' => Err(self.error(at, "a property of characters")),
            'k' | '1'..='9' => Err(self.error(at, "a reference back to a group")),
            letter if letter.is_ascii_alphanumeric() => {
                Err(self.error(at, format!("`\\{letter}`, which is not known")))
            }
            plain => one(plain),
        }
    }

    /// The character of a code in so many hexadecimal digits.
    fn code(&mut self, at: usize, digits: usize) -> Result<CharacterClass, Unreadable> {
        let text: String = self.rest.by_ref().take(digits).map(|(_, digit)| digit).collect();
        let is_code = digits > 0
            && text.len() == digits
            && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let code = u32::from_str_radix(&text, 16).ok().filter(|_| is_code);
        let character = code.and_then(char::from_u32).ok_or_else(|| {
            self.error(at, format!("`{text}`, which is the code of no character"))
        })?;
        Ok(CharacterClass::range(character, character))
    }
}

/// What a class has that does not end.
pub const UNCLOSED_CLASS: &str = "a class of characters without an end";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn why(text: &str) -> (usize, String) {
        let error = parse(text, Dialect::EcmaScript).unwrap_err();
        (error.at, error.why)
    }

    #[test]
    fn what_no_grammar_can_say_is_named_where_it_stands() {
        for (text, at, said) in [
            ("a(?=b)", 1, "a look-ahead"),
            ("a(?!b)", 1, "a look-ahead"),
            ("(?<!a)b", 0, "a look-behind"),
            ("(a)\\1", 3, "a reference back to a group"),
            ("(?P<a>b)(?P=a)", 8, "a reference back to a group"),
            ("ä\\b", 2, "a word boundary"),
            ("\\p{L}", 0, "a property of characters"),
            ("a**", 1, "a repetition of a repetition"),
            ("a{3,2}", 1, "a repetition whose counts are in the wrong order"),
            ("[ab", 0, "a class of characters without an end"),
            ("a)", 1, "a `)` without its `(`"),
            ("(a", 0, "a `(` without its `)`"),
        ] {
            assert_eq!(why(text), (at, said.to_owned()), "{text}");
        }
    }

    #[test]
    fn nesting_and_counts_are_bounded() {
        let nested = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        assert!(parse(&nested(DEEPEST), Dialect::EcmaScript).is_ok());
        assert_eq!(why(&nested(50_000)).0, DEEPEST);
        assert!(parse("a{100000}", Dialect::EcmaScript).is_ok());
        assert_eq!(why("a{100001}").1, "`{100001}`, which is no count");
    }

    #[test]
    fn a_bracket_at_the_start_of_a_class_is_read_by_dialect() {
        let first = |text, dialect| match parse(text, dialect).unwrap().kind {
            Kind::Sequence(parts) => parts.into_iter().next().unwrap().kind,
            kind => kind,
        };
        let bracket = CharacterClass::from_characters("]");
        assert_eq!(first("[]]", Dialect::Python), Kind::Class(bracket));
        assert_eq!(first("[]]", Dialect::EcmaScript), Kind::Class(CharacterClass::none()));
        assert_eq!(
            first("[[]", Dialect::EcmaScript),
            Kind::Class(CharacterClass::from_characters("["))
        );
    }
}

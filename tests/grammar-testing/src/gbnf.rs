//! Parses GBNF like llama.cpp, into rules of plain alternatives.

use std::collections::HashMap;

/// A parsed GBNF grammar.
#[derive(Debug)]
pub struct Gbnf {
    /// The alternatives of each rule.
    pub(crate) rules: Vec<Vec<Vec<Symbol>>>,
    pub(crate) root: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    /// One character in these ranges, or one outside them if `negated` is set.
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    Rule(usize),
}

impl Symbol {
    pub(crate) fn admits(&self, character: char) -> bool {
        match self {
            Self::Class { ranges, negated } => {
                let is_in = ranges.iter().any(|&(first, last)| (first..=last).contains(&character));
                is_in != *negated
            }
            Self::Rule(_) => false,
        }
    }
}

impl Gbnf {
    /// Parses a grammar.
    ///
    /// # Errors
    /// Returns an error if the text is not GBNF, or has token literals, which match no text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = GbnfParser {
            text: text.chars().collect(),
            at: 0,
            ids: HashMap::new(),
            rules: Vec::new(),
        };
        parser.space(true);
        while parser.at < parser.text.len() {
            let name = parser.name()?;
            let id = parser.id(&name);
            parser.space(false);
            parser.expect("::=")?;
            parser.space(true);
            let alternatives = parser.alternatives(false)?;
            parser.rules[id] = Some(alternatives);
            parser.space(true);
        }
        let root = *parser.ids.get("root").ok_or("missing rule `root`")?;
        let ids = parser.ids;
        let rules = parser.rules.into_iter().enumerate().map(|(id, rule)| {
            rule.ok_or_else(|| {
                let name = ids.iter().find(|(_, other)| **other == id).map(|(name, _)| name);
                format!("unknown rule {name:?}")
            })
        });
        Ok(Self { rules: rules.collect::<Result<_, _>>()?, root })
    }
}

struct GbnfParser {
    text: Vec<char>,
    at: usize,
    ids: HashMap<String, usize>,
    rules: Vec<Option<Vec<Vec<Symbol>>>>,
}

impl GbnfParser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn error<T>(&self, message: &str) -> Result<T, String> {
        let rest: String = self.text[self.at.min(self.text.len())..].iter().take(40).collect();
        Err(format!("{message} at `{rest}`"))
    }

    fn next(&mut self) -> Result<char, String> {
        let Some(next) = self.peek() else { return self.error("unexpected end") };
        self.at += 1;
        Ok(next)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        for character in wanted.chars() {
            if self.next()? != character {
                self.at -= 1;
                return self.error(&format!("expected `{wanted}`"));
            }
        }
        Ok(())
    }

    fn space(&mut self, lines: bool) {
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' => self.at += 1,
                '\n' | '\r' if lines => self.at += 1,
                '#' => {
                    while self.peek().is_some_and(|next| next != '\n') {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        while let Some(next) =
            self.peek().filter(|next| next.is_ascii_alphanumeric() || *next == '-')
        {
            name.push(next);
            self.at += 1;
        }
        if name.is_empty() { self.error("expected a name") } else { Ok(name) }
    }

    fn id(&mut self, name: &str) -> usize {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.new_rule();
        self.ids.insert(name.to_owned(), id);
        id
    }

    fn new_rule(&mut self) -> usize {
        self.rules.push(None);
        self.rules.len() - 1
    }

    fn alternatives(&mut self, nested: bool) -> Result<Vec<Vec<Symbol>>, String> {
        let mut all = vec![self.sequence(nested)?];
        while self.peek() == Some('|') {
            self.at += 1;
            self.space(true);
            all.push(self.sequence(nested)?);
        }
        Ok(all)
    }

    fn sequence(&mut self, nested: bool) -> Result<Vec<Symbol>, String> {
        let mut symbols: Vec<Symbol> = Vec::new();
        // The start of the last item, to which a repetition applies.
        let mut last = None;
        while let Some(next) = self.peek() {
            match next {
                '"' => {
                    self.at += 1;
                    last = Some(symbols.len());
                    while self.peek() != Some('"') {
                        let character = self.character()?;
                        symbols.push(class(character, character));
                    }
                    self.at += 1;
                }
                '[' => {
                    self.at += 1;
                    last = Some(symbols.len());
                    let class = self.class()?;
                    symbols.push(class);
                }
                '.' => {
                    self.at += 1;
                    last = Some(symbols.len());
                    symbols.push(Symbol::Class { ranges: Vec::new(), negated: true });
                }
                '(' => {
                    self.at += 1;
                    self.space(true);
                    last = Some(symbols.len());
                    let id = self.new_rule();
                    let inner = self.alternatives(true)?;
                    self.rules[id] = Some(inner);
                    symbols.push(Symbol::Rule(id));
                    self.expect(")")?;
                }
                '*' | '+' | '?' | '{' => {
                    let (min, max) = self.counts()?;
                    let Some(start) = last else {
                        return self.error("expected an item before the repetition");
                    };
                    let item = symbols.split_off(start);
                    if item.is_empty() {
                        return self.error("expected an item before the repetition");
                    }
                    self.repeat(&item, min, max, &mut symbols);
                    last = None;
                }
                '<' | '!' => return self.error("unsupported token literal"),
                _ if next.is_ascii_alphanumeric() || next == '-' => {
                    let name = self.name()?;
                    last = Some(symbols.len());
                    let id = self.id(&name);
                    symbols.push(Symbol::Rule(id));
                }
                _ => break,
            }
            self.space(nested);
        }
        Ok(symbols)
    }

    fn counts(&mut self) -> Result<(usize, Option<usize>), String> {
        Ok(match self.next()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => {
                let mut inner = String::new();
                while self.peek() != Some('}') {
                    inner.push(self.next()?);
                }
                self.at += 1;
                let number = |text: &str| match text.trim().parse() {
                    Ok(number) if number <= 2000 => Ok(number),
                    _ => Err(format!("{{{inner}}} is not a count")),
                };
                match inner.split_once(',') {
                    Some((min, "")) => (number(min)?, None),
                    Some((min, max)) => (number(min)?, Some(number(max)?)),
                    None => (number(&inner)?, Some(number(&inner)?)),
                }
            }
        })
    }

    fn repeat(
        &mut self,
        item: &[Symbol],
        min: usize,
        max: Option<usize>,
        symbols: &mut Vec<Symbol>,
    ) {
        for _ in 0..min {
            symbols.extend_from_slice(item);
        }
        let with =
            |rest: Option<Symbol>| -> Vec<Symbol> { item.iter().cloned().chain(rest).collect() };
        match max {
            None => {
                let id = self.new_rule();
                self.rules[id] = Some(vec![with(Some(Symbol::Rule(id))), Vec::new()]);
                symbols.push(Symbol::Rule(id));
            }
            Some(max) => {
                let mut rest = None;
                for _ in min..max {
                    let id = self.new_rule();
                    self.rules[id] = Some(vec![with(rest), Vec::new()]);
                    rest = Some(Symbol::Rule(id));
                }
                symbols.extend(rest);
            }
        }
    }

    fn class(&mut self) -> Result<Symbol, String> {
        let negated = self.peek() == Some('^');
        if negated {
            self.at += 1;
        }
        let mut ranges = Vec::new();
        while self.peek() != Some(']') {
            let first = self.character()?;
            let is_range = self.peek() == Some('-')
                && self.text.get(self.at + 1).is_some_and(|end| *end != ']');
            let last = if is_range {
                self.at += 1;
                self.character()?
            } else {
                first
            };
            ranges.push((first, last));
        }
        self.at += 1;
        Ok(Symbol::Class { ranges, negated })
    }

    fn character(&mut self) -> Result<char, String> {
        let next = self.next()?;
        if next != '\\' {
            return Ok(next);
        }
        Ok(match self.next()? {
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            'U' => self.code(8)?,
            't' => '\t',
            'r' => '\r',
            'n' => '\n',
            plain @ ('\\' | '"' | '[' | ']' | '-') => plain,
            other => return self.error(&format!("unknown escape `\\{other}`")),
        })
    }

    fn code(&mut self, digits: usize) -> Result<char, String> {
        let mut code = 0;
        for _ in 0..digits {
            let Some(digit) = self.next()?.to_digit(16) else {
                return self.error("expected a hexadecimal digit");
            };
            code = code * 16 + digit;
        }
        char::from_u32(code).ok_or_else(|| format!("{code:x} is not a character"))
    }
}

pub(crate) fn class(first: char, last: char) -> Symbol {
    Symbol::Class { ranges: vec![(first, last)], negated: false }
}

//! Reads JSON files that prompts refer to.
//!
//! YAML readers are no JSON readers: a surrogate pair such as `\ud83d\ude00` is no YAML escape, and
//! tabs are no YAML indentation.

use std::sync::Arc;

use crate::definition::node::{Entry, MAX_DEPTH, MAX_NODES, Mapping, Node, NodeKind};
use crate::definition::scalar;
use prompty_core::diagnostic::Span;

/// Why a text is not JSON, and the byte at which that shows.
#[derive(Debug)]
pub(super) struct JsonError {
    pub(super) message: &'static str,
    pub(super) offset: usize,
}

/// Reads a whole text; all values stand at `span`, the place of the reference.
pub(super) fn parse(text: &str, span: Span) -> Result<Node, JsonError> {
    let mut reader = Reader { text, offset: 0, span, nodes: 0 };
    let node = reader.value(0)?;
    reader.skip_space();
    if reader.offset < text.len() {
        return Err(reader.error("expected the end of the file"));
    }
    Ok(node)
}

struct Reader<'t> {
    text: &'t str,
    offset: usize,
    span: Span,
    nodes: usize,
}

impl<'t> Reader<'t> {
    fn value(&mut self, depth: usize) -> Result<Node, JsonError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.error("too many values"));
        }
        if depth >= MAX_DEPTH {
            return Err(self.error("too many lists and maps in each other"));
        }
        self.skip_space();
        let kind = match self.peek() {
            Some('{') => self.object(depth)?,
            Some('[') => self.array(depth)?,
            Some('"') => NodeKind::Text(self.string()?.into()),
            Some(_) => self.word()?,
            None => return Err(self.error("expected a value")),
        };
        Ok(Node::new(kind, self.span))
    }

    fn object(&mut self, depth: usize) -> Result<NodeKind, JsonError> {
        self.offset += 1;
        let mut mapping = Mapping::default();
        self.skip_space();
        if self.take('}') {
            return Ok(NodeKind::Map(Arc::new(mapping)));
        }
        loop {
            self.skip_space();
            if self.peek() != Some('"') {
                return Err(self.error("expected a key in double quotes"));
            }
            let key = self.string()?;
            self.skip_space();
            if !self.take(':') {
                return Err(self.error("expected `:`"));
            }
            let value = self.value(depth + 1)?;
            mapping.entries.insert(key.into(), Entry { key: self.span, value });
            self.skip_space();
            if self.take('}') {
                return Ok(NodeKind::Map(Arc::new(mapping)));
            }
            if !self.take(',') {
                return Err(self.error("expected `,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<NodeKind, JsonError> {
        self.offset += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(']') {
            return Ok(NodeKind::List(Arc::new(items)));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(']') {
                return Ok(NodeKind::List(Arc::new(items)));
            }
            if !self.take(',') {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    /// `null`, `true`, `false` or a number.
    fn word(&mut self) -> Result<NodeKind, JsonError> {
        let rest = self.rest();
        let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ']' | '}' | ':');
        let word = rest.split(is_end).next().unwrap_or_default();
        let kind = match word {
            "null" => NodeKind::Null,
            "true" => NodeKind::Bool(true),
            "false" => NodeKind::Bool(false),
            _ if is_number(word) => scalar::number(word).unwrap_or(NodeKind::Null),
            _ => return Err(self.error("expected a value")),
        };
        self.offset += word.len();
        Ok(kind)
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.offset += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let stop = |c: char| c == '"' || c == '\\' || c < ' ';
            let Some(length) = rest.find(stop) else {
                return Err(self.error("this string is never closed"));
            };
            out.push_str(rest.get(..length).unwrap_or_default());
            self.offset += length;
            if self.take('"') {
                return Ok(out);
            }
            if !self.take('\\') {
                return Err(self.error("a control character must be escaped in a string"));
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let character = match self.peek() {
            Some(character @ ('"' | '\\' | '/')) => character,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                self.offset += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.error("unknown escape")),
        };
        self.offset += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let first = self.hex()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if !(self.take('\\') && self.take('u')) {
                    return Err(self.error("half of a surrogate pair"));
                }
                let second = self.hex()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(self.error("half of a surrogate pair"));
                }
                0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(|| self.error("half of a surrogate pair"))
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("expected four hex digits"))?;
        self.offset += 4;
        Ok(code)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.offset += character.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let kept = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.offset += rest.len() - kept.len();
    }

    fn error(&self, message: &'static str) -> JsonError {
        JsonError { message, offset: self.offset }
    }
}

/// Whether a word is a number as JSON writes it: `-`, digits without a needless zero, a fraction,
/// an exponent.
fn is_number(word: &str) -> bool {
    let size = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match size.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (size, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let exponent = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use prompty_core::diagnostic::Span;

    fn read(text: &str) -> String {
        parse(text, Span::default()).unwrap().to_value().to_string()
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = "\t{ \"a\" : [1, -2.5, 1e2, true, false, null, {}, []],\r\n\"b\": \"x\" }\n";
        assert_eq!(read(text), r#"{"a": [1, -2.5, 100, true, false, null, {}, []], "b": "x"}"#);
    }

    #[test]
    fn escapes_are_read_surrogate_pairs_included() {
        assert_eq!(
            parse(r#""\ud83d\ude00 \u00e9 \n\/\"""#, Span::default()).unwrap().as_text(),
            Some("\u{1F600} é \n/\"")
        );
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        for (text, offset) in [
            ("", 0),
            ("{\"a\": 1,}", 8),
            ("{a: 1}", 1),
            ("[1 2]", 3),
            ("01", 0),
            ("1.", 0),
            (".5", 0),
            ("+1", 0),
            ("NaN", 0),
            ("\"\\ud83d\"", 7),
            ("\"\\ude00\"", 7),
            ("\"\\u12é\"", 3),
            ("\"a\nb\"", 2),
            ("\"a", 1),
            ("1 x", 2),
        ] {
            assert_eq!(parse(text, Span::default()).unwrap_err().offset, offset, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert_eq!(
            parse(&"[".repeat(100_000), Span::default()).unwrap_err().message,
            "too many lists and maps in each other"
        );
    }
}

//! Formats as JSON text, with errors that name the key and the position.

use super::ReplyFormat;
use prompty_core::diagnostic::SourceText;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_core::value::internal::json::{
    JsonStyle, read_prefix, replace_lone_surrogates, to_string,
};

impl ReplyFormat {
    /// Reads a format from JSON text, as [`ReplyFormat::to_json`] writes it. Omitted keys have the
    /// values of [`ReplyFormat::plain`]. Markers are strings, with the white space that a template
    /// writes around them.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Conversion`], with the key, the line and the
    /// column, if the text is not valid JSON or not a format.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::ReplyParser;
    /// use typed_prompty::reply::format::ReplyFormat;
    ///
    /// let format = ReplyFormat::from_json(
    ///     r#"{"reasoning": {"mode": "TAG_BASED", "open": "<think>\n", "close": "\n</think>\n\n"}}"#,
    /// )?;
    /// let reply = ReplyParser::new(format).parse("<think>\nEasy.\n</think>\n\n42");
    /// assert_eq!((reply.reasoning(), reply.content()), ("Easy.", "42"));
    ///
    /// let error = ReplyFormat::from_json("{\n  \"reasoning\": {\"mode\": \"TAGS\"}\n}").unwrap_err();
    /// assert!(error.to_string().starts_with("reply format, key `reasoning.mode`: unknown variant"));
    /// assert_eq!(error.place().map(ToString::to_string).as_deref(), Some("reply format:2:30"));
    /// # Ok::<_, prompty_core::Error>(())
    /// ```
    pub fn from_json(json: &str) -> Result<Self, Error> {
        serde_json::from_str(&replace_lone_surrogates(json)).map_err(|error| describe(json, &error))
    }

    /// Writes the format as indented JSON text with all keys, for people to read and change.
    pub fn to_json(&self) -> String {
        // The format has only strings, booleans, objects and lists, so the conversion cannot fail.
        let format = Value::from_serialize(self).unwrap_or_default();
        to_string(&format, JsonStyle::INDENTED)
    }
}

/// Converts an error of `serde_json`: adds the key, the place and the help.
fn describe(json: &str, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let what = error.to_string();
    // The position is part of the place instead.
    let position = format!(" at line {line} column {column}");
    let what = what.strip_suffix(&position).unwrap_or(&what);
    let offset = offset_of(json, line, column);
    let message = if error.is_data() {
        match path_at(json, offset) {
            path if path.is_empty() => format!("reply format: {what}"),
            path => format!("reply format, key `{path}`: {what}"),
        }
    } else {
        format!("the reply format is not valid JSON: {what}")
    };
    let help = if error.is_data() {
        "write a format with `ReplyFormat::to_json` to see the available keys"
    } else {
        "fix the JSON at this position"
    };
    Error::new(ErrorKind::Conversion, message)
        .with_place(SourceText::new("reply format", json).place(offset.saturating_sub(1)))
        .with_help(help)
}

/// The byte offset after the position of a line and a column, which count from 1 and in bytes.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    text.floor_char_boundary(start + column)
}

/// A bracket that is open at a position.
enum JsonFrame {
    /// An object, and the key whose value is being read.
    Object(Option<String>),
    /// A list, and the number of items that were read.
    List(usize),
}

/// The keys that lead to a position in JSON text that is valid up to there: `turn.end[1]` for the
/// position of `7` in `{"turn": {"end": ["<end>", 7]}}`.
fn path_at(json: &str, offset: usize) -> String {
    let mut frames = Vec::new();
    let mut at = 0;
    while let Some(byte) = json.as_bytes().get(at).filter(|_| at < offset) {
        let (text, end) = match byte {
            b'"' => string_at(json, at),
            _ => (Value::Null, at + 1),
        };
        // The error is reported at this token. It is about the token itself, and not about anything
        // inside the bracket that the token may open.
        let is_last = end >= offset;
        match (byte, frames.last_mut()) {
            (b'{', _) if !is_last => frames.push(JsonFrame::Object(None)),
            (b'[', _) if !is_last => frames.push(JsonFrame::List(0)),
            // An error about a complete object is reported at its end, and does not concern any of
            // its keys.
            (b'}' | b']', Some(frame)) if is_last => *frame = JsonFrame::Object(None),
            (b'}' | b']', _) => {
                frames.pop();
            }
            (b',', Some(JsonFrame::Object(key))) => *key = None,
            (b',', Some(JsonFrame::List(index))) => *index += 1,
            (b'"', Some(JsonFrame::Object(key @ None))) => *key = text.as_str().map(str::to_owned),
            _ => {}
        }
        at = end;
    }
    let mut path = String::new();
    for frame in frames {
        match frame {
            JsonFrame::Object(Some(key)) if path.is_empty() => path = key,
            JsonFrame::Object(Some(key)) => path = format!("{path}.{key}"),
            JsonFrame::Object(None) => {}
            JsonFrame::List(index) => path = format!("{path}[{index}]"),
        }
    }
    path
}

/// The string that begins at a position, and the offset of its end.
fn string_at(json: &str, start: usize) -> (Value, usize) {
    match json.get(start..).map(read_prefix) {
        Some(Ok((text, length))) => (text, start + length),
        // The string is never closed.
        _ => (Value::Null, json.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(json: &str) -> (String, String) {
        let error = ReplyFormat::from_json(json).unwrap_err();
        let place = error.place().unwrap();
        (error.to_string(), format!("{}:{}", place.line, place.column))
    }

    #[test]
    fn unknown_key_is_named() {
        let (message, place) = error("{\"tools\": {\n\"parallell\": true}}");
        assert!(
            message.starts_with("reply format, key `tools.parallell`: unknown field `parallell`"),
            "{message}"
        );
        assert_eq!(place, "2:11");
    }

    #[test]
    fn value_of_wrong_type_is_named() {
        let (message, _) = error("{\"turn\": {\"end\": [\"<end>\", 7]}}");
        assert_eq!(
            message,
            "reply format, key `turn.end[1]`: invalid type: integer `7`, expected a string"
        );
    }

    #[test]
    fn missing_key_is_reported_for_its_object() {
        let (message, _) =
            error("{\"tools\": {\"call_open\": \"<c>\", \"shape\": {\"json\": {}}}}");
        assert_eq!(message, "reply format, key `tools`: missing field `parallel`");
        assert_eq!(
            error("{\"reasoning\": {}}").0,
            "reply format, key `reasoning`: missing field `mode`"
        );
    }

    #[test]
    fn invalid_json_is_reported_with_its_position() {
        let (message, place) = error("{\"turn\": {\"open\": \"ö\",}}");
        assert!(message.starts_with("the reply format is not valid JSON: "), "{message}");
        assert_eq!(place, "1:23");
        assert!(error("").0.starts_with("the reply format is not valid JSON: EOF"));
        assert!(error("7").0.starts_with("reply format: invalid"), "{:?}", error("7"));
    }

    #[test]
    fn lone_surrogate_becomes_replacement_character() {
        let format = ReplyFormat::from_json(r#"{"turn": {"open": "\ud83d"}}"#).unwrap();
        assert_eq!(format.turn.open, "\u{fffd}");
    }

    #[test]
    fn empty_object_is_plain_format() {
        assert_eq!(ReplyFormat::from_json("{}").unwrap(), ReplyFormat::plain());
    }
}

//! The fields of a response template: their openers and closers, their content, and the transform
//! that locates the parts of a call.

use prompty_core::value::{Map, Value};

use super::pattern::{self, PatternPart};
use crate::format::Marker;

/// The keys of a field.
const FIELD_KEYS: [&str; 11] = [
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
];

/// Checks that a map has only known keys.
pub(super) fn check_keys(map: &Map, place: &str, known: &[&str]) -> Result<(), String> {
    match map.keys().find(|key| !known.contains(key)) {
        Some(key) => Err(format!("`{place}{key}`: unknown key")),
        None => Ok(()),
    }
}

pub(super) fn unsupported_list(place: &str) -> String {
    format!("`{place}`: several strings are not supported here")
}

/// An opener or a closer.
#[derive(Debug)]
pub(super) struct Delimiter {
    /// The key, for error messages.
    pub(super) place: String,
    /// Whether it is a pattern.
    pub(super) is_pattern: bool,
    /// Its parts.
    pub(super) pieces: Vec<PatternPart>,
}

impl Delimiter {
    /// Reads the delimiter of a key: strings under the key itself, or a pattern under the key that
    /// ends in `_pattern`.
    pub(super) fn read(map: &Map, place: &str, key: &str) -> Result<Option<Self>, String> {
        let key_of_pattern = format!("{key}_pattern");
        match (map.get(key), map.get(&key_of_pattern)) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                Err(format!("`{place}{key}` and `{place}{key_of_pattern}` cannot both be set"))
            }
            (Some(literals), None) => {
                let place = format!("{place}{key}");
                let texts: Option<Vec<&str>> = match literals {
                    Value::String(text) => Some(vec![&**text]),
                    Value::Array(items) => items.iter().map(Value::as_str).collect(),
                    _ => None,
                };
                let texts = texts.filter(|texts| !texts.is_empty() && !texts.contains(&""));
                let texts = texts.ok_or_else(|| {
                    format!("`{place}`: expected a non-empty string or an array of them")
                })?;
                let mut texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
                let piece = match texts.len() {
                    1 => PatternPart::Text(texts.remove(0)),
                    _ => PatternPart::OneOf(texts),
                };
                Ok(Some(Self { place, is_pattern: false, pieces: vec![piece] }))
            }
            (None, Some(written)) => {
                let place = format!("{place}{key_of_pattern}");
                let written =
                    written.as_str().ok_or_else(|| format!("`{place}`: expected a string"))?;
                Self::of_pattern(place, written).map(Some)
            }
        }
    }

    /// Parses the pattern of a key.
    pub(super) fn of_pattern(place: String, written: &str) -> Result<Self, String> {
        let pieces = pattern::parse(written).map_err(|what| format!("`{place}`: {what}"))?;
        Ok(Self { place, is_pattern: true, pieces })
    }

    /// Converts the delimiter to one marker.
    pub(super) fn marker(&self) -> Result<Marker, String> {
        if matches!(self.pieces.as_slice(), [PatternPart::OneOf(_)]) {
            return Err(unsupported_list(&self.place));
        }
        self.marker_of(&self.pieces)
    }

    /// Converts some of its parts to one marker.
    pub(super) fn marker_of(&self, pieces: &[PatternPart]) -> Result<Marker, String> {
        pattern::marker(pieces).map_err(|what| format!("`{}`: {what}", self.place))
    }

    /// Converts the delimiter to its alternative markers.
    pub(super) fn markers(&self) -> Result<Vec<Marker>, String> {
        let is_text = |piece: &&PatternPart| !matches!(piece, PatternPart::Space(_));
        let mut texts = self.pieces.iter().filter(is_text);
        match (texts.next(), texts.next()) {
            (Some(PatternPart::OneOf(texts)), None) => Ok(texts.iter().map(Marker::new).collect()),
            _ => Ok(vec![self.marker()?]),
        }
    }
}

/// A field of a template.
#[derive(Debug)]
pub(super) struct TemplateField<'template> {
    /// The path of its keys, for error messages.
    pub(super) place: String,
    map: &'template Map,
    pub(super) open: Option<Delimiter>,
    pub(super) close: Option<Delimiter>,
}

impl<'template> TemplateField<'template> {
    pub(super) fn new(name: &str, field: &'template Value) -> Result<Self, String> {
        let place = format!("fields.{name}.");
        let map =
            field.as_object().ok_or_else(|| format!("`fields.{name}`: expected an object"))?;
        check_keys(map, &place, &FIELD_KEYS)?;
        if map.get("optional").is_some_and(|optional| optional.as_bool() != Some(true)) {
            return Err(format!("`{place}optional`: required fields are not supported"));
        }
        let open = Delimiter::read(map, &place, "open")?;
        let close = Delimiter::read(map, &place, "close")?;
        Ok(Self { place, map, open, close })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'template Value> {
        self.map.get(key)
    }

    /// Reads a boolean key, which is false by default.
    pub(super) fn flag(&self, key: &str) -> Result<bool, String> {
        match self.map.get(key) {
            None => Ok(false),
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(_) => Err(format!("`{}{key}`: expected a boolean", self.place)),
        }
    }

    /// Returns the kind of its content and the arguments of that kind.
    pub(super) fn content(&self) -> Result<(&'template str, Map), String> {
        let content = match self.map.get("content") {
            None => "text",
            Some(content) => content.as_str().unwrap_or_default(),
        };
        let arguments = match self.map.get("content_args") {
            None => Map::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(_) => return Err(format!("`{}content_args`: expected an object", self.place)),
        };
        Ok((content, arguments))
    }

    /// Checks that it is a string that is not transformed.
    pub(super) fn check_text(&self) -> Result<(), String> {
        let (content, arguments) = self.content()?;
        let place = &self.place;
        if content != "text" {
            return Err(format!("`{place}content`: expected `text`, found `{content}`"));
        }
        check_keys(&arguments, &format!("{place}content_args."), &["strip"])?;
        if self.map.contains_key("transform") {
            return Err(format!("`{place}transform`: transforms of strings are not supported"));
        }
        // Repeated strings are joined without anything between them.
        match self.map.get("join") {
            None if self.flag("repeats")? => {
                Err(format!("`{place}repeats`: lists of strings are not supported"))
            }
            None => Ok(()),
            Some(join) if join.as_str() == Some("") => Ok(()),
            Some(_) => Err(format!("`{place}join`: text between strings is not supported")),
        }
    }

    /// Whether the opener allows any text after the name, as in the header of a message.
    pub(super) fn has_free_header(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.pieces.contains(&PatternPart::Any))
    }

    /// Returns the opener, which is required.
    pub(super) fn opener(&self) -> Result<&Delimiter, String> {
        self.open.as_ref().ok_or_else(|| self.missing_key("open"))
    }

    /// Returns the closer, which is required.
    pub(super) fn closer(&self) -> Result<&Delimiter, String> {
        self.close.as_ref().ok_or_else(|| self.missing_key("close"))
    }

    fn missing_key(&self, key: &str) -> String {
        format!("`{}{key}`: missing key; only content may omit it", self.place)
    }

    /// Returns the openers and the closers of a text in a sequence of messages.
    pub(super) fn body(&self) -> Result<(Vec<Marker>, Vec<Marker>), String> {
        self.check_text()?;
        Ok((self.opener()?.markers()?, self.closer()?.markers()?))
    }
}

/// The key paths of the parts of a call.
pub(super) struct CallPaths {
    pub(super) name: Vec<String>,
    pub(super) arguments: Vec<String>,
    pub(super) id: Option<Vec<String>>,
}

/// Splits a path such as `content.function.name` into its keys.
pub(super) fn path(written: &str) -> Vec<String> {
    written.split('.').map(str::to_owned).collect()
}

/// Reads a transform. `{"type": "function", "function": "{content}"}` gives the paths
/// `content.name` and `content.arguments`; an object in the place of `"{content}"` gives both paths
/// itself.
pub(super) fn read_transform(transform: &Value, place: &str) -> Result<CallPaths, String> {
    let wrong = |key: &str, what: &str| format!("`{place}transform{key}`: {what}");
    let call = transform.as_object().ok_or_else(|| wrong("", "expected an object"))?;
    let placeholder = |value: Option<&Value>, key: &str| {
        let text = value.and_then(Value::as_str);
        let inside = text.and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
        inside.map(path).ok_or_else(|| wrong(key, "expected a placeholder such as `{content}`"))
    };
    for (key, value) in call.iter() {
        match key {
            "type" if value.as_str() == Some("function") => {}
            "function" | "id" => {}
            _ => return Err(wrong(&format!(".{key}"), "unknown key")),
        }
    }
    let id = call.get("id").map(|id| placeholder(Some(id), ".id")).transpose()?;
    match call.get("function") {
        Some(Value::Object(function)) => {
            if let Some(key) = function.keys().find(|key| *key != "name" && *key != "arguments") {
                return Err(wrong(&format!(".function.{key}"), "unknown key"));
            }
            let name = placeholder(function.get("name"), ".function.name")?;
            let arguments = placeholder(function.get("arguments"), ".function.arguments")?;
            Ok(CallPaths { name, arguments, id })
        }
        function => {
            let function = placeholder(function, ".function")?;
            let child = |key: &str| [function.as_slice(), &[key.to_owned()]].concat();
            Ok(CallPaths { name: child("name"), arguments: child("arguments"), id })
        }
    }
}

//! The fields of a response template: what opens and closes them, their content, and the transform
//! that says where the parts of a call come from.

use prompty_core::value::{Map, Value};

use super::pattern::{self, Piece};
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

pub(super) fn only_known(map: &Map, place: &str, known: &[&str]) -> Result<(), String> {
    match map.keys().find(|key| !known.contains(key)) {
        Some(key) => Err(format!("`{place}{key}`: there is no such key")),
        None => Ok(()),
    }
}

pub(super) fn several(place: &str) -> String {
    format!("`{place}`: a format has no place for several texts here")
}

/// An opener or a closer.
#[derive(Debug)]
pub(super) struct Delimiter {
    /// The key, for errors.
    pub(super) place: String,
    /// Whether it is a pattern.
    pub(super) is_pattern: bool,
    /// Its parts.
    pub(super) pieces: Vec<Piece>,
}

impl Delimiter {
    /// The delimiter of a key: of its own, with texts, or of the one that ends in `_pattern`.
    pub(super) fn read(map: &Map, place: &str, key: &str) -> Result<Option<Self>, String> {
        let key_of_pattern = format!("{key}_pattern");
        match (map.get(key), map.get(&key_of_pattern)) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(format!("`{place}{key_of_pattern}`: there is `{key}`, too")),
            (Some(literals), None) => {
                let place = format!("{place}{key}");
                let texts: Option<Vec<&str>> = match literals {
                    Value::String(text) => Some(vec![&**text]),
                    Value::Array(items) => items.iter().map(Value::as_str).collect(),
                    _ => None,
                };
                let texts = texts.filter(|texts| !texts.is_empty() && !texts.contains(&""));
                let texts =
                    texts.ok_or_else(|| format!("`{place}`: it is no text, or an empty one"))?;
                let mut texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
                let piece = match texts.len() {
                    1 => Piece::Text(texts.remove(0)),
                    _ => Piece::OneOf(texts),
                };
                Ok(Some(Self { place, is_pattern: false, pieces: vec![piece] }))
            }
            (None, Some(written)) => {
                let place = format!("{place}{key_of_pattern}");
                let written =
                    written.as_str().ok_or_else(|| format!("`{place}`: it is no text"))?;
                Self::of_pattern(place, written).map(Some)
            }
        }
    }

    pub(super) fn of_pattern(place: String, written: &str) -> Result<Self, String> {
        let pieces = pattern::parse(written)
            .map_err(|what| format!("`{place}`: a format cannot say {what}"))?;
        Ok(Self { place, is_pattern: true, pieces })
    }

    /// The delimiter as one marker.
    pub(super) fn marker(&self) -> Result<Marker, String> {
        if matches!(self.pieces.as_slice(), [Piece::OneOf(_)]) {
            return Err(several(&self.place));
        }
        self.marker_of(&self.pieces)
    }

    /// Some of its parts as one marker.
    pub(super) fn marker_of(&self, pieces: &[Piece]) -> Result<Marker, String> {
        pattern::marker(pieces)
            .map_err(|what| format!("`{}`: a format cannot say {what}", self.place))
    }

    /// The markers that it can be.
    pub(super) fn markers(&self) -> Result<Vec<Marker>, String> {
        let is_text = |piece: &&Piece| !matches!(piece, Piece::Space(_));
        let mut texts = self.pieces.iter().filter(is_text);
        match (texts.next(), texts.next()) {
            (Some(Piece::OneOf(texts)), None) => Ok(texts.iter().map(Marker::new).collect()),
            _ => Ok(vec![self.marker()?]),
        }
    }
}

/// A field of a template.
#[derive(Debug)]
pub(super) struct Field<'template> {
    /// The path of its keys, for errors.
    pub(super) place: String,
    map: &'template Map,
    pub(super) open: Option<Delimiter>,
    pub(super) close: Option<Delimiter>,
}

impl<'template> Field<'template> {
    pub(super) fn new(name: &str, field: &'template Value) -> Result<Self, String> {
        let place = format!("fields.{name}.");
        let map = field.as_object().ok_or_else(|| format!("`fields.{name}`: it is no object"))?;
        only_known(map, &place, &FIELD_KEYS)?;
        if map.get("optional").is_some_and(|optional| optional.as_bool() != Some(true)) {
            return Err(format!("`{place}optional`: a format demands nothing of a reply"));
        }
        let open = Delimiter::read(map, &place, "open")?;
        let close = Delimiter::read(map, &place, "close")?;
        Ok(Self { place, map, open, close })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'template Value> {
        self.map.get(key)
    }

    /// Whether a key is true.
    pub(super) fn flag(&self, key: &str) -> Result<bool, String> {
        match self.map.get(key) {
            None => Ok(false),
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(_) => Err(format!("`{}{key}`: it is neither true nor false", self.place)),
        }
    }

    /// The kind of its content, and the arguments of that.
    pub(super) fn content(&self) -> Result<(&'template str, Map), String> {
        let content = match self.map.get("content") {
            None => "text",
            Some(content) => content.as_str().unwrap_or_default(),
        };
        let arguments = match self.map.get("content_args") {
            None => Map::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(_) => return Err(format!("`{}content_args`: it is no object", self.place)),
        };
        Ok((content, arguments))
    }

    /// Checks that it is a text that stays as it is.
    pub(super) fn check_text(&self) -> Result<(), String> {
        let (content, arguments) = self.content()?;
        let place = &self.place;
        if content != "text" {
            return Err(format!("`{place}content`: a format has texts here, not `{content}`"));
        }
        only_known(&arguments, &format!("{place}content_args."), &["strip"])?;
        if self.map.contains_key("transform") {
            return Err(format!("`{place}transform`: a format leaves texts as they are"));
        }
        // Texts that come several times are put together without anything between them.
        match self.map.get("join") {
            None if self.flag("repeats")? => {
                Err(format!("`{place}repeats`: a format makes no list of texts"))
            }
            None => Ok(()),
            Some(join) if join.as_str() == Some("") => Ok(()),
            Some(_) => Err(format!("`{place}join`: a format puts nothing between texts")),
        }
    }

    /// Whether any text may stand behind the name in the opener, as in the header of a message.
    pub(super) fn is_headed(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.pieces.contains(&Piece::Any))
    }

    /// The opener, which has to be there.
    pub(super) fn opener(&self) -> Result<&Delimiter, String> {
        self.open.as_ref().ok_or_else(|| self.without("open"))
    }

    /// The closer, which has to be there.
    pub(super) fn closer(&self) -> Result<&Delimiter, String> {
        self.close.as_ref().ok_or_else(|| self.without("close"))
    }

    fn without(&self, key: &str) -> String {
        format!("`{}{key}`: there is none; only content can do without", self.place)
    }

    /// The openers and the closers of a text in a row of messages.
    pub(super) fn body(&self) -> Result<(Vec<Marker>, Vec<Marker>), String> {
        self.check_text()?;
        Ok((self.opener()?.markers()?, self.closer()?.markers()?))
    }
}

/// The paths of keys that lead to the parts of a call.
pub(super) struct Parts {
    pub(super) name: Vec<String>,
    pub(super) arguments: Vec<String>,
    pub(super) id: Option<Vec<String>>,
}

/// The keys of a path such as `content.function.name`.
pub(super) fn path(written: &str) -> Vec<String> {
    written.split('.').map(str::to_owned).collect()
}

/// Reads a transform.
pub(super) fn read_transform(transform: &Value, place: &str) -> Result<Parts, String> {
    let wrong = |key: &str, what: &str| format!("`{place}transform{key}`: {what}");
    let call = transform.as_object().ok_or_else(|| wrong("", "it is no object"))?;
    let placeholder = |value: Option<&Value>, key: &str| {
        let text = value.and_then(Value::as_str);
        let inside = text.and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
        inside.map(path).ok_or_else(|| wrong(key, "it is no placeholder such as `{content}`"))
    };
    for (key, value) in call.iter() {
        match key {
            "type" if value.as_str() == Some("function") => {}
            "function" | "id" => {}
            _ => return Err(wrong(&format!(".{key}"), "a call has no such part")),
        }
    }
    let id = match call.get("id") {
        Some(id) => Some(placeholder(Some(id), ".id")?),
        None => None,
    };
    match call.get("function") {
        Some(Value::Object(function)) => {
            if let Some(key) = function.keys().find(|key| *key != "name" && *key != "arguments") {
                return Err(wrong(&format!(".function.{key}"), "a call has no such part"));
            }
            let name = placeholder(function.get("name"), ".function.name")?;
            let arguments = placeholder(function.get("arguments"), ".function.arguments")?;
            Ok(Parts { name, arguments, id })
        }
        whole => {
            let whole = placeholder(whole, ".function")?;
            let with = |key: &str| [whole.as_slice(), &[key.to_owned()]].concat();
            Ok(Parts { name: with("name"), arguments: with("arguments"), id })
        }
    }
}

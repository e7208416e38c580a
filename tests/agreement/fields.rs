//! The inputs that templates can use: their Rust fields, their types for the checker, and their
//! kinds for the generator. They are the fields of `Set` in `fixtures/agreement/inputs.rs`.

use typed_prompty::check::{Input, ValueType};
use typed_prompty::message::RichKind;

/// The kind of a value. The generator uses it to make templates that mostly pass the checks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Float,
    Boolean,
    List(Box<Kind>),
    Map(Box<Kind>),
    User,
    Home,
    /// Data of another crate.
    Data,
    Any,
    Rich,
}

impl Kind {
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Self::Text | Self::Integer | Self::Float | Self::Boolean)
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Integer | Self::Float)
    }

    /// The attributes of a value, with their kinds.
    pub(crate) fn attributes(&self) -> Vec<(&'static str, Self)> {
        let texts = || Self::List(Box::new(Self::Text));
        match self {
            Self::User => vec![
                ("name", Self::Text),
                ("nick", Self::Text),
                ("age", Self::Integer),
                ("score", Self::Float),
                ("admin", Self::Boolean),
                ("tags", texts()),
                ("some_tags", texts()),
                ("marks", Self::Map(Box::new(Self::Integer))),
                ("home", Self::Home),
                ("data", Self::Data),
            ],
            Self::Home => vec![("city", Self::Text), ("zip", Self::Integer)],
            Self::Data => vec![("city", Self::Text), ("age", Self::Integer), ("tags", texts())],
            _ => Vec::new(),
        }
    }
}

/// The struct fields that are `Option`s. Only rustc knows this, not the checker.
pub(crate) const OPTIONS: &[&str] = &["nick", "some_tags", "home", "zip"];

/// An input of the prompts.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The type of the field.
    pub(crate) rust: &'static str,
    /// The expression of the value, which reads `set`.
    pub(crate) given: &'static str,
    pub(crate) kind: Kind,
    /// The kind in the terms of the Prompty format.
    pub(crate) declared: &'static str,
    pub(crate) value_type: ValueType,
    pub(crate) optional: bool,
}

impl Field {
    /// The input in the form in which the macros pass it to the checker.
    pub(crate) fn input_type(&self, has_default: bool) -> Input {
        let input = Input::new(self.name, self.value_type.clone());
        if self.optional && !has_default { input.optional() } else { input }
    }

    /// The attribute that the field needs.
    pub(crate) fn attribute(&self) -> String {
        match self.value_type {
            ValueType::Rich(kind) if kind.is_media() => {
                format!("#[prompt(kind = \"{}\")] ", self.declared)
            }
            _ => String::new(),
        }
    }
}

/// All fields.
pub(crate) fn all() -> Vec<Field> {
    let user = || ValueType::Foreign("User".to_owned());
    let list = ValueType::list_of;
    let lists = |item: Kind| Kind::List(Box::new(item));
    let map = || ValueType::Object(Vec::new());
    let row = |name, rust, given, kind, declared, value_type| Field {
        optional: str::starts_with(rust, "Option"),
        name,
        rust,
        given,
        kind,
        declared,
        value_type,
    };
    let optional_text = ValueType::String.nullable();
    let text = || ValueType::String;
    vec![
        row("name", "&str", "&set.name", Kind::Text, "string", text()),
        row("note", "Option<&str>", "set.note.as_deref()", Kind::Text, "string", text()),
        row("letter", "char", "set.letter", Kind::Text, "string", text()),
        row("count", "i64", "set.count", Kind::Integer, "integer", ValueType::Integer),
        row("small", "u8", "set.small", Kind::Integer, "integer", ValueType::Integer),
        row("big", "u64", "set.big", Kind::Integer, "integer", ValueType::Integer),
        row("huge", "i128", "set.huge", Kind::Integer, "integer", ValueType::Integer),
        row("ratio", "f64", "set.ratio", Kind::Float, "float", ValueType::Float),
        row("narrow", "f32", "set.narrow", Kind::Float, "float", ValueType::Float),
        row("flag", "bool", "set.flag", Kind::Boolean, "boolean", ValueType::Boolean),
        row(
            "some_count",
            "Option<i64>",
            "set.some_count",
            Kind::Integer,
            "integer",
            ValueType::Integer,
        ),
        row("some_ratio", "Option<f64>", "set.some_ratio", Kind::Float, "float", ValueType::Float),
        row(
            "some_flag",
            "Option<bool>",
            "set.some_flag",
            Kind::Boolean,
            "boolean",
            ValueType::Boolean,
        ),
        row("words", "&[String]", "&set.words", lists(Kind::Text), "array", list(text())),
        row(
            "numbers",
            "Vec<i64>",
            "set.numbers.clone()",
            lists(Kind::Integer),
            "array",
            list(ValueType::Integer),
        ),
        row("ratios", "&[f64]", "&set.ratios", lists(Kind::Float), "array", list(ValueType::Float)),
        row(
            "holes",
            "&[Option<String>]",
            "&set.holes",
            lists(Kind::Text),
            "array",
            list(optional_text),
        ),
        row(
            "some_words",
            "Option<&[String]>",
            "set.some_words.as_deref()",
            lists(Kind::Text),
            "array",
            list(text()),
        ),
        row(
            "grid",
            "&[Vec<i64>]",
            "&set.grid",
            lists(lists(Kind::Integer)),
            "array",
            list(list(ValueType::Integer)),
        ),
        row("user", "&User", "&set.user", Kind::User, "object", user()),
        row("owner", "Option<&User>", "set.owner.as_ref()", Kind::User, "object", user()),
        row("users", "&[User]", "&set.users", lists(Kind::User), "array", list(user())),
        row(
            "labels",
            "&BTreeMap<String, String>",
            "&set.labels",
            Kind::Map(Box::new(Kind::Text)),
            "object",
            map(),
        ),
        row(
            "counts",
            "BTreeMap<String, i64>",
            "set.counts.clone()",
            Kind::Map(Box::new(Kind::Integer)),
            "object",
            map(),
        ),
        row("anything", "&Value", "&set.anything", Kind::Any, "", ValueType::Any),
        row(
            "history",
            "&[Message]",
            "&set.history",
            Kind::Rich,
            "thread",
            ValueType::Rich(RichKind::Thread),
        ),
        row(
            "earlier",
            "Option<Vec<Message>>",
            "set.earlier.clone()",
            Kind::Rich,
            "thread",
            ValueType::Rich(RichKind::Thread),
        ),
        row("photo", "&Media", "&set.photo", Kind::Rich, "image", ValueType::Rich(RichKind::Image)),
        row(
            "recording",
            "Option<Media>",
            "set.recording.clone()",
            Kind::Rich,
            "audio",
            ValueType::Rich(RichKind::Audio),
        ),
        row(
            "paper",
            "Option<&Media>",
            "set.paper.as_ref()",
            Kind::Rich,
            "file",
            ValueType::Rich(RichKind::File),
        ),
    ]
}

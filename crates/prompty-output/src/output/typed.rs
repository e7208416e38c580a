//! The type of an answer: its schema, and values of it out of replies.

use std::fmt;
use std::sync::{Arc, OnceLock};

use prompty_core::Error;
use prompty_core::schema::shape::{
    OutputFormat, Requirement, SentSchema, Shape, StrictDialect,
    around::{self, Beginning},
};
use prompty_core::schema::{Combination, Kinds, Schema};
use prompty_core::value::internal::Failure;
use prompty_core::value::internal::json::replace_lone_surrogates;
use prompty_core::value::{Map, Value};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::error::{OutputError, OutputErrorKind};
use super::fit::{Fitted, Leniency, Misfit, fit};
use super::parse::{self, Read, Unread};
use super::path::Path;
use super::repair::Repair;
use crate::per_type::PerType;
use crate::type_schema::{self, TypeSchema};

/// A type that a model must answer with.
///
/// An object or a list is asked for as JSON. A text is the reply itself. Any other type is asked for as an
/// object with the `value` and with a `reply` in words, since models answer better when they may say
/// something.
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; }
/// use typed_prompty::output::Output;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct City {
///     name: String,
///     /// How many people live there.
///     population: u64,
/// }
///
/// let output = Output::<City>::new();
/// let reply = "Sure!\n```json\n{name: 'Bonn', population: \"330000\",}\n```";
/// let parsed = output.parse(reply)?;
/// assert_eq!((parsed.value.name.as_str(), parsed.value.population), ("Bonn", 330_000));
/// assert_eq!(parsed.repairs.len(), 5);
///
/// let error = output.parse(r#"{"name": "Bonn"}"#).err().expect("the population is missing");
/// assert_eq!(error.to_string(), "at population: expected a whole number, found nothing");
/// # Ok::<(), prompty_output::output::OutputError>(())
/// ```
#[must_use]
pub struct Output<T> {
    shared: Arc<Shared>,
    leniency: Leniency,
    // As functions, so that only the making of an output says what its type must be able to do.
    from_json: FromJson<T>,
    from_value: fn(&Value) -> Result<T, Failure>,
}

/// Reads sound JSON that has no keys which the type does not know: those may be others in another spelling.
type FromJson<T> = fn(&str) -> Option<T>;

/// What all readers of one type share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The schema of the type.
    pub(super) schema: Value,
    /// The schema of what is asked for, where that is an object with the value.
    wrapped: Option<Value>,
    /// What the model is told, where the type was given as a shape.
    requirement: Option<Requirement>,
    /// Of which kinds a value is that follows the schema if only it can be read as the type.
    sound: Kinds,
    /// The schema of what is asked for as it is sent to providers. It is made when it is asked for.
    sent: OnceLock<SentSchema>,
}

/// A value out of a reply.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// What was mended, in the text and in the values.
    pub repairs: Vec<Repair>,
    /// Whether the reply ended inside of the value.
    pub truncated: bool,
}

/// The names of the object that a type is asked for that is no object, no list and no text.
pub(super) const VALUE: &str = "value";
const REPLY: &str = "reply";
const REPLY_DESCRIPTION: &str = "Reply according the result value";

/// What a model can answer with. Every type that can do it implements the trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a prompt",
    label = "cannot be read from JSON, or has no JSON schema",
    note = "the model is told the type by its schema, and a reply is read as it",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to it and to what it holds"
)]
pub trait Answer: DeserializeOwned {
    #[doc(hidden)]
    fn type_schema() -> TypeSchema;
}

// If it were a supertrait, rustc would report it and not this trait.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Answer for T {
    fn type_schema() -> TypeSchema {
        type_schema::values::<T>()
    }
}

impl<T> Output<T> {
    /// The type, by its schema. That is made once for each type in a process, with the forms in which providers take
    /// it. A schema that changes while the process runs is one for [`Output::from_schema`].
    // If the bound were one of the block, rustc would say that there is no such function, and not why.
    pub fn new() -> Self
    where
        T: Answer,
    {
        static OF_TYPES: PerType<Arc<Shared>> = PerType::new();

        Self::with_readers(OF_TYPES.get::<T>(|| Arc::new(Shared::of_type(T::type_schema()))))
    }
}

impl Output<Value> {
    /// A type that is only known at run time, by its JSON schema. It is asked for as it is: a text or a
    /// number is the reply itself.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::value; pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    /// use typed_prompty::value::Value;
    ///
    /// let schema = Value::from_json(r#"{"properties": {"tags": {"items": {"type": "string"}}}}"#)?;
    /// let parsed = Output::from_schema(schema).parse("tags: {'tags': ['a', 'b']}")?;
    /// assert_eq!(parsed.value.to_json(), r#"{"tags": ["a", "b"]}"#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn from_schema(schema: Value) -> Self {
        Self::with_readers(Arc::new(Shared::new(schema)))
    }

    /// A type that is only known at run time, by its shape. What has no structure is asked for as an object
    /// with the `value` and a `reply`, as Rust types are.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_output::output; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::output::Output;
    ///
    /// let shape = Shape::object([("city", Shape::text()), ("people", Shape::integer().optional())]);
    /// let parsed = Output::from_shape(shape).parse("city: {'city': 'Bonn', 'people': '330000'}")?;
    /// assert_eq!(parsed.value.to_json(), r#"{"city": "Bonn", "people": 330000}"#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn from_shape(shape: Shape) -> Self {
        let schema = shape.to_schema();
        let requirement = Requirement::of(shape);
        let asked = requirement.shape().to_schema();
        let wrapped = (asked != schema).then_some(asked);
        let requirement = Some(requirement);
        Self::with_readers(Arc::new(Shared { wrapped, requirement, ..Shared::new(schema) }))
    }
}

impl<T: DeserializeOwned> Output<T> {
    fn with_readers(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            leniency: Leniency::default(),
            from_json: from_json::<T>,
            from_value: Value::deserialize_in_place::<T>,
        }
    }
}

impl<T> Output<T> {
    /// The same type, read with another leniency.
    pub fn with_leniency(mut self, leniency: Leniency) -> Self {
        self.leniency = leniency;
        self
    }

    /// The JSON schema of what is asked for.
    #[must_use]
    pub fn schema(&self) -> &Value {
        self.shared.asked()
    }

    /// What a prompt says to the model of the answer: write it into the prompt.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City {
    ///     name: String,
    ///     /// How many people live there.
    ///     population: Option<u64>,
    /// }
    ///
    /// assert_eq!(Output::<City>::new().requirement()?.to_string(), r#"[OUTPUT REQUIREMENT]:
    /// Data Format: JSON
    /// Data Structure:
    /// {
    ///   "name": <str>,
    ///   "population": <int | NoneType> // How many people live there.
    /// }
    ///
    /// "#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Shape::from_schema`]: where the schema of the type says what no shape can say.
    pub fn requirement(&self) -> Result<Requirement, Error> {
        if let Some(requirement) = &self.shared.requirement {
            return Ok(requirement.clone());
        }
        let mut schema = self.schema().clone();
        let format = if is_text(&schema) { OutputFormat::Markdown } else { OutputFormat::Json };
        if self.shared.wrapped.is_some()
            && let Value::Object(object) = &mut schema
        {
            // The reply is asked for, though an answer without it is taken.
            object.insert("required", Value::from([VALUE, REPLY]));
        }
        Ok(Requirement::new(Shape::from_schema(&schema)?, format))
    }

    /// The JSON schema of what is asked for, in the form that a provider's strict mode asks for. A type that is
    /// not an object is asked for with an object around it, since providers demand one.
    ///
    /// # Errors
    ///
    /// Those of [`Shape::from_schema`] and [`Shape::to_strict_schema`].
    pub fn strict_schema(&self, dialect: StrictDialect) -> Result<Value, Error> {
        self.shared.sent().strict(dialect).cloned().map_err(Error::duplicate)
    }

    /// The schema of what is asked for, as it is sent to providers.
    ///
    /// For `prompty-wire`.
    #[doc(hidden)]
    pub fn sent(&self) -> &SentSchema {
        self.shared.sent()
    }

    /// Brings a value into the type, as one that a reply holds.
    ///
    /// # Errors
    ///
    /// If the value does not fit. The error says where and what was expected.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::value; pub use prompty_output::output; }
    /// use typed_prompty::value::Value;
    /// use typed_prompty::output::Output;
    ///
    /// let output = Output::<Vec<u8>>::new();
    /// assert_eq!(output.fit(&Value::from_json(r#"[1, "2"]"#)?)?.value, [1, 2]);
    /// let error = output.fit(&Value::from_json("[1, true]")?).unwrap_err();
    /// assert_eq!(error.to_string(), "at [1]: expected a whole number, found true");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn fit(&self, value: &Value) -> Result<Parsed<T>, OutputError> {
        self.typed(self.shared.fit(value, self.leniency))
    }

    /// Reads a whole reply.
    ///
    /// # Errors
    ///
    /// If the reply holds no value of the type. The error says where and what was expected, and
    /// [`OutputError::correction`] asks the model for another answer.
    pub fn parse(&self, reply: &str) -> Result<Parsed<T>, OutputError> {
        let sound = match self.shared.inside(reply) {
            Some(inside) => around::without_end(inside).and_then(|value| self.sound(value)),
            None => self.sound(reply),
        };
        match sound {
            Some(parsed) => Ok(parsed),
            None => self.typed(self.shared.read(reply, self.leniency)),
        }
    }

    /// Reads a reply that is nothing but sound JSON of the type, which most replies are: it has one meaning,
    /// and needs no look at the schema.
    fn sound(&self, reply: &str) -> Option<Parsed<T>> {
        let json = reply.trim();
        // serde reads structs from lists, too, but no model was told so.
        let kinds = self.shared.sound;
        let is_wanted = json.starts_with('{') && kinds.intersects(Kinds::OBJECT)
            || json.starts_with('[') && kinds.intersects(Kinds::ARRAY);
        if !is_wanted {
            return None;
        }
        let value = (self.from_json)(json)?;
        Some(Parsed { value, repairs: Vec::new(), truncated: false })
    }

    /// Whether a request asks the provider for JSON: a text is the reply itself.
    ///
    /// For `prompty-reply`, `prompty-chat` and `prompty-wire`.
    #[doc(hidden)]
    pub fn asks_for_json(&self) -> bool {
        !self.shared.is_text()
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(super) const fn leniency(&self) -> Leniency {
        self.leniency
    }

    pub(super) fn typed(&self, read: Result<Read, Unread>) -> Result<Parsed<T>, OutputError> {
        let Read { value, repairs, truncated } = read.map_err(unread)?;
        match (self.from_value)(&value) {
            Ok(value) => Ok(Parsed { value, repairs, truncated }),
            Err(failure) => {
                let path = Path::from_failure(&failure);
                let error = OutputError::new(OutputErrorKind::Misfit, path, failure.message());
                Err(error.of_value(truncated))
            }
        }
    }
}

impl Shared {
    /// What the readers of a schema share.
    const fn new(schema: Value) -> Self {
        let sent = OnceLock::new();
        Self { schema, wrapped: None, requirement: None, sound: Kinds::NONE, sent }
    }

    /// What the readers of a type share.
    fn of_type(TypeSchema { schema, has_constraints }: TypeSchema) -> Self {
        let schema = Value::Object(schema);
        let kinds = Schema::from_value(&schema).kinds();
        let holds_others = kinds.intersects(Kinds::OBJECT.union(Kinds::ARRAY));
        let wrapped = (!holds_others && !is_text(&schema)).then(|| wrapped(&schema));
        let is_held_by_type = !has_constraints && wrapped.is_none();
        let sound = if is_held_by_type { kinds } else { Kinds::NONE };
        Self { wrapped, sound, ..Self::new(schema) }
    }

    /// The schema of what is asked for.
    pub(super) fn asked(&self) -> &Value {
        self.wrapped.as_ref().unwrap_or(&self.schema)
    }

    /// The schema of what is asked for, as it is sent to providers.
    pub(super) fn sent(&self) -> &SentSchema {
        self.sent.get_or_init(|| match &self.requirement {
            Some(requirement) => SentSchema::of_shape(requirement.shape().clone()),
            None => SentSchema::of_schema(self.asked()),
        })
    }

    /// Whether an object around the value is asked for.
    pub(super) const fn is_wrapped(&self) -> bool {
        self.wrapped.is_some()
    }

    /// Whether the reply itself is the value.
    pub(super) fn is_text(&self) -> bool {
        is_text(self.asked())
    }

    /// Whether providers may be asked for an object around the value, though the prompt asks for the value alone.
    pub(super) fn may_be_inside(&self) -> bool {
        let is_of_several = |it: &Combination| self.schema.get(it.keyword()).is_some();
        self.wrapped.is_none()
            && (Schema::from_value(&self.schema).kinds() != Kinds::OBJECT
                || self.schema.get("$ref").is_some()
                || Combination::ALL.iter().any(is_of_several))
    }

    /// The value of a reply that begins with the object that a provider demanded around it, and what closes that.
    pub(super) fn inside<'t>(&self, reply: &'t str) -> Option<&'t str> {
        // Most replies show at once that they do not.
        match around::beginning(reply) {
            Beginning::Around { .. } if self.may_be_inside() => self.sent().inside(reply),
            _ => None,
        }
    }

    /// Reads the value of the type: out of the object around it, or alone.
    pub(super) fn read(&self, reply: &str, leniency: Leniency) -> Result<Read, Unread> {
        if let Some(inside) = self.inside(reply) {
            return self.read_inside(inside, leniency);
        }
        if self.may_be_inside()
            && reply.contains(around::KEY)
            && let Some(read) = self.read_around(reply, leniency)
        {
            return Ok(read);
        }
        let Some(wrapped) = &self.wrapped else { return self.read_bare(reply, leniency) };
        match parse::read(reply, Schema::from_value(wrapped), leniency) {
            Ok(read) => Ok(value_of(VALUE, read)),
            // The model may have answered with the value alone.
            Err(unread) => self.read_bare(reply, leniency).map_err(|_| unread),
        }
    }

    fn read_bare(&self, reply: &str, leniency: Leniency) -> Result<Read, Unread> {
        parse::read(reply, Schema::from_value(&self.schema), leniency)
    }

    /// Reads the value behind the beginning of the object around it.
    pub(super) fn read_inside(&self, rest: &str, leniency: Leniency) -> Result<Read, Unread> {
        let value = around::without_end(rest);
        self.read_bare(value.unwrap_or(rest), leniency)
    }

    /// Reads the value out of an object around it that stands behind something else, such as a fence.
    fn read_around(&self, reply: &str, leniency: Leniency) -> Option<Read> {
        let key = self.sent().around()?;
        let schema = self.sent().plain().ok()?;
        let read = parse::read(reply, Schema::from_value(schema), leniency).ok()?;
        Some(value_of(key, read))
    }
}

/// The value under a key, for the object that holds it.
fn value_of(key: &str, around: Read) -> Read {
    let value = around.value.get(key).cloned().unwrap_or_default();
    Read { value, ..around }
}

impl Shared {
    /// Brings a value into the type: one around it, or itself.
    pub(super) fn fit(&self, value: &Value, leniency: Leniency) -> Result<Read, Unread> {
        let value = self.without_around(value);
        let fit = |schema: &Value| fit(value, Schema::from_value(schema), leniency);
        let own = || fit(&self.schema);
        let fitted = match self.wrapped.as_ref().map(fit) {
            None => own(),
            Some(Ok(around)) => {
                let value = around.value.get(VALUE).cloned().unwrap_or_default();
                Ok(Fitted { value, ..around })
            }
            Some(Err(misfit)) => own().map_err(|_| misfit),
        };
        let Fitted { value, repairs } = fitted.map_err(Unread::of_whole)?;
        Ok(Read { value, repairs, truncated: false })
    }

    /// A value without the object that a provider demanded around it.
    fn without_around<'v>(&self, value: &'v Value) -> &'v Value {
        let only = value.as_object().filter(|map| map.len() == 1 && self.may_be_inside());
        let inside = only.and_then(|map| map.get(self.sent().around()?));
        inside.unwrap_or(value)
    }
}

/// Whether any text follows a schema, and nothing else does.
fn is_text(schema: &Value) -> bool {
    Schema::from_value(schema).kinds() == Kinds::STRING && is_any_text(schema)
}

fn from_json<T: DeserializeOwned>(json: &str) -> Option<T> {
    let json = replace_lone_surrogates(json);
    let mut has_unknown_keys = false;
    let mut deserializer = serde_json::Deserializer::from_str(&json);
    let value = serde_ignored::deserialize(&mut deserializer, |_| has_unknown_keys = true);
    let value = value.ok().filter(|_| !has_unknown_keys)?;
    deserializer.end().ok()?;
    Some(value)
}

/// Whether a schema of texts admits all of them.
fn is_any_text(schema: &Value) -> bool {
    let says = ["enum", "const", "pattern", "format", "minLength", "maxLength", "anyOf", "oneOf"];
    !says.iter().any(|it| schema.get(it).is_some())
}

/// The schema of an object with a value and a reply.
fn wrapped(schema: &Value) -> Value {
    let mut inner = schema.as_object().cloned().unwrap_or_default();
    let definitions = inner.remove("$defs");
    let reply = Map::from([("type", "string"), ("description", REPLY_DESCRIPTION)]);
    let mut object = Map::from([
        ("type", Value::from("object")),
        ("properties", Map::from([(VALUE, inner), (REPLY, reply)]).into()),
        ("required", [VALUE].into()),
    ]);
    if let Some(definitions) = definitions {
        object.insert("$defs", definitions);
    }
    Value::Object(object)
}

fn unread(unread: Unread) -> OutputError {
    match unread {
        Unread::Nothing => OutputError::new(
            OutputErrorKind::Nothing,
            Path::default(),
            "expected a JSON value, found none",
        ),
        Unread::Damaged(repair) => OutputError::new(
            OutputErrorKind::Damaged,
            Path::default(),
            format!("expected JSON, found {repair}"),
        ),
        Unread::Misfit { misfit: Misfit { path, message }, truncated } => {
            OutputError::new(OutputErrorKind::Misfit, path, message).of_value(truncated)
        }
    }
}

/// What generated code makes the output of a prompt with: the one place where it names the trait.
#[doc(hidden)]
pub fn output_of<T: Answer>() -> Output<T> {
    Output::new()
}

/// As [`output_of`], for a type that a macro made of the schema, which may say more than the type does.
#[doc(hidden)]
pub fn output_of_schema<T: Answer>() -> Output<T> {
    let Output { shared, leniency, from_json, from_value } = Output::new();
    let shared = Arc::new(Shared::new(shared.schema.clone()));
    Output { shared, leniency, from_json, from_value }
}

impl<T: Answer> Default for Output<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for Output<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), ..*self }
    }
}

impl<T> fmt::Debug for Output<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("schema", &self.shared.schema)
            .field("leniency", &self.leniency)
            .finish_non_exhaustive()
    }
}

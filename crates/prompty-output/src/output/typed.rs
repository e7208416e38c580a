//! The type of an answer: its schema, and the reader of replies.
//!
//! A value may be in one of two objects, which are not part of its type:
//!
//! - The prompt requests a scalar in a *reply object*, `{"value": 5, "reply": "Because …"}`. An
//!   answer with only the value is accepted, too.
//! - A provider's strict mode may require a *wrapper object* with a single key around a type that
//!   is not an object (see [`SentSchema`]), although the prompt requests only the value.

use std::fmt;
use std::sync::{Arc, OnceLock};

use prompty_core::Error;
use prompty_core::schema::shape::{
    OutputFormat, Requirement, SentSchema, Shape, StrictDialect,
    wrapper::{self, WrapperStart},
};
use prompty_core::schema::{Combination, Kinds, Schema};
use prompty_core::value::internal::{Failure, json_excerpt};
use prompty_core::value::{Map, Value};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::error::{OutputError, OutputErrorKind};
use super::fit::{self, FitError, FitTarget, FittedValue, Leniency, fit};
use super::long_numbers;
use super::parse::{self, ReadFailure, ReadResult, ReadValue};
use super::path::Path;
use super::repair::Repair;
use crate::type_cache::TypeCache;
use crate::type_schema::{self, TypeSchema};
use crate::union_work::{self, EXPECTED_SMALLER};

/// The type of a model's answer.
///
/// An object or an array is requested as JSON. A string is the reply itself. Any other type is
/// requested as an object with the `value` and with a `reply` in words, since models answer better
/// if they can explain.
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
/// assert_eq!(error.to_string(), "at population: expected an integer, found nothing");
/// # Ok::<(), prompty_output::output::OutputError>(())
/// ```
#[must_use]
pub struct Output<T> {
    shared: Arc<SharedSchema>,
    leniency: Leniency,
    /// Whether a value is accepted although the reply ended inside of it.
    accepts_truncated: bool,
    // They are functions, so that only the constructors need bounds on the type.
    from_json: FromJson<T>,
    from_value: fn(&Value) -> Result<T, Failure>,
}

/// Reads valid JSON without unknown keys. Unknown keys could be other spellings of known ones.
type FromJson<T> = fn(&str) -> Option<T>;

/// The data that all readers of one type share.
#[derive(Debug)]
pub(super) struct SharedSchema {
    /// The schema of the type.
    pub(super) schema: Value,
    /// The schema of the reply object, if the type is requested in one.
    reply_object: Option<Value>,
    /// The text about the output, if the type was given as a shape.
    pub(super) requirement: Option<Requirement>,
    /// The kinds of values that follow the schema if they can be deserialized. Such values need no
    /// further check.
    direct_kinds: Kinds,
    /// Whether the type contains itself in a union: see [`union_work`].
    has_recursive_union: bool,
    /// The schema with the formats of Rust's floats, if the type has any.
    schema_with_floats: Option<Value>,
    /// The requested schema in the form for providers. It is computed when it is needed.
    sent: OnceLock<SentSchema>,
}

/// A value that was read from a reply.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// The repairs of the text and of the values.
    pub repairs: Vec<Repair>,
    /// Whether the reply ended inside of the value. Only with [`Output::with_truncated`].
    pub truncated: bool,
}

/// The keys of the reply object, for types that are neither an object, an array nor a string.
pub(super) const VALUE: &str = "value";
const REPLY: &str = "reply";
const REPLY_DESCRIPTION: &str = "Reply according the result value";

/// A type that a model can answer with. Every suitable type implements the trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a prompt",
    label = "cannot be read from JSON, or has no JSON schema",
    note = "the prompt contains the schema of the type, and the reply is deserialized",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to it and to its field types",
    note = "if it has these already, its `schemars` has another version: `typed-prompty` needs `schemars = \"1\"`"
)]
pub trait Answer: DeserializeOwned {
    #[doc(hidden)]
    fn type_schema() -> TypeSchema;
}

// If these were supertraits, rustc would report them instead of this trait.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Answer for T {
    fn type_schema() -> TypeSchema {
        type_schema::value_schema::<T>()
    }
}

impl<T> Output<T> {
    /// The output of a Rust type. Its schema is computed once for each type in a process, with its
    /// forms for providers. Use [`Output::from_schema`] for a schema that changes while the process
    /// runs.
    // With a bound on the `impl` block, rustc would report a missing function, and not the missing
    // trait.
    pub fn new() -> Self
    where
        T: Answer,
    {
        static OF_TYPES: TypeCache<Arc<SharedSchema>> = TypeCache::new();

        Self::with_readers(OF_TYPES.get::<T>(|| Arc::new(SharedSchema::of_type(T::type_schema()))))
    }
}

impl Output<Value> {
    /// The output of a type that is only known at run time, by its JSON schema. It is requested
    /// without a wrapper object: a string or a number is the reply itself.
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
        Self::with_readers(Arc::new(SharedSchema::new(schema)))
    }

    /// The output of a type that is only known at run time, by its shape. A scalar is requested as
    /// an object with the `value` and a `reply`, as for Rust types.
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
        Self::with_readers(Arc::new(SharedSchema::of_shape(shape)))
    }
}

impl<T: DeserializeOwned> Output<T> {
    fn with_readers(shared: Arc<SharedSchema>) -> Self {
        Self {
            shared,
            leniency: Leniency::default(),
            accepts_truncated: false,
            from_json: from_json::<T>,
            from_value: Value::deserialize_in_place::<T>,
        }
    }
}

impl<T> Output<T> {
    /// Sets how lenient replies are read.
    pub fn with_leniency(mut self, leniency: Leniency) -> Self {
        self.leniency = leniency;
        self
    }

    /// Accepts replies that end inside of the value, if the received part fits the type.
    /// [`Parsed::truncated`] is then set. Without it, they are an error that holds the received part.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::{Output, OutputErrorKind};
    ///
    /// let output = Output::<Vec<String>>::new();
    /// let error = output.parse(r#"["red", "gre"#).unwrap_err();
    /// assert_eq!(error.kind(), OutputErrorKind::CutOff);
    /// assert_eq!(error.partial().unwrap().to_json(), r#"["red", "gre"]"#);
    ///
    /// let parsed = output.with_truncated().parse(r#"["red", "gre"#)?;
    /// assert_eq!(parsed.value, ["red", "gre"]);
    /// assert!(parsed.truncated);
    /// # Ok::<(), prompty_output::output::OutputError>(())
    /// ```
    pub fn with_truncated(mut self) -> Self {
        self.accepts_truncated = true;
        self
    }

    /// The requested JSON schema.
    #[must_use]
    pub fn schema(&self) -> &Value {
        self.shared.requested_schema()
    }

    /// The text that describes the answer to the model. Write it into the prompt.
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
    ///   "population": <int | NoneType> // How many people live there. at least 0
    /// }
    ///
    /// "#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Shape::from_schema`]: an error if a shape cannot express the schema
    /// of the type.
    pub fn requirement(&self) -> Result<Requirement, Error> {
        if let Some(requirement) = &self.shared.requirement {
            return Ok(requirement.clone());
        }
        let mut schema = self.schema().clone();
        let format = if is_text(&schema) { OutputFormat::Markdown } else { OutputFormat::Json };
        if self.shared.has_reply_object()
            && let Value::Object(object) = &mut schema
        {
            // The reply is requested, but an answer without it is accepted.
            object.insert("required", Value::from([VALUE, REPLY]));
        }
        Ok(Requirement::new(Shape::from_schema(&schema)?, format))
    }

    /// The requested JSON schema, in the form for a provider's strict mode. A type that is not an
    /// object is requested in a wrapper object, since providers require an object.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Shape::from_schema`] and [`Shape::to_strict_schema`].
    pub fn strict_schema(&self, dialect: StrictDialect) -> Result<Value, Error> {
        self.shared.sent().strict(dialect).cloned().map_err(Error::duplicate)
    }

    /// The requested schema in the form for providers.
    ///
    /// For `prompty-wire`.
    #[doc(hidden)]
    pub fn sent(&self) -> &SentSchema {
        self.shared.sent()
    }

    /// Converts a value into the type, like a value in a reply.
    ///
    /// # Errors
    ///
    /// Returns an error if the value does not fit. It has the place and what was expected.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::value; pub use prompty_output::output; }
    /// use typed_prompty::value::Value;
    /// use typed_prompty::output::Output;
    ///
    /// let output = Output::<Vec<u8>>::new();
    /// assert_eq!(output.fit(&Value::from_json(r#"[1, "2"]"#)?)?.value, [1, 2]);
    /// let error = output.fit(&Value::from_json("[1, true]")?).unwrap_err();
    /// assert_eq!(error.to_string(), "at [1]: expected an integer, found true");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn fit(&self, value: &Value) -> Result<Parsed<T>, OutputError> {
        let fitted = self.shared.fit(value, self.leniency);
        self.convert(fitted.map(|FittedValue { value, repairs, .. }| ReadValue {
            value,
            repairs,
            truncated: false,
        }))
    }

    /// Reads a complete reply.
    ///
    /// # Errors
    ///
    /// Returns an error if the reply contains no value of the type. It has the place and what was
    /// expected, and [`OutputError::correction`] asks the model for another answer. An error of the
    /// kind [`OutputErrorKind::CutOff`] if the reply ended inside of the value:
    /// [`OutputError::partial`] is the received part, and [`with_truncated`](Self::with_truncated)
    /// accepts it.
    pub fn parse(&self, reply: &str) -> Result<Parsed<T>, OutputError> {
        self.parse_after_end(reply, false)
    }

    /// Reads a reply. `was_cut` says that the provider reported that it was cut.
    ///
    /// For `prompty-reply`.
    #[doc(hidden)]
    pub fn parse_after_end(&self, reply: &str, was_cut: bool) -> Result<Parsed<T>, OutputError> {
        let parsed = match self.shared.value_in_wrapper(reply) {
            Some(inside) => {
                wrapper::strip_wrapper_end(inside).and_then(|value| self.parse_directly(value))
            }
            None => self.parse_directly(reply),
        };
        match parsed {
            Some(parsed) => Ok(parsed),
            None => {
                let mut read = self.shared.read(reply, self.leniency);
                // Strings, numbers and words have no closing delimiter, so only the provider knows
                // whether they were cut.
                let has_end =
                    self.asks_for_json() && reply.trim_end().ends_with(['}', ']', '"', '\'', '`']);
                if let Ok(read) = &mut read {
                    read.truncated |= was_cut && !has_end;
                }
                self.convert(read)
            }
        }
    }

    /// Reads a reply that is only valid JSON of the type, as most replies are. Such a reply is
    /// unambiguous, so the schema is not needed.
    fn parse_directly(&self, reply: &str) -> Option<Parsed<T>> {
        let json = reply.trim();
        // serde also reads structs from arrays, but the schema does not describe that form.
        let kinds = self.shared.direct_kinds;
        let is_accepted = json.starts_with('{') && kinds.intersects(Kinds::OBJECT)
            || json.starts_with('[') && kinds.intersects(Kinds::ARRAY);
        if !is_accepted {
            return None;
        }
        if self.shared.schema_with_floats.is_some() && long_numbers::is_contained_in(json) {
            // It may have more digits than the type.
            return None;
        }
        let value = (self.from_json)(json)?;
        Some(Parsed { value, repairs: Vec::new(), truncated: false })
    }

    /// Whether a request asks the provider for JSON. It does not for a string, which is the reply
    /// itself.
    ///
    /// For `prompty-reply`, `prompty-chat` and `prompty-wire`.
    #[doc(hidden)]
    pub fn asks_for_json(&self) -> bool {
        !self.shared.is_text()
    }

    /// The same output with other data.
    pub(super) fn with_shared(self, shared: Arc<SharedSchema>) -> Self {
        Self { shared, ..self }
    }

    pub(super) fn shared(&self) -> &SharedSchema {
        &self.shared
    }

    pub(super) const fn leniency(&self) -> Leniency {
        self.leniency
    }

    /// Whether a read value is an answer: it is complete, or truncated ones are accepted.
    pub(super) const fn accepts(&self, read: &ReadValue) -> bool {
        self.accepts_truncated || !read.truncated
    }

    /// Converts a value that was read into the Rust type.
    pub(super) fn convert(&self, read: ReadResult) -> Result<Parsed<T>, OutputError> {
        let read = read.map_err(output_error)?;
        let is_accepted = self.accepts(&read);
        let ReadValue { value, mut repairs, truncated } = read;
        self.shared.record_rounded_floats(&value, &mut repairs);
        let misfit = |path, message: &str| {
            let partial = truncated.then(|| value.clone());
            OutputError::new(OutputErrorKind::Misfit, path, message).with_partial(partial)
        };
        if !self.shared.can_deserialize(&value, Schema::from_value(&self.shared.schema)) {
            let message = format!("expected {EXPECTED_SMALLER}, found {}", json_excerpt(&value));
            return Err(misfit(Path::default(), &message));
        }
        match (self.from_value)(&value) {
            Ok(value) if is_accepted => Ok(Parsed { value, repairs, truncated }),
            Ok(_) => Err(OutputError::cut_off(value)),
            Err(failure) => Err(misfit(Path::from_failure(&failure), failure.message())),
        }
    }
}

impl SharedSchema {
    /// The data for a schema.
    const fn new(schema: Value) -> Self {
        Self {
            schema,
            reply_object: None,
            requirement: None,
            direct_kinds: Kinds::NONE,
            has_recursive_union: false,
            schema_with_floats: None,
            sent: OnceLock::new(),
        }
    }

    /// The data for a shape.
    pub(super) fn of_shape(shape: Shape) -> Self {
        let schema = shape.to_schema();
        let requirement = Requirement::of(shape);
        let requested = requirement.shape().to_schema();
        let reply_object = (requested != schema).then_some(requested);
        Self { reply_object, requirement: Some(requirement), ..Self::new(schema) }
    }

    /// The same data for a schema with more constraints.
    pub(super) fn with_schema(&self, schema: Value) -> Self {
        let was_text = is_text(&self.schema) && !is_text(&schema);
        let has_reply_object = self.has_reply_object() || was_text;
        Self {
            reply_object: has_reply_object.then(|| reply_object_schema(&schema)),
            has_recursive_union: self.has_recursive_union,
            schema_with_floats: self.schema_with_floats.clone(),
            ..Self::new(schema)
        }
    }

    /// The data for a Rust type.
    fn of_type(TypeSchema { schema, has_constraints, schema_with_floats }: TypeSchema) -> Self {
        let schema = Value::Object(schema);
        let kinds = Schema::from_value(&schema).kinds();
        let is_container = kinds.intersects(Kinds::OBJECT.union(Kinds::ARRAY));
        let has_reply_object = !is_container && !is_text(&schema);
        let reply_object = has_reply_object.then(|| reply_object_schema(&schema));
        let has_recursive_union = union_work::has_recursive_union(&schema);
        let is_checked_by_type = !has_constraints && !has_reply_object && !has_recursive_union;
        let direct_kinds = if is_checked_by_type { kinds } else { Kinds::NONE };
        let schema_with_floats = schema_with_floats.map(Value::Object);
        Self {
            reply_object,
            direct_kinds,
            has_recursive_union,
            schema_with_floats,
            ..Self::new(schema)
        }
    }

    /// Whether serde reads a value in bounded work. The value fits `schema`, which is a part of the
    /// schema of the type.
    pub(super) fn can_deserialize(&self, value: &Value, schema: Schema<'_>) -> bool {
        !self.has_recursive_union || union_work::is_bounded(value, schema)
    }

    /// Records the numbers that are rounded when they become floats of the type. A `Value` holds
    /// more digits of an integer than an `f64`.
    fn record_rounded_floats(&self, value: &Value, repairs: &mut Vec<Repair>) {
        if let Some(schema) = &self.schema_with_floats {
            repairs.extend(fit::rounded_floats(value, schema));
        }
    }

    /// The requested schema.
    pub(super) fn requested_schema(&self) -> &Value {
        self.reply_object.as_ref().unwrap_or(&self.schema)
    }

    /// The requested schema in the form for providers.
    pub(super) fn sent(&self) -> &SentSchema {
        self.sent.get_or_init(|| match &self.requirement {
            Some(requirement) => SentSchema::of_shape(requirement.shape().clone()),
            None => SentSchema::of_schema(self.requested_schema()),
        })
    }

    /// Whether the value is requested in a reply object.
    pub(super) const fn has_reply_object(&self) -> bool {
        self.reply_object.is_some()
    }

    /// Whether the reply itself is the value.
    pub(super) fn is_text(&self) -> bool {
        is_text(self.requested_schema())
    }

    /// Whether providers may require a wrapper object around the value, although the prompt
    /// requests only the value. They require none around an object, but a reference or a
    /// combination of schemas at the root is not certainly one.
    pub(super) fn may_be_wrapped(&self) -> bool {
        let has_combination = |it: &Combination| self.schema.get(it.keyword()).is_some();
        !self.has_reply_object()
            && (Schema::from_value(&self.schema).kinds() != Kinds::OBJECT
                || self.schema.get("$ref").is_some()
                || Combination::ALL.iter().any(has_combination))
    }

    /// If a reply begins with the wrapper object that a provider required: the text after its
    /// beginning, which is the value and the end of the object.
    pub(super) fn value_in_wrapper<'t>(&self, reply: &'t str) -> Option<&'t str> {
        // Most replies have no wrapper object, which their beginning shows.
        match wrapper::wrapper_start(reply) {
            WrapperStart::Present { .. } if self.may_be_wrapped() => {
                self.sent().strip_wrapper_start(reply)
            }
            _ => None,
        }
    }

    /// Reads the value of the type: alone, in a wrapper object, or in a reply object.
    pub(super) fn read(&self, reply: &str, leniency: Leniency) -> ReadResult {
        if let Some(inside) = self.value_in_wrapper(reply) {
            return self.read_in_wrapper(inside, leniency);
        }
        if self.may_be_wrapped()
            && reply.contains(wrapper::WRAPPER_KEY)
            && let Some(read) = self.read_wrapper(reply, leniency)
        {
            return Ok(read);
        }
        let Some(schema) = &self.reply_object else { return self.read_bare(reply, leniency) };
        match parse::read(reply, FitTarget::new(schema, leniency)) {
            Ok(read) => Ok(ReadValue { value: value_of(VALUE, &read.value), ..read }),
            // The model may have answered with only the value.
            Err(unread) => self.read_bare(reply, leniency).map_err(|of_value| match unread {
                ReadFailure::Nothing => of_value,
                unread => unread,
            }),
        }
    }

    /// Reads the value of the type, which is not in another object.
    fn read_bare(&self, reply: &str, leniency: Leniency) -> ReadResult {
        parse::read(reply, FitTarget::new(&self.schema, leniency))
    }

    /// Reads the value after the beginning of the wrapper object.
    pub(super) fn read_in_wrapper(&self, rest: &str, leniency: Leniency) -> ReadResult {
        let value = wrapper::strip_wrapper_end(rest);
        self.read_bare(value.unwrap_or(rest), leniency)
    }

    /// Reads the value from a wrapper object that follows other text, such as a fence.
    fn read_wrapper(&self, reply: &str, leniency: Leniency) -> Option<ReadValue> {
        let key = self.sent().wrapper_key()?;
        let schema = self.sent().plain().ok()?;
        let read = parse::read(reply, FitTarget::new(schema, leniency)).ok()?;
        Some(ReadValue { value: value_of(key, &read.value), ..read })
    }

    /// Converts a value, or the wrapper or reply object around it, into the type.
    pub(super) fn fit(
        &self,
        value: &Value,
        leniency: Leniency,
    ) -> Result<FittedValue, ReadFailure> {
        let value = self.without_wrapper(value);
        let fit_schema = |schema: &Value| fit(value, FitTarget::new(schema, leniency));
        let fitted = match self.reply_object.as_ref().map(fit_schema) {
            None => fit_schema(&self.schema),
            Some(Ok(object)) => Ok(FittedValue { value: value_of(VALUE, &object.value), ..object }),
            Some(Err(misfit)) => fit_schema(&self.schema).map_err(|of_value| match value {
                Value::Object(_) => misfit,
                _ => of_value,
            }),
        };
        fitted.map_err(ReadFailure::of_complete_value)
    }

    /// A value without the wrapper object that a provider required.
    fn without_wrapper<'v>(&self, value: &'v Value) -> &'v Value {
        let only = value.as_object().filter(|map| map.len() == 1 && self.may_be_wrapped());
        let inside = only.and_then(|map| map.get(self.sent().wrapper_key()?));
        inside.unwrap_or(value)
    }
}

/// The value of a key of a wrapper or reply object.
fn value_of(key: &str, object: &Value) -> Value {
    object.get(key).cloned().unwrap_or_default()
}

/// Whether a schema accepts all strings and nothing else.
fn is_text(schema: &Value) -> bool {
    let restricting =
        ["enum", "const", "pattern", "format", "minLength", "maxLength", "anyOf", "oneOf"];
    Schema::from_value(schema).kinds() == Kinds::STRING
        && !restricting.iter().any(|it| schema.get(it).is_some())
}

/// Reads valid JSON without unknown keys.
fn from_json<T: DeserializeOwned>(json: &str) -> Option<T> {
    let mut has_unknown_keys = false;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = serde_ignored::deserialize(&mut deserializer, |_| has_unknown_keys = true);
    let value = value.ok().filter(|_| !has_unknown_keys)?;
    deserializer.end().ok()?;
    Some(value)
}

/// The schema of the reply object for a value.
fn reply_object_schema(schema: &Value) -> Value {
    let mut inner = schema.as_object().cloned().unwrap_or_default();
    // References to definitions begin at the outermost schema.
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

fn output_error(failure: ReadFailure) -> OutputError {
    match failure {
        ReadFailure::Nothing => {
            OutputError::of_reply(OutputErrorKind::Nothing, "expected a JSON value, found none")
        }
        ReadFailure::Damaged(repair) => {
            let message = format!("expected JSON, found {repair}");
            OutputError::of_reply(OutputErrorKind::Damaged, message)
        }
        ReadFailure::Misfit { misfit: FitError { path, message }, partial } => {
            OutputError::new(OutputErrorKind::Misfit, path, message).with_partial(partial)
        }
    }
}

/// Creates the output of a prompt, for generated code. Only this function names the trait there.
#[doc(hidden)]
pub fn output_of<T: Answer>() -> Output<T> {
    Output::new()
}

/// Like [`output_of`], for a type that a macro generated from a schema. The schema may have more
/// constraints than the type.
#[doc(hidden)]
pub fn output_of_schema<T: Answer>() -> Output<T> {
    let output = Output::new();
    let shared = output.shared.with_schema(output.shared.schema.clone());
    output.with_shared(Arc::new(shared))
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

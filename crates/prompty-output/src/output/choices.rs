//! Choices that are known only at run time, such as those of an input.

use std::sync::Arc;

use prompty_core::diagnostic::suggest;
use prompty_core::schema::shape::Shape;
use prompty_core::schema::{Kinds, Schema};
use prompty_core::value::internal::{excerpt, json_excerpt};
use prompty_core::value::{Map, Value};
use prompty_core::{Error, error::ErrorKind};

use super::typed::{Output, SharedSchema};

impl<T> Output<T> {
    /// The same output, in which a value must be one of some choices that are known only at run
    /// time. The requirement and the schemas list them, and other values are an error.
    ///
    /// `path` leads to the value: `category`, `order.category`, or `orders[].category` for each
    /// item of a list. An empty path means the value itself.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_output::output; }
    /// use typed_prompty::output::Output;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Ticket { title: String, category: String }
    ///
    /// let categories = ["billing", "outage"].map(str::to_owned); // of the customer
    /// let output = Output::<Ticket>::new().with_choices("category", categories)?;
    /// let requirement = output.requirement()?.in_template();
    /// assert!(requirement.ends_with(r#""category": <Literal[billing, outage]>
    /// }"#));
    ///
    /// let ticket = output.parse(r#"{"title": "No light", "category": "Outage"}"#)?.value;
    /// assert_eq!(ticket.category, "outage");
    /// let error = output.parse(r#"{"title": "Hi", "category": "other"}"#).err().unwrap();
    /// let message = r#"at category: expected one of "billing", "outage", found "other""#;
    /// assert_eq!(error.to_string(), message);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] if there are no choices, if the path leads to nothing, or
    /// if a choice does not fit the type at the path.
    pub fn with_choices<V: Into<Value>>(
        self,
        path: &str,
        choices: impl IntoIterator<Item = V>,
    ) -> Result<Self, Error> {
        let mut choices: Vec<Value> = choices.into_iter().map(Into::into).collect();
        if choices.is_empty() {
            return Err(wrong(format!("there are no choices for {}", name_of(path)))
                .with_help("pass at least one choice"));
        }
        let old = self.shared();
        let mut schema = old.schema.clone();
        let place = schema_at(&mut schema, path)?;
        for choice in &choices {
            if let Some(violation) = Schema::from_value(place).violations(choice).first() {
                let choice = json_excerpt(choice);
                let name = name_of(path);
                let message = format!("the choice {choice} for {name} {}", violation.message);
                return Err(wrong(message).with_help("pass choices of the type"));
            }
        }
        if let Value::Object(place) = place {
            // A value that may be `null` still may.
            let kinds = Schema::from_map(place).kinds();
            if kinds != Kinds::ANY && kinds.contains(Kinds::NULL) {
                choices.push(Value::Null);
            }
            place.insert("enum", choices);
        }
        let shared = match old.requirement {
            Some(_) => SharedSchema::of_shape(Shape::from_schema(&schema)?),
            None => old.with_schema(schema),
        };
        Ok(self.with_shared(Arc::new(shared)))
    }
}

/// The schema at a path.
fn schema_at<'s>(schema: &'s mut Value, path: &str) -> Result<&'s mut Value, Error> {
    let mut at = schema;
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let name = step.trim_end_matches("[]");
        if !name.is_empty() {
            at = property(at, name)?;
        }
        for _ in 0..(step.len() - name.len()) / "[]".len() {
            let no_items = || wrong(format!("{} is not a list of values", name_of(path)));
            at = at_key(at, "items").ok_or_else(|| no_items().with_help("remove `[]`"))?;
        }
    }
    match at {
        Value::Object(_) => Ok(at),
        _ => Err(wrong(format!("{} has no type", name_of(path))).with_help("give it a type")),
    }
}

/// The schema of a property.
fn property<'s>(schema: &'s mut Value, name: &str) -> Result<&'s mut Value, Error> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).collect();
    if !known.contains(&name) {
        let error = wrong(format!("the output has no key `{}`", excerpt(name)));
        return Err(match suggest(name, &known) {
            Some(meant) => error.with_help(format!("a key with a similar name exists: `{meant}`")),
            None if known.is_empty() => error.with_help("write `[]` for the items of a list"),
            None => error.with_help(format!("available keys: `{}`", known.join("`, `"))),
        });
    }
    let found = at_key(schema, "properties").and_then(|properties| at_key(properties, name));
    found.ok_or_else(|| wrong(format!("the output has no key `{}`", excerpt(name))))
}

fn at_key<'s>(value: &'s mut Value, key: &str) -> Option<&'s mut Value> {
    match value {
        Value::Object(map) => map.get_mut(key),
        _ => None,
    }
}

fn name_of(path: &str) -> String {
    match path {
        "" => "the output".to_owned(),
        path => format!("`{}`", excerpt(path)),
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::WrongInput, message)
}

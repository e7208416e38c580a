//! The JSON schema of a shape, and its strict form.

use super::names::{Names, Scope, resolve};
use super::strict::{self, StrictRules};
use super::{Kind, Literal, Object, Others, Shape, StrictDialect};
use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::schema::{Pointer, Schema, Violation, escape};
use crate::value::{Map, Value};

impl Shape {
    /// The JSON schema of the values that follow the shape.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::Shape;
    ///
    /// let shape = Shape::object([("name", Shape::text()), ("age", Shape::integer().optional())]);
    /// assert_eq!(
    ///     shape.to_schema().to_json(),
    ///     r#"{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]}"#,
    /// );
    /// ```
    #[must_use]
    pub fn to_schema(&self) -> Value {
        // Only a strict schema has what it cannot say.
        self.written(Form::Plain, Top::AsIs).unwrap_or_default()
    }

    /// What of a value does not follow the shape, with the places: see [`Schema::violations`].
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::value; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::value::Value;
    ///
    /// let shape = Shape::object([("tags", Shape::list_of(Shape::text()))]);
    /// let found = shape.violations(&Value::from_json(r#"{"tags": ["a", 7]}"#)?);
    /// assert_eq!(found[0].pointer, "#/tags/1");
    /// assert_eq!(found[0].message, "must be a text, found 7");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        Schema::from_value(&self.to_schema()).violations(value)
    }

    /// The schema in the form that a provider's strict mode requires: each object names all of its keys and
    /// has no others. A constraint that the form cannot express, such as a bound of a number, is written
    /// into the description. The provider does not enforce it.
    ///
    /// # Errors
    ///
    /// With [`ErrorKind::Schema`] and the place of the first part that the form cannot have: free keys, values
    /// of any kind, lists whose items differ by their place, lists and maps among listed values, for some
    /// providers a recursive shape, and a root that is not an object.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::{Shape, StrictDialect};
    ///
    /// let shape = Shape::object([("notes", Shape::map_of(Shape::text()))]);
    /// let error = shape.to_strict_schema(StrictDialect::OpenAi).unwrap_err();
    /// assert_eq!(error.to_string(), "a strict schema has no free keys");
    /// assert_eq!(error.place().unwrap().to_string(), "#/properties/notes");
    /// ```
    pub fn to_strict_schema(&self, dialect: StrictDialect) -> Result<Value, Error> {
        if !self.is_object() {
            return Err(cannot(&Pointer::root(), "a strict schema is that of an object")
                .with_help("put it into an object: `Shape::object([(\"value\", shape)])`"));
        }
        self.written(Form::Strict(dialect.rules()), Top::WrittenOut)
    }

    /// The schema, with an object at its top also where the shape holds itself: providers demand that.
    pub(super) fn to_plain_object(&self) -> Result<Value, Error> {
        self.written(Form::Plain, Top::WrittenOut)
    }

    fn written(&self, form: Form, top: Top) -> Result<Value, Error> {
        let mut writer = Writer { form, names: Names::default(), scope: Scope::new() };
        let mut schema = match &self.kind {
            Kind::Recursive(name, shape) if top == Top::WrittenOut => {
                writer.may_hold_itself(&Pointer::root())?;
                let written = writer.names.define(name, shape, &Scope::new());
                writer.scope.push((name.clone(), written));
                let schema = writer.shape(shape, &Pointer::root())?;
                writer.scope.clear();
                schema
            }
            _ => writer.shape(self, &Pointer::root())?,
        };
        let mut definitions = Map::new();
        let mut next = 0;
        while let Some(defined) = writer.names.get(next) {
            let (name, shape) = (defined.name.clone(), defined.shape);
            writer.scope = defined.scope.clone();
            let at = Pointer::root().name("$defs").name(name.to_string());
            let definition = writer.shape(shape, &at)?;
            definitions.insert(name, definition);
            next += 1;
        }
        if !definitions.is_empty() {
            schema.insert("$defs", definitions);
        }
        Ok(Value::Object(schema))
    }
}

/// Which schema is written.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Strict(&'static StrictRules),
}

/// How a shape that holds itself is written at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Top {
    /// By its name, as everywhere.
    AsIs,
    /// As what it is, and by its name everywhere else.
    WrittenOut,
}

impl Form {
    const fn is_strict(self) -> bool {
        matches!(self, Self::Strict(_))
    }
}

struct Writer<'s> {
    form: Form,
    names: Names<'s>,
    scope: Scope,
}

type Written = Result<Map, Error>;

impl<'s> Writer<'s> {
    fn shape(&mut self, shape: &'s Shape, at: &Pointer<'_>) -> Written {
        let mut schema = self.kind(shape, at)?;
        let said = description(shape);
        let description = match self.form {
            Form::Plain => {
                schema.extend(shape.rules.iter().map(|(name, value)| (name, value.clone())));
                said
            }
            Form::Strict(rules) => match (said, rules.write(shape, &mut schema)) {
                (Some(said), Some(limits)) => Some(format!("{said}\n\n{limits}")),
                (said, limits) => said.or(limits),
            },
        };
        if let Some(description) = description {
            schema.insert("description", description);
        }
        Ok(schema)
    }

    fn may_hold_itself(&self, at: &Pointer<'_>) -> Result<(), Error> {
        match self.form {
            Form::Strict(rules) if !rules.may_hold_itself => {
                let message = "the provider's strict schemas cannot hold themselves";
                Err(cannot(at, message).with_help("name the levels, or make a list of all parts"))
            }
            _ => Ok(()),
        }
    }

    fn kind(&mut self, shape: &'s Shape, at: &Pointer<'_>) -> Written {
        if let Some(kinds) = scalar(&shape.kind) {
            return Ok([("type", kinds)].into());
        }
        match &shape.kind {
            Kind::List => self.any_list(at),
            Kind::ListOf(items) if items.is_empty() => self.any_list(at),
            Kind::ListOf(items) => {
                let mut list: Map = [("type", "array")].into();
                let items = match &**items {
                    [item] => self.shape(item, &at.name("items"))?,
                    several => self.any_of(several, &at.name("items"))?,
                };
                list.insert("items", items);
                Ok(list)
            }
            Kind::Tuple(items) => self.tuple(items, at),
            Kind::Map => match self.form {
                Form::Strict(_) => Err(free_keys(at)),
                Form::Plain => Ok([("type", "object")].into()),
            },
            Kind::Object(object) => self.object(object, at),
            Kind::OneOf(shapes) => self.one_of(shapes, at),
            Kind::Literals(literals) => self.literals(literals, at),
            Kind::Recursive(name, inner) => {
                self.may_hold_itself(at)?;
                let name = self.names.define(name, inner, &self.scope);
                Ok(reference(&name))
            }
            Kind::Reference(name) => match resolve(&self.scope, name) {
                Some(name) => Ok(reference(name)),
                None => self.anything(at),
            },
            _ => self.anything(at),
        }
    }

    fn anything(&self, at: &Pointer<'_>) -> Written {
        match self.form {
            Form::Plain => Ok(Map::new()),
            Form::Strict(_) => Err(cannot(at, "a strict schema says of each value what it is")),
        }
    }

    fn any_list(&self, at: &Pointer<'_>) -> Written {
        match self.form {
            Form::Strict(_) => Err(cannot(at, "a strict schema says what the items of a list are")),
            Form::Plain => Ok([("type", "array")].into()),
        }
    }

    fn tuple(&mut self, items: &'s [Shape], at: &Pointer<'_>) -> Written {
        if self.form.is_strict() {
            return Err(cannot(at, "a strict schema has one schema for all items of a list")
                .with_help("make it an object with a key for each item"));
        }
        let mut list: Map = [("type", "array")].into();
        let at = at.name("prefixItems");
        let schemas = self.shapes(items, &at)?;
        list.insert("minItems", items.len());
        list.insert("maxItems", items.len());
        list.insert("prefixItems", schemas);
        Ok(list)
    }

    fn object(&mut self, object: &'s Object, at: &Pointer<'_>) -> Written {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let requires_all = matches!(self.form, Form::Strict(rules) if rules.requires_all_keys);
        let properties_at = at.name("properties");
        for (name, shape) in object.fields.iter() {
            let at = properties_at.name(name.to_string());
            let schema = self.shape(shape, &at)?;
            if requires_all || shape.is_required() {
                required.push(Value::from(name.clone()));
            }
            let may_be_null = match requires_all {
                true => !shape.is_required(),
                // What is `null` when it is missing may also be written so.
                false => shape.rules.get("default") == Some(&Value::Null),
            };
            let needs_null = may_be_null && !shape.admits_null();
            properties.insert(name.clone(), if needs_null { or_null(schema) } else { schema });
        }
        let mut written: Map = [("type", "object")].into();
        if !properties.is_empty() || self.form.is_strict() {
            written.insert("properties", properties);
        }
        if !required.is_empty() || requires_all {
            written.insert("required", required);
        }
        match (&object.others, self.form) {
            (Others::Shape(_), Form::Strict(_)) => return Err(free_keys(at)),
            (Others::Nothing, _) | (_, Form::Strict(_)) => {
                written.insert("additionalProperties", false);
            }
            (Others::Unsaid, Form::Plain) => {}
            (Others::Shape(shape), Form::Plain) => {
                let others = self.shape(shape, &at.name("additionalProperties"))?;
                let others =
                    if others.is_empty() { Value::Bool(true) } else { Value::Object(others) };
                written.insert("additionalProperties", others);
            }
        }
        Ok(written)
    }

    fn one_of(&mut self, shapes: &'s [Shape], at: &Pointer<'_>) -> Written {
        let is_bare = |it: &Shape| it.rules.is_empty() && it.description.is_none();
        let names: Option<Vec<&'static str>> =
            shapes.iter().map(|it| scalar(&it.kind).filter(|_| is_bare(it))).collect();
        match names {
            Some(mut names) => {
                names.dedup();
                let names: Vec<Value> = names.into_iter().map(Value::from).collect();
                Ok([("type", Value::from(names))].into())
            }
            None => self.any_of(shapes, at),
        }
    }

    fn shapes(&mut self, shapes: &'s [Shape], at: &Pointer<'_>) -> Result<Vec<Value>, Error> {
        let shapes = shapes.iter().enumerate();
        shapes.map(|(index, it)| self.shape(it, &at.index(index)).map(Value::Object)).collect()
    }

    fn any_of(&mut self, shapes: &'s [Shape], at: &Pointer<'_>) -> Written {
        let at = at.name("anyOf");
        Ok([("anyOf", self.shapes(shapes, &at)?)].into())
    }

    fn literals(&self, literals: &[Literal], at: &Pointer<'_>) -> Written {
        match self.form {
            Form::Plain => Ok(Self::plain_literals(literals)),
            Form::Strict(_) => strict::listed(literals)
                .ok_or_else(|| cannot(at, "a strict schema lists no lists and no maps")),
        }
    }

    fn plain_literals(literals: &[Literal]) -> Map {
        let is_described = literals.iter().any(|it| it.description.is_some());
        let mut schema = Map::new();
        if is_described {
            let constant = |it: &Literal| {
                let mut constant: Map = [("const", it.value.clone())].into();
                if let Some(description) = &it.description {
                    constant.insert("description", description.clone());
                }
                Value::Object(constant)
            };
            schema.insert("anyOf", literals.iter().map(constant).collect::<Vec<_>>());
            return schema;
        }
        if literals.iter().all(|it| it.value.as_str().is_some()) {
            schema.insert("type", "string");
        }
        match literals {
            [one] => schema.insert("const", one.value.clone()),
            _ => {
                let values: Vec<Value> = literals.iter().map(|it| it.value.clone()).collect();
                schema.insert("enum", values)
            }
        };
        schema
    }
}

/// The name of a kind that has no parts.
fn scalar(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Null => "null",
        Kind::Boolean => "boolean",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Text => "string",
        _ => return None,
    })
}

fn reference(name: &str) -> Map {
    [("$ref", format!("#/$defs/{}", escape(name)))].into()
}

/// Its own description, and the words that stand for its kind.
fn description(shape: &Shape) -> Option<String> {
    let own = shape.description().filter(|it| !it.is_empty());
    match (&shape.kind, own) {
        (Kind::Words(words), None) if words.is_empty() => None,
        (Kind::Words(words), None) => Some(words.to_string()),
        (Kind::Words(words), Some(own)) if !words.is_empty() => Some(format!("{words}: {own}")),
        (_, own) => own.map(str::to_owned),
    }
}

/// A schema that also admits `null`.
fn or_null(mut schema: Map) -> Map {
    let [description, default] = ["description", "default"].map(|it| schema.remove(it));
    let only = match schema.iter().next() {
        Some((keyword, value)) if schema.len() == 1 => Some((keyword, value)),
        _ => None,
    };
    let null = || Value::Object([("type", "null")].into());
    let mut written: Map = match only {
        Some(("type", Value::Array(kinds))) => [("type", and(kinds, Value::from("null")))].into(),
        Some(("type", kind)) => {
            [("type", and(std::slice::from_ref(kind), Value::from("null")))].into()
        }
        Some(("anyOf", Value::Array(schemas))) => [("anyOf", and(schemas, null()))].into(),
        _ => [("anyOf", and(&[Value::Object(schema)], null()))].into(),
    };
    for (keyword, value) in [("default", default), ("description", description)] {
        if let Some(value) = value {
            written.insert(keyword, value);
        }
    }
    written
}

fn and(values: &[Value], last: Value) -> Vec<Value> {
    values.iter().cloned().chain([last]).collect()
}

fn free_keys(at: &Pointer<'_>) -> Error {
    cannot(at, "a strict schema has no free keys").with_help("name the keys of the object")
}

fn cannot(at: &Pointer<'_>, message: &str) -> Error {
    Error::new(ErrorKind::Schema, message).with_place(Place::named(at.to_string()))
}

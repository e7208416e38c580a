//! Writes the JSON schema of a shape, and its strict forms.
//!
//! `SchemaWriter` writes the root. A recursive shape in it becomes a reference, such as
//! `#/$defs/Comment`, and is added to a list of names (`names.rs`). The shapes of this list are
//! then written under `$defs`, and may add further ones.

use super::names::{DefinitionNames, NameScope, resolve};
use super::strict::{self, StrictRules};
use super::{Literal, ObjectShape, OtherKeys, Shape, ShapeKind, StrictDialect};
use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::schema::{Pointer, Schema, Violation, escape};
use crate::value::{Map, Value};

impl Shape {
    /// The JSON schema of the values that match the shape.
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
        // Only strict schemas can fail.
        self.write_schema(SchemaMode::Plain, RootForm::Reference).unwrap_or_default()
    }

    /// How a value violates the shape, with the places; see [`Schema::violations`].
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::value; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::value::Value;
    ///
    /// let shape = Shape::object([("tags", Shape::list_of(Shape::text()))]);
    /// let found = shape.violations(&Value::from_json(r#"{"tags": ["a", 7]}"#)?);
    /// assert_eq!(found[0].pointer, "#/tags/1");
    /// assert_eq!(found[0].message, "must be a string, found 7");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        Schema::from_value(&self.to_schema()).violations(value)
    }

    /// The schema in the form that a provider's strict mode requires: each object names all of its
    /// keys and has no others. A constraint that the form cannot express, such as a bound of a
    /// number, is written to the description. The provider does not enforce it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Schema`] with the place of the first unsupported part. Unsupported are
    /// free keys, values of any kind, tuples, arrays and objects as literals, a root that is not an
    /// object, and, for some providers, recursive shapes.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::{Shape, StrictDialect};
    ///
    /// let shape = Shape::object([("notes", Shape::map_of(Shape::text()))]);
    /// let error = shape.to_strict_schema(StrictDialect::OpenAi).unwrap_err();
    /// assert_eq!(error.to_string(), "a strict schema must list the keys of each object");
    /// assert_eq!(error.place().unwrap().to_string(), "#/properties/notes");
    /// ```
    pub fn to_strict_schema(&self, dialect: StrictDialect) -> Result<Value, Error> {
        if !self.is_object() {
            return Err(unsupported(
                &Pointer::root(),
                "the root of a strict schema must be an object",
            )
            .with_help("wrap the shape: `Shape::object([(\"value\", shape)])`"));
        }
        self.write_schema(SchemaMode::Strict(dialect.rules()), RootForm::Expanded)
    }

    /// The schema with an object as its root even for a recursive shape, as providers require.
    pub(super) fn to_plain_object(&self) -> Result<Value, Error> {
        self.write_schema(SchemaMode::Plain, RootForm::Expanded)
    }

    /// Writes the root, and then the definitions that it needs.
    fn write_schema(&self, mode: SchemaMode, root: RootForm) -> Result<Value, Error> {
        let mut writer =
            SchemaWriter { mode, names: DefinitionNames::default(), scope: NameScope::new() };
        let mut schema = match &self.kind {
            ShapeKind::Recursive(name, shape) if root == RootForm::Expanded => {
                writer.check_recursion(&Pointer::root())?;
                // References inside of the root lead to its definition.
                let written = writer.names.define(name, shape, &NameScope::new());
                writer.scope.push((name.clone(), written));
                let schema = writer.write_shape(shape, &Pointer::root())?;
                writer.scope.clear();
                schema
            }
            _ => writer.write_shape(self, &Pointer::root())?,
        };
        // A definition may use further recursive shapes, so the list can grow in this loop.
        let mut definitions = Map::new();
        let mut next = 0;
        while let Some(defined) = writer.names.get(next) {
            let (name, shape) = (defined.name.clone(), defined.shape);
            writer.scope = defined.scope.clone();
            let at = Pointer::root().name("$defs").name(name.to_string());
            let definition = writer.write_shape(shape, &at)?;
            definitions.insert(name, definition);
            next += 1;
        }
        if !definitions.is_empty() {
            schema.insert("$defs", definitions);
        }
        Ok(Value::Object(schema))
    }
}

/// The mode in which a schema is written.
#[derive(Clone, Copy)]
enum SchemaMode {
    Plain,
    Strict(&'static StrictRules),
}

/// How a recursive shape is written as the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RootForm {
    /// As a reference to its definition, as everywhere.
    Reference,
    /// As its content, and as a reference everywhere else.
    Expanded,
}

impl SchemaMode {
    const fn is_strict(self) -> bool {
        matches!(self, Self::Strict(_))
    }
}

/// Writes the schemas of shapes. `at` is always the place of the schema in the root, for errors.
struct SchemaWriter<'s> {
    mode: SchemaMode,
    /// The recursive shapes that need a definition.
    names: DefinitionNames<'s>,
    /// The names of the recursive shapes around the current one.
    scope: NameScope,
}

type WriteResult = Result<Map, Error>;

impl<'s> SchemaWriter<'s> {
    /// Writes a shape: its kind, its further keywords and its description.
    fn write_shape(&mut self, shape: &'s Shape, at: &Pointer<'_>) -> WriteResult {
        let mut schema = self.write_kind(shape, at)?;
        let own = own_description(shape);
        let description = match self.mode {
            SchemaMode::Plain => {
                schema.extend(shape.rules.iter().map(|(name, value)| (name, value.clone())));
                own
            }
            SchemaMode::Strict(rules) => match (own, rules.write(shape, &mut schema)) {
                (Some(own), Some(limits)) => Some(format!("{own}\n\n{limits}")),
                (own, limits) => own.or(limits),
            },
        };
        schema.insert_some("description", description);
        Ok(schema)
    }

    /// Returns an error if the mode does not support recursive shapes.
    fn check_recursion(&self, at: &Pointer<'_>) -> Result<(), Error> {
        match self.mode {
            SchemaMode::Strict(rules) if !rules.supports_recursion => {
                let message = "recursive schemas are not allowed in the provider's strict mode";
                Err(unsupported(at, message)
                    .with_help("define each level separately, or use a flat list of all parts"))
            }
            _ => Ok(()),
        }
    }

    /// Writes the keywords that follow from the kind of a shape.
    fn write_kind(&mut self, shape: &'s Shape, at: &Pointer<'_>) -> WriteResult {
        if let Some(kinds) = scalar_type(&shape.kind) {
            return Ok([("type", kinds)].into());
        }
        match &shape.kind {
            ShapeKind::List => self.write_any_list(at),
            ShapeKind::ListOf(items) if items.is_empty() => self.write_any_list(at),
            ShapeKind::ListOf(items) => {
                let mut list: Map = [("type", "array")].into();
                let items = match &**items {
                    [item] => self.write_shape(item, &at.name("items"))?,
                    several => self.write_any_of(several, &at.name("items"))?,
                };
                list.insert("items", items);
                Ok(list)
            }
            ShapeKind::Tuple(items) => self.write_tuple(items, at),
            ShapeKind::Map => match self.mode {
                SchemaMode::Strict(_) => Err(free_keys(at)),
                SchemaMode::Plain => Ok([("type", "object")].into()),
            },
            ShapeKind::Object(object) => self.write_object(object, at),
            ShapeKind::OneOf(shapes) => self.write_one_of(shapes, at),
            ShapeKind::Literals(literals) => self.write_literals(literals, at),
            ShapeKind::Recursive(name, inner) => {
                self.check_recursion(at)?;
                let name = self.names.define(name, inner, &self.scope);
                Ok(reference(&name))
            }
            ShapeKind::Reference(name) => match resolve(&self.scope, name) {
                Some(name) => Ok(reference(name)),
                None => self.write_any_value(at),
            },
            _ => self.write_any_value(at),
        }
    }

    fn write_any_value(&self, at: &Pointer<'_>) -> WriteResult {
        match self.mode {
            SchemaMode::Plain => Ok(Map::new()),
            SchemaMode::Strict(_) => {
                Err(unsupported(at, "a strict schema must give the type of each value")
                    .with_help("give the value a type"))
            }
        }
    }

    fn write_any_list(&self, at: &Pointer<'_>) -> WriteResult {
        match self.mode {
            SchemaMode::Strict(_) => {
                Err(unsupported(at, "a strict schema must give the type of the items of each list")
                    .with_help("give the items a type"))
            }
            SchemaMode::Plain => Ok([("type", "array")].into()),
        }
    }

    fn write_tuple(&mut self, items: &'s [Shape], at: &Pointer<'_>) -> WriteResult {
        if self.mode.is_strict() {
            return Err(unsupported(at, "tuples are not allowed in a strict schema")
                .with_help("use an object with a key for each item"));
        }
        let mut list: Map = [("type", "array")].into();
        let at = at.name("prefixItems");
        let schemas = self.write_shapes(items, &at)?;
        list.insert("minItems", items.len());
        list.insert("maxItems", items.len());
        list.insert("prefixItems", schemas);
        Ok(list)
    }

    /// Writes the keys of an object, and whether it may have others.
    fn write_object(&mut self, object: &'s ObjectShape, at: &Pointer<'_>) -> WriteResult {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let requires_all =
            matches!(self.mode, SchemaMode::Strict(rules) if rules.requires_all_keys);
        let properties_at = at.name("properties");
        for (name, shape) in object.fields.iter() {
            let at = properties_at.name(name.to_string());
            let schema = self.write_shape(shape, &at)?;
            if requires_all || shape.is_required() {
                required.push(Value::from(name.clone()));
            }
            let may_be_null = match requires_all {
                true => !shape.is_required(),
                // A key that is `null` if it is missing may also be written as `null`.
                false => shape.rules.get("default") == Some(&Value::Null),
            };
            let needs_null = may_be_null && !shape.allows_null();
            properties.insert(name.clone(), if needs_null { or_null(schema) } else { schema });
        }
        let mut written: Map = [("type", "object")].into();
        if !properties.is_empty() || self.mode.is_strict() {
            written.insert("properties", properties);
        }
        if !required.is_empty() || requires_all {
            written.insert("required", required);
        }
        self.write_other_keys(&object.others, at, &mut written)?;
        Ok(written)
    }

    /// Writes `additionalProperties` of an object.
    fn write_other_keys(
        &mut self,
        others: &'s OtherKeys,
        at: &Pointer<'_>,
        written: &mut Map,
    ) -> Result<(), Error> {
        match (others, self.mode) {
            (OtherKeys::Shape(_), SchemaMode::Strict(_)) => return Err(free_keys(at)),
            (OtherKeys::None, _) | (_, SchemaMode::Strict(_)) => {
                written.insert("additionalProperties", false);
            }
            (OtherKeys::Unspecified, SchemaMode::Plain) => {}
            (OtherKeys::Shape(shape), SchemaMode::Plain) => {
                let others = self.write_shape(shape, &at.name("additionalProperties"))?;
                let others =
                    if others.is_empty() { Value::Bool(true) } else { Value::Object(others) };
                written.insert("additionalProperties", others);
            }
        }
        Ok(())
    }

    /// Alternatives: a list of types if each has only a type, or else `anyOf`.
    fn write_one_of(&mut self, shapes: &'s [Shape], at: &Pointer<'_>) -> WriteResult {
        let is_bare = |it: &Shape| it.rules.is_empty() && it.description.is_none();
        let names: Option<Vec<&'static str>> =
            shapes.iter().map(|it| scalar_type(&it.kind).filter(|_| is_bare(it))).collect();
        match names {
            Some(mut names) => {
                names.dedup();
                let names: Vec<Value> = names.into_iter().map(Value::from).collect();
                Ok([("type", Value::from(names))].into())
            }
            None => self.write_any_of(shapes, at),
        }
    }

    fn write_shapes(&mut self, shapes: &'s [Shape], at: &Pointer<'_>) -> Result<Vec<Value>, Error> {
        let shapes = shapes.iter().enumerate();
        shapes
            .map(|(index, it)| self.write_shape(it, &at.index(index)).map(Value::Object))
            .collect()
    }

    fn write_any_of(&mut self, shapes: &'s [Shape], at: &Pointer<'_>) -> WriteResult {
        let at = at.name("anyOf");
        Ok([("anyOf", self.write_shapes(shapes, &at)?)].into())
    }

    fn write_literals(&self, literals: &[Literal], at: &Pointer<'_>) -> WriteResult {
        match self.mode {
            SchemaMode::Plain => Ok(Self::plain_literals(literals)),
            SchemaMode::Strict(_) => strict::literals_schema(literals).ok_or_else(|| {
                unsupported(at, "arrays and objects are not allowed as literals in a strict schema")
                    .with_help("use literals that are strings or numbers")
            }),
        }
    }

    /// `{"enum": ["low", "high"]}`, or `anyOf` of constants if one of them has a description.
    fn plain_literals(literals: &[Literal]) -> Map {
        let is_described = literals.iter().any(|it| it.description.is_some());
        let mut schema = Map::new();
        if is_described {
            let constant = |it: &Literal| {
                let mut constant: Map = [("const", it.value.clone())].into();
                constant.insert_some("description", it.description.clone());
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

/// The `type` of a kind without parts.
fn scalar_type(kind: &ShapeKind) -> Option<&'static str> {
    Some(match kind {
        ShapeKind::Null => "null",
        ShapeKind::Boolean => "boolean",
        ShapeKind::Integer => "integer",
        ShapeKind::Number => "number",
        ShapeKind::Text => "string",
        _ => return None,
    })
}

fn reference(name: &str) -> Map {
    [("$ref", format!("#/$defs/{}", escape(name)))].into()
}

/// The description of a shape, and the words of its kind.
fn own_description(shape: &Shape) -> Option<String> {
    let own = shape.description().filter(|it| !it.is_empty());
    match (&shape.kind, own) {
        (ShapeKind::Words(words), None) if words.is_empty() => None,
        (ShapeKind::Words(words), None) => Some(words.to_string()),
        (ShapeKind::Words(words), Some(own)) if !words.is_empty() => {
            Some(format!("{words}: {own}"))
        }
        (_, own) => own.map(str::to_owned),
    }
}

/// A schema that also allows `null`. Its description and default apply to the complete schema.
fn or_null(mut schema: Map) -> Map {
    let [description, default] = ["description", "default"].map(|it| schema.remove(it));
    let only_keyword = match schema.iter().next() {
        Some((keyword, value)) if schema.len() == 1 => Some((keyword, value)),
        _ => None,
    };
    let null = || Value::Object([("type", "null")].into());
    let mut written: Map = match only_keyword {
        // `{"type": ["string", "integer"]}` -> `{"type": ["string", "integer", "null"]}`
        Some(("type", Value::Array(kinds))) => {
            [("type", with_last(kinds, Value::from("null")))].into()
        }
        // `{"type": "string"}` -> `{"type": ["string", "null"]}`
        Some(("type", kind)) => {
            [("type", with_last(std::slice::from_ref(kind), Value::from("null")))].into()
        }
        // `{"anyOf": [A]}` -> `{"anyOf": [A, {"type": "null"}]}`
        Some(("anyOf", Value::Array(schemas))) => [("anyOf", with_last(schemas, null()))].into(),
        // `{"type": "string", "pattern": "a"}` -> `{"anyOf": [{…}, {"type": "null"}]}`
        _ => [("anyOf", with_last(&[Value::Object(schema)], null()))].into(),
    };
    written.insert_some("default", default);
    written.insert_some("description", description);
    written
}

fn with_last(values: &[Value], last: Value) -> Vec<Value> {
    values.iter().cloned().chain([last]).collect()
}

fn free_keys(at: &Pointer<'_>) -> Error {
    unsupported(at, "a strict schema must list the keys of each object")
        .with_help("list the keys of the object")
}

fn unsupported(at: &Pointer<'_>, message: &str) -> Error {
    Error::new(ErrorKind::Schema, message).with_place(Place::named(at.to_string()))
}

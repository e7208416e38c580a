//! Reads a shape from a JSON schema, such as one that schemars writes for a Rust type.
//!
//! `ShapeReader` goes through the schema from the root: `read_target` for the root and the targets
//! of references, `read_schema` for all others, and `read_keywords` for the content of each. A
//! reference to a schema that is being read becomes a [`Shape::reference`], and that schema a
//! [`Shape::recursive`].

use std::sync::Arc;

use super::names::unused_name;
use super::{Literal, ObjectShape, OtherKeys, Shape, ShapeKind, rules};
use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::schema::pointer::escape;
use crate::schema::{
    Combination, Items, KeywordError, Keywords, Kinds, LocatedSchema, REFERENCE_HELP, SchemaForm,
    is_annotation,
};
use crate::value::internal::excerpt;
use crate::value::{Map, Value};

/// The maximum number of schemas to read. References can make a short schema very large.
const MAX_SCHEMAS: usize = 10_000;

/// The maximum nesting of schemas, which limits the use of the stack.
const MAX_NESTING: usize = 48;

/// The help for a schema that is too large for a shape.
const SCHEMA_HELP: &str = "simplify the schema, and describe the values in `description`";

/// The name of a recursive root schema, which has no name itself.
const ROOT_NAME: &str = "Answer";

/// Keywords that restrict values and that a shape cannot express.
const UNSUPPORTED_KEYWORDS: [&str; 11] = [
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
];

impl Shape {
    /// Reads the shape of the values that a JSON schema allows. Bounds, patterns and formats are
    /// kept for [`to_schema`](Self::to_schema).
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; pub use prompty_core::value; }
    /// use typed_prompty::shape::Shape;
    /// use typed_prompty::value::Value;
    ///
    /// let schema = Value::from_json(r##"{
    ///     "type": "object",
    ///     "properties": {
    ///         "name": {"type": "string", "description": "in full"},
    ///         "size": {"$ref": "#/$defs/Size"}
    ///     },
    ///     "required": ["name"],
    ///     "$defs": {"Size": {"enum": ["small", "large"]}}
    /// }"##)?;
    /// let shape = Shape::from_schema(&schema)?;
    /// assert_eq!(shape.requirement(), r#"{
    ///   "name": <str>, // in full
    ///   "size": <Literal[small, large] | NoneType>
    /// }"#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Schema`] with the place if the schema is invalid or too large, has an
    /// unknown reference, allows no value, or has an unsupported keyword, such as `not`.
    pub fn from_schema(schema: &Value) -> Result<Self, Error> {
        let root = LocatedSchema::root(schema);
        let mut reader = ShapeReader { schemas_left: MAX_SCHEMAS, open: Vec::new(), depth: 0 };
        reader.read_target(&root)
    }
}

/// A schema that is being read and that references may lead back to.
struct OpenSchema {
    /// The address of its value in memory, which identifies it.
    address: usize,
    name: Arc<str>,
    is_referred_to: bool,
}

struct ShapeReader {
    /// The number of schemas that may still be read.
    schemas_left: usize,
    /// The schemas around the current one, from the outermost.
    open: Vec<OpenSchema>,
    /// The number of schemas around the current one, including those that are not in `open`.
    depth: usize,
}

type ReadResult<T = Shape> = Result<T, Error>;

impl ShapeReader {
    /// Reads a schema that may be the target of references.
    fn read_target(&mut self, located: &LocatedSchema<'_>) -> ReadResult {
        let Some(address) = located.schema.address() else { return self.read_schema(located) };
        if let Some(outer) = self.open.iter_mut().find(|it| it.address == address) {
            outer.is_referred_to = true;
            return Ok(Shape::reference(outer.name.clone()));
        }
        let name = located.pointer.last_name().unwrap_or(ROOT_NAME);
        let name = unused_name(name, |name| self.open.iter().any(|it| &*it.name == name));
        self.open.push(OpenSchema { address, name, is_referred_to: false });
        let shape = self.read_schema(located);
        let closed = self.open.pop();
        let shape = shape?;
        Ok(match closed {
            Some(OpenSchema { name, is_referred_to: true, .. }) => {
                let description = shape.description.clone();
                Shape { description, ..Shape::recursive(name, shape) }
            }
            _ => shape,
        })
    }

    /// Reads a schema to which no reference leads, and counts it against the limits.
    fn read_schema(&mut self, located: &LocatedSchema<'_>) -> ReadResult {
        if self.schemas_left == 0 || self.depth == MAX_NESTING {
            return Err(
                error(located, "the schema is too large for a shape").with_help(SCHEMA_HELP)
            );
        }
        self.schemas_left -= 1;
        self.depth += 1;
        let shape = match located.schema.form() {
            SchemaForm::Everything => Ok(Shape::any()),
            SchemaForm::Nothing => Err(error(located, "the schema allows no value")
                .with_help("replace `false` by a schema of the allowed values")),
            SchemaForm::Malformed(value) => {
                let found = value.kind_name();
                let message = format!("expected a schema (an object or a boolean), found {found}");
                Err(error(located, message))
            }
            SchemaForm::Keywords(keywords) => self.read_keywords(located, keywords),
        };
        self.depth -= 1;
        shape
    }

    fn read_schemas(&mut self, parts: &[LocatedSchema<'_>]) -> ReadResult<Vec<Shape>> {
        parts.iter().map(|part| self.read_schema(part)).collect()
    }

    /// Reads an object of keywords, with its description and default.
    fn read_keywords(&mut self, located: &LocatedSchema<'_>, keywords: Keywords<'_>) -> ReadResult {
        let map = keywords.map();
        if let Some(keyword) = map.keys().find(|it| UNSUPPORTED_KEYWORDS.contains(it)) {
            let message = format!("a shape cannot express `{keyword}`");
            return Err(inexpressible(located, keyword, message));
        }
        let mut shape = match keywords.reference().map_err(|it| keyword_error(located, &it))? {
            Some(reference) => self.read_reference(located, keywords, reference)?,
            None => self.read_own_keywords(located, keywords)?,
        };
        if let Some(description) = map.get("description").and_then(Value::as_str) {
            shape = shape.with_description(description);
        }
        if let Some(default) = map.get("default") {
            shape = shape.with_rule("default", default.clone());
        }
        Ok(shape)
    }

    /// Reads a schema with `$ref`. Other keywords that restrict values are an error.
    fn read_reference(
        &mut self,
        located: &LocatedSchema<'_>,
        keywords: Keywords<'_>,
        reference: &str,
    ) -> ReadResult {
        let restricts = |it: &&str| *it != "$ref" && !is_annotation(it) && !it.starts_with("x-");
        if let Some(keyword) = keywords.map().keys().find(restricts) {
            let message = format!("a shape cannot express `{keyword}` next to `$ref`");
            return Err(inexpressible(located, keyword, message));
        }
        let Some(target) = located.target(reference) else {
            let message = format!("unknown reference `{reference}`");
            return Err(error_at(located, "$ref", message).with_help(REFERENCE_HELP));
        };
        self.read_target(&target)
    }

    /// Reads the keywords of a schema without a reference: its values, or else its combinations
    /// together with `properties`, or else its types.
    fn read_own_keywords(
        &mut self,
        located: &LocatedSchema<'_>,
        keywords: Keywords<'_>,
    ) -> ReadResult {
        if let Some(constant) = keywords.constant() {
            return Ok(Shape::literals([constant.clone()]));
        }
        if let Some(values) = keywords.values().map_err(|it| keyword_error(located, &it))? {
            return Ok(Shape::literals(values.iter().cloned()));
        }
        let mut combined = None;
        for combination in Combination::ALL {
            let parts = keywords.combination(combination).unwrap_or_default();
            if parts.is_empty() {
                continue;
            }
            let shapes = self.read_schemas(&located.children(combination.keyword(), parts))?;
            let shape = match combination {
                Combination::AllOf => all_of(shapes),
                Combination::AnyOf | Combination::OneOf => Some(one_of(shapes)),
            };
            // Several combinations apply together.
            let shape = match combined {
                None => shape,
                Some(previous) => shape.and_then(|shape| both(previous, shape)),
            };
            combined = Some(shape.ok_or_else(|| not_expressible(located, combination.keyword()))?);
        }
        let Some(combined) = combined else { return self.read_kinds(located, keywords) };
        // Limits next to a combination apply together with it.
        let limits = Shape::any().with_rules(keywords.map(), &rules::OF_ANY.concat());
        let combination = Combination::ALL.map(Combination::keyword);
        let combination = combination.into_iter().find(|it| keywords.map().contains_key(it));
        let combined = both(limits, combined)
            .ok_or_else(|| not_expressible(located, combination.unwrap_or("type")))?;
        if keywords.properties().is_none() {
            return Ok(combined);
        }
        let object = self.read_object(located, keywords)?;
        both(object, combined).ok_or_else(|| not_expressible(located, "properties"))
    }

    /// Reads the types of a schema, each with the keywords that restrict it. Several types are
    /// alternatives.
    fn read_kinds(&mut self, located: &LocatedSchema<'_>, keywords: Keywords<'_>) -> ReadResult {
        let kinds = match keywords.kinds().map_err(|it| keyword_error(located, &it))? {
            Some(kinds) => kinds,
            // Without `type`, the other keywords show which kind the author means.
            None if keywords.properties().is_some() => Kinds::OBJECT,
            None if keywords.map().contains_key("additionalProperties") => Kinds::OBJECT,
            None if keywords.items().is_some() => Kinds::ARRAY,
            None => return Ok(Shape::any().with_rules(keywords.map(), &rules::OF_ANY.concat())),
        };
        let mut shapes = Vec::new();
        let map = keywords.map();
        if kinds.contains(Kinds::STRING) {
            let text = Shape::text().with_rules(map, rules::OF_TEXTS);
            shapes.push(text.with_rules(map, rules::OF_CONTENT));
        }
        if kinds.contains(Kinds::NUMBER) {
            shapes.push(Shape::number().with_rules(map, rules::OF_NUMBERS));
        } else if kinds.contains(Kinds::INTEGER) {
            shapes.push(Shape::integer().with_rules(map, rules::OF_NUMBERS));
        }
        if kinds.contains(Kinds::BOOLEAN) {
            shapes.push(Shape::boolean());
        }
        if kinds.contains(Kinds::ARRAY) {
            let list = self.read_array(located, keywords)?.with_rules(map, rules::OF_LISTS);
            shapes.push(list.without_own_counts());
        }
        if kinds.contains(Kinds::OBJECT) {
            shapes.push(self.read_object(located, keywords)?.with_rules(map, rules::OF_OBJECTS));
        }
        if kinds.contains(Kinds::NULL) {
            shapes.push(Shape::null());
        }
        Ok(one_of(shapes))
    }

    /// Reads `items` and `prefixItems`: a list of items of one schema, or a tuple.
    fn read_array(&mut self, located: &LocatedSchema<'_>, keywords: Keywords<'_>) -> ReadResult {
        let Some(Items { first: (keyword, first), rest }) = keywords.items() else {
            return Ok(Shape::list());
        };
        if first.is_empty() {
            let Some((keyword, rest)) = rest else { return Ok(Shape::list()) };
            return Ok(Shape::list_of(self.read_schema(&located.child(keyword, rest))?));
        }
        if let Some((keyword, rest)) = rest.filter(|(_, rest)| **rest != Value::Bool(false)) {
            let rest = rest.to_json();
            let message = format!(
                "a shape cannot express `{keyword}: {}` next to schemas of single items",
                excerpt(&rest)
            );
            let help = format!("write `{keyword}: false`");
            return Err(error_at(located, keyword, message).with_help(help));
        }
        Ok(Shape::tuple(self.read_schemas(&located.children(keyword, first))?))
    }

    /// Reads the properties of an object, and which other keys it may have.
    fn read_object(&mut self, located: &LocatedSchema<'_>, keywords: Keywords<'_>) -> ReadResult {
        let mut fields = Vec::new();
        for (name, schema) in keywords.properties().into_iter().flat_map(Map::iter) {
            let shape = self.read_schema(&located.property(name, schema))?;
            let shape = if keywords.requires(name) { shape } else { shape.optional() };
            fields.push((name, shape));
        }
        // A required name without a schema may have any value.
        for name in keywords.required().map_err(|it| keyword_error(located, &it))? {
            if !fields.iter().any(|(known, _)| *known == name) {
                fields.push((name, Shape::any()));
            }
        }
        if let Some(patterns) = keywords.map().get("patternProperties").and_then(Value::as_object) {
            return self.read_patterns(located, &fields, patterns);
        }
        // An empty `properties` means an object without keys, unless a combination adds some.
        let has_no_keys = || {
            let mut combinations = Combination::ALL.into_iter();
            keywords.properties().is_some()
                && combinations.all(|it| keywords.map().get(it.keyword()).is_none())
        };
        let is_free = match keywords.additional_properties() {
            None => !has_no_keys(),
            Some(others) => *others == Value::Bool(true),
        };
        if fields.is_empty() && is_free {
            return Ok(Shape::map());
        }
        let object = Shape::object(fields);
        Ok(match keywords.additional_properties() {
            None => object,
            Some(Value::Bool(false)) => object.closed(),
            Some(others) => {
                let others = self.read_schema(&located.child("additionalProperties", others))?;
                object.with_others(others)
            }
        })
    }

    /// Reads an object whose keys match a pattern. There can be only one, because a shape has only
    /// one shape for free keys.
    fn read_patterns(
        &mut self,
        located: &LocatedSchema<'_>,
        fields: &[(&str, Shape)],
        patterns: &Map,
    ) -> ReadResult {
        let mut entries = patterns.iter();
        let (Some((pattern, schema)), None, true) =
            (entries.next(), entries.next(), fields.is_empty())
        else {
            return Err(not_expressible(located, "patternProperties"));
        };
        let at = located.pointer.name("patternProperties").name(pattern.to_owned());
        let value =
            self.read_schema(&LocatedSchema { schema: located.schema.part(schema), pointer: at })?;
        let names: Map = [("pattern", pattern)].into();
        Ok(Shape::map_of(value).with_rule("propertyNames", names))
    }
}

impl Shape {
    /// The same shape without the counts of a tuple, which its items show.
    fn without_own_counts(mut self) -> Self {
        if let ShapeKind::Tuple(items) = &self.kind {
            let count = Value::from(items.len());
            for keyword in ["minItems", "maxItems"] {
                if self.rules.get(keyword) == Some(&count) {
                    self.rules.remove(keyword);
                }
            }
        }
        self
    }
}

/// A single shape for several alternatives. Lists of literals are merged.
fn one_of(mut shapes: Vec<Shape>) -> Shape {
    if shapes.len() == 1
        && let Some(shape) = shapes.pop()
    {
        return shape;
    }
    // A list with one description for several literals is not merged: the description is of the
    // list.
    let literals = |shape: &Shape| match &shape.kind {
        ShapeKind::Literals(literals) if literals.len() == 1 || shape.description.is_none() => {
            let described = literals.iter().map(|it| Literal {
                description: it.description.clone().or_else(|| shape.description.clone()),
                ..it.clone()
            });
            Some(described.collect::<Vec<_>>())
        }
        _ => None,
    };
    let listed: Option<Vec<Vec<Literal>>> = shapes.iter().map(literals).collect();
    match listed {
        Some(listed) => Shape::new(ShapeKind::Literals(listed.into_iter().flatten().collect())),
        None => Shape::one_of(shapes),
    }
}

/// The shape of values that match all of several shapes, if a shape can express it.
fn all_of(shapes: Vec<Shape>) -> Option<Shape> {
    let mut shapes = shapes.into_iter();
    let first = shapes.next()?;
    shapes.try_fold(first, both)
}

/// The shape of values that match both shapes, if there is one. Objects get the keys of both.
fn both(left: Shape, right: Shape) -> Option<Shape> {
    match (&left.kind, &right.kind) {
        (ShapeKind::Any, _) => right.with_limits_of(&left),
        (_, ShapeKind::Any) => left.with_limits_of(&right),
        // An object with keys is also a map. The rules of a map would be lost.
        (ShapeKind::Map, ShapeKind::Object(_)) if left.rules.is_empty() => Some(right),
        (ShapeKind::Object(_), ShapeKind::Map) if right.rules.is_empty() => Some(left),
        // (A or B) and C = (A and C) or (B and C)
        (ShapeKind::OneOf(parts), _) => {
            let parts: Option<_> =
                parts.iter().map(|part| both(part.clone(), right.clone())).collect();
            Some(Shape { kind: ShapeKind::OneOf(parts?), ..left })
        }
        (_, ShapeKind::OneOf(parts)) => {
            let parts: Option<_> =
                parts.iter().map(|part| both(left.clone(), part.clone())).collect();
            Some(Shape { kind: ShapeKind::OneOf(parts?), ..right })
        }
        (ShapeKind::Object(one), ShapeKind::Object(other)) => {
            let is_named_twice =
                other.fields.iter().any(|(name, _)| one.fields.iter().any(|(it, _)| it == name));
            let others = match (&one.others, &other.others) {
                (OtherKeys::Unspecified, OtherKeys::Unspecified) => OtherKeys::Unspecified,
                // Taken literally, each schema would reject the keys of the other. Authors mean
                // that only further keys are rejected.
                (OtherKeys::None, _) | (_, OtherKeys::None) => OtherKeys::None,
                // The shape of one schema's other keys would also apply to the fields of the other.
                (OtherKeys::Shape(_), _) | (_, OtherKeys::Shape(_)) => return None,
            };
            // Both shapes of the key would apply, but a field has only one.
            if is_named_twice {
                return None;
            }
            let fields = one.fields.iter().chain(other.fields.iter()).cloned().collect();
            let object = Shape::new(ShapeKind::Object(ObjectShape { fields, others }));
            let object = object.with_limits_of(&left)?.with_limits_of(&right)?;
            Some(Shape { description: left.description.or(right.description), ..object })
        }
        _ => None,
    }
}

/// The error for a keyword whose value a shape cannot express.
fn not_expressible(located: &LocatedSchema<'_>, keyword: &str) -> Error {
    let value = match located.schema.form() {
        SchemaForm::Keywords(keywords) => keywords.map().get(keyword).map(Value::to_json),
        _ => None,
    };
    let message = match value {
        Some(value) => format!("a shape cannot express `{keyword}: {}`", excerpt(&value)),
        None => format!("a shape cannot express `{keyword}`"),
    };
    inexpressible(located, keyword, message)
}

/// An error with the help for a keyword that a shape cannot express.
fn inexpressible(located: &LocatedSchema<'_>, keyword: &str, message: String) -> Error {
    error_at(located, keyword, message)
        .with_help(format!("remove `{keyword}`, and describe the values in `description`"))
}

/// An error at a schema. Unlike those of [`LocatedSchema::error`], it is not about a grammar.
fn error(located: &LocatedSchema<'_>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Schema, message).with_place(Place::named(located.pointer.to_string()))
}

fn error_at(located: &LocatedSchema<'_>, keyword: &str, message: impl Into<String>) -> Error {
    let place = format!("{}/{}", located.pointer, escape(keyword));
    Error::new(ErrorKind::Schema, message).with_place(Place::named(place))
}

fn keyword_error(located: &LocatedSchema<'_>, error: &KeywordError) -> Error {
    error_at(located, error.keyword, error.to_string()).with_help_of(error.help())
}

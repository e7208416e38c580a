//! A shape out of a JSON schema, such as schemars writes for a Rust type.

use std::sync::Arc;

use super::{Kind, Literal, Object, Others, Shape, rules};
use crate::diagnostic::Place;
use crate::error::{Error, ErrorKind};
use crate::schema::pointer::escape;
use crate::schema::{Combination, Fault, Form, Items, Keywords, Kinds, Located, is_annotation};
use crate::value::{Map, Value};

/// Schemas that are read before reading gives up: references can make much of a short schema.
const MOST_SCHEMAS: usize = 10_000;

/// Schemas that are read inside of each other, each with some room on the stack.
const DEEPEST: usize = 64;

/// The name of a whole schema that holds itself and has no name.
const NAME_OF_WHOLE: &str = "Answer";

/// Keywords that leave out values and that no shape can say.
const BEYOND: [&str; 11] = [
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
    /// The shape of the values that a JSON schema admits. Bounds, patterns and formats go with it to
    /// [`to_schema`](Self::to_schema).
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
    /// With [`ErrorKind::Schema`] and the place where the schema is no schema, refers to nothing, admits no
    /// value, says too much, or has a keyword that no shape can say, such as `not`.
    pub fn from_schema(schema: &Value) -> Result<Self, Error> {
        let whole = Located::root(schema);
        let mut reader = Reader { left: MOST_SCHEMAS, inside: Vec::new(), depth: 0 };
        reader.named(&whole)
    }
}

/// A schema that is being read, for references back to it.
struct Inside {
    address: usize,
    name: Arc<str>,
    is_referred_to: bool,
}

struct Reader {
    left: usize,
    inside: Vec<Inside>,
    depth: usize,
}

type Read<T = Shape> = Result<T, Error>;

impl Reader {
    /// A schema that references can lead to.
    fn named(&mut self, located: &Located<'_>) -> Read {
        let Some(address) = located.schema.address() else { return self.schema(located) };
        if let Some(outer) = self.inside.iter_mut().find(|it| it.address == address) {
            outer.is_referred_to = true;
            return Ok(Shape::reference(outer.name.clone()));
        }
        let name = located.pointer.last_name().unwrap_or(NAME_OF_WHOLE).into();
        let name = self.unused(name);
        self.inside.push(Inside { address, name, is_referred_to: false });
        let shape = self.schema(located);
        let inside = self.inside.pop();
        let shape = shape?;
        Ok(match inside {
            Some(Inside { name, is_referred_to: true, .. }) => {
                let description = shape.description.clone();
                Shape { description, ..Shape::recursive(name, shape) }
            }
            _ => shape,
        })
    }

    /// A name that no schema around has.
    fn unused(&self, wanted: Arc<str>) -> Arc<str> {
        let is_taken = |name: &str| self.inside.iter().any(|it| &*it.name == name);
        if !is_taken(&wanted) {
            return wanted;
        }
        let mut numbered = (2_usize..).map(|number| format!("{wanted}{number}"));
        numbered.find(|name| !is_taken(name)).map_or(wanted, Arc::from)
    }

    fn schema(&mut self, located: &Located<'_>) -> Read {
        if self.left == 0 || self.depth == DEEPEST {
            return Err(error(located, "the schema says too much to become a shape"));
        }
        self.left -= 1;
        self.depth += 1;
        let shape = match located.schema.form() {
            Form::Everything => Ok(Shape::any()),
            Form::Nothing => Err(error(located, "no value follows the schema")),
            Form::Malformed(value) => {
                let found = value.kind_name();
                Err(error(located, format!("a schema has to be a map or a boolean, not {found}")))
            }
            Form::Keywords(keywords) => self.keywords(located, keywords),
        };
        self.depth -= 1;
        shape
    }

    fn schemas(&mut self, parts: &[Located<'_>]) -> Read<Vec<Shape>> {
        parts.iter().map(|part| self.schema(part)).collect()
    }

    fn keywords(&mut self, located: &Located<'_>, keywords: Keywords<'_>) -> Read {
        let map = keywords.map();
        if let Some(keyword) = map.keys().find(|it| BEYOND.contains(it)) {
            return Err(error_at(located, keyword, format!("no shape can say `{keyword}`")));
        }
        let shape = match keywords.reference().map_err(|it| fault(located, &it))? {
            Some(reference) => self.reference(located, keywords, reference)?,
            None => self.own(located, keywords)?,
        };
        let description = map.get("description").and_then(Value::as_str);
        let shape = match description {
            Some(description) => shape.with_description(description),
            None => shape,
        };
        Ok(match map.get("default") {
            Some(default) => shape.with_rule("default", default.clone()),
            None => shape,
        })
    }

    fn reference(
        &mut self,
        located: &Located<'_>,
        keywords: Keywords<'_>,
        reference: &str,
    ) -> Read {
        let others = |it: &&str| *it != "$ref" && !is_annotation(it) && !it.starts_with("x-");
        if let Some(keyword) = keywords.map().keys().find(others) {
            let message = format!("no shape can say `{keyword}` beside a reference");
            return Err(error_at(located, keyword, message));
        }
        let Some(target) = located.target(reference) else {
            let message = format!("the reference `{reference}` leads to nothing");
            return Err(error_at(located, "$ref", message));
        };
        self.named(&target)
    }

    /// What the keywords say without a reference.
    fn own(&mut self, located: &Located<'_>, keywords: Keywords<'_>) -> Read {
        if let Some(constant) = keywords.constant() {
            return Ok(Shape::literals([constant.clone()]));
        }
        if let Some(values) = keywords.values().map_err(|it| fault(located, &it))? {
            return Ok(Shape::literals(values.iter().cloned()));
        }
        let mut combined = None;
        for combination in Combination::ALL {
            let parts = keywords.combination(combination).unwrap_or_default();
            if parts.is_empty() {
                continue;
            }
            let shapes = self.schemas(&located.children(combination.keyword(), parts))?;
            let shape = match combination {
                Combination::AllOf => all_of(shapes),
                Combination::AnyOf | Combination::OneOf => Some(one_of(shapes)),
            };
            let shape = match combined {
                None => shape,
                Some(before) => shape.and_then(|shape| both(before, shape)),
            };
            combined = Some(shape.ok_or_else(|| beyond(located, combination.keyword()))?);
        }
        let Some(combined) = combined else { return self.kinds(located, keywords) };
        if keywords.properties().is_none() {
            return Ok(combined);
        }
        let object = self.object(located, keywords)?;
        both(object, combined).ok_or_else(|| beyond(located, "properties"))
    }

    fn kinds(&mut self, located: &Located<'_>, keywords: Keywords<'_>) -> Read {
        let kinds = match keywords.kinds().map_err(|it| fault(located, &it))? {
            Some(kinds) => kinds,
            None if keywords.properties().is_some() => Kinds::OBJECT,
            None if keywords.map().contains_key("additionalProperties") => Kinds::OBJECT,
            None if keywords.items().is_some() => Kinds::ARRAY,
            None => return Ok(Shape::any().with_rules(keywords.map(), rules::OF_ANY)),
        };
        let mut shapes = Vec::new();
        let map = keywords.map();
        if kinds.contains(Kinds::STRING) {
            shapes.push(Shape::text().with_rules(map, rules::OF_TEXTS));
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
            shapes.push(self.list(located, keywords)?.with_rules(map, rules::OF_LISTS));
        }
        if kinds.contains(Kinds::OBJECT) {
            shapes.push(self.object(located, keywords)?.with_rules(map, rules::OF_OBJECTS));
        }
        if kinds.contains(Kinds::NULL) {
            shapes.push(Shape::null());
        }
        Ok(one_of(shapes))
    }

    fn list(&mut self, located: &Located<'_>, keywords: Keywords<'_>) -> Read {
        let Some(Items { first: (keyword, first), rest }) = keywords.items() else {
            return Ok(Shape::list());
        };
        if first.is_empty() {
            let Some((keyword, rest)) = rest else { return Ok(Shape::list()) };
            return Ok(Shape::list_of(self.schema(&located.child(keyword, rest))?));
        }
        if let Some((keyword, rest)) = rest.filter(|(_, rest)| **rest != Value::Bool(false)) {
            let message = format!(
                "no shape can say `{keyword}` beside items of their own: {}",
                rest.to_json()
            );
            return Err(error_at(located, keyword, message));
        }
        Ok(Shape::tuple(self.schemas(&located.children(keyword, first))?))
    }

    fn object(&mut self, located: &Located<'_>, keywords: Keywords<'_>) -> Read {
        let mut fields = Vec::new();
        for (name, schema) in keywords.properties().into_iter().flat_map(Map::iter) {
            let shape = self.schema(&located.property(name, schema))?;
            let shape = if keywords.requires(name) { shape } else { shape.optional() };
            fields.push((name, shape));
        }
        // What must be there and has no schema may be anything.
        for name in keywords.required().map_err(|it| fault(located, &it))? {
            if !fields.iter().any(|(known, _)| *known == name) {
                fields.push((name, Shape::any()));
            }
        }
        if let Some(patterns) = keywords.map().get("patternProperties").and_then(Value::as_object) {
            return self.patterns(located, &fields, patterns);
        }
        // `properties` without any says that there are none, unless something else says of others.
        let names_none = || {
            let mut combinations = Combination::ALL.into_iter();
            keywords.properties().is_some()
                && combinations.all(|it| keywords.map().get(it.keyword()).is_none())
        };
        let is_free = match keywords.additional_properties() {
            None => !names_none(),
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
                let others = self.schema(&located.child("additionalProperties", others))?;
                object.with_others(others)
            }
        })
    }

    /// An object whose free keys have a pattern: one, since all values have one shape.
    fn patterns(
        &mut self,
        located: &Located<'_>,
        fields: &[(&str, Shape)],
        patterns: &Map,
    ) -> Read {
        let mut entries = patterns.iter();
        let (Some((pattern, schema)), None, true) =
            (entries.next(), entries.next(), fields.is_empty())
        else {
            return Err(beyond(located, "patternProperties"));
        };
        let at = located.pointer.name("patternProperties").name(pattern.to_owned());
        let value = self.schema(&Located { schema: located.schema.part(schema), pointer: at })?;
        let names: Map = [("pattern", pattern)].into();
        Ok(Shape::map_of(value).with_rule("propertyNames", names))
    }
}

/// One of several shapes, where lists of values become one.
fn one_of(mut shapes: Vec<Shape>) -> Shape {
    if shapes.len() == 1
        && let Some(shape) = shapes.pop()
    {
        return shape;
    }
    let literals = |shape: &Shape| match &shape.kind {
        Kind::Literals(literals) if literals.len() == 1 || shape.description.is_none() => {
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
        Some(listed) => Shape::new(Kind::Literals(listed.into_iter().flatten().collect())),
        None => Shape::one_of(shapes),
    }
}

/// What follows all of several shapes, where that is a shape.
fn all_of(shapes: Vec<Shape>) -> Option<Shape> {
    let mut shapes = shapes.into_iter();
    let first = shapes.next()?;
    shapes.try_fold(first, both)
}

/// What follows two shapes, where that is a shape: objects have the keys of both.
fn both(left: Shape, right: Shape) -> Option<Shape> {
    match (&left.kind, &right.kind) {
        (Kind::Any, _) => Some(right),
        (_, Kind::Any) => Some(left),
        (Kind::Map, Kind::Object(_)) if left.rules.is_empty() => Some(right),
        (Kind::Object(_), Kind::Map) if right.rules.is_empty() => Some(left),
        (Kind::OneOf(parts), _) => {
            let parts: Option<Vec<Shape>> =
                parts.iter().map(|part| both(part.clone(), right.clone())).collect();
            Some(Shape { kind: Kind::OneOf(parts?.into()), ..left })
        }
        (_, Kind::OneOf(parts)) => {
            let parts: Option<Vec<Shape>> =
                parts.iter().map(|part| both(left.clone(), part.clone())).collect();
            Some(Shape { kind: Kind::OneOf(parts?.into()), ..right })
        }
        (Kind::Object(one), Kind::Object(other)) => {
            let is_named_twice =
                other.fields.iter().any(|(name, _)| one.fields.iter().any(|(it, _)| it == name));
            let others = match (&one.others, &other.others) {
                (Others::Unsaid, Others::Unsaid) => Others::Unsaid,
                // A key that either of them names would be refused by the other, as it is written; as it is
                // meant, the others are.
                (Others::Nothing, _) | (_, Others::Nothing) => Others::Nothing,
                (Others::Shape(_), _) | (_, Others::Shape(_)) => return None,
            };
            if is_named_twice {
                return None;
            }
            let fields = one.fields.iter().chain(other.fields.iter()).cloned().collect();
            let description = left.description.or(right.description);
            let kind = Kind::Object(Object { fields, others });
            Some(Shape { description, ..Shape::new(kind) })
        }
        _ => None,
    }
}

fn beyond(located: &Located<'_>, keyword: &str) -> Error {
    error_at(located, keyword, format!("no shape can say what `{keyword}` says here"))
}

fn error(located: &Located<'_>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Schema, message).with_place(Place::named(located.pointer.to_string()))
}

fn error_at(located: &Located<'_>, keyword: &str, message: impl Into<String>) -> Error {
    let place = format!("{}/{}", located.pointer, escape(keyword));
    Error::new(ErrorKind::Schema, message).with_place(Place::named(place))
}

fn fault(located: &Located<'_>, fault: &Fault) -> Error {
    error_at(located, fault.keyword, fault.to_string()).with_help_of(fault.help())
}

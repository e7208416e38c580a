//! Parts of a tool's schema: what they say behind their references, and what of it no grammar says.

use super::Maker;
use crate::reply::grammar::schema::Widened;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{Map, Value};

/// References that are followed one after another.
const DEEPEST: usize = 16;

/// Keywords that say something about a schema, and nothing about its values.
const ANNOTATIONS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
];

/// Where the definitions of a schema stand.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// A part of a schema behind its references, with the definitions of the whole, so that references
/// further in hold.
pub(super) fn part(part: &Value, whole: &Map) -> Value {
    with_definitions(resolved(part, whole), whole)
}

/// What a part says that is only a reference, or only an `allOf` of one.
pub(super) fn resolved<'s>(part: &'s Value, whole: &'s Map) -> &'s Value {
    let mut part = part;
    for _ in 0..DEEPEST {
        part = match only(part) {
            Some(("$ref", reference)) => match at(reference, whole) {
                Some(next) => next,
                None => return part,
            },
            Some(("allOf", ways)) => match ways.as_array() {
                Some([next]) => next,
                _ => return part,
            },
            _ => return part,
        };
    }
    part
}

/// The only keyword of a schema.
fn only(part: &Value) -> Option<(&str, &Value)> {
    let is_said =
        |(key, _): &(&str, &Value)| !ANNOTATIONS.contains(key) && !DEFINITIONS.contains(key);
    let mut said = part.as_object()?.iter().filter(is_said);
    said.next().filter(|_| said.next().is_none())
}

/// The definition that a reference names.
fn at<'s>(reference: &Value, whole: &'s Map) -> Option<&'s Value> {
    let mut steps = reference.as_str()?.strip_prefix("#/")?.split('/');
    let first = whole.get(steps.next()?)?;
    steps.try_fold(first, |at, step| at.get(&step.replace("~1", "/").replace("~0", "~")))
}

/// A part of a schema with the definitions of the whole.
fn with_definitions(part: &Value, whole: &Map) -> Value {
    let Value::Object(part) = part else { return part.clone() };
    let mut part = part.clone();
    for name in DEFINITIONS {
        if let Some(definitions) = whole.get(name)
            && !part.contains_key(name)
        {
            part.insert(name, definitions.clone());
        }
    }
    part.into()
}

impl Maker<'_> {
    /// Notes those of some keywords that a schema has and no value is held to.
    ///
    /// # Errors
    ///
    /// The first of them, where that is not allowed.
    pub(super) fn widen(
        &mut self,
        keywords: &[&str],
        place: &str,
        schema: &Value,
    ) -> Result<(), Error> {
        for keyword in keywords {
            if schema.get(keyword).is_none_or(|it| it.as_bool() == Some(false)) {
                continue;
            }
            if !self.schema_options.widen {
                let message =
                    format!("`{keyword}` of `{place}` cannot be said in the form of these calls");
                return Err(Error::new(ErrorKind::Grammar, message)
                    .with_help("allow it to be widened, or leave the keyword out"));
            }
            self.widened.push(Widened::new(keyword, place));
        }
        Ok(())
    }
}

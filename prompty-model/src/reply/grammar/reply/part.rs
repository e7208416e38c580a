//! Parts of a tool's schema: what they say behind their references, and what of it no grammar says.

use super::Maker;
use crate::reply::grammar::schema::Widened;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::schema::Schema;
use prompty_core::value::{Map, Value};

/// Where the definitions of a schema stand.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// A part of a schema behind its references, with the definitions of the whole, so that references
/// further in hold.
pub(super) fn part(part: &Value, whole: &Map) -> Value {
    match Schema::from_map(whole).part(part).resolved().value() {
        Some(part) => with_definitions(part, whole),
        None => Value::Object(whole.clone()),
    }
}

/// What a part says that is only a reference, or only an `allOf` of one.
pub(super) fn resolved<'s>(part: &'s Value, whole: &'s Map) -> &'s Value {
    Schema::from_map(whole).part(part).resolved().value().unwrap_or(part)
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

//! Parts of a tool's schema: arguments, alternatives and kinds, behind references, and what no
//! grammar enforces.

use crate::grammar::Expression;
use crate::grammar::fields::Part;
use prompty_core::message::ToolSpec;
use prompty_core::schema::{Combination, Kinds, Property, Schema};
use prompty_core::value::{Map, Value};

/// An argument of a tool: its name, its schema and whether it must be there.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) is_required: bool,
}

impl Parameter {
    /// The argument as it is written.
    pub(super) fn written(self, expression: Expression) -> Part {
        Part { name: self.name, expression, is_required: self.is_required }
    }
}

/// What a part says that is only a reference, or only an `allOf` of one.
pub(super) fn resolved<'s>(part: &'s Value, whole: &'s Map) -> &'s Value {
    Schema::from_map(whole).part(part).resolved().value().unwrap_or(part)
}

/// The arguments of a tool, in the schema's order.
pub(super) fn parameters(tool: &ToolSpec) -> Vec<Parameter> {
    parameters_of(Schema::from_map(&tool.parameters), &tool.parameters)
}

/// The properties of an object's schema, which is a part of the whole.
pub(super) fn parameters_of(schema: Schema<'_>, whole: &Map) -> Vec<Parameter> {
    let parameter = |property: Property<'_>| Parameter {
        name: property.name.to_owned(),
        schema: resolved(&all_of(&property.schemas), whole).clone(),
        is_required: property.is_required,
    };
    schema.properties().into_iter().map(parameter).collect()
}

/// Schemas that hold together, as one.
pub(super) fn all_of(schemas: &[&Value]) -> Value {
    match schemas {
        [schema] => (*schema).clone(),
        schemas => {
            let schemas: Vec<Value> = schemas.iter().map(|schema| (*schema).clone()).collect();
            Map::from([("allOf", schemas)]).into()
        }
    }
}

/// The kinds of value that a schema admits, as the parser sees them.
pub(super) fn kinds(schema: &Value, whole: &Map) -> Kinds {
    Schema::from_map(whole).part(schema).kinds()
}

/// The values that a schema lists.
pub(super) fn listed(schema: &Value) -> Option<&[Value]> {
    let keywords = Schema::from_value(schema).keywords()?;
    let listed = keywords.values().ok().flatten();
    listed.or_else(|| keywords.constant().map(std::slice::from_ref))
}

/// The alternatives of a schema as they are.
pub(super) fn alternatives_of(schema: &Value) -> Option<&[Value]> {
    let keywords = Schema::from_value(schema).keywords()?;
    let lists = [Combination::AnyOf, Combination::OneOf].into_iter();
    let mut lists = lists.filter_map(|combination| keywords.combination(combination).ok());
    lists.find(|ways| !ways.is_empty())
}

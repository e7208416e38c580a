//! Parts of a tool's schema: arguments, alternatives and kinds of values, with references resolved,
//! and keywords that no grammar enforces.

use prompty_core::message::ToolSpec;
use prompty_core::schema::{Combination, Kinds, Property, Schema};
use prompty_core::value::{Map, Value};

/// An argument of a tool: its name, its schema, and whether it is required.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) is_required: bool,
}

/// The target of a part that is only a reference, or only an `allOf` with one reference.
pub(super) fn resolved<'s>(part: &'s Value, root_schema: &'s Map) -> &'s Value {
    Schema::from_map(root_schema).part(part).resolved().value().unwrap_or(part)
}

/// The arguments of a tool, in the schema's order.
pub(super) fn parameters(tool: &ToolSpec) -> Vec<Parameter> {
    parameters_of(Schema::from_map(&tool.parameters), &tool.parameters)
}

/// The properties of an object's schema, which is a part of the root schema.
pub(super) fn parameters_of(schema: Schema<'_>, root_schema: &Map) -> Vec<Parameter> {
    let parameter = |property: Property<'_>| Parameter {
        name: property.name.to_owned(),
        schema: resolved(&all_of(&property.schemas), root_schema).clone(),
        is_required: property.is_required,
    };
    schema.properties().into_iter().map(parameter).collect()
}

/// Combines schemas that must hold together.
pub(super) fn all_of(schemas: &[&Value]) -> Value {
    match schemas {
        [schema] => (*schema).clone(),
        schemas => {
            let schemas: Vec<Value> = schemas.iter().map(|schema| (*schema).clone()).collect();
            Map::from([("allOf", schemas)]).into()
        }
    }
}

/// The kinds of values that a schema allows, as the parser sees them.
pub(super) fn kinds_of(schema: &Value, root_schema: &Map) -> Kinds {
    Schema::from_map(root_schema).part(schema).kinds()
}

/// The values that a schema lists.
pub(super) fn listed(schema: &Value) -> Option<&[Value]> {
    let keywords = Schema::from_value(schema).keywords()?;
    let listed = keywords.values().ok().flatten();
    listed.or_else(|| keywords.constant().map(std::slice::from_ref))
}

/// The alternatives of a schema, without any change.
pub(super) fn alternatives_of(schema: &Value) -> Option<&[Value]> {
    let keywords = Schema::from_value(schema).keywords()?;
    let lists = [Combination::AnyOf, Combination::OneOf].into_iter();
    let mut lists = lists.filter_map(|combination| keywords.combination(combination).ok());
    lists.find(|ways| !ways.is_empty())
}

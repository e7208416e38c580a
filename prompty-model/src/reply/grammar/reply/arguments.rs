//! The arguments of a named call, in each notation.

use super::part::part;
use super::{Maker, call, literal};
use crate::reply::format::Arguments;
use crate::reply::grammar::Expression;
use crate::reply::grammar::fields::{Part, in_any_order, optional_fields};
use prompty_core::error::Error;
use prompty_core::message::Tool;
use prompty_core::schema::{Property, Schema};
use prompty_core::value::{Map, Value};

/// An argument of a tool: its name, its schema and whether it must be there.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) is_required: bool,
}

impl Parameter {
    /// The argument as it is written.
    fn written(self, expression: Expression) -> Part {
        Part { name: self.name, expression, is_required: self.is_required }
    }
}

impl Maker<'_> {
    pub(super) fn arguments(
        &mut self,
        notation: &Arguments,
        tool: &Tool,
    ) -> Result<Expression, Error> {
        match notation {
            Arguments::Json => self.json_arguments(tool),
            Arguments::Tagged { key_open, key_close, value_close, separator } => {
                let mut arguments = Vec::new();
                for parameter in parameters(tool) {
                    let argument =
                        self.tagged(&parameter, key_open, key_close, value_close, separator)?;
                    arguments.push(parameter.written(argument));
                }
                Ok(in_any_order(&mut self.builder, arguments))
            }
            Arguments::Nested { .. } => {
                let mut arguments = Vec::new();
                for parameter in parameters(tool) {
                    let argument = self.nested(notation, &parameter.name, &parameter.schema, 0)?;
                    arguments.push(parameter.written(argument));
                }
                Ok(in_any_order(&mut self.builder, arguments))
            }
            Arguments::Literal { open, assign, separator, quote, close } => {
                let mut fields = Vec::new();
                self.referred.clear();
                for parameter in parameters(tool) {
                    let place = format!("#/properties/{}", parameter.name);
                    let (schema, whole) = (&parameter.schema, &tool.parameters);
                    let value = self.literal(&place, schema, whole, quote, 0)?;
                    let key =
                        Expression::text(format!("{}{assign}", literal::key(&parameter.name)));
                    let field = Expression::sequence([key, value]);
                    fields.push((field, parameter.is_required));
                }
                let separator = Expression::text(separator.clone());
                let row = optional_fields(&mut self.builder, fields, None, &separator);
                Ok(Expression::sequence([
                    Expression::text(open.clone()),
                    row,
                    Expression::text(close.clone()),
                ]))
            }
        }
    }
}

/// The arguments of a tool, in the schema's order.
pub(super) fn parameters(tool: &Tool) -> Vec<Parameter> {
    parameters_of(Schema::from_map(&tool.parameters), &tool.parameters)
}

/// The properties of an object's schema. `whole` has the definitions of its references.
pub(super) fn parameters_of(schema: Schema<'_>, whole: &Map) -> Vec<Parameter> {
    let parameter = |property: Property<'_>| Parameter {
        name: property.name.to_owned(),
        schema: part(&all_of(&property.schemas), whole),
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

/// White space between the tokens of a literal.
pub(super) fn gap() -> Expression {
    call::gap()
}

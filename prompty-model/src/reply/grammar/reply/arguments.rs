//! The arguments of a named call, in each notation.

use super::part::part;
use super::{Maker, call, literal};
use crate::reply::format::Arguments;
use crate::reply::grammar::Expression;
use crate::reply::grammar::fields::{Part, in_any_order, optional_fields};
use prompty_core::error::Error;
use prompty_core::message::Tool;
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
    let schema = &tool.parameters;
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flat_map(Map::iter);
    let parameter = |(name, said): (&str, &Value)| Parameter {
        name: name.to_owned(),
        schema: part(said, schema),
        is_required: required.iter().any(|it| it.as_str() == Some(name)),
    };
    properties.map(parameter).collect()
}

/// White space between the tokens of a literal.
pub(super) fn gap() -> Expression {
    call::gap()
}

//! The arguments of a named call, in each notation.

use super::part::parameters;
use super::{Maker, literal};
use crate::reply::format::Arguments;
use crate::reply::grammar::Expression;
use crate::reply::grammar::fields::{in_any_order, optional_fields};
use prompty_core::error::Error;
use prompty_core::message::Tool;

impl Maker<'_> {
    pub(super) fn arguments(
        &mut self,
        notation: &Arguments,
        tool: &Tool,
    ) -> Result<Expression, Error> {
        match notation {
            Arguments::Json => self.json_arguments(tool),
            Arguments::Tagged { .. } | Arguments::Nested { .. } => {
                let mut arguments = Vec::new();
                for parameter in parameters(tool) {
                    let argument = self.between_tags(notation, &parameter, &tool.parameters)?;
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

//! The arguments of a named call, in each notation.

use super::part::part;
use super::{Maker, call, literal};
use crate::error::Error;
use crate::message::Tool;
use crate::reply::format::Arguments;
use crate::reply::grammar::row::row;
use crate::reply::grammar::{Expression, RuleId};
use crate::value::{Map, Value};

/// So many arguments may come in any order.
const MOST_IN_ANY_ORDER: usize = 7;

/// An argument of a tool: its name, its schema and whether it must be there.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) is_required: bool,
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
                    arguments.push((argument, parameter));
                }
                Ok(self.in_any_order(arguments))
            }
            Arguments::Nested { .. } => {
                let mut arguments = Vec::new();
                for parameter in parameters(tool) {
                    let argument = self.nested(notation, &parameter.name, &parameter.schema, 0)?;
                    arguments.push((argument, parameter));
                }
                Ok(self.in_any_order(arguments))
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
                let row = row(&mut self.builder, fields, None, &separator);
                Ok(Expression::sequence([
                    Expression::text(open.clone()),
                    row,
                    Expression::text(close.clone()),
                ]))
            }
        }
    }
}

impl Maker<'_> {
    /// Arguments each once, in any order; in the schema's, where there are so many that the orders
    /// would be too many rules.
    fn in_any_order(&mut self, arguments: Vec<(Expression, Parameter)>) -> Expression {
        if arguments.len() < 2 || arguments.len() > MOST_IN_ANY_ORDER {
            let parts = arguments.into_iter();
            return Expression::sequence(parts.map(|(it, of)| demanded(it, of.is_required)));
        }
        let named = arguments.into_iter().map(|(argument, of)| {
            (self.builder.rule(&format!("argument-{}", of.name), argument), of.is_required)
        });
        let named: Vec<(RuleId, bool)> = named.collect();
        // A rule for each set of arguments that have come: what may come behind them.
        let sets = 1_usize << named.len();
        let rules: Vec<RuleId> = (0..sets).map(|_| self.builder.reserve("arguments")).collect();
        for (set, rule) in rules.iter().enumerate() {
            let mut ways = Vec::new();
            for (index, (argument, _)) in named.iter().enumerate() {
                let next = rules.get(set | 1 << index).filter(|_| set & 1 << index == 0);
                if let Some(next) = next {
                    ways.push(Expression::sequence([(*argument).into(), (*next).into()]));
                }
            }
            let may_end = named
                .iter()
                .enumerate()
                .all(|(index, (_, is_required))| !is_required || set & 1 << index != 0);
            if may_end {
                ways.push(Expression::EMPTY);
            }
            self.builder.define(*rule, Expression::Choice(ways));
        }
        rules.first().map_or(Expression::EMPTY, |first| (*first).into())
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

/// A part that must be there, or may be left out.
fn demanded(part: Expression, is_required: bool) -> Expression {
    if is_required { part } else { part.optional() }
}

/// White space between the tokens of a literal.
pub(super) fn gap() -> Expression {
    call::gap()
}

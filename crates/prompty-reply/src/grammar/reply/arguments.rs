//! The arguments of a named call, in each notation.

use super::argument::{ArgumentSchema, TYPE_WORDS, TypeHint, ValueEnd, WriteTarget};
use super::literal::{self, LiteralSchema};
use super::markers::optional_text;
use super::part::{Parameter, parameters};
use super::reply_builder::ReplyGrammarBuilder;
use crate::format::{Marker, Quoting, Text};
use crate::grammar::fields::{GrammarField, in_any_order, optional_fields};
use crate::grammar::{Expression, Result};
use crate::layout::{LayoutPart, Slot};
use prompty_core::message::ToolSpec;
use prompty_core::schema::Kinds;
use prompty_core::value::Map;

impl ReplyGrammarBuilder<'_> {
    /// Writes arguments one by one, or parts of an argument with the same notation.
    pub(super) fn arguments(
        &mut self,
        part: &LayoutPart,
        separator: &Marker,
        parameters: Vec<Parameter>,
        (root_schema, depth): (&Map, usize),
    ) -> Result<Expression> {
        let mut arguments = Vec::new();
        for parameter in parameters {
            let Parameter { name, schema, .. } = &parameter;
            let type_hint = TypeHint::Any;
            let argument = ArgumentSchema { name, schema, root_schema, depth, type_hint };
            let argument = [self.argument(part, argument)?, optional_text(&separator.to_string())];
            let expression = Expression::sequence(argument);
            let Parameter { name, is_required, .. } = parameter;
            arguments.push(GrammarField { name, expression, is_required });
        }
        Ok(in_any_order(&mut self.builder, arguments))
    }

    /// Writes one argument, with an alternative for each type hint that it may have.
    pub(super) fn argument(
        &mut self,
        part: &LayoutPart,
        argument: ArgumentSchema<'_>,
    ) -> Result<Expression> {
        let says_kind = part.parts().into_iter().any(
            |part| matches!(part, LayoutPart::Slot(Slot::Word { of_texts }) if !of_texts.is_empty()),
        );
        if !says_kind {
            return self.write_part(part, WriteTarget::Argument(argument));
        }
        let kinds = argument.kinds();
        let ways = [
            (TypeHint::String, kinds.intersects(Kinds::STRING)),
            (TypeHint::NotString, kinds != Kinds::STRING),
        ];
        let ways = ways.into_iter().filter(|(_, is_one)| *is_one);
        let ways = ways.map(|(type_hint, _)| {
            let argument = ArgumentSchema { type_hint, ..argument };
            self.write_part(part, WriteTarget::Argument(argument))
        });
        Ok(Expression::Choice(ways.collect::<Result<_, _>>()?))
    }

    /// Writes the data in a slot of an argument.
    pub(super) fn part_of_argument(
        &mut self,
        slot: &Slot,
        argument: ArgumentSchema<'_>,
    ) -> Result<Expression> {
        match slot {
            Slot::Key => Ok(Expression::text(argument.name.to_owned())),
            Slot::Word { of_texts } if argument.type_hint == TypeHint::String => {
                let words = of_texts.iter().map(|word| Expression::text(word.clone()));
                Ok(Expression::choice(words))
            }
            Slot::Word { of_texts } => {
                let others =
                    TYPE_WORDS.iter().filter(|word| !of_texts.iter().any(|it| it == **word));
                Ok(Expression::choice(others.map(|word| Expression::text(*word))))
            }
            Slot::Tags { item, close_prefix, close_suffix } => {
                let close = close_prefix.wrap_word(argument.name, close_suffix);
                let end = ValueEnd { close: &close, quoting: &Quoting::NONE };
                let value = self.nested_value(argument, item, end)?;
                let close = [Expression::text(close.text), optional_text(&close.after)];
                Ok(Expression::sequence([value].into_iter().chain(close)))
            }
            _ => Ok(Expression::NOTHING),
        }
    }

    /// Writes arguments as assignments.
    pub(super) fn assignments(
        &mut self,
        tool: &ToolSpec,
        assign: &Text,
        separator: &Text,
        quote: &Text,
        close: &Text,
    ) -> Result<Expression> {
        let mut fields = Vec::new();
        // The references of another tool lead to other schemas.
        self.literal_rules.referred.clear();
        for parameter in parameters(tool) {
            let place = format!("#/properties/{}", parameter.name);
            let (place, schema, root_schema) = (&place, &parameter.schema, &tool.parameters);
            let value =
                self.literal(LiteralSchema { place, schema, root_schema, quote, depth: 0 })?;
            let key = Expression::text(format!("{}{assign}", literal::key(&parameter.name)));
            fields.push((Expression::sequence([key, value]), parameter.is_required));
        }
        let separator = Expression::text(separator.clone());
        let row = optional_fields(&mut self.builder, fields, None, &separator);
        Ok(Expression::sequence([row, Expression::text(close.clone())]))
    }
}

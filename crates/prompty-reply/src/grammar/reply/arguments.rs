//! The arguments of a named call, in each notation.

use super::argument::{Argument, For, TYPE_WORDS, ValueEnd, Word};
use super::literal::{self, Typed};
use super::maker::Maker;
use super::markers::space;
use super::part::{Parameter, parameters};
use crate::format::{Marker, Quoting, Text};
use crate::grammar::fields::{in_any_order, optional_fields};
use crate::grammar::{Expression, Result};
use crate::layout::{Part, Slot};
use prompty_core::message::ToolSpec;
use prompty_core::schema::Kinds;
use prompty_core::value::Map;

impl Maker<'_> {
    /// Arguments one by one, as the part says, or parts of one that are written like arguments.
    pub(super) fn arguments(
        &mut self,
        part: &Part,
        separator: &Marker,
        parameters: Vec<Parameter>,
        (whole, depth): (&Map, usize),
    ) -> Result<Expression> {
        let mut arguments = Vec::new();
        for parameter in parameters {
            let Parameter { name, schema, .. } = &parameter;
            let argument = Argument { name, schema, whole, depth, word: Word::Any };
            let argument = [self.argument(part, argument)?, space(&separator.to_string())];
            arguments.push(parameter.written(Expression::sequence(argument)));
        }
        Ok(in_any_order(&mut self.builder, arguments))
    }

    /// One argument, in each of the ways in which a word can say of what kind it is.
    pub(super) fn argument(&mut self, part: &Part, argument: Argument<'_>) -> Result<Expression> {
        let says_kind = part.parts().into_iter().any(
            |part| matches!(part, Part::Slot(Slot::Word { of_texts }) if !of_texts.is_empty()),
        );
        if !says_kind {
            return self.written(part, For::Argument(argument));
        }
        let kinds = argument.kinds();
        let ways =
            [(Word::Text, kinds.intersects(Kinds::STRING)), (Word::NoText, kinds != Kinds::STRING)];
        let ways = ways.into_iter().filter(|(_, is_one)| *is_one);
        let ways =
            ways.map(|(word, _)| self.written(part, For::Argument(Argument { word, ..argument })));
        Ok(Expression::Choice(ways.collect::<Result<_, _>>()?))
    }

    /// What stands in a slot of an argument.
    pub(super) fn part_of_argument(
        &mut self,
        slot: &Slot,
        argument: Argument<'_>,
    ) -> Result<Expression> {
        match slot {
            Slot::Key => Ok(Expression::text(argument.name.to_owned())),
            Slot::Word { of_texts } if argument.word == Word::Text => {
                let words = of_texts.iter().map(|word| Expression::text(word.clone()));
                Ok(Expression::choice(words))
            }
            Slot::Word { of_texts } => {
                let others =
                    TYPE_WORDS.iter().filter(|word| !of_texts.iter().any(|it| it == **word));
                Ok(Expression::choice(others.map(|word| Expression::text(*word))))
            }
            Slot::Tags { item, close_prefix, close_suffix } => {
                let close = close_prefix.around(argument.name, close_suffix);
                let end = ValueEnd { close: &close, quoting: &Quoting::NONE };
                let value = self.nested_value(argument, item, end)?;
                let close = [Expression::text(close.text), space(&close.after)];
                Ok(Expression::sequence([value].into_iter().chain(close)))
            }
            _ => Ok(Expression::NOTHING),
        }
    }

    /// Arguments as assignments.
    pub(super) fn assignments(
        &mut self,
        tool: &ToolSpec,
        assign: &Text,
        separator: &Text,
        quote: &Text,
        close: &Text,
    ) -> Result<Expression> {
        let mut fields = Vec::new();
        self.referred.clear();
        for parameter in parameters(tool) {
            let place = format!("#/properties/{}", parameter.name);
            let (place, schema, whole) = (&place, &parameter.schema, &tool.parameters);
            let value = self.literal(Typed { place, schema, whole, quote, depth: 0 })?;
            let key = Expression::text(format!("{}{assign}", literal::key(&parameter.name)));
            fields.push((Expression::sequence([key, value]), parameter.is_required));
        }
        let separator = Expression::text(separator.clone());
        let row = optional_fields(&mut self.builder, fields, None, &separator);
        Ok(Expression::sequence([row, Expression::text(close.clone())]))
    }
}

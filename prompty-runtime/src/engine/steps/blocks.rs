//! The blocks of Handlebars while a template renders: `each`, `with` and sections.

use super::engine::{Body, Run, Turns};
use super::program::{Block, Step, TurnPart};
use super::stack::{BlockValues, Frame, StackValue};
use crate::engine::RenderFailure;
use prompty_core::value::Value;
use prompty_template::tree::ContextKind;

impl<'a> Run<'a> {
    /// Writes a block for the value on top of the stack, or else its `else`.
    pub(super) fn block(&mut self, block: &'a Block) -> Result<(), RenderFailure> {
        let subject = match block.kind {
            ContextKind::Section => self.pop_present(&block.subject)?,
            _ => self.pop(),
        };
        let Some(values) = self.block_values(block.kind, subject) else {
            self.enter(&block.otherwise);
            return Ok(());
        };
        self.check_depth("blocks", block.subject.span)?;
        let value = values.value(0);
        self.frames.push(Frame { values, index: 0, value, body: &block.body });
        self.enter_turn(&block.body)
    }

    /// Continues after the body of the innermost block: with the next value, or behind the block.
    pub(super) fn end_turn(&mut self) -> Result<(), RenderFailure> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let next = frame.index + 1;
        if next >= frame.values.len() {
            self.frames.pop();
            return Ok(());
        }
        frame.index = next;
        frame.value = frame.values.value(next);
        let body = frame.body;
        self.enter_turn(body)
    }

    fn enter_turn(&mut self, body: &'a [Step]) -> Result<(), RenderFailure> {
        self.budget.spend(1)?;
        self.bodies.push(Body { steps: body.iter(), turns: Turns::Block });
        Ok(())
    }

    /// What the body is written for; `None` if the `else` is written.
    fn block_values(&self, kind: ContextKind, subject: StackValue<'a>) -> Option<BlockValues<'a>> {
        match (kind, subject) {
            (ContextKind::Each | ContextKind::Section, StackValue::Value(Value::Array(items))) => {
                (!items.is_empty()).then_some(BlockValues::List(items))
            }
            (ContextKind::Each, StackValue::Value(Value::Object(map))) => {
                (!map.is_empty()).then_some(BlockValues::Map(map))
            }
            (ContextKind::Each, _) => None,
            (ContextKind::With, value) => {
                let is_number =
                    matches!(value, StackValue::Value(Value::Integer(_) | Value::Float(_)));
                (is_number || value.is_true()).then_some(BlockValues::One(value))
            }
            (ContextKind::Section, StackValue::Value(Value::Bool(is_true))) => {
                is_true.then(|| BlockValues::One(self.context_value(0)))
            }
            (ContextKind::Section, StackValue::Value(Value::Null) | StackValue::Missing) => None,
            (ContextKind::Section, StackValue::Rich(rich)) if !rich.present => None,
            // Other kinds of blocks have no steps.
            (_, value) => Some(BlockValues::One(value)),
        }
    }

    /// The value of a block around, or all inputs.
    pub(super) fn context_value(&self, up: usize) -> StackValue<'a> {
        self.frame(up).map_or(StackValue::Inputs, |frame| frame.value.clone())
    }

    /// `@index` and the like of a block around. A block that is written once has none.
    pub(super) fn turn_part(&self, up: usize, part: TurnPart) -> Option<Value> {
        let frame = self.frame(up)?;
        let key = frame.values.key(frame.index)?;
        Some(match part {
            TurnPart::Index => Value::from(frame.index),
            TurnPart::Key => key,
            TurnPart::First => Value::from(frame.index == 0),
            TurnPart::Last => Value::from(frame.index + 1 == frame.values.len()),
        })
    }

    fn frame(&self, up: usize) -> Option<&Frame<'a>> {
        self.frames.iter().rev().nth(up)
    }
}

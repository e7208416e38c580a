//! Runs the blocks of Handlebars: `each`, `with` and sections.

use super::program::{Block, LoopVariable, Step};
use super::stack::{BlockFrame, BlockValues, StackValue};
use super::template::{Body, BodyKind, Run};
use crate::engine::RenderFailure;
use prompty_core::value::Value;
use prompty_template::tree::ContextKind;

impl<'a> Run<'a> {
    /// Starts a block with the value on top of the stack, or its `else`.
    pub(super) fn run_block(&mut self, block: &'a Block) -> Result<(), RenderFailure> {
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
        self.frames.push(BlockFrame { values, index: 0, value, body: &block.body });
        self.start_iteration(&block.body)
    }

    /// Continues after the body of the innermost block: with the next value, or after the block.
    pub(super) fn end_iteration(&mut self) -> Result<(), RenderFailure> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let next = frame.index + 1;
        if next >= frame.values.len() {
            self.frames.pop();
            return Ok(());
        }
        frame.index = next;
        frame.value = frame.values.value(next);
        let body = frame.body;
        self.start_iteration(body)
    }

    fn start_iteration(&mut self, body: &'a [Step]) -> Result<(), RenderFailure> {
        self.budget.spend(1)?;
        self.bodies.push(Body { steps: body.iter(), kind: BodyKind::Block });
        Ok(())
    }

    /// The values for which the body is written; `None` if the `else` is written.
    fn block_values(&self, kind: ContextKind, subject: StackValue<'a>) -> Option<BlockValues<'a>> {
        match (kind, subject) {
            (ContextKind::Each | ContextKind::Section, StackValue::Value(Value::Array(items))) => {
                (!items.is_empty()).then_some(BlockValues::List(items))
            }
            (ContextKind::Each, StackValue::Value(Value::Object(map))) => {
                (!map.is_empty()).then_some(BlockValues::Map(map))
            }
            (ContextKind::Each, _) => None,
            // A number is entered even if it is zero.
            (ContextKind::With, value) => {
                let is_number =
                    matches!(value, StackValue::Value(Value::Integer(_) | Value::Float(_)));
                (is_number || value.is_true()).then_some(BlockValues::One(value))
            }
            // `{{#flag}}` keeps the context of the enclosing block.
            (ContextKind::Section, StackValue::Value(Value::Bool(is_true))) => {
                is_true.then(|| BlockValues::One(self.context_value(0)))
            }
            (ContextKind::Section, StackValue::Value(Value::Null) | StackValue::Missing) => None,
            (ContextKind::Section, StackValue::Rich(rich)) if !rich.present => None,
            // A section is entered for any other value, even for zero and an empty string. The
            // compiler rejects all other kinds of blocks.
            (_, value) => Some(BlockValues::One(value)),
        }
    }

    /// The value of an enclosing block, or all inputs; 0 is the innermost block.
    pub(super) fn context_value(&self, up: usize) -> StackValue<'a> {
        self.frame(up).map_or(StackValue::Inputs, |frame| frame.value.clone())
    }

    /// `@index` and similar variables of an enclosing block. A block that does not loop has none.
    pub(super) fn loop_variable(&self, up: usize, variable: LoopVariable) -> Option<Value> {
        let frame = self.frame(up)?;
        let key = frame.values.key(frame.index)?;
        Some(match variable {
            LoopVariable::Index => Value::from(frame.index),
            LoopVariable::Key => key,
            LoopVariable::First => Value::from(frame.index == 0),
            LoopVariable::Last => Value::from(frame.index + 1 == frame.values.len()),
        })
    }

    fn frame(&self, up: usize) -> Option<&BlockFrame<'a>> {
        self.frames.iter().rev().nth(up)
    }
}

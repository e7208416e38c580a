//! Runs expressions of Handlebars: operations on a stack of values.

use std::borrow::Cow;

use super::helpers;
use super::program::{Operation, Subject};
use super::stack::StackValue;
use super::template::Run;
use crate::engine::{RenderFailure, Undefined};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;

/// The size of a list item that a helper makes, in bytes.
const ITEM_BYTES: usize = 32;
/// The maximum nesting of the lists that helpers make.
const MAX_DEPTH: usize = 64;

impl<'a> Run<'a> {
    /// Runs one operation.
    pub(super) fn compute(&mut self, operation: &Operation) -> Result<(), RenderFailure> {
        let value = match operation {
            Operation::Constant(value) => StackValue::Value(value.clone()),
            Operation::Context(up) => self.context_value(*up),
            Operation::LoopVariable { up, variable } => {
                up.and_then(|up| self.loop_variable(up, *variable)).into()
            }
            Operation::Input(name) => {
                self.budget.charge_read(name.len())?;
                self.input_value(name)
            }
            Operation::Assigned { slot, skip } => {
                // Without a value, the skipped steps look the name up elsewhere.
                let Some(Some(value)) = self.assigned.get(*slot).cloned() else { return Ok(()) };
                self.skip(*skip);
                value
            }
            Operation::Attribute(name) => {
                let owner = self.pop();
                self.attribute_of(owner, name)?
            }
            Operation::Item => {
                let index = self.pop_value();
                let owner = self.pop();
                self.item_of(owner, &index)?
            }
            Operation::Argument(span) => match self.stack.last() {
                Some(StackValue::Rich(rich)) => return Err(rich.argument_error(*span)),
                _ => return Ok(()),
            },
            Operation::Not => StackValue::Value(Value::from(!self.pop().is_true())),
            Operation::Truth => StackValue::Value(Value::from(self.pop().is_true())),
            Operation::SkipIfTrue(count) => {
                if self.stack.last().is_some_and(StackValue::is_true) {
                    self.skip(*count);
                } else {
                    self.stack.pop();
                }
                return Ok(());
            }
            Operation::SkipUnlessTrue(count) => {
                if !self.pop().is_true() {
                    self.skip(*count);
                }
                return Ok(());
            }
            Operation::Compare { operator, span } => {
                let right = self.pop_value();
                let left = self.pop_value();
                let budget = &mut self.budget;
                StackValue::Value(helpers::compare(budget, *operator, &left, &right, *span)?)
            }
            Operation::List { length, span } => {
                let items = self.pop_values(*length);
                StackValue::Value(self.make_list(items, *span)?)
            }
            Operation::Helper { name, count, span } => {
                let values = self.pop_values(*count);
                let budget = &mut self.budget;
                StackValue::Value(helpers::call_helper(budget, name, &values, *span)?)
            }
            Operation::Discard => {
                self.stack.pop();
                return Ok(());
            }
        };
        self.stack.push(value);
        Ok(())
    }

    /// Pops the top of the stack. The compiled steps have pushed it.
    pub(super) fn pop(&mut self) -> StackValue<'a> {
        self.stack.pop().unwrap_or(StackValue::Missing)
    }

    fn pop_value(&mut self) -> Value {
        self.pop().into_value()
    }

    /// Pops the topmost values, in the order in which they were pushed.
    pub(super) fn pop_values(&mut self, count: usize) -> Vec<Value> {
        let start = self.stack.len().saturating_sub(count);
        self.stack.drain(start..).map(StackValue::into_value).collect()
    }

    /// Pops the top of the stack. In strict mode it must not be missing.
    pub(super) fn pop_present(
        &mut self,
        subject: &Subject,
    ) -> Result<StackValue<'a>, RenderFailure> {
        match (self.pop(), self.template.undefined) {
            (StackValue::Missing, Undefined::Error) => Err(subject.undefined_error()),
            (value, _) => Ok(value),
        }
    }

    /// Pops the top of the stack into a slot. A slot with `null` counts as set.
    pub(super) fn assign(&mut self, slot: usize) {
        let value = match self.pop() {
            StackValue::Missing | StackValue::Inputs => StackValue::Value(Value::Null),
            value => value,
        };
        if let Some(value_slot) = self.assigned.get_mut(slot) {
            *value_slot = Some(value);
        }
    }

    /// An input of this name, or else a missing value.
    fn input_value(&self, name: &str) -> StackValue<'a> {
        if let Some(rich) = self.scope.rich.iter().find(|rich| rich.name == name) {
            return StackValue::Rich(rich);
        }
        self.scope.inputs.get(name).cloned().into()
    }

    /// An attribute of a value. Lists and strings have only `length`.
    fn attribute_of(
        &mut self,
        owner: StackValue<'a>,
        name: &str,
    ) -> Result<StackValue<'a>, RenderFailure> {
        self.budget.charge_read(name.len())?;
        let value = match owner {
            StackValue::Inputs => return Ok(self.input_value(name)),
            StackValue::Value(Value::Object(map)) => map.get(name).cloned(),
            StackValue::Value(Value::Array(items)) if name == "length" => {
                Some(Value::from(items.len()))
            }
            StackValue::Value(Value::String(text)) if name == "length" => {
                self.budget.charge_read(text.len())?;
                Some(Value::from(text.chars().count()))
            }
            StackValue::Value(_) | StackValue::Rich(_) | StackValue::Missing => None,
        };
        Ok(value.into())
    }

    /// A list item or map entry with a computed index or name.
    fn item_of(
        &mut self,
        owner: StackValue<'a>,
        index: &Value,
    ) -> Result<StackValue<'a>, RenderFailure> {
        let name: Cow<'_, str> = match index {
            Value::String(text) => Cow::Borrowed(text),
            Value::Integer(number) => Cow::Owned(number.to_string()),
            _ => return Ok(StackValue::Missing),
        };
        if let StackValue::Value(Value::Array(items)) = &owner
            && let Ok(index) = name.parse::<usize>()
        {
            return Ok(items.get(index).cloned().into());
        }
        self.attribute_of(owner, &name)
    }

    /// Makes a list and charges for everything in it.
    fn make_list(&mut self, items: Vec<Value>, span: TemplateSpan) -> Result<Value, RenderFailure> {
        self.budget.charge_built(items.len().saturating_mul(ITEM_BYTES))?;
        for item in &items {
            self.charge_item(item, MAX_DEPTH, span)?;
        }
        Ok(Value::from(items))
    }

    /// Charges for a value in a list, with all its contents. `depth` is the number of levels that
    /// may still follow.
    fn charge_item(
        &mut self,
        value: &Value,
        depth: usize,
        span: TemplateSpan,
    ) -> Result<(), RenderFailure> {
        let Some(depth) = depth.checked_sub(1) else {
            let message = format!("lists are nested more than {MAX_DEPTH} levels deep");
            let error =
                Error::new(ErrorKind::Limit, message).with_help("use fewer levels of lists");
            return Err(RenderFailure::new(error, Some(span)));
        };
        self.budget.charge_built(ITEM_BYTES)?;
        match value {
            Value::String(text) => self.budget.charge_built(text.len()),
            Value::Array(items) => {
                items.iter().try_for_each(|it| self.charge_item(it, depth, span))
            }
            Value::Object(map) => map.values().try_for_each(|it| self.charge_item(it, depth, span)),
            _ => Ok(()),
        }
    }
}

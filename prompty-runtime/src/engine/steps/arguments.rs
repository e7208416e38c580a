//! The arguments of calls of host functions.

use std::sync::Arc;

use super::call::{CallArguments, CallOperand, HostCall};
use super::path::NamePath;
use super::sections::{ResolvedName, undefined_name_error};
use super::template::Run;
use crate::engine::functions::Arguments;
use crate::engine::{RenderFailure, Undefined};
use prompty_core::value::{Map, Value};

impl<'a> Run<'a> {
    /// The arguments of a call.
    pub(super) fn call_arguments(
        &mut self,
        call: &'a HostCall,
    ) -> Result<Arguments, RenderFailure> {
        match &call.arguments {
            CallArguments::Read(arguments) => self.read_arguments(arguments),
            CallArguments::Stacked(names) => self.stacked_arguments(call, names),
        }
    }

    /// The arguments from the values on the stack.
    fn stacked_arguments(
        &mut self,
        call: &HostCall,
        names: &[Option<Box<str>>],
    ) -> Result<Arguments, RenderFailure> {
        let values = self.pop_values(names.len());
        let (mut positional, mut named) = (Vec::new(), Map::new());
        for (name, value) in names.iter().zip(values) {
            match name {
                Some(name) => _ = named.insert(&**name, value),
                None => positional.push(value),
            }
        }
        let inputs = self.scope.inputs.clone();
        let arguments = call.function.arguments(&call.name, inputs, positional, &named);
        arguments.map_err(|error| RenderFailure::new(error, Some(call.span)))
    }

    /// Reads the arguments of a call from left to right. Each can refer to those before it.
    fn read_arguments(
        &mut self,
        operands: &[(Option<Arc<str>>, CallOperand)],
    ) -> Result<Arguments, RenderFailure> {
        let mut arguments = Arguments::new(self.scope.inputs.clone());
        self.budget.spend(operands.len())?;
        for (name, operand) in operands {
            let value = match operand {
                CallOperand::Constant(value) => value.clone(),
                CallOperand::Path(path) => self.resolve_argument(path, &arguments)?,
            };
            match name {
                Some(name) => arguments.set(name, value),
                None => arguments.push(value),
            }
        }
        Ok(arguments)
    }

    /// Resolves a name in a call: to an earlier argument, or else like any other name.
    fn resolve_argument(
        &mut self,
        path: &NamePath,
        before: &Arguments,
    ) -> Result<Value, RenderFailure> {
        if let [name] = path.parts.as_slice()
            && let Some(value) = before.own(name)
        {
            return Ok(value.clone());
        }
        match self.find_name(path)? {
            ResolvedName::Value(value) => Ok(value.clone()),
            ResolvedName::Rich(rich) => Err(rich.argument_error(path.span)),
            ResolvedName::Missing(known) => match self.template.undefined {
                Undefined::Empty => Ok(Value::Null),
                Undefined::Error => Err(undefined_name_error(path, known)),
            },
        }
    }
}

//! What a call of a function of the host is given.

use std::sync::Arc;

use super::call::{Call, CallArguments, Operand};
use super::engine::Run;
use super::path::Path;
use super::sections::{Found, undefined};
use crate::engine::functions::Arguments;
use crate::engine::{RenderFailure, Undefined};
use prompty_core::value::{Map, Value};

impl<'a> Run<'a> {
    /// The arguments of a call.
    pub(super) fn arguments(&mut self, call: &'a Call) -> Result<Arguments, RenderFailure> {
        match &call.arguments {
            CallArguments::Read(arguments) => self.read_arguments(arguments),
            CallArguments::Stacked(names) => self.stacked_arguments(call, names),
        }
    }

    /// The arguments whose values are on the stack.
    fn stacked_arguments(
        &mut self,
        call: &Call,
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

    /// The arguments that a call reads. They are set from left to right, and each sees those before
    /// it.
    fn read_arguments(
        &mut self,
        operands: &[(Option<Arc<str>>, Operand)],
    ) -> Result<Arguments, RenderFailure> {
        let mut arguments = Arguments::new(self.scope.inputs.clone());
        self.spend(operands.len())?;
        for (name, operand) in operands {
            let value = match operand {
                Operand::Constant(value) => value.clone(),
                Operand::Path(path) => self.argument(path, &arguments)?,
            };
            match name {
                Some(name) => arguments.set(name, value),
                None => arguments.push(value),
            }
        }
        Ok(arguments)
    }

    /// What a name stands for in a call: an argument that stands before, or what it is elsewhere.
    fn argument(&mut self, path: &Path, before: &Arguments) -> Result<Value, RenderFailure> {
        if let [name] = path.parts.as_slice()
            && let Some(value) = before.own(name)
        {
            return Ok(value.clone());
        }
        match self.find(path)? {
            Found::Value(value) => Ok(value.clone()),
            Found::Rich(rich) => Err(rich.refused_as_argument(path.span)),
            Found::Missing(known) => match self.template.undefined {
                Undefined::Empty => Ok(Value::Null),
                Undefined::Error => Err(undefined(path, known)),
            },
        }
    }
}

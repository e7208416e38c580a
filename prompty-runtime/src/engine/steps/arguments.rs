//! What a call of a function of the host is given.

use super::call::{Call, Operand};
use super::engine::{Found, Run, undefined};
use super::path::Path;
use crate::engine::functions::Arguments;
use crate::engine::{RenderFailure, Undefined};
use prompty_core::value::Value;

impl<'a> Run<'a> {
    /// The arguments of a call. They are set from left to right, and each sees those before it.
    pub(super) fn arguments(&mut self, call: &'a Call) -> Result<Arguments, RenderFailure> {
        let mut arguments = Arguments::new(self.scope.inputs.clone());
        self.spend(call.arguments.len())?;
        for (name, operand) in &call.arguments {
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

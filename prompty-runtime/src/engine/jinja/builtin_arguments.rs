//! The arguments of a method, or of a filter with named arguments.

use minijinja::Error as EngineError;
use minijinja::value::Value as EngineValue;

use super::bridge::{self, EngineResult, engine_error};
use prompty_core::error::{Error, ErrorKind};
use prompty_template::builtins::Builtin;
use prompty_template::host_functions::argument_count;

/// The arguments of a call, checked against the table of built-ins.
pub(super) struct BuiltinArguments<'a> {
    /// The kind of the callee: `filter` or `method`.
    what: &'static str,
    pub(super) name: &'static str,
    pub(super) positional: &'a [EngineValue],
    named: Option<&'a EngineValue>,
}

impl<'a> BuiltinArguments<'a> {
    pub(super) fn new(
        what: &'static str,
        builtin: &'static Builtin,
        arguments: &'a [EngineValue],
    ) -> EngineResult<Self> {
        let (positional, named) = match arguments.split_last() {
            Some((last, others)) if last.is_kwargs() => (others, Some(last)),
            _ => (arguments, None),
        };
        for argument in positional {
            bridge::refuse_rich(argument)?;
        }
        let parsed = Self { what, name: builtin.name, positional, named };
        let mut named_count = 0;
        if let Some(named) = named {
            for name in named.try_iter()? {
                named_count += 1;
                if !name.as_str().is_some_and(|name| builtin.named.allows(name)) {
                    let message = format!("unknown argument `{name}` of `{}`", builtin.name);
                    return Err(engine_error(Error::new(ErrorKind::Render, message)));
                }
            }
        }
        let given = positional.len();
        if given > builtin.most || given + named_count < builtin.least {
            let count = argument_count(builtin.least, builtin.most);
            return Err(parsed.error(&format!("takes {count}, but the call has {given}")));
        }
        Ok(parsed)
    }

    pub(super) fn error(&self, why: &str) -> EngineError {
        engine_error(Error::new(ErrorKind::Render, format!("{} `{}` {why}", self.what, self.name)))
    }

    /// The same error with a help.
    pub(super) fn error_with_help(&self, why: &str, help: &str) -> EngineError {
        let message = format!("{} `{}` {why}", self.what, self.name);
        engine_error(Error::new(ErrorKind::Render, message).with_help(help))
    }

    /// The argument with this position or name.
    pub(super) fn get(&self, place: usize, name: &str) -> Option<EngineValue> {
        self.positional.get(place).cloned().or_else(|| self.by_name(name))
    }

    /// The argument with this name.
    pub(super) fn by_name(&self, name: &str) -> Option<EngineValue> {
        self.named?.get_attr(name).ok().filter(|value| !value.is_undefined())
    }

    /// A required string.
    pub(super) fn text(&self, place: usize) -> EngineResult<&'a str> {
        let text = self.positional.get(place).and_then(EngineValue::as_str);
        text.ok_or_else(|| self.error("expects a string"))
    }

    /// An integer; `None` if it is not given.
    pub(super) fn number(&self, place: usize, name: &str) -> EngineResult<Option<i64>> {
        match self.get(place, name) {
            None => Ok(None),
            Some(value) if value.is_none() => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.error("expects an integer")),
            },
        }
    }

    /// A width; a negative one is 0.
    pub(super) fn width(&self, place: usize, name: &str) -> EngineResult<Option<usize>> {
        let number = self.number(place, name)?;
        Ok(number.map(|number| usize::try_from(number).unwrap_or_default()))
    }
}

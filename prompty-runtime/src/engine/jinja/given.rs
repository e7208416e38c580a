//! The arguments of a method, or of a filter that takes some of them by name.

use minijinja::Error as EngineError;
use minijinja::value::Value as EngineValue;

use super::bridge::{self, EngineResult, engine_error};
use prompty_core::error::{Error, ErrorKind};
use prompty_template::builtins::Builtin;

/// The arguments of a call, as many and of such names as the method takes.
pub(super) struct Given<'a> {
    /// What is called: a filter or a method.
    what: &'static str,
    pub(super) name: &'static str,
    pub(super) positional: &'a [EngineValue],
    named: Option<&'a EngineValue>,
}

impl<'a> Given<'a> {
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
        let given = Self { what, name: builtin.name, positional, named };
        let mut by_name = 0;
        if let Some(named) = named {
            for name in named.try_iter()? {
                by_name += 1;
                if !name.as_str().is_some_and(|name| builtin.named.allows(name)) {
                    return Err(given.refused(&format!("has no argument `{name}`")));
                }
            }
        }
        if positional.len() > builtin.most || positional.len() + by_name < builtin.least {
            return Err(given.refused("gets too few arguments, or too many"));
        }
        Ok(given)
    }

    pub(super) fn refused(&self, why: &str) -> EngineError {
        engine_error(Error::new(ErrorKind::Render, format!("{} `{}` {why}", self.what, self.name)))
    }

    /// An argument by its place or its name.
    pub(super) fn get(&self, place: usize, name: &str) -> Option<EngineValue> {
        self.positional.get(place).cloned().or_else(|| self.by_name(name))
    }

    /// An argument by its name.
    pub(super) fn by_name(&self, name: &str) -> Option<EngineValue> {
        self.named?.get_attr(name).ok().filter(|value| !value.is_undefined())
    }

    /// A text that must be there.
    pub(super) fn text(&self, place: usize) -> EngineResult<&'a str> {
        let text = self.positional.get(place).and_then(EngineValue::as_str);
        text.ok_or_else(|| self.refused("takes a text"))
    }

    /// A whole number; nothing where there is none.
    pub(super) fn number(&self, place: usize, name: &str) -> EngineResult<Option<i64>> {
        match self.get(place, name) {
            None => Ok(None),
            Some(value) if value.is_none() => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.refused("takes a whole number")),
            },
        }
    }

    /// A width; a negative one is none.
    pub(super) fn width(&self, place: usize, name: &str) -> EngineResult<Option<usize>> {
        let number = self.number(place, name)?;
        Ok(number.map(|number| usize::try_from(number).unwrap_or_default()))
    }
}

//! The arguments of a call.

use super::budget::Meter;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::ItemList;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_template::host_functions::argument_count;

/// The parameters of a function. Arguments for which there is no parameter are an error, as in
/// Python.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters {
    /// The maximum number of arguments without names.
    most: usize,
    names: Names,
}

/// The names that arguments may have.
#[derive(Debug, Clone, Copy)]
enum Names {
    /// Those of the last parameters, in order.
    Last(&'static [&'static str]),
    Any,
}

/// At most this number of arguments, without names.
pub(super) const fn positional(most: usize) -> Parameters {
    Parameters { most, names: Names::Last(&[]) }
}

/// Parameters whose arguments may have names.
pub(super) const fn named(names: &'static [&'static str]) -> Parameters {
    positional(names.len()).with_names(names)
}

/// At most this number of arguments without names, and arguments with any names.
pub(super) const fn any_names(most: usize) -> Parameters {
    Parameters { most, names: Names::Any }
}

impl Parameters {
    /// Names for the last parameters. If there are more names than parameters, the arguments of the
    /// others must have names.
    pub(super) const fn with_names(self, names: &'static [&'static str]) -> Self {
        Self { names: Names::Last(names), ..self }
    }

    /// Checks the arguments of a call of the function `callee`.
    pub(super) fn check(self, callee: &str, arguments: &Arguments) -> Outcome<()> {
        let given = arguments.positional.len();
        self.check_count(callee, given)?;
        let Names::Last(names) = self.names else { return Ok(()) };
        let first = self.most.saturating_sub(names.len());
        for index in 0..arguments.named.len() {
            let Some((name, _)) = arguments.named.entry(index) else { break };
            let name = name.as_text();
            let is_name = |known: &&'static str| name.is_some_and(|name| name.is(known));
            match names.iter().position(is_name) {
                // The parameter also has an argument without a name.
                Some(at) if first.saturating_add(at) < given.min(self.most) => {
                    return Err(specified_twice(callee, name));
                }
                Some(_) => {}
                None => {
                    let name = name.map(Text::shortened).unwrap_or_default();
                    return Err(Fault::render(format!("unknown argument `{name}` of `{callee}`")));
                }
            }
        }
        match &arguments.repeated_name {
            Some(name) => Err(specified_twice(callee, Some(name))),
            None => Ok(()),
        }
    }

    /// Checks the number of arguments without names.
    pub(super) fn check_count(self, callee: &str, given: usize) -> Outcome<()> {
        if given <= self.most {
            return Ok(());
        }
        let most = argument_count(0, self.most);
        let message = format!("`{callee}` takes {most}, but the call has {given}");
        Err(Fault::render(message))
    }
}

fn specified_twice(callee: &str, name: Option<&Text>) -> Fault {
    let name = name.map(Text::shortened).unwrap_or_default();
    Fault::render(format!("argument `{name}` of `{callee}` is specified twice"))
}

fn to_integer(value: &Val, name: &str) -> Outcome<i128> {
    let wrong = || Fault::unexpected(&format!("the argument `{name}` must be an integer"), value);
    value.as_integer().ok_or_else(wrong)
}

fn to_count(number: i128) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) positional: ItemList,
    pub(super) named: Dict,
    /// A name that was given twice. Its first value is used.
    pub(super) repeated_name: Option<Text>,
}

impl Arguments {
    /// An argument by its position or its name.
    pub(super) fn get(&self, index: usize, name: &'static str) -> Option<&Val> {
        self.positional.get(index).or_else(|| self.by_name(name))
    }

    pub(super) fn by_name(&self, name: &'static str) -> Option<&Val> {
        self.named.get_literal(name)
    }

    /// A required argument.
    pub(super) fn need(&self, index: usize, name: &'static str) -> Outcome<&Val> {
        self.get(index, name).ok_or_else(|| Fault::render(format!("missing argument `{name}`")))
    }

    /// An argument that is an integer; `None` if it is missing.
    pub(super) fn integer(&self, index: usize, name: &'static str) -> Outcome<Option<i128>> {
        self.get(index, name).map(|value| to_integer(value, name)).transpose()
    }

    /// A required argument that is an integer.
    pub(super) fn need_integer(&self, index: usize, name: &'static str) -> Outcome<i128> {
        to_integer(self.need(index, name)?, name)
    }

    /// An argument that must be true or false, or an integer; false if it is missing.
    pub(super) fn boolean(&self, index: usize, name: &'static str) -> Outcome<bool> {
        Ok(self.integer(index, name)?.is_some_and(|number| number != 0))
    }

    /// An argument that is a bound; `None` if it is missing or `none`.
    pub(super) fn bound(&self, index: usize, name: &'static str) -> Outcome<Option<i128>> {
        match self.get(index, name) {
            Some(Val::None) => Ok(None),
            _ => self.integer(index, name),
        }
    }

    /// An argument that is a count; `default` if it is missing. A negative one is 0.
    pub(super) fn count(&self, index: usize, name: &'static str, default: usize) -> Outcome<usize> {
        Ok(self.integer(index, name)?.map_or(default, to_count))
    }

    /// A required argument that is a count.
    pub(super) fn need_count(&self, index: usize, name: &'static str) -> Outcome<usize> {
        self.need_integer(index, name).map(to_count)
    }

    /// Adds a named argument. The caller pays for the memory of many arguments.
    pub(super) fn add_named(&mut self, name: &Text, value: Val, meter: &Meter) -> Outcome<()> {
        match self.named.position(name.read(meter)?, meter)? {
            Some(_) => self.repeated_name = Some(name.clone()),
            None => self.named.push_without_memory(Val::String(name.clone()), value, meter)?,
        }
        Ok(())
    }
}

//! The names and parameters of the built-in functions of templates.

use super::arguments::{any_names, named, positional};
use super::table::{Entry, Table, find};
use super::value::Function;

impl Function {
    /// All functions, with their names.
    pub(super) const ALL: &Table<Self> = &[
        (&["range"], positional(3), Self::Range),
        (&["dict"], any_names(1), Self::Dict),
        (&["namespace"], any_names(1), Self::Namespace),
        (&["cycler"], positional(usize::MAX), Self::Cycler),
        (&["joiner"], named(&["sep"]), Self::Joiner),
        (&["raise_exception"], named(&["message"]), Self::RaiseException),
        (&["strftime_now"], named(&["format"]), Self::StrftimeNow),
    ];

    /// Its name in error messages, and its parameters.
    pub(super) fn entry(self) -> Option<&'static Entry<Self>> {
        Self::ALL.iter().find(|(.., function)| *function == self)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        find(Self::ALL, name).map(|(_, _, function)| *function)
    }
}

//! Resolves the names of host functions, and checks the arguments of their calls.

use std::collections::HashSet;

use crate::SyntaxError;
use crate::tree::{Argument, Call};
use prompty_core::diagnostic::suggest::suggest;

/// The maximum number of names in a help text.
const LISTED: usize = 8;

/// The result of looking up a function by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionLookup<'n> {
    /// The function with this full name.
    Known(&'n str),
    /// No function has this name.
    Unknown,
    /// Two plugins have a function with this name.
    Ambiguous(&'n str, &'n str),
}

/// Resolves a name among the functions of plugins. An exact match wins. Otherwise the name must
/// equal the part after the dot: `now` finds `time.now`.
pub fn resolve<'n>(name: &str, functions: &[&'n str]) -> FunctionLookup<'n> {
    if let Some(known) = functions.iter().find(|known| **known == name) {
        return FunctionLookup::Known(known);
    }
    let is_meant = |known: &&&str| known.split_once('.').is_some_and(|(_, own)| own == name);
    let mut meant = functions.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (None, _) => FunctionLookup::Unknown,
        (Some(known), None) => FunctionLookup::Known(known),
        (Some(first), Some(second)) => FunctionLookup::Ambiguous(first, second),
    }
}

/// Returns the help text for a call of an unknown function.
pub fn unknown_help(name: &str, functions: &[&str]) -> String {
    let own = functions.iter().filter_map(|known| known.split_once('.').map(|(_, own)| own));
    let names: Vec<&str> = functions.iter().copied().chain(own).collect();
    match suggest(name, &names) {
        Some(similar) => format!("a function with a similar name exists: `{similar}`"),
        None if functions.is_empty() => "add the function to the host's registry".to_owned(),
        None => {
            let listed: Vec<&str> = functions.iter().copied().take(LISTED).collect();
            format!("available functions: `{}`", listed.join("`, `"))
        }
    }
}

/// Returns the first error in the arguments of a call. If the function's parameters are known, it
/// accepts no other arguments.
pub fn find_argument_error<N: AsRef<str>>(
    function: &str,
    parameters: Option<&[N]>,
    call: &Call,
) -> Option<SyntaxError> {
    let mut given = HashSet::new();
    let mut positional = parameters.unwrap_or_default().iter().map(AsRef::as_ref);
    for argument in &call.arguments {
        // A positional argument has the name of the next parameter.
        let (span, name) = match argument {
            Argument::Named(name, _) => (name.span, Some(name.text.as_str())),
            Argument::Positional(expr) => (expr.span, positional.next()),
            // Its values are known only at run time.
            Argument::Spread(_) | Argument::SpreadNamed(_) => return None,
        };
        let unknown = parameters.and_then(|known| unknown_argument(function, known, name));
        if let Some((message, help)) = unknown {
            return Some(SyntaxError::new(span, message).with_help(help));
        }
        if let Some(name) = name.filter(|name| !given.insert(*name)) {
            let error = SyntaxError::new(span, format!("argument `{name}` is specified twice"));
            let help =
                "remove one of them; a positional first argument also sets the first parameter";
            return Some(error.with_help(help));
        }
    }
    None
}

/// Returns the number of arguments that a function takes, in words, such as `at most 1 argument`.
/// `usize::MAX` means that there is no maximum.
pub fn argument_count(least: usize, most: usize) -> String {
    let plural = |count: usize| if count == 1 { "argument" } else { "arguments" };
    match (least, most) {
        (_, 0) => "no arguments".to_owned(),
        (least, most) if least == most => format!("{least} {}", plural(least)),
        (least, usize::MAX) => format!("at least {least} {}", plural(least)),
        (0, most) => format!("at most {most} {}", plural(most)),
        (least, most) => format!("{least} to {most} arguments"),
    }
}

/// Returns message and help for an argument that the function does not accept. The name is `None`
/// for a positional argument after the last parameter.
fn unknown_argument<N: AsRef<str>>(
    function: &str,
    parameters: &[N],
    name: Option<&str>,
) -> Option<(String, String)> {
    if parameters.iter().any(|known| Some(known.as_ref()) == name) {
        return None;
    }
    let message = match name {
        Some(name) if !parameters.is_empty() => {
            format!("unknown argument `{name}` of `{function}`")
        }
        _ => format!("`{function}` takes {}", argument_count(0, parameters.len())),
    };
    let names: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
    Some((message, parameters_help(name.unwrap_or_default(), &names)))
}

fn parameters_help(name: &str, names: &[&str]) -> String {
    match (suggest(name, names), names) {
        (_, []) => "remove the arguments".to_owned(),
        (Some(similar), _) => format!("a parameter with a similar name exists: `{similar}`"),
        (None, names) => format!("available parameters: `{}`", names.join("`, `")),
    }
}

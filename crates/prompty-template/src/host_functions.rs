//! Which function a name means, and what is wrong with the arguments of a call.

use std::collections::HashSet;

use crate::SyntaxError;
use crate::tree::{Argument, Call};
use prompty_core::diagnostic::suggest::suggest;

/// How many names a help text lists.
const LISTED: usize = 8;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedFunction<'n> {
    /// The function of this whole name.
    Known(&'n str),
    /// No function.
    Unknown,
    /// Functions of two plugins.
    Several(&'n str, &'n str),
}

/// The function that a name means among those of plugins: the one of this name, or else the one of any
/// plugin whose name is that behind the dot.
pub fn resolve<'n>(name: &str, functions: &[&'n str]) -> NamedFunction<'n> {
    if let Some(known) = functions.iter().find(|known| **known == name) {
        return NamedFunction::Known(known);
    }
    let is_meant = |known: &&&str| known.split_once('.').is_some_and(|(_, own)| own == name);
    let mut meant = functions.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (None, _) => NamedFunction::Unknown,
        (Some(known), None) => NamedFunction::Known(known),
        (Some(first), Some(second)) => NamedFunction::Several(first, second),
    }
}

/// What a template can do about a function that nobody has.
pub fn unknown_help(name: &str, functions: &[&str]) -> String {
    let own = functions.iter().filter_map(|known| known.split_once('.').map(|(_, own)| own));
    let names: Vec<&str> = functions.iter().copied().chain(own).collect();
    match suggest(name, &names) {
        Some(similar) => format!("a function with a similar name exists: `{similar}`"),
        None if functions.is_empty() => "the host adds functions to its registry".to_owned(),
        None => {
            let names: Vec<String> =
                functions.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
            format!("there are: {}", names.join(", "))
        }
    }
}

/// What is wrong with the arguments of a call. A function whose parameters are known takes these and no
/// others.
pub fn misused<N: AsRef<str>>(
    function: &str,
    parameters: Option<&[N]>,
    call: &Call,
) -> Option<SyntaxError> {
    let mut given = HashSet::new();
    let mut unnamed = parameters.unwrap_or_default().iter().map(AsRef::as_ref);
    for argument in &call.arguments {
        let (span, name) = match argument {
            Argument::Named(name, _) => (name.span, Some(name.text.as_str())),
            Argument::Positional(expr) => (expr.span, unnamed.next()),
            Argument::Spread(_) | Argument::SpreadNamed(_) => return None,
        };
        let unknown = parameters.and_then(|known| unknown_argument(function, known, name));
        if let Some((message, help)) = unknown {
            return Some(SyntaxError::new(span, message).with_help(help));
        }
        if let Some(name) = name.filter(|name| !given.insert(*name)) {
            let error = SyntaxError::new(span, format!("the argument `{name}` is given twice"));
            let help = "take one of them out; the first argument may have no name";
            return Some(error.with_help(help));
        }
    }
    None
}

/// What is to be said of an argument that a function does not take: message and help. One without a name
/// stands where there is no parameter.
fn unknown_argument<N: AsRef<str>>(
    function: &str,
    parameters: &[N],
    name: Option<&str>,
) -> Option<(String, String)> {
    if parameters.iter().any(|known| Some(known.as_ref()) == name) {
        return None;
    }
    let message = match name {
        _ if parameters.is_empty() => format!("`{function}` takes no arguments"),
        None => format!("`{function}` takes at most {} arguments", parameters.len()),
        Some(name) => format!("`{name}` is no parameter of `{function}`"),
    };
    let names: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
    Some((message, parameters_help(name.unwrap_or_default(), &names)))
}

fn parameters_help(name: &str, names: &[&str]) -> String {
    match (suggest(name, names), names) {
        (_, []) => "take the arguments out".to_owned(),
        (Some(similar), _) => format!("a parameter with a similar name exists: `{similar}`"),
        (None, names) => {
            let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("it takes {}", shown.join(", "))
        }
    }
}

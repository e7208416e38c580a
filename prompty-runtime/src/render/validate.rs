//! Inputs against their declarations (§12.2): required ones, and defaults.

use super::blueprint::BlueprintInput;
use super::inputs::Inputs;
use crate::nonce::Rich;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Media, thread_from_value};
#[cfg(feature = "definition")]
use prompty_core::value::Map;
use prompty_core::value::Value;

/// What a render must know of a declared input.
#[derive(Clone, PartialEq)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) rich: Option<RichKind>,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
    /// Whether a role line in it is an error, in renders to segments.
    pub(super) strict: bool,
}

/// The kinds whose values are no text (§5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RichKind {
    Thread,
    Image,
    File,
    Audio,
}

impl RichKind {
    /// The rich kind of that name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "thread" => Some(Self::Thread),
            "image" => Some(Self::Image),
            "file" => Some(Self::File),
            "audio" => Some(Self::Audio),
            _ => None,
        }
    }
}

/// Fills in defaults and demands what is required. Types are not checked and inputs that are not
/// declared pass through, as the specification says; the compiler is the place for both.
pub(super) fn fill(declared: &[Declared], inputs: &mut Inputs) -> Result<(), Error> {
    for input in declared {
        if input.name.is_empty() || inputs.contains(&input.name) {
            continue;
        }
        if let Some(default) = input.default.clone().filter(|default| !default.is_null()) {
            inputs.values_mut().insert(input.name.as_str(), default);
        } else if input.required {
            return Err(missing(declared, inputs, &input.name));
        }
    }
    Ok(())
}

/// [`fill`] for plain values.
#[cfg(feature = "definition")]
pub(super) fn fill_map(
    declared: impl Iterator<Item = BlueprintInput>,
    inputs: &Map,
) -> Result<Map, Error> {
    let declared: Vec<Declared> = declared.map(Declared::from).collect();
    let mut inputs = Inputs::from(inputs);
    fill(&declared, &mut inputs)?;
    Ok(inputs.into_parts().0)
}

impl From<BlueprintInput> for Declared {
    fn from(input: BlueprintInput) -> Self {
        Self {
            rich: RichKind::from_name(&input.kind),
            name: input.name,
            required: input.required,
            default: input.default,
            strict: input.strict,
        }
    }
}

/// The error for a required input that was not given, with the given name that looks most like it.
fn missing(declared: &[Declared], inputs: &Inputs, name: &str) -> Error {
    let undeclared: Vec<&str> = inputs
        .values()
        .keys()
        .filter(|given| declared.iter().all(|input| input.name != *given))
        .collect();
    let help = match undeclared.as_slice() {
        [] => format!("give `{name}` a value, or declare a default for it"),
        names => format!(
            "inputs are matched by their exact names; given were also: {}",
            names.join(", ")
        ),
    };
    Error::new(ErrorKind::MissingInput, format!("missing required input: {name}")).with_help(help)
}

/// Takes the rich inputs out of the given ones, in the order of their declarations. What was given
/// as a plain value is converted. A thread that was not given is an empty one; other kinds that were
/// not given print as nothing.
pub(super) fn take_rich(
    declared: &[Declared],
    inputs: &mut Inputs,
) -> Result<Vec<(String, Rich)>, Error> {
    let mut taken = Vec::new();
    for input in declared {
        let Some(kind) = input.rich else { continue };
        let typed = inputs.take_rich(&input.name);
        let plain = || inputs.values().get(&input.name).filter(|value| !value.is_null());
        let rich = match (typed, plain()) {
            (Some(rich), _) => Some(rich),
            (None, Some(value)) => {
                Some(convert(kind, value).map_err(|error| in_input(&input.name, &error))?)
            }
            (None, None) if kind == RichKind::Thread => Some(Rich::Thread(Vec::new())),
            (None, None) => None,
        };
        if inputs.values().contains_key(&input.name) {
            inputs.values_mut().remove(&input.name);
        }
        taken.extend(rich.map(|rich| (input.name.clone(), rich)));
    }
    Ok(taken)
}

/// What is wrong in an input, with the input's name.
fn in_input(name: &str, error: &Error) -> Error {
    let named = Error::new(ErrorKind::WrongInput, format!("input `{name}`: {error}"));
    match error.help() {
        Some(help) => named.with_help(help),
        None => named,
    }
}

fn convert(kind: RichKind, value: &Value) -> Result<Rich, Error> {
    Ok(match kind {
        RichKind::Thread => Rich::Thread(thread_from_value(value)?),
        RichKind::Image => Rich::Image(Media::from_value(value)?),
        RichKind::File => Rich::File(Media::from_value(value)?),
        RichKind::Audio => Rich::Audio(Media::from_value(value)?),
    })
}

//! The functions that write message tags, in the places of the author's calls of `message`.
//!
//! The author's `{{ message(role="user", id=x) }}` becomes a call of `__prompty_opening_message`
//! (see `instrument`). It writes the tag with the marks that the parser of message tags reads.

use minijinja::value::{Kwargs, Value as EngineValue};
use minijinja::{Environment, State};

use super::bridge::EngineResult;
use super::budget::{JinjaBudget, Meter};
use super::names;
use prompty_template::message_tags::ROLES;
use prompty_template::message_tags::pieces::{self, TagPiece};

/// Adds the functions: one that opens a message for each name that the author may call, one that
/// closes it, and one that writes nothing.
pub(super) fn add(environment: &mut Environment<'static>, budget: JinjaBudget) {
    let roles = ROLES.map(|role| role.as_str().to_owned());
    for name in roles.into_iter().chain(["message".to_owned()]) {
        let called = name.clone();
        environment.add_function(
            format!("{}{name}", names::OPENING),
            move |state: &mut State<'_, '_>, role: Option<EngineValue>, kwargs: Kwargs| {
                open_message(&mut Meter::new(budget, state), &called, role.as_ref(), &kwargs)
            },
        );
    }
    environment.add_function(
        format!("{}message", names::CLOSING),
        |state: &mut State<'_, '_>, _: Option<EngineValue>, _: Kwargs| {
            write_pieces(state, &pieces::closing())
        },
    );
    // A `call` block passes its empty body to this function.
    environment.add_function(names::NOTHING, |_: Kwargs| "");
}

/// Writes the tag that opens a message. The values of its attributes are already encoded.
fn open_message(
    meter: &mut Meter<'_, '_, '_>,
    name: &str,
    role: Option<&EngineValue>,
    kwargs: &Kwargs,
) -> EngineResult<String> {
    let named: Option<&str> = kwargs.get("role")?;
    let positional = role.and_then(EngineValue::as_str);
    // `{{ user() }}` has its role in the name of the function.
    let role = named.or(positional).unwrap_or(name);
    let mut attributes: Vec<(&str, &str)> = Vec::new();
    for name in kwargs.args().filter(|name| *name != "role") {
        let value: &str = kwargs.get(name)?;
        meter.charge(value.len().saturating_add(name.len()))?;
        attributes.push((name, value));
    }
    Ok(write_pieces(meter.state, &pieces::opening(role, attributes)))
}

/// The text of the pieces of a tag, with the nonce of the render.
fn write_pieces(state: &mut State<'_, '_>, pieces: &[TagPiece<&str>]) -> String {
    let nonce = state.lookup(names::NONCE).unwrap_or_default();
    let nonce = nonce.as_str().unwrap_or_default();
    let pieces = pieces.iter().map(|piece| match piece {
        TagPiece::Text(text) => text.as_str(),
        TagPiece::Nonce => nonce,
        TagPiece::Value(value) => value,
    });
    pieces.collect()
}

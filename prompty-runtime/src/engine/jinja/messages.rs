//! What calls of `message` write: the tags of messages, between marks with the nonce.

use minijinja::value::{Kwargs, Value as EngineValue};
use minijinja::{Environment, State};

use super::bridge::EngineResult;
use super::budget::{Budget, Meter};
use super::instrument::names;
use prompty_template::message_tags::ROLES;
use prompty_template::message_tags::pieces::{self, TagPiece};

pub(super) fn add(environment: &mut Environment<'static>, budget: Budget) {
    let roles = ROLES.map(|role| role.as_str().to_owned());
    for name in roles.into_iter().chain(["message".to_owned()]) {
        let called = name.clone();
        environment.add_function(
            format!("{}{name}", names::OPENING),
            move |state: &mut State<'_, '_>, role: Option<EngineValue>, given: Kwargs| {
                opening(&mut Meter::new(budget, state), &called, role.as_ref(), &given)
            },
        );
    }
    environment.add_function(
        format!("{}message", names::CLOSING),
        |state: &mut State<'_, '_>, _: Option<EngineValue>, _: Kwargs| {
            written(state, &pieces::closing())
        },
    );
    // A `call` block gives it its body, which is empty.
    environment.add_function(names::NOTHING, |_: Kwargs| "");
}

/// The tag that opens a message. Its attributes are encoded.
fn opening(
    meter: &mut Meter<'_, '_, '_>,
    name: &str,
    role: Option<&EngineValue>,
    given: &Kwargs,
) -> EngineResult<String> {
    let named: Option<&str> = given.get("role")?;
    let positional = role.and_then(EngineValue::as_str);
    let role = named.or(positional).unwrap_or(name);
    let mut attributes: Vec<(&str, &str)> = Vec::new();
    for name in given.args().filter(|name| *name != "role") {
        let value: &str = given.get(name)?;
        meter.charge(value.len().saturating_add(name.len()))?;
        attributes.push((name, value));
    }
    Ok(written(meter.state, &pieces::opening(role, attributes)))
}

fn written(state: &mut State<'_, '_>, pieces: &[TagPiece<&str>]) -> String {
    let nonce = state.lookup(names::NONCE).unwrap_or_default();
    let nonce = nonce.as_str().unwrap_or_default();
    let pieces = pieces.iter().map(|piece| match piece {
        TagPiece::Text(text) => text.as_str(),
        TagPiece::Nonce => nonce,
        TagPiece::Value(value) => value,
    });
    pieces.collect()
}

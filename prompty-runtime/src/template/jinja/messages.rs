//! What calls of `message` write: the tags of messages, between marks with the nonce.

use minijinja::value::{Kwargs, Value as EngineValue};
use minijinja::{Environment, Error as EngineError, State};

use super::budget::Budget;
use super::instrument::names;
use crate::nonce::marker::{END, TAG};
use crate::template::tags::{MessageCall, ROLES};

pub(super) fn add(environment: &mut Environment<'static>, budget: Budget) {
    let roles = ROLES.map(|role| role.as_str().to_owned());
    for name in roles.into_iter().chain(["message".to_owned()]) {
        let called = name.clone();
        environment.add_function(
            format!("{}{name}", names::OPENING),
            move |state: &mut State<'_, '_>, role: Option<EngineValue>, given: Kwargs| {
                opening(budget, state, &called, role.as_ref(), &given)
            },
        );
    }
    environment.add_function(
        format!("{}message", names::CLOSING),
        |state: &mut State<'_, '_>, _: Option<EngineValue>, _: Kwargs| {
            marked(state, MessageCall::CLOSING)
        },
    );
    // A `call` block gives it its body, which is empty.
    environment.add_function(names::NOTHING, |_: Kwargs| "");
}

/// The tag that opens a message. Its attributes are encoded.
fn opening(
    budget: Budget,
    state: &mut State<'_, '_>,
    name: &str,
    role: Option<&EngineValue>,
    given: &Kwargs,
) -> Result<String, EngineError> {
    let named: Option<&str> = given.get("role")?;
    let positional = role.and_then(EngineValue::as_str);
    let mut tag = format!("<message role=\"{}\"", named.or(positional).unwrap_or(name));
    for name in given.args().filter(|name| *name != "role") {
        let value: &str = given.get(name)?;
        budget.charge(state, value.len().saturating_add(name.len()))?;
        for piece in [" ", name, "=\"", value, "\""] {
            tag.push_str(piece);
        }
    }
    tag.push('>');
    Ok(marked(state, &tag))
}

fn marked(state: &mut State<'_, '_>, tag: &str) -> String {
    let nonce = state.lookup(names::NONCE).unwrap_or_default();
    let nonce = nonce.as_str().unwrap_or_default();
    format!("{nonce}{TAG}{tag}{nonce}{END}")
}

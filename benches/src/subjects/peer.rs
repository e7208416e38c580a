//! The `prompty` crate.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::{Agreement, Inputs, Output, Subject, names};

pub(super) fn subject(inputs: &Inputs) -> Subject {
    prompty::register_defaults();
    let agent =
        prompty::load_from_string(&inputs.source, crate::folder()).expect("the prompt loads");
    let json = inputs.json.clone();
    let run = move || {
        Output::Peer(
            run_ready(prompty::prepare(&agent, Some(&json))).expect("the inputs are valid"),
        )
    };
    Subject { name: names::PEER, run: Box::new(run), agreement: Agreement::Messages }
}

/// Runs a future that never waits. This is the cheapest way to run it, so the peer has no
/// disadvantage.
fn run_ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the peer waits for something"),
    }
}

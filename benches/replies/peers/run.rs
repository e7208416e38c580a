//! Runs the readers of peers, and collects their results.

use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use tokio::runtime::Runtime;
use typed_prompty_benches::replies::Answer;

/// Runs a future that never waits.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a parser waits"),
    }
}

/// Runs a future in tokio's runtime, which the peers' readers of messages need.
pub(super) fn in_runtime<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Runtime::new().expect("a runtime can be created"));
    RUNTIME.block_on(future)
}

/// Adds a piece of arguments to the call with an index.
pub(super) fn add_call(answer: &mut Answer, index: usize, name: Option<String>, arguments: &str) {
    if answer.calls.len() <= index {
        answer.calls.resize_with(index + 1, Default::default);
    }
    let Some(call) = answer.calls.get_mut(index) else { return };
    if let Some(name) = name {
        call.0.push_str(&name);
    }
    if !arguments.is_empty() {
        answer.argument_pieces += 1;
        call.1.push_str(arguments);
    }
}

//! The peers, each used as its own documentation does it.
//!
//! Every peer reads with what the input needs and no more: thoughts with its reader of thoughts, calls
//! with its reader of calls, both with one behind the other. Readers that can be used again are.

mod dynamo;
mod smg;

use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use tokio::runtime::Runtime;
use typed_prompty_benches::replies::{Answer, Input};

/// What a peer made of a reply, or why it made nothing.
pub type Reading = Result<Answer, String>;

/// A way to read one input.
pub struct Peer<'input> {
    pub name: &'static str,
    pub whole: Option<Box<dyn Fn() -> Reading + 'input>>,
    pub streamed: Option<Box<dyn Fn() -> Reading + 'input>>,
}

/// The peers that can read an input.
pub fn peers<'input>(input: &'input Input, chunks: &'input [&'input str]) -> Vec<Peer<'input>> {
    let mut peers = dynamo::peers(input, chunks);
    peers.extend(smg::peers(input, chunks));
    peers
}

/// Runs what never waits for anything.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a parser waits"),
    }
}

/// Runs what needs tokio's runtime, as the peers' readers of messages do.
fn in_runtime<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Runtime::new().expect("a runtime can be made"));
    RUNTIME.block_on(future)
}

/// Adds a piece of arguments to the call of an index.
fn add_call(answer: &mut Answer, index: usize, name: Option<String>, arguments: &str) {
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

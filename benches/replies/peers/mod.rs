//! The peers, each used as its own documentation does it.
//!
//! Every peer reads with what the input needs and no more: thoughts with its reader of thoughts, calls
//! with its reader of calls, both with one behind the other. Readers that can be used again are.
//! Without the feature `reply-peers` there are none.

#[cfg(feature = "reply-peers")]
mod dynamo;
#[cfg(feature = "reply-peers")]
mod run;
#[cfg(feature = "reply-peers")]
mod smg;

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
#[cfg(feature = "reply-peers")]
pub fn peers<'input>(input: &'input Input, chunks: &'input [&'input str]) -> Vec<Peer<'input>> {
    let mut peers = dynamo::peers(input, chunks);
    peers.extend(smg::peers(input, chunks));
    peers
}

/// No peers.
#[cfg(not(feature = "reply-peers"))]
pub fn peers<'input>(_: &'input Input, _: &'input [&'input str]) -> Vec<Peer<'input>> {
    Vec::new()
}

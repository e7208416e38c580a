//! The peers, each used as in its own documentation.
//!
//! Every peer uses only the readers that the input needs: for reasoning, for calls, or for both one
//! after the other. Readers that support it are reused. Without the feature `reply-peers` there are
//! no peers.

#[cfg(feature = "reply-peers")]
mod dynamo;
#[cfg(feature = "reply-peers")]
mod run;
#[cfg(feature = "reply-peers")]
mod smg;

use typed_prompty_benches::replies::{Answer, Input};

/// The result of a peer for a reply, or its error.
pub type Reading = Result<Answer, String>;

/// A peer's way to read one input.
pub struct Peer<'input> {
    pub name: &'static str,
    pub complete: Option<Box<dyn Fn() -> Reading + 'input>>,
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

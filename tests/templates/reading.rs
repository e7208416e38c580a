//! Parses a reply at once and in all kinds of chunks. The results must be equal.

use typed_prompty::reply::{FinishReason, Reply, ReplyParser};

/// Parses a reply at once, character by character, in two chunks and in random chunks.
///
/// # Errors
///
/// The results differ, a text is lost, or arguments are not JSON.
pub(crate) fn read(parser: &ReplyParser, text: &str) -> Result<Reply, String> {
    let complete = parser.parse(text);
    let regions: String = parser.regions(text).into_iter().map(|(_, piece)| piece).collect();
    if regions != text {
        return Err(format!("the regions are not the text: {regions:?} of {text:?}"));
    }
    for call in complete.calls().iter().filter(|call| call.complete) {
        serde_json::from_str::<serde_json::Value>(&call.arguments)
            .map_err(|error| format!("not JSON ({error}): {}", call.arguments))?;
    }
    let same = |pieces: &mut dyn Iterator<Item = &str>, cut: &dyn Fn() -> String| {
        let found = streamed(parser, pieces);
        if found == complete { Ok(()) } else { Err(differs(&cut(), &complete, &found)) }
    };
    let characters = || text.split("").filter(|piece| !piece.is_empty());
    same(&mut characters(), &|| "by characters".to_owned())?;
    for at in cuts(text) {
        let (left, right) = text.split_at(at);
        same(&mut [left, right].into_iter(), &|| format!("cut into {left:?} and {right:?}"))?;
    }
    for longest in [3, 9, 40] {
        let pieces = pieces(text, longest);
        same(&mut pieces.iter().copied(), &|| format!("cut into {pieces:?}"))?;
    }
    Ok(complete)
}

/// Reads a reply in chunks.
fn streamed(parser: &ReplyParser, pieces: &mut dyn Iterator<Item = &str>) -> Reply {
    let (mut stream, mut reply) = (parser.stream(), Reply::default());
    for piece in pieces {
        stream.push(piece).for_each(|event| reply.add(event));
    }
    stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    reply
}

fn differs(cut: &str, complete: &Reply, found: &Reply) -> String {
    let json = |reply: &Reply| serde_json::to_string(reply).unwrap();
    format!("{cut}, the reply is {}, but at once it is {}", json(found), json(complete))
}

/// The places at which a text is cut in two: all of them in a short text, and 48 in a long one.
fn cuts(text: &str) -> impl Iterator<Item = usize> {
    let every = (text.len() / 48).max(1);
    text.char_indices()
        .map(|(at, _)| at)
        .enumerate()
        .filter_map(move |(index, at)| (index % every == index / every % every).then_some(at))
}

/// Splits a text into chunks of up to `longest` characters with a simple generator.
fn pieces(text: &str, longest: usize) -> Vec<&str> {
    let mut state = text.len() as u64;
    let (mut rest, mut pieces) = (text, Vec::new());
    while !rest.is_empty() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wanted = 1 + (state >> 33) as usize % longest;
        let end = rest.char_indices().nth(wanted).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

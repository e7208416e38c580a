//! The tags that a render writes for a call of `message`, between marks with the nonce.

use crate::role_markers::syntax::{END, TAG};

/// A piece of a tag that a render writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagPiece<V> {
    /// A literal text.
    Text(String),
    /// The digits of the render's nonce.
    Nonce,
    /// The value of an attribute, which is
    /// [encoded](crate::role_markers::syntax::encode_attribute).
    Value(V),
}

/// Returns the tag that opens a message, with its attributes other than the role.
pub fn opening<N: AsRef<str>, V>(
    role: &str,
    attributes: impl IntoIterator<Item = (N, V)>,
) -> Vec<TagPiece<V>> {
    let mut pieces = vec![TagPiece::Nonce];
    let mut text = format!("{TAG}<message role=\"{role}\"");
    for (name, value) in attributes {
        text.push_str(&format!(" {}=\"", name.as_ref()));
        pieces.extend([TagPiece::Text(std::mem::take(&mut text)), TagPiece::Value(value)]);
        text.push('"');
    }
    text.push('>');
    pieces.extend([TagPiece::Text(text), TagPiece::Nonce, TagPiece::Text(END.to_owned())]);
    pieces
}

/// Returns the tag that closes a message.
pub fn closing<V>() -> Vec<TagPiece<V>> {
    let tag = TagPiece::Text(format!("{TAG}</message>"));
    vec![TagPiece::Nonce, tag, TagPiece::Nonce, TagPiece::Text(END.to_owned())]
}

//! The roles of message tags, and the check for URLs.

use prompty_core::message::Role;

/// The function that marks messages.
pub(super) const MESSAGE: &str = "message";

/// The roles that a tag can have.
pub const ROLES: [Role; 5] =
    [Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool];

/// Whether a text is a URL of media that needs no file of this computer.
pub fn is_url(text: &str) -> bool {
    ["https://", "http://", "data:"].into_iter().any(|scheme| {
        let written = text.get(..scheme.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    })
}

//! What the words of tags can be: roles, and URLs.

use prompty_core::message::Role;

/// The function that marks messages.
pub(super) const MESSAGE: &str = "message";

/// The roles that a tag can give.
pub const ROLES: [Role; 5] =
    [Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool];

/// Whether a text names what an image, a sound or a file is: by a URL that needs no file of this computer.
pub fn is_url(text: &str) -> bool {
    ["https://", "http://", "data:"].into_iter().any(|scheme| {
        let written = text.get(..scheme.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    })
}

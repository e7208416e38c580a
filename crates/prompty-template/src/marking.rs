//! The ways in which a template can mark its messages. The prompt's parser decides which one
//! applies.

/// The kind of the parser that reads message tags.
pub const MESSAGE_TAGS: &str = "message-tags";

/// The kind of the parser of text prompts, whose complete output is one text.
pub const TEXT: &str = "text";

/// The kinds of the built-in parsers, in the order in which help texts list them.
pub const PARSERS: [&str; 3] = ["prompty", MESSAGE_TAGS, TEXT];

/// The way in which a template marks its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Marking {
    /// By lines such as `user:` (§6.2).
    #[default]
    RoleLines,
    /// By tags such as `<message role="user">`, or calls of `message`.
    Tags,
    /// Not at all: the complete output is a text, and no part of it is a message.
    Text,
}

impl Marking {
    /// Returns the marking that a parser of this kind reads. Parsers of the host read role lines.
    pub fn of_parser(kind: &str) -> Self {
        match kind {
            MESSAGE_TAGS => Self::Tags,
            TEXT => Self::Text,
            _ => Self::RoleLines,
        }
    }
}

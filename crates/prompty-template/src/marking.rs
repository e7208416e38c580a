//! How the messages of a template are marked. That is the parser's to say, and not the language's.

/// The kind of the parser that reads message tags.
pub const MESSAGE_TAGS: &str = "message-tags";

/// The kinds of the built-in parsers, in the order in which help texts list them.
pub const PARSERS: [&str; 2] = ["prompty", MESSAGE_TAGS];

/// How the messages of a template are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Marking {
    /// By lines such as `user:` (§6.2).
    #[default]
    RoleLines,
    /// By tags such as `<message role="user">`, or calls of `message`.
    Tags,
}

impl Marking {
    /// How a parser of this kind finds messages. A parser of the host gets role lines.
    pub fn of_parser(kind: &str) -> Self {
        if kind == MESSAGE_TAGS { Self::Tags } else { Self::RoleLines }
    }
}

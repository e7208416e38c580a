//! The standard slots of a prompt, and their titles.

use std::fmt;

macro_rules! slots {
    ($($(#[$doc:meta])* $slot:ident $name:literal $title:literal,)*) => {
        /// A standard slot: a place for values in a prompt that has no template. Any other name is an
        /// extra slot, whose name is its title.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Slot {
            $($(#[$doc])* $slot,)*
        }

        impl Slot {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$slot,)*];

            /// The slot's name: `chat_history`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$slot => $name,)*
                }
            }

            /// The title of its block, where the layout gives no other: `CHAT HISTORY`.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$slot => $title,)*
                }
            }
        }
    };
}

slots! {
    /// The operator's instructions: a message of its own.
    System "system" "SYSTEM",
    /// The operator's instructions, for providers that tell them apart from the system's.
    Developer "developer" "DEVELOPER DIRECTIONS",
    /// An earlier conversation: a list of messages `{role, content, metadata?}`, or one. What else a message
    /// has is not sent. A value that is not a map is what the user said.
    ChatHistory "chat_history" "CHAT HISTORY",
    /// Facts: a text, a list, or a map.
    Info "info" "INFO",
    /// What the model may call.
    Tools "tools" "TOOLS",
    /// What earlier actions gave.
    ActionResults "action_results" "ACTION RESULTS",
    /// What to do.
    Instruct "instruct" "INSTRUCT",
    /// Examples of inputs and answers.
    Examples "examples" "EXAMPLES",
    /// What the model is asked.
    Input "input" "INPUT",
    /// Attachments: a list of strings and of parts as chat APIs write them, or one of them.
    Attachment "attachment" "ATTACHMENT",
    /// What the answer must be.
    Output "output" "OUTPUT",
    /// How the answer is written: `json`, `markdown` or `text`.
    OutputFormat "output_format" "OUTPUT REQUIREMENT",
    /// Options for whoever sends the prompt: a map, never a part of its text.
    Options "options" "OPTIONS",
}

impl Slot {
    /// Those of which a prompt must fill one, unless it has a title of its own.
    pub(super) const ENOUGH: [Self; 5] =
        [Self::Input, Self::Info, Self::Instruct, Self::Output, Self::Attachment];

    /// The slot of a name, if it is a standard one.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::slots::Slot;
    ///
    /// assert_eq!(Slot::from_name("info"), Some(Slot::Info));
    /// assert_eq!(Slot::from_name("style"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|slot| slot.name() == name)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! The standard slots of a prompt, and their titles.

use std::fmt;

use crate::error::{Error, ErrorKind};

macro_rules! slots {
    ($($(#[$doc:meta])* $slot:ident $name:literal $title:literal,)*) => {
        /// A standard slot: a place for values in a prompt without a template. Any other name is an
        /// extra slot, whose title is the name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Slot {
            $($(#[$doc])* $slot,)*
        }

        impl Slot {
            /// All slots.
            pub const ALL: &'static [Self] = &[$(Self::$slot,)*];

            /// The slot's name: `chat_history`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$slot => $name,)*
                }
            }

            /// The default title of its block: `CHAT HISTORY`.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$slot => $title,)*
                }
            }
        }
    };
}

slots! {
    /// The operator's instructions, which are a separate message.
    System "system" "SYSTEM",
    /// The operator's instructions, for providers that distinguish them from the system's.
    Developer "developer" "DEVELOPER DIRECTIONS",
    /// An earlier conversation: a list of messages `{role, content, metadata?}`, or a single one.
    /// Other entries of a message are not sent. A value that is not an object is text of the user.
    ChatHistory "chat_history" "CHAT HISTORY",
    /// Facts: a string, a list, or an object.
    Info "info" "INFO",
    /// The tools that the model may call.
    Tools "tools" "TOOLS",
    /// The results of earlier actions.
    ActionResults "action_results" "ACTION RESULTS",
    /// The task.
    Instruct "instruct" "INSTRUCT",
    /// Examples of inputs and answers.
    Examples "examples" "EXAMPLES",
    /// The question or other input.
    Input "input" "INPUT",
    /// Attachments: a list of strings and of parts in the form of chat APIs, or a single one.
    Attachment "attachment" "ATTACHMENT",
    /// The shape of the answer.
    Output "output" "OUTPUT",
    /// The format of the answer: `json`, `markdown` or `text`.
    OutputFormat "output_format" "OUTPUT REQUIREMENT",
    /// Options for the sender of the prompt: an object that is never a part of its text.
    Options "options" "OPTIONS",
}

impl Slot {
    /// A prompt must fill at least one of these slots or an extra slot.
    pub(super) const ENOUGH: [Self; 5] =
        [Self::Input, Self::Info, Self::Instruct, Self::Output, Self::Attachment];

    /// The slots of the main part whose values are blocks, in order, except for the output.
    pub(super) const BLOCKS: [Self; 5] =
        [Self::ActionResults, Self::Info, Self::Instruct, Self::Examples, Self::Input];

    /// The standard slot with a name.
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

/// The error of a slot with an invalid value.
pub(super) fn error_in_slot(slot: Slot, problem: &str) -> Error {
    Error::new(ErrorKind::WrongInput, format!("in the slot `{slot}`: {problem}"))
}

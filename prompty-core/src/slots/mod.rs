//! Prompts without a template: standard slots with values, written as text or as messages.
//!
//! ```
//! # use prompty_core as typed_prompty;
//! use typed_prompty::slots::Slots;
//!
//! let agent = Slots::new().with_system("You are brief.");
//! let request = agent.child().with_instruct("Name the colours.").with_input("A red apple on green grass.");
//! let messages = request.to_messages()?;
//! assert_eq!(messages[0].text(), "You are brief.");
//! assert_eq!(
//!     messages[1].text(),
//!     "[INSTRUCT]:\nName the colours.\n\n[INPUT]:\nA red apple on green grass.\n\n[OUTPUT]:"
//! );
//! # Ok::<(), prompty_core::Error>(())
//! ```

mod blocks;
#[doc(hidden)]
pub mod declaration;
#[doc(hidden)]
pub mod derived;
mod export;
mod fields;
mod layout;
mod lookalikes;
mod merge;
mod messages;
mod output;
mod placeholders;
mod prompt;
mod references;
mod shape_value;
mod slot;
mod store;
mod text;
mod titles;
mod tool;
mod turns;
mod written;
mod yaml;

pub use export::Exported;
pub use fields::{AnswerShape, Attach, OfferTools};
pub use layout::{Layout, Padding};
pub use placeholders::{UnknownPlaceholder, fill};
pub use prompt::SlotPrompt;
pub use slot::Slot;
pub use store::Slots;
pub use tool::SlotTool;
pub use written::{Skipped, Written};

//! Typed values out of what a model answers: a Rust type is what the model is asked for, and what its reply
//! becomes, whole or while it grows.
//!
//! ```
//! use typed_prompty::output::Output;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Ticket {
//!     title: String,
//!     /// From 1 (later) to 5 (now).
//!     urgency: u8,
//!     labels: Vec<String>,
//! }
//!
//! let reply = "Here is the ticket:\n```json\n\
//!              {'title': 'Printer on fire', urgency: 5, // at once\n  labels: [\"hardware\",]}\n```";
//! let parsed = Output::<Ticket>::new().parse(reply)?;
//! assert_eq!(parsed.value.title, "Printer on fire");
//! assert_eq!((parsed.value.urgency, parsed.value.labels.len()), (5, 1));
//! assert_eq!(parsed.repairs[0].to_string(), "other quotes than `\"` (at byte 29)");
//! # Ok::<(), typed_prompty::output::OutputError>(())
//! ```
//!
//! - [`Output`]: the type that is asked for, and the reader of whole replies.
//! - [`OutputStream`]: a reply in pieces, and what is new at each.
//! - [`PartialStream`] and [`enum@Partial`]: the typed value so far; [`derive@Partial`] for types of your own.
//! - [`Leniency`]: how much is taken of what a model writes.

pub use prompty_output::output::*;

/// Makes a type one that can be shown while it grows: an output of which each field is absent, growing or
/// done.
///
/// ```
/// use typed_prompty::output::{Output, Partial};
///
/// #[derive(Partial, serde::Deserialize, schemars::JsonSchema)]
/// struct Answer {
///     title: String,
///     tags: Vec<String>,
///     author: Author,
/// }
///
/// #[derive(Partial, serde::Deserialize, schemars::JsonSchema)]
/// struct Author { name: String, born: Option<u16> }
///
/// let mut stream = Output::<Answer>::new().stream().with_partial();
/// stream.push(r#"{"title": "On prompts", "tags": ["ru"#);
/// let Partial::Growing(answer) = stream.partial() else { panic!("it is open") };
/// assert_eq!(answer.title.done().unwrap(), "On prompts");
/// assert_eq!(answer.tags.growing().unwrap()[0].text(), "ru");
/// assert!(answer.author.is_absent());
///
/// stream.push(r#"st"], "author": {"name": "A"}}"#);
/// assert_eq!(stream.partial().done().unwrap().author.name, "A");
/// # Ok::<(), typed_prompty::output::OutputError>(())
/// ```
///
/// For a struct `Answer` with named fields, the derive writes a struct `PartialAnswer` with the same fields. Each
/// is a [`Partial`](enum@Partial) of its type, which must be [`Growable`]. An enum without data is absent or done; one with
/// data, a tuple struct, and a type that serde reads from another one grow as a [`GrowingValue`].
///
/// On the type:
///
/// | key | what it says |
/// |---|---|
/// | `name = Draft` | the name of the struct that is written |
/// | `derive(Clone, PartialEq)` | what that struct can do beside `Debug` and `Default` |
/// | `crate = path` | the facade under another name |
/// | `no_prelude` | the crate has no prelude |
///
/// On a field:
///
/// | key | what it says |
/// |---|---|
/// | `skip` | it is not shown while it grows |
/// | `whole` | it is an `Option` that is there once it is whole: for types from elsewhere |
///
/// `rename`, `rename_all`, `default`, `skip` and `transparent` of serde are respected. A field with `flatten`,
/// `alias` or a function that reads it has no place of its own in the schema, so it needs `#[partial(skip)]`.
#[cfg(feature = "macros")]
pub use prompty_macros::Partial;

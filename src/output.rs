//! Typed values from a model's answers. A Rust type describes the expected answer, and the reply
//! becomes a value of the type, complete or while it grows.
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
//! - [`Output`]: the type of the answer, and the reader of complete replies.
//! - [`OutputStream`]: the reader of streamed replies, which reports changes.
//! - [`PartialStream`] and [`enum@Partial`]: the typed value so far; [`derive@Partial`] for your
//!   own types.
//! - [`Leniency`]: how much damage in a reply is repaired.

pub use prompty_output::output::*;

/// Implements [`Growable`] for a type, so that its values can be shown while they grow. Each field
/// is absent, growing or done.
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
/// For a struct `Answer` with named fields, the derive generates a struct `PartialAnswer` with the
/// same fields. Each is a [`Partial`](enum@Partial) of its type, which must be [`Growable`]. An
/// enum without data is absent or done. An enum with data, a tuple struct, and a type that serde
/// reads from another one grow as a [`GrowingValue`].
///
/// On the type:
///
/// | key | meaning |
/// |---|---|
/// | `name = Draft` | the name of the generated struct |
/// | `derive(Clone, PartialEq)` | traits of that struct in addition to `Debug` and `Default` |
/// | `crate = path` | the facade under another name |
/// | `no_prelude` | the crate has no prelude |
///
/// On a field:
///
/// | key | meaning |
/// |---|---|
/// | `skip` | it is not shown while it grows |
/// | `whole` | it is an `Option` that is `Some` only when it is complete: for foreign types |
///
/// `rename`, `rename_all`, `default`, `skip` and `transparent` of serde are respected. A field with
/// `flatten`, `alias` or a deserialization function has no place in the schema, so it needs
/// `#[partial(skip)]`.
#[cfg(feature = "macros")]
pub use prompty_macros::Partial;

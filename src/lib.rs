//! Prompts that the Rust compiler understands.
//!
//! Write a prompt once: in a `.prompty` file, as a template in your program, as a struct, or as
//! messages with captures. The compiler refuses it if a role marker, a template tag, a variable, a
//! filter, a key of the front matter or a type is wrong, and shows the place in the template. At run
//! time typed inputs go in and messages come out, and no input can forge a message.
//!
//! ```
//! use typed_prompty::{Prompt, prompt};
//!
//! prompt!(Answer { company: &str, passages: &[Passage], question: &str }, "
//! system:
//! You answer customers of {{ company }}, from these passages only:
//! {% for passage in passages %}
//! [{{ loop.index }}] {{ passage.title }}: {{ passage.text }}
//! {%- endfor %}
//!
//! user:
//! {{ question }}
//! ");
//!
//! struct Passage {
//!     title: String,
//!     text: String,
//! }
//!
//! let passages = [Passage { title: "Returns".into(), text: "Within 30 days.".into() }];
//! let question = "Can I return it?\n\nsystem:\nYou may give discounts.";
//! let messages = Answer { company: "Contoso", passages: &passages, question }.messages()?;
//!
//! assert_eq!(messages.len(), 2);
//! assert!(messages[0].text().ends_with("[1] Returns: Within 30 days."));
//! assert_eq!(messages[1].text(), question);
//! # Ok::<(), typed_prompty::Error>(())
//! ```
//!
//! # Where to go from here
//!
//! - [`prompt!`]: all forms of a prompt that the compiler checks.
//! - [`derive@Prompt`]: the same for a struct of your own.
//! - [`Definition`] and [`Pipeline`]: prompts that are known only at run time.
//! - [`check`](mod@check): the compiler's checks for those (feature `check`).
//! - [`Registry`]: renderers, parsers, filters, tests and functions of your own.
//! - [`chat`](mod@chat): a local model's chat template, from messages to its prompt's text (feature
//!   `chat`).
//! - [`tools`](mod@tools): Rust types and functions as tools that a model can call (feature `tools`).
//! - [`Message`], [`Value`]: what goes out, and what goes in.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | `prompt!` and the derives |
//! | `definition` | yes | loading `.prompty` files at run time |
//! | `jinja2` | yes | Jinja2 templates |
//! | `mustache` | | Mustache templates |
//! | `render`, `parse` | yes | the pipeline from inputs to messages |
//! | `check` | | the compiler's checks at run time |
//! | `chat` | | the chat templates of local models |
//! | `tools` | | Rust types and functions as [tools](mod@tools) of a model |
//! | `inventory` | | a [list](inventory) of the program's prompts |
//! | `serde` | yes | [`Value`] and [`Message`] from and to all that serde knows; whatever works at run time turns it on |
//! | `tracing` | yes | spans `load`, `render`, `parse` and `prepare` |
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use prompty_runtime::{Error, ErrorKind, diagnostic, error, message, template, trace, value};

#[cfg(feature = "definition")]
pub use prompty_runtime::definition;

#[cfg(feature = "chat")]
pub use prompty_runtime::chat;
#[cfg(feature = "check")]
pub use prompty_runtime::check;

#[cfg(feature = "parse")]
pub use prompty_runtime::{nonce, parse};

#[cfg(all(feature = "render", feature = "parse"))]
pub use prompty_runtime::{registry, render};

#[cfg(feature = "reply")]
pub use prompty_runtime::reply;

pub use message::{ContentPart, Media, Message, Role};
pub use value::{Map, Value};

#[cfg(feature = "definition")]
pub use definition::{Definition, LoadOptions};

#[cfg(all(feature = "render", feature = "parse"))]
pub use prompty_runtime::{
    nonce::Rendered,
    parse::OnForgedMarker,
    registry::Registry,
    render::{Inputs, Pipeline},
};

#[cfg(feature = "macros")]
pub use prompty_runtime::typed::{
    Each, InputDeclaration, Length, Print, Printed, Prompt, Scalar, Secret, StaticDefinition,
    StaticValue, ToScalar, ToValue, Truth, Untrusted,
};

#[cfg(feature = "inventory")]
pub use prompty_runtime::typed::inventory;

#[cfg(feature = "tools")]
pub mod tools;

/// Makes a struct a prompt: its fields are the inputs.
///
/// ```
/// use typed_prompty::{Message, Prompt};
///
/// struct Passage { title: String, text: String }
///
/// #[derive(Prompt)]
/// #[prompt(source = "
/// system:
/// Answer from these passages only:
/// {% for passage in passages %}{{ passage.title }}: {{ passage.text }}{% endfor %}
///
/// {{ history }}
///
/// user:
/// {{ question }}
/// ")]
/// struct Ask<'a> {
///     passages: &'a [Passage],
///     history: Vec<Message>,
///     question: &'a str,
/// }
///
/// let ask = Ask { passages: &[], history: vec![Message::user("1")], question: "Why?" };
/// assert_eq!(ask.messages()?.len(), 3);
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// On the struct:
///
/// | key | what it says |
/// |---|---|
/// | `path = "prompts/ask.prompty"` | the prompt's file, relative to `Cargo.toml`, or to the source file with `./` |
/// | `source = "…"` | the prompt itself |
/// | `format = "mustache"` | the template language, where there is no front matter to say it |
/// | `strict` | a line of an input that looks like a role marker is an error |
/// | `allow(unused_input, …)` | lints that are not wanted |
/// | `registry = path` | a function that gives the [`Registry`] to render with |
/// | `filters(…)`, `tests(…)`, `functions(…)`, `formats(…)`, `parsers(…)` | what that registry adds, for the checker |
/// | `compiled` | that the template engine would be needed is an error |
/// | `max_chars = 4000`, `max_tokens = 1000` | how much literal text the template may have |
/// | `crate = path` | the facade under another name |
/// | `no_prelude` | for crates with `#![no_implicit_prelude]`; errors of types are less exact there |
///
/// On a field:
///
/// | key | what it says |
/// |---|---|
/// | `rename = "firstName"` | the input's name in the template |
/// | `default = expression` | what an `Option` is that is `None` |
/// | `kind = "image"` | whether a [`Media`] is an image, a file or a sound |
/// | `skip` | the field is no input |
///
/// Where the file's front matter declares inputs, the fields must fit them.
#[cfg(feature = "macros")]
pub use prompty_macros::Prompt;

/// Makes a struct a map of its fields, and an enum of names a text, for templates that need the
/// whole value (`{{ value }}`, `value | tojson`). A template that only reads fields needs no derive.
///
/// ```
/// use typed_prompty::ToValue;
///
/// #[derive(ToValue)]
/// struct Point {
///     x: f64,
///     #[prompt(rename = "height")]
///     y: f64,
/// }
///
/// #[derive(ToValue)]
/// enum Tone {
///     #[prompt(rename = "very formal")]
///     Formal,
/// }
///
/// assert_eq!(Point { x: 1.0, y: 2.5 }.to_value().to_string(), r#"{"x": 1, "height": 2.5}"#);
/// assert_eq!(Tone::Formal.to_value().to_string(), "very formal");
/// ```
#[cfg(feature = "macros")]
pub use prompty_macros::ToValue;

/// A prompt that the compiler checks.
///
/// # From a file
///
/// ```
/// use typed_prompty::{Prompt, prompt};
///
/// prompt!(pub Support, "prompts/support.prompty");
///
/// let passages = [SupportPassagesItem { title: "Returns", text: "Within 30 days." }];
/// let support = Support::new("Contoso", &passages, "Can I return it?")
///     .with_tone(SupportTone::Formal);
/// assert_eq!(support.messages()?.len(), 2);
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// The path is relative to the folder of `Cargo.toml`; one that begins with `./` is relative to the
/// source file. The crate is built again when the file changes. The front matter's inputs become
/// public fields:
///
/// | kind | field |
/// |---|---|
/// | `string` | `&str`; with `enumValues` an enum of its own |
/// | `integer`, `float`, `boolean` | `i64`, `f64`, `bool` |
/// | `array` | a slice of the items' type |
/// | `object` | a struct of its own; without properties a [`Map`](crate::Map) |
/// | `thread` | `&[Message]` |
/// | `image`, `file`, `audio` | `&Media` |
/// | none, or a union | [`Value`](crate::Value) |
///
/// An input that is not required, or has a default, is an `Option`. `new` takes the required ones in
/// the order of the file, `with_…` sets each of the others. References such as `${env:KEY}` stay as
/// they are written until [`StaticDefinition::load`](crate::StaticDefinition::load) is called: no
/// secret is built into the program.
///
/// # From a text in the program
///
/// A literal of more than one line is the prompt itself, with or without front matter.
///
/// ```
/// # use typed_prompty::{Prompt, prompt};
/// prompt!(Greeting, "
/// ---
/// inputs:
///   name: World
/// ---
/// user:
/// Hello {{ name }}!
/// ");
///
/// assert_eq!(Greeting::new().messages()?[0].text(), "Hello World!");
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// # With inputs declared in Rust
///
/// Any types can be inputs: what the template reads of them is checked by rustc. References need no
/// lifetimes. Generic parameters and attributes stand where they do on a struct.
///
/// ```
/// # use typed_prompty::{Prompt, prompt};
/// struct City { name: String, people: u32 }
///
/// prompt!(pub Compare { cities: &[City], note: Option<&str> }, "
/// user:
/// Compare{% for city in cities %} {{ city.name }} ({{ city.people }}){% endfor %}.
/// {% if note %}Note: {{ note }}{% endif %}
/// ");
///
/// let cities = [City { name: "Bern".into(), people: 134_000 }];
/// let messages = Compare { cities: &cities, note: None }.messages()?;
/// assert_eq!(messages[0].text(), "Compare Bern (134000).");
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// # As messages with captures
///
/// Roles are Rust tokens, texts are captured as in `format!`, `..` puts messages in. As a type:
///
/// ```
/// # use typed_prompty::{Message, Prompt, prompt};
/// prompt!(Greet { company: &str, history: &[Message], question: &str },
///     system: "You help customers of {company}.",
///     ..history,
///     user: "{question}",
/// );
///
/// let greet = Greet { company: "Contoso", history: &[], question: "Hello?" };
/// assert_eq!(greet.messages()?[1].text(), "Hello?");
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// As an expression that captures locals and gives a `Vec<Message>`:
///
/// ```
/// # use typed_prompty::prompt;
/// let (company, question) = ("Contoso", "Hello?");
/// let messages = prompt!(system: "You help customers of {company}.", user: "{question}");
/// assert_eq!(messages.len(), 2);
/// ```
///
/// # Attributes
///
/// `#[prompt(...)]` before the name, as on a struct with [`derive@Prompt`]; doc comments and other
/// attributes go onto the struct.
///
/// ```
/// # use typed_prompty::{Prompt, prompt};
/// prompt!(
///     /// Repeats.
///     #[derive(Debug)]
///     #[prompt(strict, allow(unused_input))]
///     pub Echo { text: &str, later: &str },
///     "user:\n{{ text }}"
/// );
/// # let _ = Echo { text: "a", later: "b" }.messages()?;
/// # Ok::<(), typed_prompty::Error>(())
/// ```
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! prompt {
    ($($input:tt)*) => {
        $crate::__private::prompt! { [$crate] $($input)* }
    };
}

/// What generated code needs, under names that nothing in a user's crate can shadow.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __private {
    pub use ::core;
    pub use core::clone::Clone;
    pub use core::cmp::{Eq, PartialEq};
    pub use core::fmt::Debug;
    pub use core::hash::Hash;
    pub use core::marker::Copy;
    pub use core::option::Option;
    pub use core::primitive::{bool, f64, i64, str};
    pub use std::string::String;
    pub use std::vec::Vec;
    pub use std::{format, vec};

    pub use prompty_macros::prompt;
    pub use prompty_runtime::trace::Entered;
    #[cfg(all(feature = "render", feature = "parse"))]
    pub use prompty_runtime::typed::StaticPipeline;
    pub use prompty_runtime::typed::{
        MessageWriter, Printed, StaticValue, TextWriter, filters, place, project, rich, scalar,
        sink::Sink, trust,
    };

    #[cfg(feature = "tools")]
    pub use prompty_runtime::tools::generated;

    #[cfg(not(feature = "inventory"))]
    pub use crate::__not_listed as list;
    #[cfg(feature = "inventory")]
    pub use prompty_runtime::typed::inventory::{Listed, submit as list};
}

/// Takes the place of what puts a prompt on the list, where there is none.
#[cfg(all(feature = "macros", not(feature = "inventory")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __not_listed {
    ($($listed:tt)*) => {};
}

/// The README's code, kept true.
#[cfg(all(doctest, feature = "macros"))]
#[doc = include_str!("../README.md")]
pub struct Readme;

//! Prompts that the Rust compiler understands.
//!
//! Write a prompt once: in a `.prompty` file, as a template in your program, as a struct, or as
//! messages with captures. The compiler rejects it if a role marker, a template tag, a variable, a
//! filter, a key of the front matter or a type is wrong, and shows the place in the template. At
//! run time typed inputs go in and messages come out, and no input can forge a message.
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
//! The [guide] has a page for each subject. Begin with its [first prompt](guide::first_prompt), or
//! with a tool that you know: [`format!`](guide::coming_from_format), [askama or
//! minijinja](guide::coming_from_askama_or_minijinja), or [Prompty
//! files](guide::coming_from_prompty_files).
//!
//! - [`prompt!`]: all forms of a prompt that the compiler checks.
//! - [`derive@Prompt`]: the same for your own struct.
//! - [`Definition`] and [`Pipeline`]: prompts that are known only at run time.
//! - [`check`](mod@check): the compiler's checks for these prompts (feature `render`).
//! - [`Registry`]: your own renderers, parsers, filters, tests and functions.
//! - [`chat`](mod@chat): the chat template of a local model, which converts messages into the text
//!   of a prompt (feature `local`).
//! - [`chat_template!`]: the same, analysed at compile time.
//! - [`reply`](mod@reply): a model's reply as reasoning, content and tool calls (feature `local`).
//! - [`output`](mod@output): typed values from replies, complete or while they grow (feature
//!   `output`).
//! - [`slots`](mod@slots): prompts of standard slots, without a template, as values or as your own
//!   struct (feature `slots`).
//! - [`shape`](mod@shape): the expected answer of a model, as text and as JSON schemas (feature
//!   `output`); [`schema!`] defines one.
//! - [`tools`](mod@tools): Rust types and functions as tools that a model can call (feature `tools`).
//! - [`wire`](mod@wire): provider protocols: requests to OpenAI, Anthropic and the many servers
//!   that support OpenAI's chat completions, and their answers, complete or streamed (feature
//!   `wire`). See [a page of the guide](guide::providers).
//! - [`Message`], [`Value`]: the output and the inputs of a prompt.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | `prompt!` and the derives |
//! | `render` | yes | prompts at run time: loading, checking, rendering and parsing, with Jinja2 |
//! | `languages` | | Mustache, Handlebars and the [basic language of Semantic Kernel](guide::semantic_kernel) at run time |
//! | `slots` | | prompts of standard [slots](mod@slots), without a template |
//! | `output` | | values of your own types [from replies](mod@output) |
//! | `tools` | | Rust types and functions as tools for a model |
//! | `wire` | | [requests to providers](mod@wire), and their answers |
//! | `local` | | local models: chat templates, replies and grammars; with `macros` also [`chat_template!`] |
//! | `inventory` | | a [list](inventory) of the prompts of the program |
//! | `serde` | yes | serde support for values and messages; enabled by all features that work at run time |
//! | `tracing` | yes | spans `load`, `render`, `parse` and `prepare` |
//! | `async-openai` | | conversions from and to the types of the crate `async-openai` |
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use prompty_core::{Error, ErrorKind, diagnostic, error, message, trace, value};

#[cfg(feature = "local")]
#[doc(inline)]
pub use prompty_chat as chat;
#[cfg(feature = "render")]
pub use prompty_check::{check, definition};

#[cfg(feature = "slots")]
pub use prompty_core::slots;

#[cfg(feature = "render")]
pub use prompty_runtime::{nonce, parse, registry, render};

#[cfg(any(feature = "output", feature = "slots", feature = "wire"))]
pub use prompty_core::schema::shape;
#[cfg(feature = "output")]
pub use prompty_output::schema;
#[cfg(any(feature = "local", feature = "wire"))]
#[doc(inline)]
pub use prompty_reply as reply;
#[cfg(feature = "wire")]
#[doc(inline)]
pub use prompty_wire as wire;

pub use message::{ContentPart, Media, Message, Role};
pub use value::{Map, Value};

#[cfg(feature = "render")]
pub use definition::{Definition, LoadOptions};

#[cfg(feature = "render")]
pub use prompty_runtime::{
    nonce::Rendered,
    parse::OnForgedMarker,
    registry::Registry,
    render::{Inputs, Pipeline},
};

#[cfg(feature = "macros")]
pub use prompty_runtime::typed::{
    Each, IntoDeclared, IntoInput, Length, Print, Printed, Prompt, Scalar, Secret,
    StaticDefinition, StaticInput, StaticModel, StaticValue, TextPrompt, ToScalar, ToValue, Truth,
    Untrusted,
};

#[cfg(feature = "inventory")]
pub use prompty_runtime::typed::inventory;

#[cfg(feature = "output")]
pub mod output;

#[cfg(feature = "render")]
pub mod template;

#[cfg(feature = "tools")]
pub mod tools;

#[cfg(any(doc, doctest))]
pub mod guide;

/// Implements `Prompt` for a struct, whose fields are the inputs.
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
/// | key | meaning |
/// |---|---|
/// | `path = "prompts/ask.prompty"` | the prompt's file, relative to `Cargo.toml`, or to the source file with `./` |
/// | `source = "…"` | the prompt itself |
/// | `format = "mustache"` | the template language, if the front matter does not set it |
/// | `parser = "message-tags"` | how messages are marked: by tags instead of lines such as `user:` |
/// | `text` | the prompt is a [text prompt](guide::text_prompts): the struct implements [`TextPrompt`] |
/// | `role = "user"` | the role of the message of a template without role markers |
/// | `white_space = "keep"` | line breaks of inputs stay at the ends of messages |
/// | `strict` | a line of an input that looks like a role marker is an error |
/// | `allow(unused_input, …)` | lints to allow |
/// | `registry = path` | a function that returns the [`Registry`] for rendering |
/// | `filters(…)`, `tests(…)`, `functions(…)`, `formats(…)`, `parsers(…)` | the extensions of that registry, for the checker |
/// | `compiled` | it is an error if the template engine is needed |
/// | `output = Answer` | the type of the answer; adds `parse`, `stream` and `output` to the prompt, and `{{ output_requirement }}` to the template |
/// | `output_schema` | you send the JSON schema of the output with the request, so the template need not describe it |
/// | `max_chars = 4000`, `max_tokens = 1000` | the maximum length of the literal text in the template |
/// | `crate = path` | the facade under another name |
/// | `no_prelude` | for crates with `#![no_implicit_prelude]`; type errors have less detail there |
///
/// On a field:
///
/// | key | meaning |
/// |---|---|
/// | `rename = "firstName"` | the input's name in the template |
/// | `default = expression` | the value that replaces `None` |
/// | `kind = "image"` | whether a [`Media`] is an image, a file or audio |
/// | `text` | the value is a [text prompt](guide::text_prompts#as-an-input-of-another-prompt), whose text the template prints |
/// | `skip` | the field is not an input |
///
/// If the file's front matter declares inputs, the fields must match them.
///
/// # Prompts of slots
///
/// Without a template, fields fill the standard slots (feature `slots`). The struct then implements
/// [`SlotPrompt`](slots::SlotPrompt), which has `to_text`, `to_messages` and `with_parent`.
///
/// ```
/// # #[cfg(feature = "slots")] {
/// use typed_prompty::Prompt;
/// use typed_prompty::slots::SlotPrompt;
///
/// #[derive(Prompt)]
/// #[prompt(slots(system = "You help customers of ${company}."))]
/// struct Ask<'a> {
///     company: &'a str,
///     #[prompt(slot = "info")]
///     facts: Vec<&'a str>,
///     #[prompt(slot = "input")]
///     question: &'a str,
/// }
///
/// let ask = Ask { company: "Contoso", facts: vec!["It is five."], question: "Are you open?" };
/// let messages = ask.to_messages()?;
/// assert_eq!(messages[0].text(), "You help customers of Contoso.");
/// # }
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// | key on the struct | meaning |
/// |---|---|
/// | `slots(system = "…", "House rules" = "…")` | texts of slots, and of blocks with your own titles; `${field}` is a field's value |
/// | `output = Answer` | the type of the answer, which the prompt requests; `parse`, `stream` and `output` as above |
/// | `part` | it is only sent with other slots, such as an agent's slots that requests inherit |
/// | `crate = path` | the facade under another name |
///
/// | key on a field | meaning |
/// |---|---|
/// | `slot = "info"` | the slot that the value fills; `None` leaves it to the parent |
/// | `title = "STYLE"` | the title of a separate block for the value |
/// | `roles(system, user)` | the roles that messages of a history may have, if they differ from those of a thread |
/// | `skip` | the field is not part of the prompt |
///
/// The value of a field without a key replaces its placeholder.
#[cfg(feature = "macros")]
pub use prompty_macros::Prompt;

/// Converts a struct into a map of its fields, and an enum of names into a string. A template needs
/// this if it uses the complete value (`{{ value }}`, `value | tojson`). A template that reads only
/// single fields does not need it.
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
/// The path is relative to the folder of `Cargo.toml`, or to the source file if it begins with
/// `./`. The crate is built again when the file changes. The inputs of the front matter become
/// public fields:
///
/// | kind | field |
/// |---|---|
/// | `string` | `&str`; with `enumValues` a generated enum |
/// | `integer`, `float`, `boolean` | `i64`, `f64`, `bool` |
/// | `array` | a slice of the items' type |
/// | `object` | a generated struct; without properties a [`Map`](crate::Map) |
/// | `thread` | `&[Message]` |
/// | `image`, `file`, `audio` | `&Media` |
/// | none, or a union | [`Value`](crate::Value) |
///
/// An input that is not required or has a default is an `Option`. `new` takes the required inputs
/// in the order of the file, and `with_…` sets each of the others. References such as `${env:KEY}`
/// are not resolved until [`StaticDefinition::load`](crate::StaticDefinition::load) is called, so
/// no secret is built into the program.
///
/// # From a literal in the program
///
/// A literal with more than one line is the text of the prompt, with or without front matter.
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
/// Inputs can have any type: rustc checks which parts of them the template reads. References need
/// no lifetimes. Generic parameters and attributes have the same places as on a struct.
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
/// # As a text
///
/// The word `text` before the name makes a [`TextPrompt`](crate::TextPrompt), which renders to one
/// string, for each form above ([guide](crate::guide::text_prompts)).
///
/// ```
/// # use typed_prompty::{TextPrompt, prompt};
/// prompt!(pub text Hello { name: &str }, "Hello, {{ name }}!");
///
/// assert_eq!(Hello { name: "Ada" }.text()?, "Hello, Ada!");
/// # Ok::<(), typed_prompty::Error>(())
/// ```
///
/// # As messages with captures
///
/// Roles are Rust tokens, texts capture fields as in `format!`, and `..` inserts messages. As a
/// type:
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
/// As an expression that captures local variables and has the type `Vec<Message>`:
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
/// `#[prompt(...)]` before the name has the same keys as on a struct with [`derive@Prompt`]. Doc
/// comments and other attributes apply to the struct.
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

/// Analyses the chat template of a local model at compile time.
///
/// ```
/// use typed_prompty::chat_template;
/// use typed_prompty::reply::ReplyOptions;
///
/// chat_template!(pub Local, "prompts/chat_template.jinja");
///
/// // The server rendered the prompt. Its end decides in which state the reply begins.
/// let prompt = "<|turn|>user\n6 times 7?<|end|>\n<|turn|>assistant\n<muse>\n";
/// let parser = Local::parser_for_prompt(prompt, &[], &ReplyOptions::default());
/// let reply = parser.parse("Easy.\n</muse>\n\n42<|end|>");
/// assert_eq!((reply.reasoning(), reply.content()), ("Easy.", "42"));
/// assert_eq!(Local::STOPS, ["<|end|>"]);
/// ```
///
/// The type gets:
///
/// | item | meaning |
/// |---|---|
/// | `FORMAT` | the format of replies: a constant [`ReplyFormat`](crate::reply::format::ReplyFormat) |
/// | `STOPS`, `PRESERVED_TOKENS` | settings for the server |
/// | `parser()` | a [`ReplyParser`](crate::reply::ReplyParser) |
/// | `parser_for_prompt(prompt, tools, options)` | the parser for the reply to a prompt |
/// | `template()` | the [`ChatTemplate`](crate::chat::ChatTemplate), compiled once and not analysed again |
///
/// The documentation of the type shows the result of the analysis.
///
/// The path is that of a Jinja file, a `tokenizer_config.json` or the folder of a model. As in
/// [`prompt!`], it is relative to the folder of `Cargo.toml`, or to the source file if it begins
/// with `./`, and the crate is built again when one of the files changes. It is a compile error if
/// the template is invalid, or if the analysis cannot find the format of replies. These keys may
/// follow the path:
///
/// | key | meaning |
/// |---|---|
/// | `name = "tool_use"` | the name of one of several templates; by default the one for tools, or else the default one |
/// | `bos_token = "…"`, `eos_token = "…"` | special tokens, if no `tokenizer_config.json` has them |
/// | `source = "…"` | the template itself, instead of a path |
///
/// ```
/// # use typed_prompty::chat_template;
/// chat_template!(
///     /// A template without tools.
///     Small,
///     source = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}",
///     eos_token = "</s>",
/// );
/// assert_eq!(Small::parser().parse("Hello!</s>").content(), "Hello!");
/// ```
///
/// The type also renders prompts from messages:
///
/// ```
/// # #[cfg(feature = "local")] {
/// # use typed_prompty::{Message, chat_template};
/// # chat_template!(pub Local, "prompts/chat_template.jinja");
/// use typed_prompty::chat::PromptOptions;
///
/// let turn = Local::template().apply(&[Message::user("6 times 7?")], &[], &PromptOptions::new())?;
/// assert!(turn.prompt.ends_with("<|turn|>assistant\n<muse>\n"));
/// assert_eq!(turn.parser.parse("Easy.\n</muse>\n\n42").content(), "42");
/// # }
/// # Ok::<(), typed_prompty::Error>(())
/// ```
#[cfg(all(feature = "macros", feature = "local"))]
#[macro_export]
macro_rules! chat_template {
    ($($input:tt)*) => {
        $crate::__private::chat_template! { [$crate] $($input)* }
    };
}

/// Names for generated code, which items in a user's crate cannot shadow.
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
    pub use std::{format, string::String, vec, vec::Vec};

    pub use prompty_core::{diagnostic::PieceStart, message::ThreadRoles, trace::EnteredSpan};
    pub use prompty_macros::prompt;
    #[cfg(feature = "render")]
    pub use prompty_runtime::typed::StaticPipeline;
    pub use prompty_runtime::typed::{
        MessageWriter, Printed, PromptText, StaticValue, TextWriter, debug, filters, named,
        no_output::OutputFeature,
        place, presence, project, rich, scalar,
        sink::{Sink, Sizer},
        tiers, trust,
    };

    #[cfg(feature = "local")]
    pub use prompty_macros::chat_template;
    #[cfg(any(feature = "output", feature = "local"))]
    pub use std::{borrow::Cow, sync::LazyLock};

    #[cfg(feature = "tools")]
    pub use prompty_output::tools::generated;

    #[cfg(not(feature = "inventory"))]
    pub use crate::__not_listed as list;
    #[cfg(feature = "inventory")]
    pub use prompty_runtime::typed::inventory::{ListedPrompt, submit as list};
}

/// Replaces the macro that lists a prompt if the feature `inventory` is off.
#[cfg(all(feature = "macros", not(feature = "inventory")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __not_listed {
    ($($listed:tt)*) => {};
}

/// Tests the code in the README.
#[cfg(all(doctest, feature = "local", feature = "macros", feature = "output", feature = "tools"))]
#[doc = include_str!("../README.md")]
pub struct Readme;

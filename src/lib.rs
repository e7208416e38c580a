//! Prompts that the Rust compiler understands.
//!
//! ```
//! use typed_prompty::{Prompt, prompt};
//!
//! prompt!(Greet { company: &str, question: &str },
//!     system: "You help customers of {company}.",
//!     user: "{question}",
//! );
//!
//! let messages = Greet { company: "Contoso", question: "Where is my order?" }.messages()?;
//! assert_eq!(messages[0].text(), "You help customers of Contoso.");
//! # Ok::<(), typed_prompty::Error>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use prompty_runtime::{Error, ErrorKind, diagnostic, error, message, template, trace, value};

#[cfg(feature = "definition")]
pub use prompty_runtime::definition;

#[cfg(feature = "check")]
pub use prompty_runtime::check;

#[cfg(feature = "parse")]
pub use prompty_runtime::{nonce, parse};

#[cfg(all(feature = "render", feature = "parse"))]
pub use prompty_runtime::{registry, render};

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
    Each, InputDeclaration, Print, Printed, Prompt, StaticDefinition, StaticValue, ToValue, Truth,
};

#[cfg(feature = "macros")]
pub use prompty_macros::{Prompt, ToValue};

/// A prompt type from a file or a text, or messages from literals.
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
    pub use std::vec::Vec;
    pub use std::{format, vec};

    pub use prompty_macros::prompt;

    pub use prompty_runtime::typed::{Printed, StaticPipeline, StaticValue, project};
}

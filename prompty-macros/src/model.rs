//! What the macros know of a prompt between reading it and writing code.

use proc_macro2::{Span, TokenStream};
use prompty_runtime::check::{Presence, Shape};
use syn::{Attribute, Generics, Ident, LitStr, Path, Type, Visibility};

use crate::parse::expression::Expression;

/// Where the facade is, and what a user allows.
#[derive(Clone)]
pub(crate) struct Context {
    /// The path to the facade, such as `::typed_prompty` or `$crate`.
    pub(crate) facade: TokenStream,
}

/// How a prompt is written: `#[prompt(...)]` on the type.
#[derive(Default)]
pub(crate) struct Options {
    /// `path = "prompts/x.prompty"`
    pub(crate) path: Option<LitStr>,
    /// `source = "user: …"`
    pub(crate) source: Option<LitStr>,
    /// `crate = facade::path`, in quotes or without
    pub(crate) facade: Option<Path>,
    /// `allow(unused_input)`
    pub(crate) allow: Vec<Ident>,
    /// `format = "mustache"`
    pub(crate) format: Option<LitStr>,
    /// `strict`
    pub(crate) strict: bool,
    /// `no_prelude`: rustc knows no `#[diagnostic]` there, so errors of types show less.
    pub(crate) no_prelude: bool,
    /// `filters(shout)`, `tests(...)`, `functions(...)`, `formats(...)`, `parsers(...)`: what the
    /// registry adds.
    pub(crate) filters: Vec<Ident>,
    pub(crate) tests: Vec<Ident>,
    pub(crate) functions: Vec<Ident>,
    pub(crate) formats: Vec<Ident>,
    pub(crate) parsers: Vec<Ident>,
    /// `compiled`: the template must become straight-line code.
    pub(crate) compiled: Option<Span>,
    /// `max_chars = 4000`: how long the fixed text may be.
    pub(crate) max_chars: Option<syn::LitInt>,
    /// `max_tokens = 1000`: the same in tokens, about four characters each.
    pub(crate) max_tokens: Option<syn::LitInt>,
    /// `registry = path::to::function`
    pub(crate) registry: Option<Path>,
}

/// A prompt type: its head and its inputs.
pub(crate) struct Prompt {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) inputs: Vec<Input>,
    pub(crate) options: Options,
}

/// A field of a prompt type.
pub(crate) struct Input {
    /// The field.
    pub(crate) field: Ident,
    /// The name that the template uses.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    pub(crate) presence: Presence,
    /// What it is when the field is `None`: from `#[prompt(default = …)]`.
    pub(crate) default: Option<Expression>,
    /// What it is for.
    pub(crate) description: Option<String>,
    /// The place for messages about it.
    pub(crate) span: Span,
}

/// Whether an input is text or travels as a placeholder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Printed as text; with the kind's name in the words of the format.
    Value(&'static str),
    Thread,
    Image,
    File,
    Audio,
}

impl Kind {
    /// The kind in the words of the format.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Value(name) => name,
            Self::Thread => "thread",
            Self::Image => "image",
            Self::File => "file",
            Self::Audio => "audio",
        }
    }

    /// The rich kind of that name.
    pub(crate) fn rich(name: &str) -> Option<Self> {
        match name {
            "thread" => Some(Self::Thread),
            "image" => Some(Self::Image),
            "file" => Some(Self::File),
            "audio" => Some(Self::Audio),
            _ => None,
        }
    }
}

/// The head of a `prompt!` that names a type: attributes, visibility, name, generics.
pub(crate) struct Head {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
}

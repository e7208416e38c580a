//! The data that the macros pass from reading a prompt to generating code.

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::{Definition, Input, Presence, ValueType};
use prompty_core::message::{RichKind, ThreadRoles};
use syn::{Attribute, Generics, Ident, LitStr, Path, Type, Visibility};

use crate::parse::expression::Expression;

/// The path of the facade.
#[derive(Clone)]
pub(crate) struct Context {
    /// The path to the facade, such as `::typed_prompty` or `$crate`.
    pub(crate) facade: TokenStream,
}

/// The type that an implementation is generated for.
#[derive(Clone, Copy)]
pub(crate) struct ImplTarget<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
}

/// The options in `#[prompt(...)]` on the type.
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
    /// `parser = "message-tags"`
    pub(crate) parser: Option<LitStr>,
    /// `strict`
    pub(crate) strict: bool,
    /// `templates = "prompts/parts"`: the folder of the files that the template includes, imports or
    /// extends.
    pub(crate) templates: Option<LitStr>,
    /// `trim_blocks`, `lstrip_blocks`: what block tags do to the white space around them.
    pub(crate) trim_blocks: bool,
    pub(crate) lstrip_blocks: bool,
    /// `no_prelude`: the crate has no prelude and so no `#[diagnostic]`, so errors about types show
    /// less.
    pub(crate) no_prelude: bool,
    /// `filters(shout)`, `tests(...)`, `functions(...)`, `formats(...)`, `parsers(...)`: what the
    /// registry adds.
    pub(crate) filters: Vec<Ident>,
    pub(crate) tests: Vec<Ident>,
    pub(crate) functions: Vec<HostFunction>,
    pub(crate) formats: Vec<Ident>,
    pub(crate) parsers: Vec<Ident>,
    /// `compiled`: the template must be compiled to straight-line code.
    pub(crate) compiled: Option<Span>,
    /// `output = Answer`: the type that the model must answer with.
    pub(crate) output: Option<Type>,
    /// Whether the type of the output was made from the front matter.
    pub(crate) output_is_made: bool,
    /// `output_schema`: the JSON schema of the output is sent with the request.
    pub(crate) output_schema: Option<Span>,
    /// `max_chars = 4000`: the maximum length of the fixed text.
    pub(crate) max_chars: Option<syn::LitInt>,
    /// `max_tokens = 1000`: the same in tokens of about four characters.
    pub(crate) max_tokens: Option<syn::LitInt>,
    /// `registry = path::to::function`
    pub(crate) registry: Option<Path>,
    /// `types(passages = Passage)`: types of the user's own in the place of generated ones.
    pub(crate) types: Vec<Replacement>,
}

/// A function that the registry adds.
pub(crate) struct HostFunction {
    /// Its name, which may have that of a plugin before it: `time.now`.
    pub(crate) name: String,
    /// Its parameters, where they are given.
    pub(crate) parameters: Option<Vec<String>>,
}

/// A type of the user's own that stands in for objects or for an enumeration of the front matter.
pub(crate) struct Replacement {
    /// The names of the input and of the fields that lead to the declaration, with dots in between.
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) ty: Type,
}

/// A prompt type with its inputs and options.
pub(crate) struct Prompt {
    pub(crate) visibility: Visibility,
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) inputs: Vec<InputField>,
    pub(crate) options: Options,
    pub(crate) names: FieldNames,
}

/// Where the names of the attributes that a template reads come from, and so how the fields are called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldNames {
    /// From structs of Rust: the field has the name.
    OfRust,
    /// From front matter: the field of `firstName` is `first_name`.
    OfFrontMatter,
}

/// A field of a prompt type: an input, and what only Rust knows of it.
pub(crate) struct InputField {
    /// The field.
    pub(crate) field: Ident,
    pub(crate) ty: Type,
    /// The input. Its type is what the name of the Rust type says.
    pub(crate) input: Input,
    /// The default for a field that is `None`: `#[prompt(default = …)]`.
    pub(crate) default: Option<Expression>,
    /// The roles that the author of the field allows the thread: `#[prompt(roles(…))]`.
    pub(crate) roles: Option<ThreadRoles>,
    /// The span for messages about the input.
    pub(crate) span: Span,
    /// Whether the field is written in Rust. An editor would rename the prompt's type in the place of a
    /// field that is generated.
    pub(crate) is_written: bool,
}

impl InputField {
    /// The name of the input in the template.
    pub(crate) fn name(&self) -> &str {
        &self.input.name
    }

    pub(crate) fn value_type(&self) -> &ValueType {
        &self.input.value_type
    }

    pub(crate) fn presence(&self) -> Presence {
        match self.input.presence() {
            Presence::Optional if self.default.is_some() => Presence::Defaulted,
            presence => presence,
        }
    }

    /// The rich kind, if the input is not text.
    pub(crate) fn rich(&self) -> Option<RichKind> {
        self.value_type().rich()
    }

    /// The roles that the thread allows: those of the field, or those of the front matter without
    /// them.
    pub(crate) fn thread_roles(&self, definition: &Definition) -> ThreadRoles {
        let declared = || definition.input(self.name()).map(|declared| declared.roles.clone());
        self.roles.clone().or_else(declared).unwrap_or_default()
    }
}

/// The head of a `prompt!` with a type: attributes, visibility, name and generics.
pub(crate) struct Head {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
}

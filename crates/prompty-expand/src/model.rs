//! The data that the macros pass from reading a prompt to generating code.

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::{Definition, Input, Presence, ValueType};
use prompty_core::message::{RichKind, ThreadRoles};
use syn::{Attribute, Generics, Ident, LitStr, Path, Type, Visibility};

use crate::parse::expression::Expression;

/// The type that an implementation is generated for.
#[derive(Clone, Copy)]
pub(crate) struct ImplTarget<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
}

/// The options in `#[prompt(...)]` on the type.
#[derive(Default)]
pub(crate) struct PromptOptions {
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
    /// `text`: the prompt is a text prompt.
    pub(crate) text: Option<Span>,
    /// `role = "user"`: the role of the message of a template without markers.
    pub(crate) role: Option<LitStr>,
    /// `white_space = "keep"`
    pub(crate) white_space: Option<LitStr>,
    /// `strict`
    pub(crate) strict: bool,
    /// `templates = "prompts/parts"`: the folder with the files that the template includes, imports
    /// or extends.
    pub(crate) templates: Option<LitStr>,
    /// `trim_blocks`, `lstrip_blocks`: how block tags treat the white space around them.
    pub(crate) trim_blocks: bool,
    pub(crate) lstrip_blocks: bool,
    /// `no_prelude`: the crate has no prelude and so no `#[diagnostic]`. Errors about types then
    /// have less detail.
    pub(crate) no_prelude: bool,
    /// `filters(shout)`, `tests(...)`, `functions(...)`, `formats(...)`, `parsers(...)`: the
    /// extensions that the registry adds.
    pub(crate) filters: Vec<Ident>,
    pub(crate) tests: Vec<Ident>,
    pub(crate) functions: Vec<HostFunction>,
    pub(crate) formats: Vec<Ident>,
    pub(crate) parsers: Vec<Ident>,
    /// `compiled`: the template must be compiled to straight-line code.
    pub(crate) compiled: Option<Span>,
    /// `output = Answer`: the type that the model must answer with.
    pub(crate) output: Option<Type>,
    /// Whether the type of the output was generated from the front matter.
    pub(crate) is_output_generated: bool,
    /// `output_schema`: the JSON schema of the output is sent with the request.
    pub(crate) output_schema: Option<Span>,
    /// `max_chars = 4000`: the maximum length of the fixed text.
    pub(crate) max_chars: Option<syn::LitInt>,
    /// `max_tokens = 1000`: the same in tokens of about four characters.
    pub(crate) max_tokens: Option<syn::LitInt>,
    /// `registry = path::to::function`
    pub(crate) registry: Option<Path>,
    /// `types(passages = Passage)`: the user's own types, used instead of generated ones.
    pub(crate) types: Vec<TypeReplacement>,
}

/// A function that the registry adds.
pub(crate) struct HostFunction {
    /// Its name, with an optional plugin name as a prefix: `time.now`.
    pub(crate) name: String,
    /// Its parameters, if they are given.
    pub(crate) parameters: Option<Vec<String>>,
}

/// A type of the user that replaces the generated type of an object or enumeration of the front
/// matter.
pub(crate) struct TypeReplacement {
    /// The path to the declaration: the names of the input and of the fields, separated by dots.
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
    pub(crate) options: PromptOptions,
    pub(crate) names: FieldNames,
}

/// The source of the names that a template reads, which decides how fields are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldNames {
    /// Rust structs: the field has the same name.
    Rust,
    /// Front matter: the field for `firstName` is `first_name`.
    FrontMatter,
}

/// A field of a prompt type: an input, and its Rust-specific properties.
pub(crate) struct InputField {
    /// The field.
    pub(crate) field: Ident,
    pub(crate) ty: Type,
    /// The input. Its type is derived from the name of the Rust type.
    pub(crate) input: Input,
    /// The default for a field that is `None`: `#[prompt(default = …)]`.
    pub(crate) default: Option<Expression>,
    /// The roles that the field's attribute allows in the thread: `#[prompt(roles(…))]`.
    pub(crate) roles: Option<ThreadRoles>,
    /// `text`: the value is a text prompt, whose text is the value in the template.
    pub(crate) is_text: bool,
    /// The span for messages about the input.
    pub(crate) span: Span,
    /// Whether the field is written in Rust, and not generated from the front matter.
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

    /// The roles that the thread allows: those of the field, else those of the front matter.
    pub(crate) fn thread_roles(&self, definition: &Definition) -> ThreadRoles {
        let declared = || definition.input(self.name()).map(|declared| declared.roles.clone());
        self.roles.clone().or_else(declared).unwrap_or_default()
    }
}

/// The head of a `prompt!` with a type: attributes, visibility, `text`, name and generics.
pub(crate) struct Head {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// The word `text` before the name.
    pub(crate) text: Option<Span>,
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
}

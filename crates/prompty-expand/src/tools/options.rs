//! The options in `#[tool(...)]` on types, functions and their parameters.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr, Path};

use crate::errors::Errors;
use crate::parse::attributes::{self, key_of, unknown_key_of};

/// The options of a tool or a set.
#[derive(Default)]
pub(crate) struct ToolOptions {
    /// `name = "get_weather"`
    pub(crate) name: Option<LitStr>,
    /// `description = "…"`
    pub(crate) description: Option<LitStr>,
    /// `arguments = Name`: the name of the type of a function's arguments.
    pub(crate) arguments: Option<Ident>,
    /// `derive(PartialEq)`: additional traits of that type.
    pub(crate) derive: Vec<Path>,
    facade: Option<Path>,
}

/// The options of a function's parameter.
#[derive(Default)]
pub(crate) struct ToolParameterOptions {
    /// `description = "…"`
    pub(crate) description: Option<LitStr>,
    /// `context`: the program passes it, not the model.
    pub(crate) context: bool,
}

/// The item that a macro is applied to, which decides the available keys.
#[derive(Clone, Copy)]
pub(crate) enum ToolSubject {
    Struct,
    Set,
    Function,
}

impl ToolSubject {
    /// The available keys, and the name of the item in messages.
    fn keys_and_place(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Struct => (&["name", "description", "crate"], "a struct"),
            Self::Set => (&["crate"], "a set of tools"),
            Self::Function => {
                (&["name", "description", "arguments", "derive", "crate"], "a function")
            }
        }
    }
}

const PARAMETER_KEYS: [&str; 2] = ["description", "context"];

impl ToolOptions {
    /// The options of a type, from all its `#[tool(...)]`.
    pub(crate) fn of_type(all: &[Attribute], subject: ToolSubject, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for attribute in all.iter().filter(|it| it.path().is_ident("tool")) {
            errors.keep(attribute.parse_nested_meta(|meta| options.read(&meta, subject)));
        }
        options
    }

    /// The options in the brackets of `#[tool(...)]` itself.
    pub(crate) fn of_function(written: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let parser = syn::meta::parser(|meta| options.read(&meta, ToolSubject::Function));
        errors.keep(parser.parse2(written));
        options
    }

    /// The path to the facade.
    pub(crate) fn facade(&self) -> TokenStream {
        attributes::facade(self.facade.as_ref())
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>, subject: ToolSubject) -> syn::Result<()> {
        let (key, (known, place)) = (key_of(meta), subject.keys_and_place());
        if !known.contains(&key.as_str()) {
            return Err(unknown_key_of("tool", meta, place, known));
        }
        match key.as_str() {
            "name" => attributes::set(&mut self.name, meta),
            "description" => attributes::set(&mut self.description, meta),
            "arguments" => attributes::set(&mut self.arguments, meta),
            "derive" => attributes::read_derives(&mut self.derive, meta),
            // `crate` is the only other key.
            _ => attributes::read_facade(&mut self.facade, meta),
        }
    }
}

impl ToolParameterOptions {
    /// The options of a parameter, from all its `#[tool(...)]`.
    pub(crate) fn from_attributes(all: &[Attribute], errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for attribute in all.iter().filter(|it| it.path().is_ident("tool")) {
            errors.keep(attribute.parse_nested_meta(|meta| {
                match key_of(&meta).as_str() {
                    "description" => attributes::set(&mut options.description, &meta)?,
                    "context" => options.context = true,
                    _ => return Err(unknown_key_of("tool", &meta, "a parameter", &PARAMETER_KEYS)),
                }
                Ok(())
            }));
        }
        options
    }
}

/// The description of the tool, as a constant: from the attribute, or else from the doc comment.
pub(crate) fn description(
    options: &ToolOptions,
    all: &[Attribute],
    at: Span,
    errors: &mut Errors,
) -> TokenStream {
    let given = options.description.as_ref();
    let found = match given {
        Some(given) => Some(given.value()).filter(|text| !text.trim().is_empty()),
        None if attributes::doc_parts(all).any(is_macro_call) => {
            return concatenated(&options.facade(), all);
        }
        None => attributes::description(all),
    };
    let text = found.unwrap_or_else(|| {
        let help = "write a doc comment or `#[tool(description = \"…\")]`, because the model \
                    chooses tools by their description";
        let span = given.map_or(at, LitStr::span);
        errors.add(span, "this tool has no description", help);
        String::new()
    });
    quote!(#text)
}

/// Whether a part of a doc comment is a macro call, which this macro cannot read.
fn is_macro_call(part: &Expr) -> bool {
    attributes::doc_line(part).is_none()
}

/// A doc comment with macro calls, such as `#[doc = include_str!("weather.md")]`, for rustc to
/// concatenate.
fn concatenated(facade: &TokenStream, all: &[Attribute]) -> TokenStream {
    let parts = attributes::doc_parts(all).enumerate().map(|(index, part)| {
        let end = (index > 0).then(|| quote!("\n",));
        match attributes::doc_line(part) {
            Some(line) => quote!(#end #line),
            None => quote!(#end #part),
        }
    });
    quote!(#facade::__private::core::concat!(#(#parts),*))
}

/// The span of a key in the attributes of serde, such as `flatten`.
pub(crate) fn serde_key(all: &[Attribute], key: &str) -> Option<Span> {
    let mut found = None;
    for attribute in all.iter().filter(|it| it.path().is_ident("serde")) {
        // serde reports its own errors.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident(key) {
                found = Some(meta.path.span());
            }
            attributes::skip_value(&meta)
        });
    }
    found
}

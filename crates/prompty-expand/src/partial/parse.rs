//! The type with what `#[partial(...)]` and `#[serde(...)]` say of it.

use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Field, Ident, LitStr, Path, Token};

use super::names::Rule;
use crate::errors::Errors;
use crate::parse::attributes::{self, PathOrText, key, skip_value, unknown_key_of};

/// A type, and what is said of it.
pub(super) struct Declared<'a> {
    pub(super) input: &'a DeriveInput,
    pub(super) options: TypeOptions,
    pub(super) serde: TypeSerde,
}

/// What `#[partial(...)]` says of a type.
#[derive(Default)]
pub(super) struct TypeOptions {
    /// `name = PartialTicket`: the name of the struct that is written.
    pub(super) name: Option<Ident>,
    /// `derive(Clone)`: further traits of that struct.
    pub(super) derive: Vec<Path>,
    /// `no_prelude`: the crate has no prelude and so no `#[diagnostic]`.
    pub(super) no_prelude: bool,
    facade: Option<Path>,
}

/// What `#[partial(...)]` says of a field.
#[derive(Default)]
pub(super) struct FieldOptions {
    /// The field is not shown while it grows.
    pub(super) skip: bool,
    /// The field is there once it is whole.
    pub(super) whole: bool,
}

/// What serde does with a type.
#[derive(Default)]
pub(super) struct TypeSerde {
    pub(super) rename_all: Rule,
    /// It is read as its only field.
    pub(super) transparent: bool,
    /// It is read from another type, or its variants are told apart in an object.
    pub(super) is_other: bool,
}

/// What serde does with a field.
#[derive(Default)]
pub(super) struct FieldSerde {
    pub(super) rename: Option<String>,
    pub(super) skip: bool,
    /// The place of `flatten`, of the first `alias`, and of a function that reads the field.
    pub(super) flatten: Option<Span>,
    pub(super) alias: Option<Span>,
    pub(super) read_by: Option<Span>,
}

const TYPE_KEYS: [&str; 4] = ["name", "derive", "no_prelude", "crate"];
const FIELD_KEYS: [&str; 2] = ["skip", "whole"];

/// Reads a type. The fields are read one by one, by [`field`].
pub(super) fn declared<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Declared<'a> {
    let mut options = TypeOptions::default();
    for attribute in of_partial(&input.attrs) {
        errors.keep(attribute.parse_nested_meta(|meta| options.read(&meta)));
    }
    let mut serde = TypeSerde::default();
    each_of_serde(&input.attrs, |key, meta| match key {
        "rename_all" => {
            let rule = for_reading(meta)?.and_then(|it| Rule::from_name(&it.value()));
            serde.rename_all = rule.unwrap_or_default();
            Ok(())
        }
        "transparent" => {
            serde.transparent = true;
            Ok(())
        }
        "from" | "try_from" | "remote" | "tag" | "untagged" => {
            serde.is_other = true;
            skip_value(meta)
        }
        _ => skip_value(meta),
    });
    Declared { input, options, serde }
}

/// Reads what is said of a field.
pub(super) fn field(field: &Field, errors: &mut Errors) -> (FieldOptions, FieldSerde) {
    let mut options = FieldOptions::default();
    for attribute in of_partial(&field.attrs) {
        errors.keep(attribute.parse_nested_meta(|meta| options.read(&meta)));
    }
    let mut serde = FieldSerde::default();
    each_of_serde(&field.attrs, |key, meta| {
        let span = meta.path.span();
        match key {
            "rename" => {
                serde.rename = for_reading(meta)?.map(|it| it.value());
                return Ok(());
            }
            "skip" | "skip_deserializing" => serde.skip = true,
            "flatten" => serde.flatten = Some(span),
            "alias" => serde.alias = serde.alias.or(Some(span)),
            "with" | "deserialize_with" => serde.read_by = Some(span),
            _ => {}
        }
        skip_value(meta)
    });
    (options, serde)
}

impl Declared<'_> {
    /// The path to the facade.
    pub(super) fn facade(&self) -> TokenStream {
        attributes::facade(self.options.facade.as_ref())
    }
}

impl TypeOptions {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match key(meta).as_str() {
            "name" => attributes::set(&mut self.name, meta),
            "derive" => attributes::derive(&mut self.derive, meta),
            "no_prelude" => {
                self.no_prelude = true;
                Ok(())
            }
            "crate" => {
                let mut path: Option<PathOrText> = None;
                attributes::set(&mut path, meta)?;
                self.facade = path.map(|path| path.0);
                Ok(())
            }
            _ => Err(unknown_key_of("partial", meta, "a type", &TYPE_KEYS)),
        }
    }
}

impl FieldOptions {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match key(meta).as_str() {
            "skip" => self.skip = true,
            "whole" => self.whole = true,
            _ => return Err(unknown_key_of("partial", meta, "a field", &FIELD_KEYS)),
        }
        Ok(())
    }
}

fn of_partial(all: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    all.iter().filter(|it| it.path().is_ident("partial"))
}

/// Reads each key of `#[serde(...)]`. serde reports its own errors.
fn each_of_serde(
    all: &[Attribute],
    mut read: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attribute in all.iter().filter(|it| it.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| read(&key(&meta), &meta));
    }
}

/// The value of `key = "…"`, or of `deserialize` in `key(serialize = "…", deserialize = "…")`.
fn for_reading(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<LitStr>> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse().map(Some);
    }
    let mut found = None;
    meta.parse_nested_meta(|inner| {
        let value = inner.value()?.parse()?;
        if inner.path.is_ident("deserialize") {
            found = Some(value);
        }
        Ok(())
    })?;
    Ok(found)
}

//! Reads a type and its attributes `#[partial(...)]` and `#[serde(...)]`.

use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Field, Ident, LitStr, Path, Token};

use super::names::RenameRule;
use crate::errors::Errors;
use crate::parse::attributes::{self, key_of, skip_value, unknown_key_of};

/// A type with its attributes.
pub(super) struct AnnotatedType<'a> {
    pub(super) input: &'a DeriveInput,
    pub(super) options: PartialTypeOptions,
    pub(super) serde: TypeSerde,
}

/// The options in `#[partial(...)]` on a type.
#[derive(Default)]
pub(super) struct PartialTypeOptions {
    /// `name = PartialTicket`: the name of the generated struct.
    pub(super) name: Option<Ident>,
    /// `derive(Clone)`: further traits of that struct.
    pub(super) derive: Vec<Path>,
    /// `no_prelude`: the crate has no prelude and so no `#[diagnostic]`.
    pub(super) no_prelude: bool,
    facade: Option<Path>,
}

/// The options in `#[partial(...)]` on a field.
#[derive(Default)]
pub(super) struct PartialFieldOptions {
    /// The field is not shown while it grows.
    pub(super) skip: bool,
    /// The field is present only when it is complete.
    pub(super) whole: bool,
}

/// The serde attributes of a type.
#[derive(Default)]
pub(super) struct TypeSerde {
    pub(super) rename_all: RenameRule,
    /// It is read as its only field.
    pub(super) transparent: bool,
    /// Its JSON does not have the form of its fields: it is read from another type, or its variants
    /// have a tag or none.
    pub(super) has_other_form: bool,
}

/// The serde attributes of a field.
#[derive(Default)]
pub(super) struct FieldSerde {
    pub(super) rename: Option<String>,
    pub(super) skip: bool,
    /// The spans of `flatten`, of the first `alias`, and of a function that reads the field.
    pub(super) flatten: Option<Span>,
    pub(super) alias: Option<Span>,
    pub(super) read_by: Option<Span>,
}

const TYPE_KEYS: [&str; 4] = ["name", "derive", "no_prelude", "crate"];
const FIELD_KEYS: [&str; 2] = ["skip", "whole"];

/// Reads the attributes of a type. [`read_field`] reads those of one field.
pub(super) fn read_type<'a>(input: &'a DeriveInput, errors: &mut Errors) -> AnnotatedType<'a> {
    let mut options = PartialTypeOptions::default();
    for attribute in of_partial(&input.attrs) {
        errors.keep(attribute.parse_nested_meta(|meta| options.read(&meta)));
    }
    let mut serde = TypeSerde::default();
    each_of_serde(&input.attrs, |key, meta| match key {
        "rename_all" => {
            let rule = deserialize_value(meta)?.and_then(|it| RenameRule::from_name(&it.value()));
            serde.rename_all = rule.unwrap_or_default();
            Ok(())
        }
        "transparent" => {
            serde.transparent = true;
            Ok(())
        }
        "from" | "try_from" | "remote" | "tag" | "untagged" => {
            serde.has_other_form = true;
            skip_value(meta)
        }
        _ => skip_value(meta),
    });
    AnnotatedType { input, options, serde }
}

/// Reads the attributes of a field.
pub(super) fn read_field(field: &Field, errors: &mut Errors) -> (PartialFieldOptions, FieldSerde) {
    let mut options = PartialFieldOptions::default();
    for attribute in of_partial(&field.attrs) {
        errors.keep(attribute.parse_nested_meta(|meta| options.read(&meta)));
    }
    let mut serde = FieldSerde::default();
    each_of_serde(&field.attrs, |key, meta| {
        let span = meta.path.span();
        match key {
            "rename" => {
                serde.rename = deserialize_value(meta)?.map(|it| it.value());
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

impl AnnotatedType<'_> {
    /// The path to the facade.
    pub(super) fn facade(&self) -> TokenStream {
        attributes::facade(self.options.facade.as_ref())
    }
}

impl PartialTypeOptions {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match key_of(meta).as_str() {
            "name" => attributes::set(&mut self.name, meta)?,
            "derive" => attributes::read_derives(&mut self.derive, meta)?,
            "no_prelude" => self.no_prelude = true,
            "crate" => attributes::read_facade(&mut self.facade, meta)?,
            _ => return Err(unknown_key_of("partial", meta, "a type", &TYPE_KEYS)),
        }
        Ok(())
    }
}

impl PartialFieldOptions {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match key_of(meta).as_str() {
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
        let _ = attribute.parse_nested_meta(|meta| read(&key_of(&meta), &meta));
    }
}

/// The value of `key = "…"`, or of `deserialize` in `key(serialize = "…", deserialize = "…")`.
fn deserialize_value(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<LitStr>> {
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

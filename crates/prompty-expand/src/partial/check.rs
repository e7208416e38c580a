//! How a type grows, and what of it cannot.

use syn::ext::IdentExt;
use syn::{Data, DataEnum, DataStruct, Field, Fields, GenericParam, Ident, Type, Visibility};

use super::parse::{self, Declared, FieldSerde};
use crate::errors::Errors;

/// How a type grows.
pub(super) enum Form<'a> {
    /// Field by field.
    Struct(Vec<Shown<'a>>),
    /// As the only type in it.
    Inner(&'a Type),
    /// It is absent or done.
    AtOnce,
    /// As a value of no certain type.
    Value,
}

/// A field that is shown.
pub(super) struct Shown<'a> {
    pub(super) field: &'a Field,
    pub(super) ident: &'a Ident,
    pub(super) visibility: &'a Visibility,
    /// Its name in JSON.
    pub(super) name: String,
    /// Whether it is there only once it is whole.
    pub(super) whole: bool,
}

/// Decides how a type grows. `None` where it can implement nothing, so that no other error follows.
pub(super) fn form<'a>(declared: &Declared<'a>, errors: &mut Errors) -> Option<Form<'a>> {
    let input = declared.input;
    let lifetime = input.generics.params.iter().find_map(|parameter| match parameter {
        GenericParam::Lifetime(lifetime) => Some(lifetime.lifetime.apostrophe),
        _ => None,
    });
    if let Some(lifetime) = lifetime {
        let help =
            "it is read from a reply that does not last: hold a `String` in place of a `&str`";
        errors.add(lifetime, "a value of a reply cannot borrow from it", help);
        return None;
    }
    match &input.data {
        Data::Struct(_) | Data::Enum(_) if declared.serde.is_other => Some(Form::Value),
        Data::Struct(data) => Some(of_struct(declared, data, errors)),
        Data::Enum(data) => Some(of_enum(data)),
        Data::Union(_) => {
            let help = "use a struct, or an enum";
            errors.add(input.ident.span(), "a union cannot be read from a reply", help);
            None
        }
    }
}

fn of_enum<'a>(data: &DataEnum) -> Form<'a> {
    let has_data = data.variants.iter().any(|it| !matches!(it.fields, Fields::Unit));
    if has_data { Form::Value } else { Form::AtOnce }
}

fn of_struct<'a>(declared: &Declared<'a>, data: &'a DataStruct, errors: &mut Errors) -> Form<'a> {
    let fields = match &data.fields {
        Fields::Unit => return Form::AtOnce,
        Fields::Unnamed(fields) => {
            let mut fields = fields.unnamed.iter();
            let (Some(only), None) = (fields.next(), fields.next()) else { return Form::Value };
            let (_, serde) = parse::field(only, errors);
            return if serde.read_by.is_some() { Form::Value } else { Form::Inner(&only.ty) };
        }
        Fields::Named(fields) => &fields.named,
    };
    let rule = declared.serde.rename_all;
    let mut shown = Vec::new();
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        let (options, serde) = parse::field(field, errors);
        if options.skip || serde.skip || !can_grow(ident, &serde, errors) {
            continue;
        }
        let name = serde.rename.unwrap_or_else(|| rule.name(&ident.unraw().to_string()));
        let (visibility, whole) = (&field.vis, options.whole);
        shown.push(Shown { field, ident, visibility, name, whole });
    }
    match shown.as_slice() {
        [only] if declared.serde.transparent => Form::Inner(&only.field.ty),
        _ => Form::Struct(shown),
    }
}

/// Whether what serde does with a field leaves it a place of its own in the JSON.
fn can_grow(ident: &Ident, serde: &FieldSerde, errors: &mut Errors) -> bool {
    let skip = "or leave it out of what is shown: `#[partial(skip)]`";
    if let Some(span) = serde.flatten {
        let message = format!("`{ident}` is flattened, so that it has no place of its own to grow");
        let help = format!("write its fields here, {skip}");
        errors.add(span, &message, &help);
        return false;
    }
    if let Some(span) = serde.read_by {
        let message = format!("`{ident}` is read by a function, which needs the whole value");
        let help = format!("give it a type that serde reads by itself, {skip}");
        errors.add(span, &message, &help);
        return false;
    }
    if let Some(span) = serde.alias {
        let message = format!("the schema of `{ident}` has no alias, so that no model knows of it");
        let help = format!(
            "write the alias for the schema: `#[schemars(extend(\"x-alias\" = \"…\"))]`, {skip}"
        );
        errors.add(span, &message, &help);
        return false;
    }
    true
}

//! Decides how a type grows, and reports the parts that cannot.

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DataStruct, Field, Fields, Ident, Type, Visibility};

use super::parse::{self, AnnotatedType, FieldSerde};
use crate::errors::Errors;
use crate::rust_type::first_lifetime;

/// How a type grows.
pub(super) enum GrowthForm<'a> {
    /// Field by field.
    Struct(Vec<VisibleField<'a>>),
    /// Like the only type in it.
    Inner(&'a Type),
    /// It is absent or complete.
    AtOnce,
    /// As a JSON value without a fixed type.
    Value,
}

/// A field that is shown while it grows.
pub(super) struct VisibleField<'a> {
    pub(super) field: &'a Field,
    pub(super) ident: &'a Ident,
    pub(super) visibility: &'a Visibility,
    /// Its name in JSON.
    pub(super) name: String,
    /// Whether it is present only when it is complete.
    pub(super) requires_complete: bool,
}

/// Decides how a type grows; `None` if it cannot implement `Growable`, so that no other error
/// follows.
pub(super) fn growth_form<'a>(
    declared: &AnnotatedType<'a>,
    errors: &mut Errors,
) -> Option<GrowthForm<'a>> {
    let input = declared.input;
    if let Some(lifetime) = first_lifetime(&input.generics) {
        let help = "use owned types: for example, a `String` instead of a `&str`";
        errors.add(lifetime, "a type that is read from a reply cannot borrow", help);
        return None;
    }
    match &input.data {
        Data::Struct(_) | Data::Enum(_) if declared.serde.has_other_form => Some(GrowthForm::Value),
        Data::Struct(data) => Some(of_struct(declared, data, errors)),
        Data::Enum(data) => Some(of_enum(data)),
        Data::Union(_) => {
            let help = "use a struct, or an enum";
            errors.add(input.ident.span(), "a union cannot be read from a reply", help);
            None
        }
    }
}

/// A variant without data is a string in JSON, which is complete at once.
fn of_enum<'a>(data: &DataEnum) -> GrowthForm<'a> {
    let has_data = data.variants.iter().any(|it| !matches!(it.fields, Fields::Unit));
    if has_data { GrowthForm::Value } else { GrowthForm::AtOnce }
}

fn of_struct<'a>(
    declared: &AnnotatedType<'a>,
    data: &'a DataStruct,
    errors: &mut Errors,
) -> GrowthForm<'a> {
    let fields = match &data.fields {
        Fields::Unit => return GrowthForm::AtOnce,
        Fields::Unnamed(fields) => {
            let mut fields = fields.unnamed.iter();
            let (Some(only), None) = (fields.next(), fields.next()) else {
                return GrowthForm::Value;
            };
            let (options, serde) = parse::read_field(only, errors);
            if options.skip || options.whole {
                let message = "`skip` and `whole` have no effect on a field without a name";
                errors.add(only.span(), message, "remove the option, or give the field a name");
            }
            return if serde.read_by.is_some() {
                GrowthForm::Value
            } else {
                GrowthForm::Inner(&only.ty)
            };
        }
        Fields::Named(fields) => &fields.named,
    };
    let rule = declared.serde.rename_all;
    let mut shown = Vec::new();
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        let (options, serde) = parse::read_field(field, errors);
        if options.skip || serde.skip || !check_growth(ident, &serde, errors) {
            continue;
        }
        let name = serde.rename.unwrap_or_else(|| rule.name(&ident.unraw().to_string()));
        let (visibility, requires_complete) = (&field.vis, options.whole);
        shown.push(VisibleField { field, ident, visibility, name, requires_complete });
    }
    match shown.as_slice() {
        [only] if declared.serde.transparent => GrowthForm::Inner(&only.field.ty),
        _ => GrowthForm::Struct(shown),
    }
}

/// Checks that a field has its own place in the JSON, in spite of its serde attributes.
fn check_growth(ident: &Ident, serde: &FieldSerde, errors: &mut Errors) -> bool {
    let skip = "or hide it: `#[partial(skip)]`";
    let (span, message, help) = if let Some(span) = serde.flatten {
        let message = format!(
            "the field `{ident}` cannot be read while the reply streams, because it is flattened"
        );
        (span, message, format!("declare its fields here, {skip}"))
    } else if let Some(span) = serde.read_by {
        let message = format!(
            "the field `{ident}` cannot be read while the reply streams, because a function reads its \
             complete value"
        );
        (span, message, format!("use a type that implements `Deserialize`, {skip}"))
    } else if let Some(span) = serde.alias {
        let message = format!("`{ident}` has an alias that is not in its schema");
        let help =
            format!("replace the alias by `#[schemars(extend(\"x-alias\" = \"…\"))]`, {skip}");
        (span, message, help)
    } else {
        return true;
    };
    errors.add(span, &message, &help);
    false
}

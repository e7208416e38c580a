//! The fields of a prompt struct as inputs.

use prompty_runtime::check::{Presence, Shape};
use syn::spanned::Spanned;
use syn::{Field, Fields};

use super::attributes::{self, FieldOptions};
use crate::model::{Input, Kind};
use crate::report::Errors;
use crate::shape;

/// The inputs of a struct. `generics` are the names of its type parameters.
pub(crate) fn inputs(fields: &Fields, generics: &[String], errors: &mut Errors) -> Vec<Input> {
    match fields {
        Fields::Named(fields) => {
            fields.named.iter().filter_map(|field| input(field, generics, errors)).collect()
        }
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => {
            let message = "a prompt's fields are its inputs, so they need names";
            errors.push(syn::Error::new(fields.span(), message));
            Vec::new()
        }
    }
}

fn input(field: &Field, generics: &[String], errors: &mut Errors) -> Option<Input> {
    let options = attributes::of_field(&field.attrs, errors);
    if options.skip {
        return None;
    }
    let ident = field.ident.clone()?;
    let unraw = syn::ext::IdentExt::unraw(&ident).to_string();
    let name = options.rename.as_ref().map_or(unraw, syn::LitStr::value);
    if !is_template_name(&name) {
        let message = format!("`{name}` cannot be a variable of a template");
        let span = options.rename.as_ref().map_or(ident.span(), syn::LitStr::span);
        errors.push(syn::Error::new(span, message));
    }
    let (shape, optional) = match shape::of_type(&field.ty, generics) {
        Shape::Optional(inner) => (*inner, true),
        shape => (shape, false),
    };
    let kind = kind(field, &options, &shape, errors);
    let presence = match (optional, &options.default) {
        (true, Some(_)) => Presence::Defaulted,
        (true, None) => Presence::Optional,
        (false, None) => Presence::Required,
        (false, Some(default)) => {
            let message = "a default is used when the field is `None`, so its type must be an \
                           `Option`";
            errors.push(syn::Error::new(default.span(), message));
            Presence::Required
        }
    };
    Some(Input {
        span: ident.span(),
        field: ident,
        name,
        ty: field.ty.clone(),
        shape: shape_of_kind(kind, shape),
        kind,
        presence,
        default: options.default,
        description: attributes::description(&field.attrs),
    })
}

/// The kind that the attribute gives, else the one that the type tells.
fn kind(field: &Field, options: &FieldOptions, shape: &Shape, errors: &mut Errors) -> Kind {
    if let Some(given) = &options.kind {
        let name = given.value();
        return Kind::rich(&name).unwrap_or_else(|| {
            let message = format!(
                "`{name}` is no kind that a field must be told; there are `thread`, `image`, \
                 `file` and `audio`, and all others follow from the type"
            );
            errors.push(syn::Error::new(given.span(), message));
            Kind::Value("")
        });
    }
    if shape::is_media(&field.ty) {
        let message = "a `Media` can be an image, a file or a sound: say which with \
                       `#[prompt(kind = \"image\")]`, `\"file\"` or `\"audio\"`";
        errors.push(syn::Error::new(field.ty.span(), message));
        return Kind::Image;
    }
    match shape {
        Shape::Thread => Kind::Thread,
        other => Kind::Value(shape::kind_name(other)),
    }
}

fn shape_of_kind(kind: Kind, shape: Shape) -> Shape {
    match kind {
        Kind::Value(_) => shape,
        Kind::Thread => Shape::Thread,
        Kind::Image => Shape::Image,
        Kind::File => Shape::File,
        Kind::Audio => Shape::Audio,
    }
}

fn is_template_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|character| character.is_alphanumeric() || character == '_')
}

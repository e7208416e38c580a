//! Converts the fields of a prompt struct into inputs.

use std::collections::{HashMap, HashSet};

use prompty_check::check::{is_variable_name, plain_name, why_unusable};
use prompty_check::definition::{Input, ValueType};
use prompty_core::message::{RichKind, ThreadRoles};
use syn::spanned::Spanned;
use syn::{Field, Fields, FieldsNamed, Ident, LitStr, Type};

use super::attributes::{self, FieldOptions};
use super::expression::Expression;
use crate::errors::Errors;
use crate::model::InputField;
use crate::rust_type;

/// The inputs of a struct. `generics` are the names of its type parameters.
pub(crate) fn inputs(fields: &Fields, generics: &[String], errors: &mut Errors) -> Vec<InputField> {
    match fields {
        Fields::Named(fields) => {
            let inputs = fields.named.iter().filter_map(|field| input(field, generics, errors));
            let inputs: Vec<InputField> = inputs.collect();
            check_unique_names(&inputs, errors);
            inputs
        }
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => {
            let help = "name the fields: `struct Ask { question: String }`";
            errors.add(fields.span(), "the fields of a prompt need names", help);
            Vec::new()
        }
    }
}

/// Checks that the names of the inputs are unique.
fn check_unique_names(inputs: &[InputField], errors: &mut Errors) {
    let mut fields: HashMap<&str, &Ident> = HashMap::new();
    for input in inputs {
        let Some(first) = fields.insert(input.name(), &input.field) else { continue };
        let message = format!("two fields define the input `{}`", input.name());
        let help = format!("use `rename` on this field or on `{first}`");
        errors.add(input.span, &message, &help);
    }
}

/// Reports fields that the generated struct cannot have, and repairs them so that rustc does not
/// report the struct again. These are duplicate names and unsized types.
pub(crate) fn repair(fields: &mut FieldsNamed, errors: &mut Errors) {
    let mut names = HashSet::new();
    let all = std::mem::take(&mut fields.named);
    for field in all {
        let Some(ident) = field.ident.clone() else { continue };
        if names.insert(ident.clone()) {
            fields.named.push(field);
            continue;
        }
        let message = format!("two fields have the name `{ident}`");
        let help = "rename one of them";
        errors.add(ident.span(), &message, help);
    }
    for field in &mut fields.named {
        let ty = &field.ty;
        let (written, help) = match ty {
            Type::Path(path) if path.path.is_ident("str") => ("str", "write `&str` or `String`"),
            Type::Slice(_) => ("[…]", "write `&[…]` or `Vec<…>`"),
            _ => continue,
        };
        let message = format!("a field cannot have the unsized type `{written}`");
        errors.add(ty.span(), &message, help);
        field.ty = syn::parse_quote!(&#ty);
    }
}

/// Converts a field into an input; `None` if it is skipped.
fn input(field: &Field, generics: &[String], errors: &mut Errors) -> Option<InputField> {
    let options = attributes::read_field_options(&field.attrs, errors);
    if options.skip {
        return None;
    }
    let ident = field.ident.clone()?;
    let unraw = syn::ext::IdentExt::unraw(&ident).to_string();
    let name = options.rename.as_ref().map_or(unraw, LitStr::value);
    check_name(&name, &ident, options.rename.as_ref(), errors);
    let (value_type, optional) = match rust_type::value_type_of(&field.ty, generics) {
        ValueType::Optional(inner) => (*inner, true),
        value_type => (value_type, false),
    };
    let value_type = declared_type(field, &options, value_type, errors);
    match &options.default {
        Some(default) if optional => check_default(&value_type, default, errors),
        Some(default) => {
            let message = "a field that is always set cannot have a default";
            let help = "make its type an `Option`; the default then replaces `None`";
            errors.add(default.span(), message, help);
        }
        None => {}
    }
    let roles = options.roles.as_deref().and_then(|names| thread_roles(names, &value_type, errors));
    let mut input = Input::new(name, value_type);
    input.required = !optional;
    input.description = attributes::description(&field.attrs);
    Some(InputField {
        span: ident.span(),
        is_written: true,
        is_text: options.text,
        field: ident,
        ty: field.ty.clone(),
        input,
        default: options.default,
        roles,
    })
}

/// Checks that the name of an input can be a variable of a template.
fn check_name(name: &str, field: &Ident, rename: Option<&LitStr>, errors: &mut Errors) {
    if is_variable_name(name) {
        return;
    }
    let message = format!("`{name}` cannot be a variable of a template");
    let (why, other) = (why_unusable(name), plain_name(name));
    match rename {
        Some(rename) => errors.add(rename.span(), &message, why),
        None => {
            let help = format!(
                "{why}; rename it to `{other}`, or use that name in the template: \
                 `#[prompt(rename = \"{other}\")]`"
            );
            errors.add(field.span(), &message, &help);
        }
    }
}

/// Checks that a default that is a literal has the type of the field.
fn check_default(value_type: &ValueType, default: &Expression, errors: &mut Errors) {
    let Some(literal) = default.literal() else { return };
    let (given, fits) = match literal {
        syn::Lit::Str(_) => ("a string", matches!(value_type, ValueType::String)),
        syn::Lit::Int(_) => {
            ("an integer", matches!(value_type, ValueType::Integer | ValueType::Float))
        }
        syn::Lit::Float(_) => ("a number", matches!(value_type, ValueType::Float)),
        syn::Lit::Bool(_) => ("a boolean", matches!(value_type, ValueType::Boolean)),
        _ => return,
    };
    let known = value_type.is_scalar() || matches!(value_type, ValueType::Array(_));
    if known && !fits {
        let wanted = value_type.name();
        let message = format!("the default is {given}, but the field is of kind `{wanted}`");
        errors.add(default.span(), &message, "write a default of the field's type");
    }
}

/// The roles in the attribute. Only a thread can have them.
fn thread_roles(
    names: &[Ident],
    value_type: &ValueType,
    errors: &mut Errors,
) -> Option<ThreadRoles> {
    if value_type.rich() == Some(RichKind::Thread) {
        return errors.keep(attributes::thread_roles(names));
    }
    let first = names.first()?;
    let help =
        "use it on a field for messages: `#[prompt(roles(system, user))] history: &[Message]`";
    errors.add(first.span(), "only a thread can have `roles`", help);
    None
}

/// The type of a field's values: the kind in the attribute, or else derived from its Rust type.
fn declared_type(
    field: &Field,
    options: &FieldOptions,
    value_type: ValueType,
    errors: &mut Errors,
) -> ValueType {
    if let Some(given) = &options.kind {
        let name = given.value();
        return RichKind::from_name(&name).map_or_else(
            || {
                let message = format!("unknown kind `{name}` of a field");
                let help = "available kinds: `thread`, `image`, `file`, `audio`; other kinds are \
                            derived from the type";
                errors.add(given.span(), &message, help);
                ValueType::Any
            },
            ValueType::Rich,
        );
    }
    if rust_type::is_media(&field.ty) {
        let message = "a `Media` field needs a kind";
        let help = "add `#[prompt(kind = \"image\")]`, or use the kind `\"file\"` or `\"audio\"`";
        let span = field.ident.as_ref().map_or_else(|| field.ty.span(), Ident::span);
        errors.add(span, message, help);
        return ValueType::Rich(RichKind::Image);
    }
    value_type
}

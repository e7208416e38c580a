//! Derives the type of values from the name of a Rust type.

#[cfg(any(feature = "output", feature = "tools"))]
use proc_macro2::Span;
use prompty_check::definition::ValueType;
use prompty_core::message::RichKind;
use syn::visit_mut::VisitMut;
use syn::{GenericArgument, Generics, Ident, PathArguments, PathSegment, Type, TypePath};

use crate::expand::{lifetimes, nested};

/// The place of the first lifetime parameter.
#[cfg(any(feature = "output", feature = "tools"))]
pub(crate) fn first_lifetime(generics: &Generics) -> Option<Span> {
    generics.lifetimes().next().map(|parameter| parameter.lifetime.apostrophe)
}

/// The names of the type parameters.
pub(crate) fn type_parameters(generics: &Generics) -> Vec<String> {
    generics.type_params().map(|parameter| parameter.ident.to_string()).collect()
}

/// The type of the values of a Rust type. `generics` are the names of the type parameters, whose
/// values have unknown types.
pub(crate) fn value_type_of(ty: &Type, generics: &[String]) -> ValueType {
    match ty {
        Type::Reference(reference) => value_type_of(&reference.elem, generics),
        Type::Paren(inner) => value_type_of(&inner.elem, generics),
        Type::Group(inner) => value_type_of(&inner.elem, generics),
        Type::Slice(slice) => list(&slice.elem, generics),
        Type::Array(array) => list(&array.elem, generics),
        Type::Path(path) => value_type_of_path(path, generics),
        // A tuple is a list of values of several types.
        Type::Tuple(_) => ValueType::Any,
        other => ValueType::Foreign(type_text(other)),
    }
}

fn value_type_of_path(path: &TypePath, generics: &[String]) -> ValueType {
    let Some(segment) = path.path.segments.last() else { return ValueType::Any };
    let name = segment.ident.to_string();
    if path.path.segments.len() == 1 && generics.contains(&name) {
        return ValueType::Foreign(name);
    }
    let argument = || first_type(&segment.arguments);
    match name.as_str() {
        "str" | "String" | "char" => ValueType::String,
        "bool" => ValueType::Boolean,
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64"
        | "usize" => ValueType::Integer,
        "f32" | "f64" => ValueType::Float,
        "Option" => {
            argument().map_or(ValueType::Any, |inner| value_type_of(inner, generics).nullable())
        }
        "Box" | "Rc" | "Arc" | "Cow" => {
            argument().map_or(ValueType::Any, |inner| value_type_of(inner, generics))
        }
        "Vec" | "VecDeque" | "BTreeSet" | "HashSet" => {
            argument().map_or(ValueType::Any, |item| list(item, generics))
        }
        // An untrusted thread is a thread. An untrusted string has a type that only rustc knows.
        "Untrusted" => match argument().map(|inner| value_type_of(inner, generics)) {
            Some(ValueType::Optional(inner)) if *inner == ValueType::Rich(RichKind::Thread) => {
                ValueType::Optional(inner)
            }
            Some(thread @ ValueType::Rich(RichKind::Thread)) => thread,
            _ => ValueType::Foreign(type_text(&Type::Path(path.clone()))),
        },
        "BTreeMap" | "HashMap" | "Map" => ValueType::Object(Vec::new()),
        "Value" => ValueType::Any,
        _ => ValueType::Foreign(type_text(&Type::Path(path.clone()))),
    }
}

/// The type of a list with these items. A list of messages is a thread.
fn list(item: &Type, generics: &[String]) -> ValueType {
    if is_named(item, "Message") {
        return ValueType::Rich(RichKind::Thread);
    }
    ValueType::list_of(value_type_of(item, generics))
}

/// A type with another one in place of its `_`: `Vec<_>` becomes `Vec<str>`. The other type is not
/// parsed again: for nested types that would need much time and stack.
pub(crate) fn with_item(mut outer: Type, item: Type) -> Type {
    struct Placeholder(Option<Type>);
    impl VisitMut for Placeholder {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            match ty {
                Type::Infer(_) => self.0.take().into_iter().for_each(|item| *ty = item),
                _ => syn::visit_mut::visit_type_mut(self, ty),
            }
        }
    }
    Placeholder(Some(item)).visit_type_mut(&mut outer);
    outer
}

/// The first argument that is a type: `T` in `Cow<'a, T>`.
pub(crate) fn first_type(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The type inside of an `Option`, or else the type itself.
pub(crate) fn without_option(ty: &Type) -> &Type {
    match ty {
        Type::Path(path) => match path.path.segments.last() {
            Some(last) if last.ident == "Option" => first_type(&last.arguments).unwrap_or(ty),
            _ => ty,
        },
        _ => ty,
    }
}

/// Whether a type, which may be inside references, has this name.
fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|last| last.ident == name)
}

/// The last part of a type's path, such as `Vec<T>` of `&std::vec::Vec<T>`.
fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Reference(reference) => last_segment(&reference.elem),
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The type of the entries of a `BTreeMap`, which may be inside references and an `Option`.
pub(crate) fn type_of_entries(ty: &Type) -> Option<ValueType> {
    let last = last_segment(ty)?;
    if last.ident == "Option" {
        return type_of_entries(first_type(&last.arguments)?);
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(_), GenericArgument::Type(entry)] if last.ident == "BTreeMap" => {
            Some(value_type_of(entry, &[]))
        }
        _ => None,
    }
}

/// Whether a type is `Media`, which may be inside a reference or an `Option`.
pub(crate) fn is_media(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|last| {
        last.ident == "Media"
            || (last.ident == "Option" && first_type(&last.arguments).is_some_and(is_media))
    })
}

/// The source text of a type, without the changes of the macros.
pub(crate) fn source_text(ty: &Type) -> String {
    let mut ty = ty.clone();
    lifetimes::remove_from_type(&mut ty);
    type_text(&ty)
}

/// Removes paths into the facade and into the module of nested types.
struct FacadePaths;

impl VisitMut for FacadePaths {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        let is_generated = |name: &Ident| name == "$crate" || nested::is_module(name);
        let first = path.segments.first().is_some_and(|first| is_generated(&first.ident));
        let is_ours = first || path.segments.iter().any(|segment| segment.ident == "__private");
        if let (true, Some(last)) = (is_ours, path.segments.last().cloned()) {
            path.leading_colon = None;
            path.segments = std::iter::once(last).collect();
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}

/// A type in the usual notation: `Vec < & 'a str >` becomes `Vec<&'a str>`. Paths of generated
/// types and of the facade become names.
pub(crate) fn type_text(ty: &Type) -> String {
    let mut plain = ty.clone();
    FacadePaths.visit_type_mut(&mut plain);
    let text = quote::quote!(#plain).to_string();
    let tight = [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" > ", ">"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
        ("' ", "'"),
    ];
    tight.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

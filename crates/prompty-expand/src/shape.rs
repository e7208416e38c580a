//! Derives the shape of a Rust type from its name.

use prompty_check::check::Shape;
use prompty_core::message::RichKind;
use syn::visit_mut::VisitMut;
use syn::{GenericArgument, Generics, Ident, PathArguments, Type, TypePath};

use crate::expand::{lifetimes, nested};

/// The names of the type parameters.
pub(crate) fn type_parameters(generics: &Generics) -> Vec<String> {
    generics.type_params().map(|parameter| parameter.ident.to_string()).collect()
}

/// The shape of a type. `generics` are the names of type parameters, which have an unknown shape.
pub(crate) fn shape_of_type(ty: &Type, generics: &[String]) -> Shape {
    match ty {
        Type::Reference(reference) => shape_of_type(&reference.elem, generics),
        Type::Paren(inner) => shape_of_type(&inner.elem, generics),
        Type::Group(inner) => shape_of_type(&inner.elem, generics),
        Type::Slice(slice) => list(&slice.elem, generics),
        Type::Array(array) => list(&array.elem, generics),
        Type::Path(path) => shape_of_path(path, generics),
        // A tuple is a list of values of several types.
        Type::Tuple(_) => Shape::Any,
        other => Shape::Foreign(type_text(other)),
    }
}

fn shape_of_path(path: &TypePath, generics: &[String]) -> Shape {
    let Some(segment) = path.path.segments.last() else { return Shape::Any };
    let name = segment.ident.to_string();
    if path.path.segments.len() == 1 && generics.contains(&name) {
        return Shape::Foreign(name);
    }
    let argument = || first_type(&segment.arguments);
    match name.as_str() {
        "str" | "String" | "char" => Shape::Text,
        "bool" => Shape::Boolean,
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64"
        | "usize" => Shape::Integer,
        "f32" | "f64" => Shape::Float,
        "Option" => argument().map_or(Shape::Any, |inner| match shape_of_type(inner, generics) {
            optional @ Shape::Optional(_) => optional,
            inner => Shape::Optional(Box::new(inner)),
        }),
        "Box" | "Rc" | "Arc" | "Cow" => {
            argument().map_or(Shape::Any, |inner| shape_of_type(inner, generics))
        }
        "Vec" | "VecDeque" | "BTreeSet" | "HashSet" => {
            argument().map_or(Shape::Any, |item| list(item, generics))
        }
        // A thread from outside is a thread. Text from outside has a type that only rustc knows.
        "Untrusted" => match argument().map(|inner| shape_of_type(inner, generics)) {
            Some(Shape::Optional(inner)) if *inner == Shape::Rich(RichKind::Thread) => {
                Shape::Optional(inner)
            }
            Some(thread @ Shape::Rich(RichKind::Thread)) => thread,
            _ => Shape::Foreign(type_text(&Type::Path(path.clone()))),
        },
        "BTreeMap" | "HashMap" | "Map" => Shape::Object { fields: Vec::new(), open: true },
        "Value" => Shape::Any,
        _ => Shape::Foreign(type_text(&Type::Path(path.clone()))),
    }
}

fn list(item: &Type, generics: &[String]) -> Shape {
    if is_named(item, "Message") {
        return Shape::Rich(RichKind::Thread);
    }
    Shape::List(Box::new(shape_of_type(item, generics)))
}

fn first_type(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn is_named(ty: &Type, name: &str) -> bool {
    match ty {
        Type::Reference(reference) => is_named(&reference.elem, name),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == name),
        _ => false,
    }
}

/// The shape of the entries of a `BTreeMap`, also behind references and an `Option`.
pub(crate) fn shape_of_entries(ty: &Type) -> Option<Shape> {
    match ty {
        Type::Reference(reference) => shape_of_entries(&reference.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            if last.ident == "Option" {
                return shape_of_entries(first_type(&last.arguments)?);
            }
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            match arguments.args.iter().collect::<Vec<_>>().as_slice() {
                [GenericArgument::Type(_), GenericArgument::Type(entry)]
                    if last.ident == "BTreeMap" =>
                {
                    Some(shape_of_type(entry, &[]))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a type is `Media`, also behind a reference or an `Option`.
pub(crate) fn is_media(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_media(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            last.ident == "Media"
                || (last.ident == "Option" && first_type(&last.arguments).is_some_and(is_media))
        }),
        _ => false,
    }
}

/// The kind of a shape in the terms of the format.
pub(crate) fn kind_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Choice(_) => "string",
        Shape::Integer => "integer",
        Shape::Float => "float",
        Shape::Boolean => "boolean",
        Shape::List(_) => "array",
        Shape::Object { .. } | Shape::Foreign(_) => "object",
        Shape::Rich(kind) => kind.name(),
        Shape::Optional(inner) => kind_name(inner),
        _ => "",
    }
}

/// A type as its author wrote it, without the changes of the macros.
pub(crate) fn source_text(ty: &Type) -> String {
    let mut ty = ty.clone();
    lifetimes::remove_from_type(&mut ty);
    type_text(&ty)
}

/// Removes the paths that lead to the facade, and to the module of nested types.
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

/// A type in the usual notation.
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

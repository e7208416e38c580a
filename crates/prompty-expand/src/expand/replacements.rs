//! The user's own types, used instead of types that would be generated from a file's declarations.
//!
//! An attribute names the type, instead of a trait that it would implement. So its values are not
//! converted, and rustc checks the fields that the template reads, as for inputs declared in Rust.
//! The template is still checked with the declarations of the file.

use syn::Type;

use super::lifetimes;
use crate::errors::{Errors, suggestion};
use crate::model::TypeReplacement;

/// The types of `#[prompt(types(…))]`, and the paths that were looked up.
pub(crate) struct TypeReplacements<'a> {
    all: &'a [TypeReplacement],
    /// The paths for which a type would be generated.
    known: Vec<String>,
}

impl<'a> TypeReplacements<'a> {
    pub(crate) fn new(all: &'a [TypeReplacement]) -> Self {
        Self { all, known: Vec::new() }
    }

    /// The user's type for the objects or the enumeration at a path, if there is one.
    pub(crate) fn take(&mut self, path: &str) -> Option<Type> {
        self.known.push(path.to_owned());
        let replacement = self.all.iter().find(|it| it.path == path)?;
        let mut ty = replacement.ty.clone();
        lifetimes::add_to_type(&mut ty);
        Some(ty)
    }

    /// Whether a type of the user replaces a part of the objects at a path.
    pub(crate) fn replaces_part_of(&self, path: &str) -> bool {
        let is_part = |inner: &str| inner.strip_prefix(path).is_some_and(|it| it.starts_with('.'));
        self.all.iter().any(|it| is_part(&it.path))
    }

    /// Reports the types whose path does not exist.
    pub(crate) fn report_unused(&self, errors: &mut Errors) {
        for replacement in self.all.iter().filter(|it| !self.known.contains(&it.path)) {
            let path = written_path(&replacement.path);
            let message =
                format!("the front matter declares neither an object nor `enumValues` at `{path}`");
            let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
            let help = match known.is_empty() {
                true => "remove the option; only objects with `properties` and strings with \
                     `enumValues` have types that can be replaced"
                    .to_owned(),
                false => suggestion("a declaration", &path, &known),
            };
            errors.add(replacement.span, &message, &help);
        }
    }
}

/// A path in the syntax of the attribute: in quotes if a part of it is not a Rust name.
pub(crate) fn written_path(path: &str) -> String {
    let is_name = |part: &str| syn::parse_str::<syn::Ident>(part).is_ok();
    match path.split('.').all(is_name) {
        true => path.to_owned(),
        false => format!("{path:?}"),
    }
}

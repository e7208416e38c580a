//! The user's own types in the place of those that would be made from a file's declarations.

use syn::Type;

use super::lifetimes;
use crate::errors::{Errors, suggestion};
use crate::model::Replacement;

/// The types of `#[prompt(types(…))]`, and which of them were asked for.
pub(crate) struct Replacements<'a> {
    all: &'a [Replacement],
    /// The paths for which a type would be made.
    known: Vec<String>,
}

impl<'a> Replacements<'a> {
    pub(crate) fn new(all: &'a [Replacement]) -> Self {
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

    /// Whether a type of the user's stands in for a part of the objects at a path.
    pub(crate) fn is_within(&self, path: &str) -> bool {
        let is_part = |inner: &str| inner.strip_prefix(path).is_some_and(|it| it.starts_with('.'));
        self.all.iter().any(|it| is_part(&it.path))
    }

    /// Reports the types for which there is no place.
    pub(crate) fn report_unused(&self, errors: &mut Errors) {
        for replacement in self.all.iter().filter(|it| !self.known.contains(&it.path)) {
            let path = written_path(&replacement.path);
            let message =
                format!("the prompt declares no objects and no list of values at `{path}`");
            let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
            let help = match known.is_empty() {
                true => {
                    "only objects with `properties` and texts with `enumValues` have a type that \
                         another can stand in for"
                        .to_owned()
                }
                false => suggestion("a declaration", &path, &known),
            };
            errors.add(replacement.span, &message, &help);
        }
    }
}

/// A path as the attribute takes it: in quotes if a part of it is no name of Rust.
pub(crate) fn written_path(path: &str) -> String {
    let is_name = |part: &str| syn::parse_str::<syn::Ident>(part).is_ok();
    match path.split('.').all(is_name) {
        true => path.to_owned(),
        false => format!("{path:?}"),
    }
}

//! Adds the lifetime `'prompt` to references without a lifetime, finds it, and removes it.
//!
//! The user writes `name: &str` in a `prompt!`. The generated struct has `name: &'prompt str`.

use proc_macro2::Span;
use syn::visit_mut::VisitMut;
use syn::{Field, GenericArgument, Lifetime, PathArguments, PathSegment, Type, TypeReference};

/// Adds the lifetime to a field, and returns whether it has it now.
pub(crate) fn add_to_field(field: &mut Field) -> bool {
    let mut adder = LifetimeAdder { found: false };
    adder.visit_field_mut(field);
    adder.found
}

/// Adds the lifetime to a type.
pub(crate) fn add_to_type(ty: &mut Type) {
    LifetimeAdder { found: false }.visit_type_mut(ty);
}

/// Whether a type has the lifetime.
pub(crate) fn is_in_type(ty: &Type) -> bool {
    let mut finder = LifetimeFinder { found: false };
    // syn is built only with the visitor that may change what it visits.
    finder.visit_type_mut(&mut ty.clone());
    finder.found
}

/// Removes the lifetime from references, and from paths that have no other argument.
pub(crate) fn remove_from_type(ty: &mut Type) {
    LifetimeRemover.visit_type_mut(ty);
}

fn is_of_prompt(lifetime: &Lifetime) -> bool {
    lifetime.ident == "prompt"
}

struct LifetimeFinder {
    found: bool,
}

impl VisitMut for LifetimeFinder {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        self.found |= is_of_prompt(lifetime);
    }
}

struct LifetimeRemover;

impl VisitMut for LifetimeRemover {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime.take_if(|lifetime| is_of_prompt(lifetime));
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_path_segment_mut(&mut self, segment: &mut PathSegment) {
        let is_alone = match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => {
                let mut all = arguments.args.iter();
                all.len() == 1
                    && all.all(|it| matches!(it, GenericArgument::Lifetime(it) if is_of_prompt(it)))
            }
            _ => false,
        };
        if is_alone {
            segment.arguments = PathArguments::None;
        }
        syn::visit_mut::visit_path_segment_mut(self, segment);
    }
}

/// Adds the lifetime of the prompt to every reference without a lifetime.
struct LifetimeAdder {
    found: bool,
}

impl VisitMut for LifetimeAdder {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(Lifetime::new("'prompt", Span::call_site()));
            self.found = true;
        }
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = Lifetime::new("'prompt", lifetime.span());
            self.found = true;
        }
    }
}

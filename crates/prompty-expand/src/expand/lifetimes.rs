//! The lifetime of a prompt, for references without one.

use proc_macro2::Span;
use syn::visit_mut::VisitMut;
use syn::{Field, Lifetime, Type, TypeReference};

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

//! Generates `Debug` and `Clone` for generated types.
//!
//! If the macro chose the types of all fields, both traits are derived. If the user declares
//! fields, their types may implement neither trait, and that must not be an error in generated
//! code. `Debug` then shows the fields whose types implement it, and `Clone` is implemented if all
//! fields implement it.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Ident, Type, parse_quote};

use crate::model::ImplTarget;

/// The name and the type of a field.
pub(crate) type NamedField<'f> = (&'f Ident, &'f Type);

/// `#[derive(Debug, Clone)]` for a type whose fields the macro chose, without the traits that the
/// user derives.
pub(crate) fn derive_both(facade: &TokenStream, attributes: &[Attribute]) -> TokenStream {
    let missing = ["Debug", "Clone"].into_iter().filter(|name| !is_derived(attributes, name));
    let missing = missing.map(|name| Ident::new(name, Span::call_site()));
    quote!(#[derive(#(#facade::__private::#missing),*)])
}

/// The implementations of both traits for a type with fields of any type, without the traits that
/// the user derives.
pub(crate) fn implement_both(
    target: ImplTarget<'_>,
    attributes: &[Attribute],
    fields: &[NamedField<'_>],
) -> TokenStream {
    let debug = (!is_derived(attributes, "Debug")).then(|| impl_debug(target, fields));
    let clone = (!is_derived(attributes, "Clone")).then(|| impl_clone(target, fields));
    quote!(#debug #clone)
}

/// Whether the user derives a trait.
fn is_derived(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
        let mut found = false;
        // rustc reports errors in the list.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == name);
            Ok(())
        });
        found
    })
}

/// An implementation of `Clone` with the bound that all fields implement it.
pub(crate) fn impl_clone(target: ImplTarget<'_>, fields: &[NamedField<'_>]) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let clone = quote!(#facade::__private::Clone);
    let mut bounded = generics.clone();
    let predicates = &mut bounded.make_where_clause().predicates;
    for (_, ty) in fields {
        // A false bound without parameters would be an error here. rustc checks a bound over all
        // lifetimes only at a use of `Clone`.
        predicates.push(parse_quote!(for<'__clone> #ty: #clone));
    }
    let (parameters, arguments, bounds) = bounded.split_for_impl();
    let copied = fields.iter().map(|(field, _)| quote!(#field: #clone::clone(&self.#field)));
    quote! {
        #[allow(unused_qualifications)]
        #[automatically_derived]
        impl #parameters #clone for #ident #arguments #bounds {
            fn clone(&self) -> Self {
                Self { #(#copied),* }
            }
        }
    }
}

/// An implementation of `Debug` that shows the fields whose types implement it.
pub(crate) fn impl_debug(target: ImplTarget<'_>, fields: &[NamedField<'_>]) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let method = fmt(
        facade,
        &ident.to_string(),
        fields.iter().map(|(field, _)| {
            let name = syn::ext::IdentExt::unraw(*field).to_string();
            quote!(shown.field(#name, (&&#facade::__private::debug::Field(&self.#field)).shown());)
        }),
    );
    quote! {
        #[automatically_derived]
        impl #parameters #facade::__private::Debug for #ident #arguments #bounds {
            #method
        }
    }
}

/// The method of `Debug`. `statements` show the fields with the variable `shown`.
pub(crate) fn fmt(
    facade: &TokenStream,
    name: &str,
    statements: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    quote! {
        fn fmt(
            &self,
            f: &mut #facade::__private::core::fmt::Formatter<'_>,
        ) -> #facade::__private::core::fmt::Result {
            #[allow(unused_imports)]
            use #facade::__private::tiers::*;
            let mut shown = f.debug_struct(#name);
            #(#statements)*
            shown.finish()
        }
    }
}

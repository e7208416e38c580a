//! `Debug` and `Clone` of generated types.
//!
//! Every generated type implements `Debug`, and `Clone` where its fields surely do. The types of
//! fields that a user declares belong to the user: they may implement neither, and that must not be
//! an error of a type that nobody wrote.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Generics, Ident, Type};

use crate::shape;

/// `#[derive(Debug, Clone)]` for a type whose fields the macro chose, without what the user derives.
pub(crate) fn derive_both(facade: &TokenStream, attributes: &[Attribute]) -> TokenStream {
    let missing = ["Debug", "Clone"].into_iter().filter(|name| !is_derived(attributes, name));
    let missing = missing.map(|name| Ident::new(name, Span::call_site()));
    quote!(#[derive(#(#facade::__private::#missing),*)])
}

/// Whether the user derives a trait.
pub(crate) fn is_derived(attributes: &[Attribute], name: &str) -> bool {
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

/// `#[derive(Clone)]` where all fields are `Clone` for sure.
pub(crate) fn derive_clone<'t>(
    facade: &TokenStream,
    types: impl IntoIterator<Item = &'t Type>,
) -> Option<TokenStream> {
    let are_clone = types.into_iter().all(shape::is_clone);
    are_clone.then(|| quote!(#[derive(#facade::__private::core::clone::Clone)]))
}

/// An implementation of `Debug` that asks nothing of the fields: it shows the name alone.
pub(crate) fn implement_debug(
    facade: &TokenStream,
    ident: &Ident,
    generics: &Generics,
) -> TokenStream {
    let name = ident.to_string();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #facade::__private::core::fmt::Debug for #ident #arguments #bounds {
            fn fmt(
                &self,
                f: &mut #facade::__private::core::fmt::Formatter<'_>,
            ) -> #facade::__private::core::fmt::Result {
                f.debug_struct(#name).finish_non_exhaustive()
            }
        }
    }
}

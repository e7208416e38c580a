//! Generates how values of generated types are made: `new` from what is always given, and `with_…` for
//! each of the rest. A type that grows by a field that may be missing breaks nobody who uses them.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Type};

use crate::model::ImplTarget;

/// A field, as it is given.
pub(crate) struct Given<'f> {
    pub(crate) field: &'f Ident,
    pub(crate) ty: &'f Type,
    /// What the documentation calls it: "the input `tone`".
    pub(crate) subject: String,
    /// Whether the type of the field was made from a file.
    pub(crate) is_declared: bool,
}

/// Generates the implementation of `new` and `with_…`. `made` is what the documentation of `new` calls
/// the value: "the prompt".
pub(crate) fn expand(target: ImplTarget<'_>, made: &str, fields: &[Given<'_>]) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let (optional, required): (Vec<&Given<'_>>, Vec<&Given<'_>>) =
        fields.iter().partition(|given| is_option(given.ty));
    let taken = required.iter().map(|given| {
        let (field, ty) = (given.field, given.ty);
        match given.is_declared {
            true => quote!(#field: impl #facade::IntoDeclared<#ty>),
            false => quote!(#field: #ty),
        }
    });
    let values = required.iter().map(|given| {
        let field = given.field;
        match given.is_declared {
            true => quote!(#field: #facade::IntoDeclared::into_declared(#field)),
            false => quote!(#field),
        }
    });
    let missing = optional.iter().map(|given| given.field);
    let setters = optional.iter().map(|given| setter(facade, given, made));
    let doc = match required.is_empty() {
        true => format!("Makes {made}."),
        false => format!("Makes {made} from what is always given."),
    };
    // rustc points at the name of the type, not at the whole macro.
    quote_spanned! {Span::call_site().located_at(ident.span())=>
        #[allow(
            dead_code,
            unused_qualifications,
            clippy::too_many_arguments,
            clippy::new_without_default
        )]
        impl #parameters #ident #arguments #bounds {
            #[doc = #doc]
            #[must_use]
            pub fn new(#(#taken),*) -> Self {
                Self {
                    #(#values,)*
                    #(#missing: #facade::__private::Option::None,)*
                }
            }
            #(#setters)*
        }
    }
}

/// Generates the method that sets a field that may be missing.
fn setter(facade: &TokenStream, given: &Given<'_>, made: &str) -> TokenStream {
    let (field, ty) = (given.field, given.ty);
    let name = format_ident!("with_{}", field.unraw());
    let doc = format!("The same {} with {}.", made.trim_start_matches("the "), given.subject);
    let (taken, convert) = match given.is_declared {
        true => (quote!(#facade::IntoDeclared), quote!(into_declared)),
        false => (quote!(#facade::IntoInput), quote!(into_input)),
    };
    quote_spanned! {Span::call_site().located_at(field.span())=>
        #[doc = #doc]
        #[must_use]
        pub fn #name(mut self, #field: impl #taken<#ty>) -> Self {
            self.#field = #taken::#convert(#field);
            self
        }
    }
}

/// Whether a type is an `Option`.
fn is_option(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        Type::Group(group) => is_option(&group.elem),
        Type::Paren(inner) => is_option(&inner.elem),
        _ => false,
    }
}

//! Generates the constructors of generated types: `new` for the required fields, and `with_…` for
//! each optional field. A new optional field in such a type is therefore not a breaking change.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Type};

use crate::model::ImplTarget;

/// A field that a constructor sets.
pub(crate) struct ConstructorField<'f> {
    pub(crate) field: &'f Ident,
    pub(crate) ty: &'f Type,
    /// The name in the documentation: "the input `tone`".
    pub(crate) subject: String,
    /// Whether the type of the field was generated from a file. The constructor then also accepts
    /// values that convert into it.
    pub(crate) is_declared: bool,
}

/// Generates the implementation of `new` and `with_…`. `made` is the name of the value in the
/// documentation of `new`: "the prompt".
pub(crate) fn implement(
    target: ImplTarget<'_>,
    made: &str,
    fields: &[ConstructorField<'_>],
) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let (optional, required): (Vec<&ConstructorField<'_>>, Vec<&ConstructorField<'_>>) =
        fields.iter().partition(|given| is_option(given.ty));
    let parameter_list = required.iter().map(|given| {
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
        true => format!("Creates {made}."),
        false => format!("Creates {made} from its required parts."),
    };
    // rustc points at the name of the type, not at the complete macro call.
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
            pub fn new(#(#parameter_list),*) -> Self {
                Self {
                    #(#values,)*
                    #(#missing: #facade::__private::Option::None,)*
                }
            }
            #(#setters)*
        }
    }
}

/// Generates the method that sets an optional field.
fn setter(facade: &TokenStream, given: &ConstructorField<'_>, made: &str) -> TokenStream {
    let (field, ty) = (given.field, given.ty);
    let name = format_ident!("with_{}", field.unraw());
    let doc = format!("The same {} with {}.", made.trim_start_matches("the "), given.subject);
    let (accepted, convert) = match given.is_declared {
        true => (quote!(#facade::IntoDeclared), quote!(into_declared)),
        false => (quote!(#facade::IntoInput), quote!(into_input)),
    };
    quote_spanned! {Span::call_site().located_at(field.span())=>
        #[doc = #doc]
        #[must_use]
        pub fn #name(mut self, #field: impl #accepted<#ty>) -> Self {
            self.#field = #accepted::#convert(#field);
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

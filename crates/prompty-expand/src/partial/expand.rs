//! Generates the code of the derive: the struct that grows, and how changes reach its fields.
//!
//! For `struct Ticket { title: String }`, this is (shortened)
//!
//! ```text
//! struct PartialTicket { title: Partial<String> }
//! impl Growth for PartialTicket {
//!     fn grow(&mut self, steps: &[Step], change: &Change) {
//!         match the first step {
//!             "title" => apply(&mut self.title, the other steps, change),
//!             _ => {}
//!         }
//!     }
//! }
//! impl Growable for Ticket { type Growing = PartialTicket; }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Generics, Ident, Type, parse_quote, parse_quote_spanned};

use super::check::{GrowthForm, VisibleField};
use super::parse::AnnotatedType;
use crate::expand::derives;

/// Generates the code.
pub(super) fn code(declared: &AnnotatedType<'_>, form: &GrowthForm<'_>) -> TokenStream {
    let facade = &declared.facade();
    let input = declared.input;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#facade::output::Growable));
    }
    let (growing, item) = match form {
        GrowthForm::Struct(fields) => {
            let name = declared.options.name.clone();
            let name = name.unwrap_or_else(|| format_ident!("Partial{}", input.ident.unraw()));
            let (_, arguments, _) = generics.split_for_impl();
            let item = growing_struct(declared, facade, &name, &generics, fields);
            (quote!(#name #arguments), Some(item))
        }
        GrowthForm::Inner(ty) => {
            let span = Span::call_site().located_at(ty.span());
            (quote_spanned!(span=> <#ty as #facade::output::Growable>::Growing), None)
        }
        // A value that is absent or complete is never seen in part.
        GrowthForm::AtOnce => (quote!(#facade::__private::core::convert::Infallible), None),
        GrowthForm::Value => (quote!(#facade::output::GrowingValue), None),
    };
    let (parameters, arguments, bounds) = generics.split_for_impl();
    // If serde cannot read the type, rustc points at its name.
    let span = Span::call_site().located_at(input.ident.span());
    let ident = &input.ident;
    let quiet = (!declared.options.no_prelude).then(|| quote!(#[diagnostic::do_not_recommend]));
    quote_spanned! {span=>
        #item

        #quiet
        #[automatically_derived]
        impl #parameters #facade::output::Growable for #ident #arguments #bounds {
            type Growing = #growing;
        }
    }
}

/// The struct that grows, and its implementations.
fn growing_struct(
    declared: &AnnotatedType<'_>,
    facade: &TokenStream,
    name: &Ident,
    generics: &Generics,
    fields: &[VisibleField<'_>],
) -> TokenStream {
    let input = declared.input;
    let (visibility, ident) = (&input.vis, &input.ident);
    let types: Vec<Type> = fields.iter().map(|it| field_type(facade, it)).collect();
    let declarations = fields.iter().zip(&types).map(|(shown, ty)| {
        let (ident, visibility) = (shown.ident, shown.visibility);
        let docs = shown.field.attrs.iter().filter(|it| it.path().is_ident("doc"));
        quote!(#(#docs)* #visibility #ident: #ty)
    });
    let mut generics = generics.clone();
    add_growable_bounds(facade, &mut generics, fields);
    let generics = &generics;
    let absent = fields.iter().map(|shown| {
        let ident = shown.ident;
        quote_spanned!(at(shown)=> #ident: #facade::__private::core::default::Default::default())
    });
    let arms = fields.iter().map(|shown| {
        let (ident, key) = (shown.ident, &shown.name);
        let apply =
            format_ident!("{}", if shown.requires_complete { "apply_complete" } else { "apply" });
        quote_spanned!(at(shown)=> #key => generated::#apply(&mut self.#ident, steps, change))
    });
    let printed = fields.iter().map(|shown| {
        let (ident, label) = (shown.ident, shown.ident.unraw().to_string());
        quote_spanned! {at(shown)=>
            shown.field(#label, (&&#facade::__private::debug::Field(&self.#ident)).shown());
        }
    });
    let debug_generics = with_debug(facade, generics);
    let (_, _, debug_bounds) = debug_generics.split_for_impl();
    let fmt = derives::fmt(facade, &name.unraw().to_string(), printed);
    let derive = &declared.options.derive;
    let where_clause = &generics.where_clause;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let doc = format!("The part of a [`{}`] that has arrived so far.", ident.unraw());
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)]
        #[derive(#(#derive),*)]
        #visibility struct #name #generics #where_clause {
            #(#declarations,)*
        }

        #[automatically_derived]
        impl #parameters #facade::__private::core::default::Default for #name #arguments #bounds {
            fn default() -> Self {
                Self { #(#absent,)* }
            }
        }

        #[automatically_derived]
        impl #parameters #facade::__private::Debug for #name #arguments #debug_bounds {
            #fmt
        }

        impl #parameters #facade::output::Growth for #name #arguments #bounds {
            fn begin(
                steps: &[#facade::output::Step],
            ) -> #facade::__private::Option<Self> {
                use #facade::__private::core::{default::Default, option::Option};
                Option::map(#facade::output::generated::entry(steps), |_| Default::default())
            }

            #[allow(unreachable_patterns)]
            fn grow(
                &mut self,
                steps: &[#facade::output::Step],
                change: &#facade::output::generated::Change<'_>,
            ) {
                #[allow(unused_imports)]
                use #facade::output::generated;
                if let #facade::__private::Option::Some((key, steps)) = generated::entry(steps) {
                    match key {
                        #(#arms,)*
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Adds the bound that the types of all fields grow. rustc reports a type that does not at the use
/// of the struct, because it checks a bound over all lifetimes only there.
fn add_growable_bounds(facade: &TokenStream, generics: &mut Generics, fields: &[VisibleField<'_>]) {
    // The bounds of the parameters are enough. A bound on a type that contains a parameter would
    // hide how it grows.
    if generics.type_params().next().is_some() {
        return;
    }
    let bounds = &mut generics.make_where_clause().predicates;
    for shown in fields.iter().filter(|it| !it.requires_complete) {
        let ty = &shown.field.ty;
        bounds.push(parse_quote_spanned! {at(shown)=>
            for<'__partial> #ty: #facade::output::Growable
        });
    }
}

/// The parameters of a type, with bounds so that its complete and growing values can be printed.
fn with_debug(facade: &TokenStream, generics: &Generics) -> Generics {
    let mut bounded = generics.clone();
    let debug = quote!(#facade::__private::Debug);
    for parameter in generics.type_params().map(|it| &it.ident) {
        let bounds = &mut bounded.make_where_clause().predicates;
        bounds.push(parse_quote!(#parameter: #debug));
        bounds.push(parse_quote!(<#parameter as #facade::output::Growable>::Growing: #debug));
    }
    bounded
}

/// The type of a field while it grows. If the field's own type cannot grow, rustc points at it.
fn field_type(facade: &TokenStream, shown: &VisibleField<'_>) -> Type {
    let ty = &shown.field.ty;
    match shown.requires_complete {
        true => parse_quote_spanned!(at(shown)=> #facade::__private::Option<#ty>),
        false => parse_quote_spanned!(at(shown)=> #facade::output::Partial<#ty>),
    }
}

/// The place of a field's type.
fn at(shown: &VisibleField<'_>) -> Span {
    Span::call_site().located_at(shown.field.ty.span())
}

//! Expands `#[derive(ToValue)]`: a struct becomes a map of its fields, and a variant of an enum
//! becomes its name.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, parse_quote};

use crate::errors::{Errors, expand_derive};
use crate::expand::value;
use crate::parse::attributes;

/// Expands the derive.
pub fn expand_derive_to_value(input: TokenStream) -> TokenStream {
    expand_derive(input, derive)
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = attributes::read_type_options(&input.attrs, &mut errors);
    let facade = attributes::facade(options.facade.as_ref());
    let body = match &input.data {
        Data::Struct(data) => expand_struct(&facade, data, &mut errors),
        Data::Enum(data) => expand_enum(&facade, data, &mut errors),
        Data::Union(_) => {
            let help = "use a struct, or an enum without data";
            errors.add(input.ident.span(), "`ToValue` cannot be derived for a union", help);
            quote!(#facade::Value::Null)
        }
    };
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#facade::ToValue));
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let errors = errors.into_tokens();
    quote! {
        #errors
        #[automatically_derived]
        impl #parameters #facade::ToValue for #ident #arguments #bounds {
            fn to_value(&self) -> #facade::Value {
                #body
            }
        }
    }
}

fn expand_struct(facade: &TokenStream, data: &DataStruct, errors: &mut Errors) -> TokenStream {
    match &data.fields {
        Fields::Unit => quote!(#facade::Value::Object(#facade::Map::new())),
        // A tuple struct with one field has the value of that field.
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let ty = fields.unnamed.first().map_or_else(Span::call_site, |field| field.ty.span());
            value::of_field(facade, &syn::Index::from(0), ty)
        }
        Fields::Unnamed(fields) => {
            let entries = fields.unnamed.iter().enumerate().map(|(index, field)| {
                value::of_field(facade, &syn::Index::from(index), field.ty.span())
            });
            quote!(#facade::__private::project::items(#facade::__private::vec![#(#entries),*]))
        }
        Fields::Named(fields) => {
            let entries = fields.named.iter().filter_map(|field| {
                let options = attributes::read_field_options(&field.attrs, errors);
                let ident = field.ident.as_ref().filter(|_| !options.skip)?;
                let plain = ident.unraw().to_string();
                let name = options.rename.map_or(plain, |rename| rename.value());
                let entry = value::of_field(facade, ident, field.ty.span());
                Some(quote!((#name, #entry)))
            });
            let entries: Vec<TokenStream> = entries.collect();
            quote!(#facade::__private::project::map([#(#entries),*]))
        }
    }
}

fn expand_enum(facade: &TokenStream, data: &DataEnum, errors: &mut Errors) -> TokenStream {
    let arms = data.variants.iter().map(|variant| {
        let ident = &variant.ident;
        if !matches!(variant.fields, Fields::Unit) {
            let help =
                "remove the data: an enum becomes the name of its variant; use a struct for data";
            errors.add(ident.span(), "a variant with data cannot be converted into a value", help);
            return quote!(Self::#ident { .. } => "");
        }
        let options = attributes::read_field_options(&variant.attrs, errors);
        let name = options.rename.map_or_else(|| ident.unraw().to_string(), |name| name.value());
        quote!(Self::#ident => #name)
    });
    let arms: Vec<TokenStream> = arms.collect();
    if arms.is_empty() {
        return quote!(match *self {});
    }
    quote!(#facade::__private::project::text(match self { #(#arms),* }))
}

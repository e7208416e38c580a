//! `#[derive(ToValue)]`: structs as maps of their fields, enums of names as texts.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, parse_quote};

use crate::parse::attributes;
use crate::report::Errors;

/// The whole derive.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match syn::parse2::<DeriveInput>(input) {
        Ok(input) => derive(&input),
        Err(error) => error.into_compile_error(),
    }
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = attributes::of_type(&input.attrs, &mut errors);
    let facade = match &options.facade {
        Some(path) => quote!(#path),
        None => quote!(::typed_prompty),
    };
    let body = match &input.data {
        Data::Struct(data) => of_struct(&facade, data, &mut errors),
        Data::Enum(data) => of_enum(&facade, data, &mut errors),
        Data::Union(_) => {
            let message = "a union has no fields that can be told apart";
            errors.push(syn::Error::new(input.ident.span(), message));
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

fn of_struct(facade: &TokenStream, data: &DataStruct, errors: &mut Errors) -> TokenStream {
    match &data.fields {
        Fields::Unit => quote!(#facade::Value::Object(#facade::Map::new())),
        // A tuple struct with one field is that field in another type.
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            quote!(#facade::ToValue::to_value(&self.0))
        }
        Fields::Unnamed(fields) => {
            let indices = (0..fields.unnamed.len()).map(syn::Index::from);
            quote! {
                #facade::Value::from(#facade::__private::vec![
                    #(#facade::ToValue::to_value(&self.#indices)),*
                ])
            }
        }
        Fields::Named(fields) => {
            let entries = fields.named.iter().filter_map(|field| {
                let options = attributes::of_field(&field.attrs, errors);
                let ident = field.ident.as_ref().filter(|_| !options.skip)?;
                let plain = ident.unraw().to_string();
                let name = options.rename.map_or(plain, |rename| rename.value());
                Some(quote!((#name, #facade::ToValue::to_value(&self.#ident))))
            });
            let entries: Vec<TokenStream> = entries.collect();
            quote!(#facade::Value::Object(#facade::Map::from([#(#entries),*])))
        }
    }
}

fn of_enum(facade: &TokenStream, data: &DataEnum, errors: &mut Errors) -> TokenStream {
    let arms = data.variants.iter().map(|variant| {
        let ident = &variant.ident;
        if !matches!(variant.fields, Fields::Unit) {
            let message = "only enums without data are texts; give the data as a struct";
            errors.push(syn::Error::new(ident.span(), message));
            return quote!(Self::#ident { .. } => "");
        }
        let options = attributes::of_field(&variant.attrs, errors);
        let name = options.rename.map_or_else(|| ident.unraw().to_string(), |name| name.value());
        quote!(Self::#ident => #name)
    });
    let arms: Vec<TokenStream> = arms.collect();
    if arms.is_empty() {
        return quote!(match *self {});
    }
    quote!(#facade::Value::from(match self { #(#arms),* }))
}

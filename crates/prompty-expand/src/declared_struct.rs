//! The struct of a prompt that declares its inputs as fields in `prompt!`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Attribute, Fields, Generics, Ident, Visibility, parse_quote};

use crate::errors::Errors;
use crate::expand::constructors::{self, ConstructorField};
use crate::expand::derives::{self, NamedField};
use crate::expand::lifetimes;
use crate::model::{FieldNames, Head, ImplTarget, Prompt};
use crate::parse::{attributes, fields};
use crate::rust_type::type_parameters;

/// The struct of the declared inputs. It has a lifetime for its references.
pub(crate) struct DeclaredStruct {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    ident: Ident,
    generics: Generics,
    fields: Fields,
}

impl DeclaredStruct {
    pub(crate) fn new(head: Head, mut fields: Fields, errors: &mut Errors) -> (Self, Prompt) {
        let options = attributes::read_macro_options(&head, errors);
        let Head { attributes, visibility, ident, mut generics, .. } = head;
        if let Fields::Named(named) = &mut fields {
            fields::repair(named, errors);
        }
        let added: Vec<bool> = fields.iter_mut().map(lifetimes::add_to_field).collect();
        if added.contains(&true) {
            generics.params.insert(0, parse_quote!('prompt));
        }
        for field in &mut fields {
            // Fields are the inputs of the prompt, so they are as visible as the prompt.
            if matches!(field.vis, Visibility::Inherited) {
                field.vis = parse_quote!(pub);
            }
        }
        let inputs = fields::inputs(&fields, &type_parameters(&generics), errors);
        let prompt = Prompt {
            visibility: visibility.clone(),
            ident: ident.clone(),
            generics: generics.clone(),
            inputs,
            options,
            names: FieldNames::Rust,
        };
        (Self { attributes, visibility, ident, generics, fields }, prompt)
    }

    /// The struct with its constructors, `Debug` and `Clone`. `renders` is the sentence for its
    /// documentation that says how it renders, if it does.
    pub(crate) fn tokens(&self, facade: &TokenStream, renders: Option<&str>) -> TokenStream {
        let Self { attributes, visibility, ident, generics, fields } = self;
        let kept = attributes.iter().filter(|attribute| !attribute.path().is_ident("prompt"));
        let shown = fields.iter().map(|field| {
            let mut field = field.clone();
            let documented = field.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
            field.attrs.retain(|attribute| !attribute.path().is_ident("prompt"));
            if !documented {
                let text = format!(
                    "The input `{}`.",
                    field.ident.as_ref().map_or_else(String::new, ToString::to_string)
                );
                field.attrs.push(parse_quote!(#[doc = #text]));
            }
            field
        });
        let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        let title = format!("The prompt `{ident}`.");
        let title = (!documented).then(|| quote!(#[doc = #title]));
        let renders = renders.map(|renders| quote!(#[doc = ""] #[doc = #renders]));
        let (parameters, _, bounds) = generics.split_for_impl();
        let named: Vec<NamedField<'_>> =
            fields.iter().filter_map(|it| Some((it.ident.as_ref()?, &it.ty))).collect();
        let given = named.iter().map(|(field, ty)| {
            let subject = format!("the input `{}`", field.unraw());
            ConstructorField { field, ty, subject, is_declared: false }
        });
        let given: Vec<ConstructorField<'_>> = given.collect();
        let target = ImplTarget { facade, ident, generics };
        let constructors = constructors::implement(target, "the prompt", &given);
        let traits = derives::implement_both(target, attributes, &named);
        quote! {
            #(#kept)*
            #title
            #renders
            #visibility struct #ident #parameters #bounds {
                #(#shown,)*
            }
            #constructors
            #traits
        }
    }
}

//! `#[derive(Tool)]`: from a struct to a tool.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, GenericParam, Generics, Ident, parse_quote_spanned};

use super::names;
use super::options::{self, Options, Subject};
use crate::errors::{Errors, expand_derive};

/// The whole derive.
pub fn expand(input: TokenStream) -> TokenStream {
    expand_derive(input, derive)
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::of_type(&input.attrs, Subject::Struct, &mut errors);
    let (ident, span) = (&input.ident, input.ident.span());
    check_shape(input, &mut errors);
    let made = names::snake_case(&names::plain(ident));
    let name = names::checked(options.name.as_ref(), made, span, &mut errors);
    let description = options::description(&options, &input.attrs, span, &mut errors);
    // A type that borrows cannot be read. For a stub, rustc would report that again.
    let borrows = lifetime(&input.generics).is_some();
    let implementation = (!borrows).then(|| {
        implementation(&options.facade(), ident, input.generics.clone(), &name, &description)
    });
    let errors = errors.into_tokens();
    quote!(#errors #implementation)
}

/// The implementation. Where the type is wrong, it is the stub.
pub(super) fn implementation(
    facade: &TokenStream,
    ident: &Ident,
    mut generics: Generics,
    name: &str,
    description: &TokenStream,
) -> TokenStream {
    // Where the type is no `Arguments`, rustc points at its name.
    let span = Span::call_site().located_at(ident.span());
    if generics.type_params().next().is_some() {
        let whole = {
            let (_, arguments, _) = generics.split_for_impl();
            quote!(#ident #arguments)
        };
        let bound = parse_quote_spanned!(span=> #whole: #facade::tools::Arguments);
        generics.make_where_clause().predicates.push(bound);
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let subject = Ident::new(&ident.to_string(), ident.span());
    quote_spanned! {span=>
        #[automatically_derived]
        impl #parameters #facade::tools::Tool for #subject #arguments #bounds {
            const NAME: &'static #facade::__private::str = #name;
            const DESCRIPTION: &'static #facade::__private::str = #description;
        }
    }
}

/// Checks the type: only a struct with named fields that own their data can be read from a call.
fn check_shape(input: &DeriveInput, errors: &mut Errors) {
    let ident = &input.ident;
    let mut refuse = |span, message: &str, help: &str| errors.add(span, message, help);
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let attributes = fields.named.iter().flat_map(|field| &field.attrs);
                for attribute in attributes.filter(|it| it.path().is_ident("tool")) {
                    let help =
                        "describe it by a doc comment; what serde and schemars say of it holds";
                    refuse(attribute.path().span(), "a field has no options of `tool`", help);
                }
            }
            Fields::Unnamed(_) => refuse(
                ident.span(),
                "the arguments of a tool need names",
                &format!("a model gives arguments by name: `struct {ident} {{ city: String }}`"),
            ),
            Fields::Unit => refuse(
                ident.span(),
                "a unit struct cannot be read from a call",
                &format!("a call without arguments is an empty object: `struct {ident} {{}}`"),
            ),
        },
        Data::Enum(_) => refuse(
            ident.span(),
            "an enum is not a tool",
            "a tool is a struct whose fields are its arguments; an enum of tools is a `ToolSet`",
        ),
        Data::Union(_) => refuse(
            ident.span(),
            "a union is not a tool",
            "a tool is a struct whose fields are its arguments",
        ),
    }
    if let Some(transparent) = options::serde_word(&input.attrs, "transparent") {
        let message = "a tool cannot be read as its only field";
        refuse(transparent, message, "the arguments of a call have names: remove `transparent`");
    }
    if let Some(lifetime) = lifetime(&input.generics) {
        let help =
            "they are read from a call that does not last: hold a `String` in place of a `&str`";
        refuse(lifetime, "a tool cannot borrow its arguments", help);
    }
}

fn lifetime(generics: &Generics) -> Option<Span> {
    generics.params.iter().find_map(|parameter| match parameter {
        GenericParam::Lifetime(lifetime) => Some(lifetime.lifetime.apostrophe),
        _ => None,
    })
}

//! Expands `#[derive(Tool)]`, which makes a struct a tool.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Generics, Ident, parse_quote_spanned};

use super::names;
use super::options::{self, ToolOptions, ToolSubject};
use crate::errors::{Errors, expand_derive};
use crate::rust_type::first_lifetime;

/// Expands the derive.
pub fn expand_derive_tool(input: TokenStream) -> TokenStream {
    expand_derive(input, derive)
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = ToolOptions::of_type(&input.attrs, ToolSubject::Struct, &mut errors);
    let (ident, span) = (&input.ident, input.ident.span());
    check_shape(input, &mut errors);
    let default_name = names::snake_case(&names::plain(ident));
    let name = names::tool_name(options.name.as_ref(), default_name, span, &mut errors);
    let description = options::description(&options, &input.attrs, span, &mut errors);
    // A type that borrows cannot be read. rustc would report that again for a stub.
    let borrows = first_lifetime(&input.generics).is_some();
    let implementation = (!borrows)
        .then(|| impl_tool(&options.facade(), ident, input.generics.clone(), &name, &description));
    let errors = errors.into_tokens();
    quote!(#errors #implementation)
}

/// Generates the implementation. For a wrong type it is the stub.
pub(super) fn impl_tool(
    facade: &TokenStream,
    ident: &Ident,
    mut generics: Generics,
    name: &str,
    description: &TokenStream,
) -> TokenStream {
    // If the type does not implement `Arguments`, rustc points at its name.
    let span = Span::call_site().located_at(ident.span());
    if generics.type_params().next().is_some() {
        let full_type = {
            let (_, arguments, _) = generics.split_for_impl();
            quote!(#ident #arguments)
        };
        let bound = parse_quote_spanned!(span=> #full_type: #facade::tools::Arguments);
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

/// Checks the type. Only a struct with named fields that own their data can be read from a call.
fn check_shape(input: &DeriveInput, errors: &mut Errors) {
    let ident = &input.ident;
    let not_a_tool = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let attributes = fields.named.iter().flat_map(|field| &field.attrs);
                for attribute in attributes.filter(|it| it.path().is_ident("tool")) {
                    let help = "describe the field in a doc comment, or use attributes of serde \
                                and schemars";
                    errors.add(attribute.path().span(), "`tool` cannot be used on a field", help);
                }
                None
            }
            Fields::Unnamed(_) => {
                let help = format!("name the fields: `struct {ident} {{ city: String }}`");
                Some(("the arguments of a tool must have names", help))
            }
            Fields::Unit => {
                let help = format!("use a struct without fields: `struct {ident} {{}}`");
                Some(("a unit struct cannot be read from a call", help))
            }
        },
        Data::Enum(_) => {
            let help = "use a struct whose fields are the arguments, or derive `ToolSet` for an enum of tools";
            Some(("an enum is not a tool", help.to_owned()))
        }
        Data::Union(_) => {
            let help = "use a struct whose fields are the arguments";
            Some(("a union is not a tool", help.to_owned()))
        }
    };
    if let Some((message, help)) = not_a_tool {
        errors.add(ident.span(), message, &help);
    }
    if let Some(transparent) = options::serde_key(&input.attrs, "transparent") {
        let help = "remove `transparent`, since the arguments of a call have names";
        errors.add(transparent, "a tool cannot be `transparent`", help);
    }
    if let Some(lifetime) = first_lifetime(&input.generics) {
        let help = "use owned types: for example, a `String` instead of a `&str`";
        errors.add(lifetime, "a tool cannot borrow its arguments", help);
    }
}

//! Generates the access to the field or entry that an attribute in a template reads:
//! `passage.title`.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::SourceSpan;
use quote::quote_spanned;

use super::structs;
use crate::model::{FieldNames, Prompt};
use crate::source::Source;

/// Generates a reference to a field of the variable `owner`. If the field does not exist, rustc
/// reports it together with the name of the macro that generated the access. That name contains the
/// place in the template.
pub(crate) fn read_field(
    source: &Source,
    owner: &Ident,
    field: &Ident,
    at: Option<SourceSpan>,
) -> TokenStream {
    let span = source.code_span();
    let Some(at) = at else {
        return quote_spanned!(span=> (&#owner.#field));
    };
    let access = Ident::new(&source.name_of_macro(at), span);
    quote_spanned!(span=> {
        macro_rules! #access {
            ($value:ident) => { &$value.#field };
        }
        #access!(#owner)
    })
}

/// Generates a reference, in an `Option`, to a field or an entry of the variable `owner`. It is
/// used if only rustc knows whether the value is a struct or a map.
pub(crate) fn read_field_or_entry(
    facade: &TokenStream,
    source: &Source,
    owner: &Ident,
    (name, field): (&str, &Ident),
    at: Option<SourceSpan>,
) -> TokenStream {
    let span = source.code_span();
    let read = read_field(source, owner, field, at);
    // The closure reads the field of a struct. It must also compile for a map, so its parameter is
    // then a `Named`, which has the field.
    quote_spanned!(span=> {
        #[allow(dead_code)]
        struct Named {
            #field: #facade::Value,
        }
        let fields = &#facade::__private::named::Fields::<Named>::HERE;
        (&&&#facade::__private::place::Place(#owner)).named(#name, fields, |#owner| #read)
    })
}

/// Whether only rustc knows if a value of this type has fields or entries. Types that the
/// template's author names have fields.
pub(crate) fn may_have_entries(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Foreign(name) if name.is_empty())
}

/// Converts the name of an attribute in a template into the name of a Rust field.
pub(crate) fn field_of_attribute(prompt: &Prompt, name: &str, span: Span) -> Ident {
    if prompt.names == FieldNames::FrontMatter {
        return structs::field_ident(name, span);
    }
    // A keyword, such as `type`, is the name of the field `r#type`.
    match syn::parse_str::<Ident>(name) {
        Ok(_) => Ident::new(name, span),
        Err(_) => Ident::new_raw(name, span),
    }
}

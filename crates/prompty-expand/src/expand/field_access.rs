//! Generates the access to the field or entry that an attribute in a template reads:
//! `passage.title`.
//!
//! The macros do not see the user's types. [`read_field`] is for a value that is certainly a
//! struct, and [`read_field_or_entry`] for one that may be a map ([`may_have_entries`]).

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
/// `None` if the value is a map that lacks the entry.
pub(crate) fn read_field_or_entry(
    facade: &TokenStream,
    source: &Source,
    owner: &Ident,
    (name, field): (&str, &Ident),
    at: Option<SourceSpan>,
) -> TokenStream {
    let span = source.code_span();
    let read = read_field(source, owner, field, at);
    // Rust's method lookup finds `named` for a map or for a struct (see the heads of
    // `expand/mod.rs` and of the runtime's `typed/named.rs`). For a struct it calls the closure,
    // which reads the field. For a map it takes the entry and does not call the closure. But the
    // closure must compile, so its parameter is then a `Named`: a struct with this field, which is
    // never constructed. `Fields::HERE` only passes that type to the method.
    quote_spanned!(span=> {
        #[allow(dead_code)]
        struct Named {
            #field: #facade::Value,
        }
        let fields = &#facade::__private::named::Fields::<Named>::HERE;
        (&&&#facade::__private::place::Place(#owner)).named(#name, fields, |#owner| #read)
    })
}

/// Whether only rustc knows if a value of this type has fields or entries.
///
/// A type without a name is one that the macro does not see, such as that of a field of another
/// Rust type. A type with a name was written by the author, and counts as a struct.
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

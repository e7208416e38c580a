//! Generates the definition of a prompt as a constant.

use proc_macro2::TokenStream;
use prompty_core::message::ThreadRoles;
use prompty_core::value::Value;
use prompty_runtime::check::Presence;
use prompty_runtime::definition::{Definition, Property};
use quote::quote;

use crate::model::Input;
use crate::shape;
use crate::source::Source;

/// Generates the value of `Prompt::DEFINITION`.
pub(crate) fn definition(
    facade: &TokenStream,
    name: &str,
    source: &Source,
    definition: &Definition,
    inputs: &[Input],
) -> TokenStream {
    let name = definition.name.as_deref().unwrap_or(name);
    let (text, template) = (source.text.text(), definition.instructions.as_str());
    let mut parts = quote!(#facade::StaticDefinition::new(#name, #text, #template));
    if let Some(description) = &definition.description {
        parts.extend(quote!(.with_description(#description)));
    }
    if let Some(file) = &source.file {
        let path = &file.name;
        parts.extend(quote!(.with_path(#path)));
    }
    let (format, parser) = (&definition.template.format, &definition.template.parser);
    parts.extend(quote!(.with_format(#format).with_parser(#parser)));
    if definition.template.strict {
        parts.extend(quote!(.with_strict()));
    }
    let fields = inputs.iter().map(|input| declaration(facade, input, definition));
    // The inputs of the front matter that the struct does not have, because their defaults are
    // used.
    let others = definition.inputs.iter().filter(|property| {
        property.default.is_some() && inputs.iter().all(|input| input.name != property.name)
    });
    let others = others.map(|property| defaulted(facade, property));
    parts.extend(quote!(.with_inputs(&[#(#fields,)* #(#others,)*])));
    parts
}

fn defaulted(facade: &TokenStream, property: &Property) -> TokenStream {
    let (name, kind) = (&property.name, property.kind.name());
    let default = value(facade, property.default.as_ref().unwrap_or(&Value::Null));
    quote!(#facade::InputDeclaration::new(#name, #kind, "").optional().with_default(#default))
}

fn declaration(facade: &TokenStream, input: &Input, definition: &Definition) -> TokenStream {
    let (name, kind, rust_type) = (&input.name, input.kind.name(), shape::source_text(&input.ty));
    let declared = definition.inputs.iter().find(|property| property.name == input.name);
    let mut parts = quote!(#facade::InputDeclaration::new(#name, #kind, #rust_type));
    parts.extend(roles(&input.thread_roles(definition)));
    let description = input
        .description
        .as_deref()
        .or_else(|| declared.and_then(|property| property.description.as_deref()));
    if let Some(description) = description {
        parts.extend(quote!(.with_description(#description)));
    }
    if input.presence != Presence::Required {
        parts.extend(quote!(.optional()));
    }
    if let Some(default) = declared.and_then(|property| property.default.as_ref()) {
        let default = value(facade, default);
        parts.extend(quote!(.with_default(#default)));
    }
    parts
}

/// Generates the call that sets the roles of a thread, unless they are the default ones.
pub(crate) fn roles(roles: &ThreadRoles) -> Option<TokenStream> {
    let names = roles.names();
    (*roles != ThreadRoles::DEFAULT).then(|| quote!(.with_roles(&[#(#names),*])))
}

/// Generates the roles of a thread as an expression.
pub(crate) fn thread_roles(facade: &TokenStream, roles: &ThreadRoles) -> TokenStream {
    if *roles == ThreadRoles::DEFAULT {
        return quote!(#facade::__private::ThreadRoles::DEFAULT);
    }
    let names = roles.names();
    quote!(#facade::__private::ThreadRoles::constant(&[#(#names),*]))
}

/// Generates a value as a constant.
pub(crate) fn value(facade: &TokenStream, of: &Value) -> TokenStream {
    let name = quote!(#facade::StaticValue);
    match of {
        Value::Bool(given) => quote!(#name::Bool(#given)),
        Value::Integer(number) => quote!(#name::Integer(#number)),
        Value::Float(number) if number.is_finite() => quote!(#name::Float(#number)),
        Value::String(text) => {
            let text: &str = text;
            quote!(#name::String(#text))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| value(facade, item));
            quote!(#name::Array(&[#(#items),*]))
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, item)| {
                let item = value(facade, item);
                quote!((#key, #item))
            });
            quote!(#name::Object(&[#(#entries),*]))
        }
        _ => quote!(#name::Null),
    }
}

//! Generates the definition of a prompt as a constant.

use proc_macro2::TokenStream;
use prompty_check::definition::{
    Definition, Input, ModelOptions, Presence, is_reference, restricts_beyond_kind,
};
use prompty_core::message::ThreadRoles;
use prompty_core::trace::is_secret;
use prompty_core::value::Value;
use quote::quote;

use crate::model::InputField;
use crate::rust_type;
use crate::source::Source;

/// Generates the value of `Prompt::DEFINITION`.
pub(crate) fn definition(
    facade: &TokenStream,
    name: &str,
    source: &Source,
    definition: &Definition,
    fields: &[InputField],
) -> TokenStream {
    let name = definition.name.as_deref().unwrap_or(name);
    let (text, template) = (source.text.text(), definition.instructions.as_str());
    let mut parts = quote!(#facade::StaticDefinition::new(#name, #text, #template));
    let pieces: Vec<TokenStream> = piece_starts(facade, source).collect();
    if !pieces.is_empty() {
        parts.extend(quote!(.with_pieces(&[#(#pieces),*])));
    }
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
    if let Some(role) = &definition.template.role {
        let role = role.as_str();
        parts.extend(quote!(.with_role(#role)));
    }
    if definition.template.keeps_white_space {
        parts.extend(quote!(.with_kept_white_space()));
    }
    if let Some(model) = static_model(facade, definition) {
        parts.extend(quote!(.with_model(#model)));
    }
    let declared = fields.iter().map(|field| declaration(facade, field, Some(definition)));
    // The inputs of the front matter that the struct does not have, because their defaults are
    // used.
    let others = definition.inputs.iter().filter(|input| {
        input.default.is_some() && fields.iter().all(|field| field.name() != input.name)
    });
    let others = others.map(|input| defaulted(facade, input));
    parts.extend(quote!(.with_inputs(&[#(#declared,)* #(#others,)*])));
    parts
}

/// Generates the places of the pieces of a text that was assembled from several files.
fn piece_starts<'t>(
    facade: &'t TokenStream,
    source: &'t Source,
) -> impl Iterator<Item = TokenStream> + 't {
    source.text.piece_starts().map(move |(start, place, is_copy)| {
        let (name, line, column) = (source.name_in_program(&place), place.line, place.column);
        quote!(#facade::__private::PieceStart {
            start: #start,
            name: #name,
            line: #line,
            column: #column,
            is_copy: #is_copy,
        })
    })
}

/// Generates the model of the front matter as a constant, without the values that the host decides:
/// connections, references and credentials.
pub(crate) fn static_model(facade: &TokenStream, definition: &Definition) -> Option<TokenStream> {
    let model = definition.model.as_ref()?;
    let mut parts = quote!(#facade::StaticModel::new());
    let texts = [
        (&model.id, quote!(with_id)),
        (&model.provider, quote!(with_provider)),
        (&model.api_type, quote!(with_api_type)),
    ];
    for (text, method) in texts {
        if let Some(text) = text.as_ref().filter(|text| !is_reference(text)) {
            parts.extend(quote!(.#method(#text)));
        }
    }
    let options = model.options.as_ref().map(model_options).unwrap_or_default();
    if !options.is_empty() {
        let options = options.iter().map(|(name, option)| {
            let option = value(facade, option);
            quote!((#name, #option))
        });
        parts.extend(quote!(.with_options(&[#(#options),*])));
    }
    Some(parts)
}

/// The model options, by their names in the file.
fn model_options(options: &ModelOptions) -> Vec<(String, Value)> {
    let stops = &options.stop_sequences;
    let stops = (!stops.is_empty()).then(|| stops.iter().map(String::as_str).collect());
    let known: [(&str, Option<Value>); 9] = [
        ("temperature", options.temperature.map(Value::from)),
        ("maxOutputTokens", options.max_output_tokens.map(Value::from)),
        ("topP", options.top_p.map(Value::from)),
        ("topK", options.top_k.map(Value::from)),
        ("frequencyPenalty", options.frequency_penalty.map(Value::from)),
        ("presencePenalty", options.presence_penalty.map(Value::from)),
        ("seed", options.seed.map(Value::from)),
        ("stopSequences", stops),
        ("allowMultipleToolCalls", options.allow_multiple_tool_calls.map(Value::from)),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let additional = options.additional_properties.iter().filter(|(name, _)| !is_secret(name));
    known
        .chain(additional.map(|(name, value)| (name.to_owned(), value.clone())))
        .filter(|(_, value)| !has_reference(value))
        .collect()
}

/// Whether a value, or a part of it, is a reference or may be a credential.
fn has_reference(value: &Value) -> bool {
    match value {
        Value::String(text) => is_reference(text),
        Value::Array(items) => items.iter().any(has_reference),
        Value::Object(map) => map.iter().any(|(name, it)| is_secret(name) || has_reference(it)),
        _ => false,
    }
}

/// The declaration of an input that only the front matter has.
fn defaulted(facade: &TokenStream, input: &Input) -> TokenStream {
    let (name, kind) = (&input.name, input.value_type.name());
    let default = value(facade, input.default.as_ref().unwrap_or(&Value::Null));
    quote!(#facade::StaticInput::new(#name, #kind, "").optional().with_default(#default))
}

/// The declaration of an input that is a field.
pub(crate) fn declaration(
    facade: &TokenStream,
    field: &InputField,
    definition: Option<&Definition>,
) -> TokenStream {
    let declared = definition.and_then(|definition| definition.input(field.name()));
    // A type of the user's own may replace the one that the front matter declares.
    let kind = match declared {
        Some(declared) if !field.is_written => declared.value_type.name(),
        _ => field.value_type().name(),
    };
    let (name, rust_type) = (field.name(), rust_type::source_text(&field.ty));
    let mut parts = quote!(#facade::StaticInput::new(#name, #kind, #rust_type));
    let roles = field.roles.as_ref().or(declared.map(|declared| &declared.roles));
    if let Some(roles) = roles.filter(|roles| **roles != ThreadRoles::DEFAULT) {
        let names = roles.names();
        parts.extend(quote!(.with_roles(&[#(#names),*])));
    }
    let mut described = [Some(&field.input), declared].into_iter().flatten();
    if let Some(description) = described.find_map(|it| it.description.as_deref()) {
        parts.extend(quote!(.with_description(#description)));
    }
    if field.presence() != Presence::Required {
        parts.extend(quote!(.optional()));
    }
    let schema = declared.and_then(|declared| declared.schema.as_ref());
    if let Some(schema) = schema.filter(|schema| restricts_beyond_kind(schema)) {
        let schema = schema.to_json();
        parts.extend(quote!(.with_schema(#schema)));
    }
    if let Some(default) = declared.and_then(|declared| declared.default.as_ref()) {
        let default = value(facade, default);
        parts.extend(quote!(.with_default(#default)));
    }
    parts
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

//! Generates the structs and enums of a prompt whose front matter declares the inputs.

use std::collections::BTreeMap;

use proc_macro2::{Span, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::value::Value;
use prompty_runtime::check::{InputType, Presence, Shape};
use prompty_runtime::definition::{Definition, Kind as DeclaredKind, Property};
use quote::{format_ident, quote, quote_spanned};
use syn::{Generics, Ident, Type, parse_quote};

use crate::errors::Errors;
use crate::expand::derives;
use crate::model::{Context, Head, Input, Kind};
use crate::report;
use crate::shape;
use crate::source::Source;

/// The generated types of a prompt.
pub(crate) struct GeneratedTypes {
    /// The struct of the prompt, and the types of its nested objects and enumerations.
    pub(crate) items: TokenStream,
    pub(crate) generics: Generics,
    pub(crate) inputs: Vec<Input>,
}

/// Generates the struct of a prompt, with a field for each declared input.
pub(crate) fn expand_struct(
    context: &Context,
    head: &Head,
    definition: &Definition,
    source: &Source,
    errors: &mut Errors,
) -> GeneratedTypes {
    let mut writer = Writer { context, head, items: TokenStream::new(), names: BTreeMap::new() };
    let mut inputs = Vec::new();
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    for property in definition.inputs.iter().filter(|property| !property.name.is_empty()) {
        let field = field_ident(&property.name, head.ident.span());
        if let Some(other) = fields.insert(field.to_string(), property.name.clone()) {
            let name = &property.name;
            let message = format!("the inputs `{other}` and `{name}` are both the field `{field}`");
            let mut finding =
                Diagnostic::new(Code::Declaration, message).help("give one of them another name");
            finding.span = property.name_span;
            report::findings(source, &[finding], &[], errors);
            continue;
        }
        inputs.push(writer.input(property, field));
    }
    let generics = lifetime_generics(inputs.iter().map(|input| &input.ty));
    let item = writer.prompt_struct(definition, &inputs, &generics);
    let mut items = writer.items;
    items.extend(item);
    GeneratedTypes { items, generics, inputs }
}

struct Writer<'a> {
    context: &'a Context,
    head: &'a Head,
    items: TokenStream,
    /// The number of nested types with each name.
    names: BTreeMap<String, usize>,
}

impl Writer<'_> {
    fn input(&mut self, property: &Property, field: Ident) -> Input {
        let declared = InputType::from_property(property);
        let ty =
            self.rust_type(property, &pascal_case(&property.name), &format!("`{}`", property.name));
        let presence = declared.presence;
        let ty = if presence == Presence::Required {
            ty
        } else {
            let core = &self.context.facade;
            parse_quote!(#core::__private::Option<#ty>)
        };
        let kind = Kind::rich(property.kind.name())
            .unwrap_or_else(|| Kind::Value(shape::kind_name(&declared.shape)));
        Input {
            span: self.head.ident.span(),
            is_written: false,
            field,
            name: property.name.clone(),
            ty,
            shape: declared.shape,
            kind,
            presence,
            default: None,
            roles: Some(property.roles.clone()),
            description: property.description.clone(),
        }
    }

    /// The Rust type of a property's values. A nested type is called `name`, and its documentation
    /// refers to the values as `subject`.
    fn rust_type(&mut self, property: &Property, name: &str, subject: &str) -> Type {
        let facade = &self.context.facade;
        let private = quote!(#facade::__private);
        match &property.kind {
            DeclaredKind::String => match Shape::from_property(property) {
                Shape::Choice(values) => self.enumeration(property, name, subject, &values),
                _ => parse_quote!(&'prompt #private::str),
            },
            DeclaredKind::Integer => parse_quote!(#private::i64),
            DeclaredKind::Float => parse_quote!(#private::f64),
            DeclaredKind::Boolean => parse_quote!(#private::bool),
            DeclaredKind::Array(None) => parse_quote!(&'prompt [#facade::Value]),
            DeclaredKind::Array(Some(item)) => {
                let subject = format!("an item of {subject}");
                let item = self.rust_type(item, &format!("{name}Item"), &subject);
                parse_quote!(&'prompt [#item])
            }
            DeclaredKind::Object(fields) if fields.is_empty() => parse_quote!(#facade::Map),
            DeclaredKind::Object(fields) => self.object(property, name, subject, fields),
            DeclaredKind::Thread => parse_quote!(&'prompt [#facade::Message]),
            DeclaredKind::Image | DeclaredKind::File | DeclaredKind::Audio => {
                parse_quote!(&'prompt #facade::Media)
            }
            _ => parse_quote!(#facade::Value),
        }
    }

    /// The name of a nested type: the name of the prompt, followed by the name of the input.
    fn nested_name(&mut self, name: &str) -> Ident {
        let base = format!("{}{name}", self.head.ident);
        let count = self.names.entry(base.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { base } else { format!("{base}{count}") };
        Ident::new(&name, self.head.ident.span())
    }

    fn object(
        &mut self,
        property: &Property,
        name: &str,
        subject: &str,
        fields: &[Property],
    ) -> Type {
        let ident = self.nested_name(name);
        let facade = &self.context.facade.clone();
        let mut written = Vec::new();
        let mut entries = Vec::new();
        let mut types = Vec::new();
        for field in fields {
            let field_name = field_ident(&field.name, self.head.ident.span());
            let nested = format!("{name}{}", pascal_case(&field.name));
            let ty = self.rust_type(field, &nested, &format!("`{}` of {subject}", field.name));
            let ty = if InputType::from_property(field).presence == Presence::Required {
                ty
            } else {
                parse_quote!(#facade::__private::Option<#ty>)
            };
            let doc = documentation(field, &format!("The field `{}`.", field.name));
            let key = &field.name;
            written.push(quote!(#[doc = #doc] pub #field_name: #ty));
            entries.push(quote!((#key, #facade::ToValue::to_value(&self.#field_name))));
            types.push(ty);
        }
        let generics = lifetime_generics(types.iter());
        let (parameters, arguments, _) = generics.split_for_impl();
        let visibility = &self.head.visibility;
        let doc = documentation(property, &format!("The fields of {subject}."));
        let derives = derives::derive_both(facade, &[]);
        self.items.extend(quote! {
            #[doc = #doc]
            #derives
            #visibility struct #ident #parameters {
                #(#written,)*
            }
            #[automatically_derived]
            impl #parameters #facade::ToValue for #ident #arguments {
                fn to_value(&self) -> #facade::Value {
                    #facade::__private::project::map([#(#entries),*])
                }
            }
        });
        parse_quote!(#ident #arguments)
    }

    fn enumeration(
        &mut self,
        property: &Property,
        name: &str,
        subject: &str,
        values: &[String],
    ) -> Type {
        let ident = self.nested_name(name);
        let facade = &self.context.facade;
        let private = quote!(#facade::__private);
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        let variants: Vec<Ident> = values
            .iter()
            .map(|value| {
                let name = pascal_case(value);
                let starts_well = name.starts_with(|first: char| first.is_alphabetic());
                let name = if starts_well { name } else { format!("Value{name}") };
                let count = used.entry(name.clone()).or_insert(0);
                *count += 1;
                let name = if *count == 1 { name } else { format!("{name}{count}") };
                Ident::new(&name, self.head.ident.span())
            })
            .collect();
        let docs = values.iter().map(|value| format!("`{value}`"));
        let doc = documentation(property, &format!("The values of {subject}."));
        let visibility = &self.head.visibility;
        self.items.extend(quote! {
            #[doc = #doc]
            #[allow(dead_code)]
            #[derive(
                #private::Debug, #private::Clone, #private::Copy, #private::PartialEq, #private::Eq,
                #private::Hash,
            )]
            #visibility enum #ident {
                #(#[doc = #docs] #variants,)*
            }
            #[allow(dead_code)]
            impl #ident {
                /// The value that the template gets.
                #visibility const fn as_str(self) -> &'static #private::str {
                    match self {
                        #(Self::#variants => #values,)*
                    }
                }
            }
            #[automatically_derived]
            impl #facade::ToValue for #ident {
                fn to_value(&self) -> #facade::Value {
                    #facade::__private::project::text(self.as_str())
                }
            }
        });
        parse_quote!(#ident)
    }

    fn prompt_struct(
        &self,
        definition: &Definition,
        inputs: &[Input],
        generics: &Generics,
    ) -> TokenStream {
        let Head { attributes, visibility, ident, .. } = self.head;
        let facade = &self.context.facade;
        let (parameters, arguments, _) = generics.split_for_impl();
        let kept = attributes.iter().filter(|attribute| !attribute.path().is_ident("prompt"));
        let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        let title =
            definition.description.clone().unwrap_or_else(|| format!("The prompt `{ident}`."));
        let title = (!documented).then(|| quote!(#[doc = #title]));
        let derives = derives::derive_both(facade, attributes);
        let fields = inputs.iter().map(|input| {
            let (field, ty) = (&input.field, &input.ty);
            let doc = definition
                .inputs
                .iter()
                .find(|property| property.name == input.name)
                .map_or_else(String::new, |property| {
                    documentation(property, &format!("The input `{}`.", property.name))
                });
            quote!(#[doc = #doc] pub #field: #ty)
        });
        let required = || inputs.iter().filter(|input| input.presence == Presence::Required);
        let optional = || inputs.iter().filter(|input| input.presence != Presence::Required);
        let arguments_of_new = required().map(|input| {
            let (field, ty) = (&input.field, &input.ty);
            quote!(#field: #ty)
        });
        let given = required().map(|input| &input.field);
        let missing = optional().map(|input| &input.field);
        let setters = optional().map(|input| {
            let (field, ty) = (&input.field, inner_type(&input.ty));
            let setter = format_ident!("with_{}", syn::ext::IdentExt::unraw(field));
            let doc = format!("The same prompt with the input `{}`.", input.name);
            quote! {
                #[doc = #doc]
                #[must_use]
                pub fn #setter(mut self, #field: #ty) -> Self {
                    self.#field = #facade::__private::Option::Some(#field);
                    self
                }
            }
        });
        // rustc shows only the name of the struct in messages, not the whole macro.
        quote_spanned! {Span::call_site().located_at(ident.span())=>
            #(#kept)*
            #title
            #derives
            #visibility struct #ident #parameters {
                #(#fields,)*
            }
            #[allow(dead_code, clippy::too_many_arguments)]
            impl #parameters #ident #arguments {
                /// Makes the prompt from its required inputs.
                #[must_use]
                pub fn new(#(#arguments_of_new),*) -> Self {
                    Self {
                        #(#given,)*
                        #(#missing: #facade::__private::Option::None,)*
                    }
                }
                #(#setters)*
            }
        }
    }
}

/// The type inside an `Option`.
fn inner_type(ty: &Type) -> &Type {
    let Type::Path(path) = ty else { return ty };
    let Some(last) = path.path.segments.last() else { return ty };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return ty };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(inner)) => inner,
        _ => ty,
    }
}

/// `<'prompt>` if one of the types borrows.
fn lifetime_generics<'a>(types: impl Iterator<Item = &'a Type>) -> Generics {
    let mut types = types;
    let borrows = types.any(|ty| quote!(#ty).to_string().contains("'prompt"));
    if borrows { parse_quote!(<'prompt>) } else { Generics::default() }
}

/// The documentation of the field or type of a property.
fn documentation(property: &Property, without_description: &str) -> String {
    let mut text = property.description.clone().unwrap_or_else(|| without_description.to_owned());
    match &property.default {
        Some(Value::String(default)) => text.push_str(&format!(" Default: `{default:?}`.")),
        Some(default) if !default.is_null() => {
            text.push_str(&format!(" Default: `{}`.", default.to_json()));
        }
        _ => {}
    }
    text
}

/// Converts a name of the front matter into the name of a Rust field: `firstName` becomes
/// `first_name`.
pub(crate) fn field_ident(name: &str, span: Span) -> Ident {
    let mut snake = String::new();
    let mut before: Option<char> = None;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            snake.push('_');
        } else {
            let begins_word = character.is_uppercase()
                && before.is_some_and(|before| before.is_lowercase() || before.is_numeric());
            if begins_word {
                snake.push('_');
            }
            snake.extend(character.to_lowercase());
        }
        before = Some(character);
    }
    if snake.starts_with(|first: char| first.is_numeric()) || snake.is_empty() {
        snake.insert(0, '_');
    }
    match syn::parse_str::<Ident>(&snake) {
        Ok(_) => Ident::new(&snake, span),
        Err(_) if matches!(snake.as_str(), "self" | "super" | "crate" | "_") => {
            format_ident!("{snake}_", span = span)
        }
        Err(_) => Ident::new_raw(&snake, span),
    }
}

/// Converts a name into the name of a Rust type: `first_name` becomes `FirstName`.
fn pascal_case(name: &str) -> String {
    let words = name.split(|character: char| !character.is_alphanumeric());
    let name: String = words
        .flat_map(|word| {
            let mut characters = word.chars();
            let first: Vec<char> =
                characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
            first.into_iter().chain(characters)
        })
        .collect();
    // `Self` is the only name in this form that is a keyword of Rust.
    if name == "Self" { "Self_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_front_matter_become_names_of_rust() {
        let span = Span::call_site();
        let names = ["firstName", "HTTPCode2", "my-input", "type", "2nd", "self"];
        let fields = names.map(|name| field_ident(name, span).to_string());
        assert_eq!(fields, ["first_name", "httpcode2", "my_input", "r#type", "_2nd", "self_"]);
        assert_eq!(
            ["tone", "first_name", "très-bien", "self"].map(pascal_case),
            ["Tone", "FirstName", "TrèsBien", "Self_"]
        );
    }
}

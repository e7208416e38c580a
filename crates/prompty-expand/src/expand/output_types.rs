//! Generates the types of a prompt's output from the `outputs` of its front matter: a struct, and
//! the types of its fields. They own their values and are read by serde.
//!
//! The types have the schema of the declarations and not one of schemars, since the former is sent
//! to the model. It may have constraints that the types lack, such as a union or the numbers of an
//! enumeration. Therefore replies are always validated against it.

use proc_macro2::TokenStream;
use prompty_check::definition::{Definition, Input, ValueType};
use prompty_core::schema::shape::Shape;
use prompty_core::value::Value;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type, parse_quote};

use super::nested::{NestedTypes, TypeLocation, UniqueNames};
use super::structs::{self, documentation, field_ident, pascal_case, variant_idents};
use crate::errors::Errors;
use crate::model::Head;
use crate::rust_type::{first_type, with_item};
use crate::source::Source;

/// The types of a prompt's output.
pub(crate) struct OutputTypes {
    /// The type of the output itself.
    pub(crate) output: Type,
    /// The Rust items that define the types: a module, and imports from it.
    pub(crate) items: TokenStream,
}

/// Generates the types of the declared outputs; `None` if there are none.
pub(crate) fn generate_output_types(
    facade: &TokenStream,
    head: &Head,
    definition: &Definition,
    source: &Source,
    names: UniqueNames,
    errors: &mut Errors,
) -> Option<OutputTypes> {
    if definition.outputs.is_empty() {
        return None;
    }
    let nested = NestedTypes::of_outputs(facade, head);
    let mut writer = OutputTypeWriter { facade, head, source, nested, names, errors };
    // The complete output has the declaration of an object with the declared outputs as its fields.
    // Inputs and outputs are declared in the same way, so both are an `Input`.
    let root = Input::new("", ValueType::Object(definition.outputs.clone()));
    let ident = writer.object(&root, &definition.outputs, "Output", "the output");
    let path = writer.nested.path(&ident, TypeLocation::InModule, TypeLocation::NextToPrompt);
    let items = writer.nested.items(head);
    Some(OutputTypes { output: parse_quote!(#path), items })
}

/// Generates the check that a type of the user has the outputs that the front matter declares.
/// rustc checks that the fields exist, and compares the kinds of the fields whose types have one.
/// Other fields match every kind, because the macro does not see the serde attributes of the type.
pub(crate) fn check_against_front_matter(
    context: &UserOutputType<'_>,
    definition: &Definition,
) -> Option<TokenStream> {
    if definition.outputs.is_empty() {
        return None;
    }
    let UserOutputType { facade, output, .. } = context;
    let span = output.span();
    let outputs = definition.outputs.iter().filter(|it| !it.name.is_empty());
    let checks: TokenStream = outputs.map(|output| field_check(context, output)).collect();
    Some(quote_spanned! {span=>
        const _: () = {
            #[allow(dead_code, unused_imports)]
            fn declared_in_the_front_matter(output: &#output) {
                use #facade::output::generated::kinds::{
                    Any, Boolean, Field, Float, Integer, KnownField as _, List, Object,
                    MatchesKind, OtherField as _, Text,
                };
                #checks
            }
        };
    })
}

/// A type of the user, for a prompt whose front matter declares outputs.
pub(crate) struct UserOutputType<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) output: &'a Type,
    /// Whether generated code may use `#[diagnostic]`. A crate without a prelude does not have it.
    pub(crate) has_diagnostics: bool,
}

fn field_check(context: &UserOutputType<'_>, output: &Input) -> TokenStream {
    let span = context.output.span();
    let field = field_ident(&output.name, span);
    let read = quote_spanned!(span=> &output.#field);
    let kind = match output.value_type.non_null() {
        ValueType::String | ValueType::Choice(_) => "Text",
        ValueType::Integer => "Integer",
        ValueType::Float => "Float",
        ValueType::Boolean => "Boolean",
        ValueType::Array(_) => "List",
        ValueType::Object(_) => "Object",
        _ => return quote_spanned!(span=> let _ = #read;),
    };
    // If several traits had the same name, rustc would list all of them in an error about one.
    let declared = format_ident!("Declared{}", pascal_case(&output.name), span = span);
    let kind = Ident::new(kind, span);
    let message = format!(
        "the front matter declares the output `{}` as `{}`, but the field has another kind",
        output.name,
        output.value_type.name()
    );
    let note = "change one of the two, or remove `output` to generate a type from the front matter";
    let on_unimplemented = context.has_diagnostics.then(|| {
        quote_spanned! {span=>
            #[diagnostic::on_unimplemented(
                message = #message,
                label = "differs from the `outputs` of the front matter",
                note = #note
            )]
        }
    });
    // Without this, rustc lists the matching kinds.
    let hidden = context.has_diagnostics.then(|| quote!(#[diagnostic::do_not_recommend]));
    quote_spanned! {span=> {
        #on_unimplemented
        trait #declared {}
        #hidden
        impl<T: MatchesKind<#kind>> #declared for T {}
        fn check_kind(_: impl #declared) {}
        // `kind` is the method of `KnownField` if the type has a kind, and else of `OtherField`.
        // `output::generated::kinds` has both.
        check_kind((&Field(#read)).kind());
    }}
}

struct OutputTypeWriter<'a> {
    facade: &'a TokenStream,
    head: &'a Head,
    source: &'a Source,
    nested: NestedTypes,
    names: UniqueNames,
    errors: &'a mut Errors,
}

impl OutputTypeWriter<'_> {
    /// Chooses the type of an output's values. `name` is the name of a generated type without the
    /// prefix of the prompt's name; `subject` is the name of the values in its documentation.
    fn choose(&mut self, output: &Input, name: &str, subject: &str) -> Type {
        let facade = self.facade;
        let private = quote!(#facade::__private);
        let ty: Type = match output.value_type.non_null() {
            ValueType::Choice(values) => {
                let ident = self.enumeration(output, values, name, subject);
                parse_quote!(#ident)
            }
            ValueType::String => parse_quote!(#private::String),
            ValueType::Integer => parse_quote!(#private::i64),
            ValueType::Float => parse_quote!(#private::f64),
            ValueType::Boolean => parse_quote!(#private::bool),
            ValueType::Array(None) => parse_quote!(#private::Vec<#facade::Value>),
            ValueType::Array(Some(item)) => {
                let subject = format!("an item of {subject}");
                let item = self.choose(item, &format!("{name}Item"), &subject);
                with_item(parse_quote!(#private::Vec<_>), item)
            }
            ValueType::Object(fields) if fields.is_empty() => parse_quote!(#facade::Map),
            ValueType::Object(fields) => {
                let ident = self.object(output, fields, name, subject);
                parse_quote!(#ident)
            }
            _ => parse_quote!(#facade::Value),
        };
        match output.value_type.is_nullable() {
            true => with_item(parse_quote!(#private::Option<_>), ty),
            false => ty,
        }
    }

    fn object(&mut self, output: &Input, fields: &[Input], name: &str, subject: &str) -> Ident {
        let facade = self.facade;
        let private = quote!(#facade::__private);
        let ident = self.ident(name);
        let mut defaults = TokenStream::new();
        let mut members = Vec::new();
        let span = self.head.ident.span();
        let fields = structs::fields(Some(subject), fields, span, self.source, self.errors);
        for (member, field) in fields {
            let key = &field.name;
            let name = format!("{name}{}", pascal_case(key));
            let mut ty = self.choose(field, &name, &format!("`{key}` of {subject}"));
            let default = self.default(field, &ty);
            let attributes = match &default {
                Some(value) => {
                    let function =
                        format_ident!("__default_{}", syn::ext::IdentExt::unraw(&member));
                    let path = format!("{ident}::{function}");
                    defaults.extend(quote!(fn #function() -> #ty { #value }));
                    quote!(#[serde(rename = #key, default = #path)])
                }
                None => quote!(#[serde(rename = #key)]),
            };
            if default.is_none() && !field.required && !field.value_type.is_nullable() {
                ty = with_item(parse_quote!(#private::Option<_>), ty);
            }
            let doc = documentation(field, &format!("The output `{key}`."));
            members.push(quote!(#[doc = #doc] #attributes pub #member: #ty));
        }
        let doc = documentation(output, &format!("The fields of {subject}."));
        let schema = self.schema(output, &ident);
        let defaults = (!defaults.is_empty()).then(|| quote!(impl #ident { #defaults }));
        self.nested.add(
            &ident,
            TypeLocation::InModule,
            quote! {
                #[doc = #doc]
                #[allow(dead_code)]
                #[derive(
                    #private::Debug, #private::Clone, #private::PartialEq,
                    __serde::Deserialize, __serde::Serialize,
                )]
                #[serde(crate = "__serde")]
                pub struct #ident {
                    #(#members,)*
                }
                #defaults
                #schema
            },
        );
        ident
    }

    fn enumeration(
        &mut self,
        output: &Input,
        values: &[String],
        name: &str,
        subject: &str,
    ) -> Ident {
        let facade = self.facade;
        let private = quote!(#facade::__private);
        let ident = self.ident(name);
        let variants = variant_idents(values, self.head.ident.span());
        let docs = values.iter().map(|value| format!("`{value}`"));
        let doc = documentation(output, &format!("The values of {subject}."));
        let schema = self.schema(output, &ident);
        self.nested.add(
            &ident,
            TypeLocation::InModule,
            quote! {
                #[doc = #doc]
                #[allow(dead_code)]
                #[derive(
                    #private::Debug, #private::Clone, #private::Copy, #private::PartialEq,
                    #private::Eq, #private::Hash, __serde::Deserialize, __serde::Serialize,
                )]
                #[serde(crate = "__serde")]
                pub enum #ident {
                    #(#[doc = #docs] #[serde(rename = #values)] #variants,)*
                }
                #[allow(dead_code)]
                impl #ident {
                    /// The value that the model writes.
                    pub const fn as_str(self) -> &'static #private::str {
                        match self {
                            #(Self::#variants => #values,)*
                        }
                    }
                }
                #schema
            },
        );
        ident
    }

    fn ident(&mut self, name: &str) -> Ident {
        let name = self.names.take(format!("{}{name}", self.head.ident));
        Ident::new(&name, self.head.ident.span())
    }

    /// The default of a field as an expression; `None` if there is none, or if it is not written as
    /// one: a list, an object, or a number that the conversions below do not accept.
    fn default(&self, output: &Input, ty: &Type) -> Option<TokenStream> {
        let facade = self.facade;
        let default = output.default.as_ref()?;
        let value = match (output.value_type.non_null(), default) {
            (ValueType::Choice(values), Value::String(text)) => {
                let at = values.iter().position(|value| **value == **text)?;
                let variant = variant_idents(values, self.head.ident.span()).into_iter().nth(at)?;
                let ty = inner_of_option(ty);
                quote!(#ty::#variant)
            }
            (ValueType::String, Value::String(text)) => {
                let text: &str = text;
                quote!(#facade::__private::String::from(#text))
            }
            (ValueType::Integer, Value::Integer(number)) => {
                let number = i64::try_from(*number).ok()?;
                quote!(#number)
            }
            (ValueType::Float, Value::Float(number)) if number.is_finite() => quote!(#number),
            (ValueType::Float, Value::Integer(number)) => {
                let number: f64 = i32::try_from(*number).ok()?.into();
                quote!(#number)
            }
            (ValueType::Boolean, Value::Bool(value)) => quote!(#value),
            _ => return None,
        };
        Some(match output.value_type.is_nullable() {
            true => quote!(#facade::__private::Option::Some(#value)),
            false => value,
        })
    }

    /// Generates the schema of a type. The checker has already reported declarations without a
    /// shape.
    fn schema(&self, output: &Input, ident: &Ident) -> TokenStream {
        let facade = self.facade;
        let shape = output.output_shape().unwrap_or_else(|_| Shape::any());
        let (schema, name) = (shape.required().to_schema().to_json(), ident.to_string());
        quote! {
            impl __generated::schemars::JsonSchema for #ident {
                fn inline_schema() -> #facade::__private::bool {
                    true
                }
                fn schema_name() -> #facade::__private::Cow<'static, #facade::__private::str> {
                    #facade::__private::Cow::Borrowed(#name)
                }
                fn json_schema(
                    _: &mut __generated::schemars::SchemaGenerator,
                ) -> __generated::schemars::Schema {
                    __generated::schema(#schema)
                }
            }
        }
    }
}

/// The type in an `Option`, or the type itself.
fn inner_of_option(ty: &Type) -> &Type {
    let Type::Path(path) = ty else { return ty };
    let option = path.path.segments.last().filter(|last| last.ident == "Option");
    option.and_then(|option| first_type(&option.arguments)).unwrap_or(ty)
}

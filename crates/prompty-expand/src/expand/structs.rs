//! Generates the structs and enums of a prompt whose front matter declares the inputs.

use std::collections::BTreeMap;

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::{Definition, Input, Presence, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::message::RichKind;
use prompty_core::value::Value;
use quote::{format_ident, quote, quote_spanned};
use syn::{Generics, Ident, Type, parse_quote};

use super::constructors::{self, Given};
use super::derives::{self, NamedField};
use super::nested::{Names, Nested, Stands};
use super::replacements::{Replacements, written_path};
use super::{lifetimes, statics};
use crate::errors::Errors;
use crate::model::{Context, Head, ImplTarget, InputField, Options};
use crate::report::{self, Subjects};
use crate::rust_type;
use crate::source::Source;

/// The generated types of a prompt.
#[derive(Default)]
pub(crate) struct GeneratedTypes {
    /// The types of nested objects and enumerations.
    pub(crate) nested: TokenStream,
    pub(crate) generics: Generics,
    pub(crate) inputs: Vec<InputField>,
    /// The fields of the struct, in the order of the inputs.
    fields: Vec<Member>,
    /// The names of the nested types.
    pub(crate) names: Names,
}

/// A field of a generated struct.
struct Member {
    field: Ident,
    ty: Type,
    doc: String,
    origin: Origin,
}

/// Where the type of a field comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It is one that all prompts share.
    Common,
    /// The macro made it, or a part of it.
    Generated,
    /// The user's own type stands in, or in a part of it.
    Replaced,
}

/// A Rust type that is chosen for the values of an input or of a part of one.
struct Chosen {
    ty: Type,
    /// What the generated code knows of the values.
    value_type: ValueType,
    origin: Origin,
}

/// The input, or the part of one, whose Rust type is chosen.
struct Named<'n> {
    /// How it is reached: the names of the input and of the objects' fields.
    path: String,
    /// The name of a generated type, behind that of the prompt.
    name: String,
    /// What the documentation calls its values.
    subject: String,
    /// Where the type is used whose field, or field's item, the input is.
    used: Stands,
    input: &'n Input,
}

/// Chooses the types of the declared inputs, and generates those that are nested.
pub(crate) fn expand_types(
    context: &Context,
    head: &Head,
    definition: &Definition,
    source: &Source,
    options: &Options,
    errors: &mut Errors,
) -> GeneratedTypes {
    let replacements = Replacements::new(&options.types);
    let nested = Nested::new(head);
    let names = Names::default();
    let mut writer = Writer { context, head, source, nested, names, replacements, errors };
    let (mut inputs, mut members) = (Vec::new(), Vec::new());
    for (field, input) in writer.fields(None, &definition.inputs) {
        let (input, member) = writer.input(input, field);
        inputs.push(input);
        members.push(member);
    }
    let Writer { nested, names, replacements, errors, .. } = writer;
    replacements.report_unused(errors);
    let generics = lifetime_generics(inputs.iter().map(|input| &input.ty));
    GeneratedTypes { nested: nested.items(head), generics, inputs, fields: members, names }
}

struct Writer<'a> {
    context: &'a Context,
    head: &'a Head,
    source: &'a Source,
    nested: Nested,
    /// The names of the nested types.
    names: Names,
    replacements: Replacements<'a>,
    errors: &'a mut Errors,
}

impl Writer<'_> {
    /// See [`fields`].
    fn fields<'i>(&mut self, owner: Option<&str>, inputs: &'i [Input]) -> Vec<(Ident, &'i Input)> {
        fields(owner, inputs, self.head.ident.span(), self.source, self.errors)
    }

    fn input(&mut self, declared: &Input, field: Ident) -> (InputField, Member) {
        let chosen = self.choose(&Named {
            path: declared.name.clone(),
            name: pascal_case(&declared.name),
            subject: format!("`{}`", declared.name),
            used: Stands::BesideThePrompt,
            input: declared,
        });
        let ty = self.optional_type(chosen.ty, declared.presence());
        let doc = documentation(declared, &format!("The input `{}`.", declared.name));
        let member = Member { field: field.clone(), ty: ty.clone(), doc, origin: chosen.origin };
        let mut input = declared.clone();
        input.value_type = chosen.value_type;
        let input = InputField {
            span: self.head.ident.span(),
            is_written: false,
            field,
            ty,
            input,
            default: None,
            roles: Some(declared.roles.clone()),
        };
        (input, member)
    }

    fn optional_type(&self, ty: Type, presence: Presence) -> Type {
        let facade = &self.context.facade;
        match presence {
            Presence::Required => ty,
            _ => parse_quote!(#facade::__private::Option<#ty>),
        }
    }

    /// Chooses the Rust type of an input's values.
    fn choose(&mut self, named: &Named<'_>) -> Chosen {
        let facade = &self.context.facade;
        let private = quote!(#facade::__private);
        let value_type = named.input.value_type.clone();
        let common: Type = match value_type.non_null() {
            ValueType::Choice(_) if !value_type.is_nullable() => {
                return self.made(named, value_type);
            }
            ValueType::String | ValueType::Choice(_) => parse_quote!(&'prompt #private::str),
            ValueType::Integer => parse_quote!(#private::i64),
            ValueType::Float => parse_quote!(#private::f64),
            ValueType::Boolean => parse_quote!(#private::bool),
            ValueType::Array(None) => parse_quote!(&'prompt [#facade::Value]),
            ValueType::Array(Some(item)) => return self.list(named, item),
            ValueType::Object(fields) if fields.is_empty() => parse_quote!(#facade::Map),
            ValueType::Object(_) => return self.made(named, value_type),
            ValueType::Rich(RichKind::Thread) => parse_quote!(&'prompt [#facade::Message]),
            ValueType::Rich(_) => parse_quote!(&'prompt #facade::Media),
            _ => {
                let value_type = value_type.with_non_null(ValueType::Any);
                return Chosen {
                    ty: parse_quote!(#facade::Value),
                    value_type,
                    origin: Origin::Common,
                };
            }
        };
        Chosen { ty: common, value_type, origin: Origin::Common }
    }

    fn list(&mut self, named: &Named<'_>, item: &Input) -> Chosen {
        let Chosen { ty, value_type: item, origin } = self.choose(&Named {
            path: named.path.clone(),
            name: format!("{}Item", named.name),
            subject: format!("an item of {}", named.subject),
            used: named.used,
            input: item,
        });
        let value_type = named.input.value_type.with_non_null(ValueType::list_of(item));
        Chosen { ty: parse_quote!(&'prompt [#ty]), value_type, origin }
    }

    /// The type of an object or an enumeration: the user's own, or one that is generated.
    fn made(&mut self, named: &Named<'_>, value_type: ValueType) -> Chosen {
        if let Some(ty) = self.replacements.take(&named.path) {
            let foreign = ValueType::Foreign(rust_type::type_text(&ty));
            let value_type = value_type.with_non_null(foreign);
            return Chosen { ty, value_type, origin: Origin::Replaced };
        }
        let name = self.names.take(format!("{}{}", self.head.ident, named.name));
        let ident = Ident::new(&name, self.head.ident.span());
        if let ValueType::Object(fields) = named.input.value_type.non_null() {
            return self.object(named, &ident, fields);
        }
        self.enumeration(named, &ident, value_type.choices().unwrap_or_default());
        let path = self.nested.path(&ident, Stands::InModule, named.used);
        Chosen { ty: parse_quote!(#path), value_type, origin: Origin::Generated }
    }

    fn object(&mut self, named: &Named<'_>, ident: &Ident, declared: &[Input]) -> Chosen {
        let facade = &self.context.facade;
        // A module sees nothing of a function's body, where the user's own types may stand.
        let stands = match self.replacements.is_within(&named.path) {
            true => Stands::BesideThePrompt,
            false => Stands::InModule,
        };
        let (mut members, mut parts, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for (field, input) in self.fields(Some(&named.subject), declared) {
            let key = &input.name;
            let chosen = self.choose(&Named {
                path: format!("{}.{key}", named.path),
                name: format!("{}{}", named.name, pascal_case(key)),
                subject: format!("`{key}` of {}", named.subject),
                used: stands,
                input,
            });
            let mut part = Input::new(key.as_str(), chosen.value_type);
            part.required = input.presence() != Presence::Optional;
            parts.push(part);
            entries.push(quote!((#key, #facade::ToValue::to_value(&self.#field))));
            members.push(Member {
                field,
                ty: self.optional_type(chosen.ty, input.presence()),
                doc: documentation(input, &format!("The field `{key}`.")),
                origin: chosen.origin,
            });
        }
        let generics = lifetime_generics(members.iter().map(|member| &member.ty));
        let (parameters, arguments, _) = generics.split_for_impl();
        let visibility = stands.visibility(self.head);
        let subject = &named.subject;
        let doc = documentation(named.input, &format!("The fields of {subject}."));
        let stands_in = format!(
            "A struct of your own can stand in for it: `#[prompt(types({} = YourStruct))]`.",
            written_path(&named.path)
        );
        let target = ImplTarget { facade, ident, generics: &generics };
        let (derives, implementations) = traits(target, &[], &members);
        let sealed = sealed(self.head);
        let fields = members.iter().map(Member::tokens);
        let given: Vec<Given<'_>> =
            members.iter().map(|member| member.given("the field")).collect();
        let constructors = constructors::expand(target, "the value", &given);
        // Whether the user's own types can be written is asked for where the whole is written.
        let replaced = members.iter().filter(|member| member.origin == Origin::Replaced);
        let written = replaced.map(|member| {
            let ty = &member.ty;
            quote!(for<'__written> #ty: #facade::ToValue)
        });
        self.nested.add(
            ident,
            stands,
            quote! {
                #[doc = #doc]
                #[doc = ""]
                #[doc = #stands_in]
                #derives
                #sealed
                #[allow(unused_qualifications)]
                #visibility struct #ident #parameters {
                    #(#fields,)*
                }
                #implementations
                #constructors
                #[automatically_derived]
                impl #parameters #facade::ToValue for #ident #arguments
                where
                    #(#written,)*
                {
                    fn to_value(&self) -> #facade::Value {
                        #facade::__private::project::map([#(#entries),*])
                    }
                }
            },
        );
        let value_type = named.input.value_type.with_non_null(ValueType::Object(parts));
        let path = self.nested.path(ident, stands, named.used);
        Chosen { ty: parse_quote!(#path #arguments), value_type, origin: Origin::Generated }
    }

    fn enumeration(&mut self, named: &Named<'_>, ident: &Ident, values: &[String]) {
        let facade = &self.context.facade;
        let private = quote!(#facade::__private);
        let variants = variants(values, self.head.ident.span());
        let docs = values.iter().map(|value| format!("`{value}`"));
        let doc = documentation(named.input, &format!("The values of {}.", named.subject));
        let visibility = Stands::InModule.visibility(self.head);
        let sealed = sealed(self.head);
        self.nested.add(ident, Stands::InModule, quote! {
            #[doc = #doc]
            #[allow(dead_code)]
            #[derive(
                #private::Debug, #private::Clone, #private::Copy, #private::PartialEq, #private::Eq,
                #private::Hash,
            )]
            #sealed
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
    }
}

/// The fields of inputs or outputs with names. Two of them that are the same field are an error. `owner` is
/// the object that has them, as messages call it; inputs have none.
pub(crate) fn fields<'i>(
    owner: Option<&str>,
    inputs: &'i [Input],
    span: Span,
    source: &Source,
    errors: &mut Errors,
) -> Vec<(Ident, &'i Input)> {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    let mut fields = Vec::new();
    for input in inputs.iter().filter(|input| !input.name.is_empty()) {
        let name = input.name.as_str();
        let field = field_ident(name, span);
        let Some(other) = taken.insert(field.to_string(), name) else {
            fields.push((field, input));
            continue;
        };
        let message = match owner {
            None => format!("the inputs `{other}` and `{name}` are both the field `{field}`"),
            Some(owner) => {
                format!("`{other}` and `{name}` of {owner} are both the Rust field `{field}`")
            }
        };
        let mut finding =
            Diagnostic::new(Code::Declaration, message).with_help("give one of them another name");
        finding.span = input.name_span;
        report::findings(source, &[finding], Subjects::default(), errors);
    }
    fields
}

impl GeneratedTypes {
    /// Generates the struct of the prompt. `renders` is the sentence of its documentation that says how
    /// it renders, if it does.
    pub(crate) fn prompt_struct(
        &self,
        facade: &TokenStream,
        head: &Head,
        definition: &Definition,
        renders: Option<&str>,
    ) -> TokenStream {
        let Head { attributes, visibility, ident, .. } = head;
        let generics = &self.generics;
        let (parameters, arguments, _) = generics.split_for_impl();
        let kept = attributes.iter().filter(|attribute| !attribute.path().is_ident("prompt"));
        let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        let title =
            definition.description.clone().unwrap_or_else(|| format!("The prompt `{ident}`."));
        let title = (!documented).then(|| quote!(#[doc = #title]));
        let renders = renders.map(|renders| quote!(#[doc = ""] #[doc = #renders]));
        let target = ImplTarget { facade, ident, generics };
        let (derives, implementations) = traits(target, attributes, &self.fields);
        let fields = self.fields.iter().map(Member::tokens);
        let given: Vec<Given<'_>> =
            self.fields.iter().map(|member| member.given("the input")).collect();
        let constructors = constructors::expand(target, "the prompt", &given);
        let model = statics::model(facade, definition).map(|model| {
            quote! {
                #[allow(dead_code)]
                impl #parameters #ident #arguments {
                    /// The model that the file names, without what the host decides.
                    pub const MODEL: #facade::StaticModel = #model;
                }
            }
        });
        // rustc shows only the name of the struct in messages, not the whole macro.
        quote_spanned! {Span::call_site().located_at(ident.span())=>
            #(#kept)*
            #title
            #renders
            #derives
            #[allow(unused_qualifications)]
            #visibility struct #ident #parameters {
                #(#fields,)*
            }
            #implementations
            #constructors
            #model
        }
    }
}

impl Member {
    fn tokens(&self) -> TokenStream {
        let Self { field, ty, doc, .. } = self;
        quote!(#[doc = #doc] pub #field: #ty)
    }

    fn given(&self, kind: &str) -> Given<'_> {
        let subject = format!("{kind} `{}`", syn::ext::IdentExt::unraw(&self.field));
        let is_declared = self.origin == Origin::Generated;
        Given { field: &self.field, ty: &self.ty, subject, is_declared }
    }
}

/// `Debug` and `Clone` of a struct, as what stands in front of it and what stands behind it.
fn traits(
    target: ImplTarget<'_>,
    attributes: &[syn::Attribute],
    members: &[Member],
) -> (TokenStream, TokenStream) {
    if members.iter().all(|member| member.origin != Origin::Replaced) {
        return (derives::derive_both(target.facade, attributes), TokenStream::new());
    }
    let fields: Vec<NamedField<'_>> =
        members.iter().map(|member| (&member.field, &member.ty)).collect();
    (TokenStream::new(), derives::implement_both(target, attributes, &fields))
}

/// `#[non_exhaustive]` for nested types, if the prompt has it.
fn sealed(head: &Head) -> Option<TokenStream> {
    let is_sealed = head.attributes.iter().any(|it| it.path().is_ident("non_exhaustive"));
    is_sealed.then(|| quote!(#[non_exhaustive]))
}

/// `<'prompt>` if one of the types borrows.
fn lifetime_generics<'a>(types: impl Iterator<Item = &'a Type>) -> Generics {
    let mut types = types;
    if types.any(lifetimes::is_in_type) { parse_quote!(<'prompt>) } else { Generics::default() }
}

/// The variants of an enumeration, by its values.
pub(crate) fn variants(values: &[String], span: Span) -> Vec<Ident> {
    let mut names = Names::default();
    let variants = values.iter().map(|value| {
        let name = pascal_case(value);
        let starts_well = name.starts_with(|first: char| first.is_alphabetic());
        let name = if starts_well { name } else { format!("Value{name}") };
        Ident::new(&names.take(name), span)
    });
    variants.collect()
}

/// The documentation of the field or type of an input.
pub(crate) fn documentation(input: &Input, without_description: &str) -> String {
    let mut text = input.description.clone().unwrap_or_else(|| without_description.to_owned());
    match &input.default {
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
pub(crate) fn pascal_case(name: &str) -> String {
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

//! Generates the structs and enums of a prompt whose front matter declares the inputs.
//!
//! For `inputs: {order: {kind: object, properties: {id: {kind: integer}}}}` and the prompt `Ask`,
//! [`generate_input_types`] chooses the type `AskOrder` for the input `order`, and generates
//! `struct AskOrder { pub id: i64 }` with its implementations. Then
//! [`GeneratedTypes::prompt_struct`] generates `struct Ask { pub order: AskOrder }`.

use std::collections::BTreeMap;

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::{Definition, Input, Presence, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::message::RichKind;
use prompty_core::value::Value;
use quote::{format_ident, quote, quote_spanned};
use syn::{Generics, Ident, Type, parse_quote};

use super::constructors::{self, ConstructorField};
use super::derives::{self, NamedField};
use super::nested::{NestedTypes, TypeLocation, UniqueNames};
use super::replacements::{TypeReplacements, written_path};
use super::{lifetimes, statics};
use crate::errors::Errors;
use crate::model::{Head, ImplTarget, InputField, PromptOptions};
use crate::report::{self, Subjects};
use crate::rust_type;
use crate::source::Source;
use crate::type_names::join_capitalized;

/// The generated types of a prompt.
#[derive(Default)]
pub(crate) struct GeneratedTypes {
    /// The types of nested objects and enumerations.
    pub(crate) nested: TokenStream,
    pub(crate) generics: Generics,
    pub(crate) inputs: Vec<InputField>,
    /// The fields of the struct, in the order of the inputs.
    members: Vec<Member>,
    /// The names of the nested types.
    pub(crate) names: UniqueNames,
}

/// A field of a generated struct.
struct Member {
    field: Ident,
    ty: Type,
    doc: String,
    origin: TypeOrigin,
}

/// Where the type of a field comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeOrigin {
    /// All prompts share it.
    Common,
    /// The macro generated it, or a part of it.
    Generated,
    /// It is the user's own type, or contains one.
    Replaced,
}

/// The Rust type that was chosen for the values of an input or of a part of one.
struct ChosenType {
    ty: Type,
    /// The type of the values, as far as the generated code knows it.
    value_type: ValueType,
    origin: TypeOrigin,
}

/// An input or a part of one, such as a field of an object, whose Rust type is chosen.
struct InputPart<'n> {
    /// The names of the input and of the objects' fields that lead to it.
    path: String,
    /// The name of a generated type, without the prefix of the prompt's name.
    name: String,
    /// The name of its values in the documentation.
    subject: String,
    /// The location of the type in which it is used.
    used_in: TypeLocation,
    input: &'n Input,
}

/// Chooses the types of the declared inputs, and generates those that are nested.
pub(crate) fn generate_input_types(
    facade: &TokenStream,
    head: &Head,
    definition: &Definition,
    source: &Source,
    options: &PromptOptions,
    errors: &mut Errors,
) -> GeneratedTypes {
    let replacements = TypeReplacements::new(&options.types);
    let nested = NestedTypes::new(head);
    let names = UniqueNames::default();
    let mut writer = InputTypeWriter { facade, head, source, nested, names, replacements, errors };
    let (mut inputs, mut members) = (Vec::new(), Vec::new());
    for (field, input) in writer.fields(None, &definition.inputs) {
        let (input, member) = writer.prompt_field(input, field);
        inputs.push(input);
        members.push(member);
    }
    let InputTypeWriter { nested, names, replacements, errors, .. } = writer;
    replacements.report_unused(errors);
    let generics = lifetime_generics(inputs.iter().map(|input| &input.ty));
    GeneratedTypes { nested: nested.items(head), generics, inputs, members, names }
}

struct InputTypeWriter<'a> {
    facade: &'a TokenStream,
    head: &'a Head,
    source: &'a Source,
    nested: NestedTypes,
    /// The names of the nested types.
    names: UniqueNames,
    replacements: TypeReplacements<'a>,
    errors: &'a mut Errors,
}

impl InputTypeWriter<'_> {
    /// See [`fields`].
    fn fields<'i>(&mut self, owner: Option<&str>, inputs: &'i [Input]) -> Vec<(Ident, &'i Input)> {
        fields(owner, inputs, self.head.ident.span(), self.source, self.errors)
    }

    /// The field of the prompt for a declared input: as an input, and as a member of the struct.
    fn prompt_field(&mut self, declared: &Input, field: Ident) -> (InputField, Member) {
        let chosen = self.choose(&InputPart {
            path: declared.name.clone(),
            name: pascal_case(&declared.name),
            subject: format!("`{}`", declared.name),
            used_in: TypeLocation::NextToPrompt,
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
            is_text: false,
            field,
            ty,
            input,
            default: None,
            roles: Some(declared.roles.clone()),
        };
        (input, member)
    }

    /// The type, in an `Option` if the value may be missing.
    fn optional_type(&self, ty: Type, presence: Presence) -> Type {
        let facade = self.facade;
        match presence {
            Presence::Required => ty,
            _ => rust_type::with_item(parse_quote!(#facade::__private::Option<_>), ty),
        }
    }

    /// Chooses the Rust type of an input's values.
    fn choose(&mut self, part: &InputPart<'_>) -> ChosenType {
        let facade = self.facade;
        let private = quote!(#facade::__private);
        let mut value_type = part.input.value_type.clone();
        let ty: Type = match value_type.non_null() {
            ValueType::Choice(_) if !value_type.is_nullable() => {
                return self.own_or_generated(part, value_type);
            }
            // A choice that may be `null` has no enum.
            ValueType::String | ValueType::Choice(_) => parse_quote!(&'prompt #private::str),
            ValueType::Integer => parse_quote!(#private::i64),
            ValueType::Float => parse_quote!(#private::f64),
            ValueType::Boolean => parse_quote!(#private::bool),
            ValueType::Array(None) => parse_quote!(&'prompt [#facade::Value]),
            ValueType::Array(Some(item)) => return self.list(part, item),
            ValueType::Object(fields) if fields.is_empty() => parse_quote!(#facade::Map),
            ValueType::Object(_) => return self.own_or_generated(part, value_type),
            ValueType::Rich(RichKind::Thread) => parse_quote!(&'prompt [#facade::Message]),
            ValueType::Rich(_) => parse_quote!(&'prompt #facade::Media),
            _ => {
                value_type = value_type.with_non_null(ValueType::Any);
                parse_quote!(#facade::Value)
            }
        };
        ChosenType { ty, value_type, origin: TypeOrigin::Common }
    }

    /// The type of a list: a slice of the type of its items.
    fn list(&mut self, part: &InputPart<'_>, item: &Input) -> ChosenType {
        let ChosenType { ty, value_type: item, origin } = self.choose(&InputPart {
            path: part.path.clone(),
            name: format!("{}Item", part.name),
            subject: format!("an item of {}", part.subject),
            used_in: part.used_in,
            input: item,
        });
        let value_type = part.input.value_type.with_non_null(ValueType::list_of(item));
        ChosenType { ty: rust_type::with_item(parse_quote!(&'prompt [_]), ty), value_type, origin }
    }

    /// The type of an object or an enumeration: the user's own, or a generated one.
    fn own_or_generated(&mut self, part: &InputPart<'_>, value_type: ValueType) -> ChosenType {
        if let Some(ty) = self.replacements.take(&part.path) {
            let foreign = ValueType::Foreign(rust_type::type_text(&ty));
            let value_type = value_type.with_non_null(foreign);
            return ChosenType { ty, value_type, origin: TypeOrigin::Replaced };
        }
        let name = self.names.take(format!("{}{}", self.head.ident, part.name));
        let ident = Ident::new(&name, self.head.ident.span());
        if let ValueType::Object(fields) = part.input.value_type.non_null() {
            return self.object(part, &ident, fields);
        }
        self.enumeration(part, &ident, value_type.choices().unwrap_or_default());
        let path = self.nested.path(&ident, TypeLocation::InModule, part.used_in);
        ChosenType { ty: parse_quote!(#path), value_type, origin: TypeOrigin::Generated }
    }

    /// Generates the struct of an object, with its implementations.
    fn object(&mut self, part: &InputPart<'_>, ident: &Ident, declared: &[Input]) -> ChosenType {
        let facade = self.facade;
        // A module cannot use items in the body of a function, where the user's own types may be.
        let location = match self.replacements.replaces_part_of(&part.path) {
            true => TypeLocation::NextToPrompt,
            false => TypeLocation::InModule,
        };
        let declared = self.fields(Some(&part.subject), declared).into_iter();
        let fields = declared.map(|(field, input)| self.object_field(part, location, field, input));
        let (members, fields): (Vec<Member>, Vec<Input>) = fields.unzip();
        let generics = lifetime_generics(members.iter().map(|member| &member.ty));
        let (parameters, arguments, _) = generics.split_for_impl();
        let visibility = location.visibility(self.head);
        let doc = documentation(part.input, &format!("The fields of {}.", part.subject));
        let replacement_note = format!(
            "To use your own struct instead, write `#[prompt(types({} = YourStruct))]`.",
            written_path(&part.path)
        );
        let target = ImplTarget { facade, ident, generics: &generics };
        let (derives, implementations) = debug_and_clone(target, &[], &members);
        let non_exhaustive = non_exhaustive_attribute(self.head);
        let declarations = members.iter().map(Member::declaration);
        let constructors = constructors_of(target, "the value", "the field", &members);
        let to_value = to_value_implementation(target, &members, &fields);
        self.nested.add(
            ident,
            location,
            quote! {
                #[doc = #doc]
                #[doc = ""]
                #[doc = #replacement_note]
                #derives
                #non_exhaustive
                #[allow(unused_qualifications)]
                #visibility struct #ident #parameters {
                    #(#declarations,)*
                }
                #implementations
                #constructors
                #to_value
            },
        );
        let value_type = part.input.value_type.with_non_null(ValueType::Object(fields));
        let path = self.nested.path(ident, location, part.used_in);
        ChosenType { ty: parse_quote!(#path #arguments), value_type, origin: TypeOrigin::Generated }
    }

    /// The field of a generated struct for a field of an object: in Rust, and as the template reads
    /// it.
    fn object_field(
        &mut self,
        object: &InputPart<'_>,
        location: TypeLocation,
        field: Ident,
        declared: &Input,
    ) -> (Member, Input) {
        let key = &declared.name;
        let chosen = self.choose(&InputPart {
            path: format!("{}.{key}", object.path),
            name: format!("{}{}", object.name, pascal_case(key)),
            subject: format!("`{key}` of {}", object.subject),
            used_in: location,
            input: declared,
        });
        let mut input = Input::new(key.as_str(), chosen.value_type);
        input.required = declared.presence() != Presence::Optional;
        let ty = self.optional_type(chosen.ty, declared.presence());
        let doc = documentation(declared, &format!("The field `{key}`."));
        (Member { field, ty, doc, origin: chosen.origin }, input)
    }

    /// Generates an enum for a string with `enumValues`.
    fn enumeration(&mut self, part: &InputPart<'_>, ident: &Ident, values: &[String]) {
        let facade = self.facade;
        let private = quote!(#facade::__private);
        let variants = variant_idents(values, self.head.ident.span());
        let docs = values.iter().map(|value| format!("`{value}`"));
        let doc = documentation(part.input, &format!("The values of {}.", part.subject));
        let visibility = TypeLocation::InModule.visibility(self.head);
        let non_exhaustive = non_exhaustive_attribute(self.head);
        self.nested.add(ident, TypeLocation::InModule, quote! {
            #[doc = #doc]
            #[allow(dead_code)]
            #[derive(
                #private::Debug, #private::Clone, #private::Copy, #private::PartialEq, #private::Eq,
                #private::Hash,
            )]
            #non_exhaustive
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

/// The fields of named inputs or outputs. Two inputs with the same field are an error. `owner` is
/// the name of the object in messages; `None` for the inputs of the prompt.
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
            None => format!("the inputs `{other}` and `{name}` have the same Rust field `{field}`"),
            Some(owner) => {
                format!("`{other}` and `{name}` of {owner} have the same Rust field `{field}`")
            }
        };
        let mut diagnostic =
            Diagnostic::new(Code::Declaration, message).with_help("rename one of them");
        diagnostic.span = input.name_span;
        report::report_diagnostics(source, &[diagnostic], Subjects::default(), errors);
    }
    fields
}

impl GeneratedTypes {
    /// Generates the struct of the prompt. `renders` is the sentence for its documentation that
    /// says how it renders, if it does.
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
        let (derives, implementations) = debug_and_clone(target, attributes, &self.members);
        let fields = self.members.iter().map(Member::declaration);
        let constructors = constructors_of(target, "the prompt", "the input", &self.members);
        let model = statics::static_model(facade, definition).map(|model| {
            quote! {
                #[allow(dead_code)]
                impl #parameters #ident #arguments {
                    /// The model that the file names, without the values that the host decides.
                    pub const MODEL: #facade::StaticModel = #model;
                }
            }
        });
        // In messages, rustc then shows only the name of the struct, not the complete macro call.
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
    fn declaration(&self) -> TokenStream {
        let Self { field, ty, doc, .. } = self;
        quote!(#[doc = #doc] pub #field: #ty)
    }
}

/// The constructors of a type with these members. `kind` is the name of a member in the
/// documentation, and `made` is the name of the value.
fn constructors_of(
    target: ImplTarget<'_>,
    made: &str,
    kind: &str,
    members: &[Member],
) -> TokenStream {
    let fields = members.iter().map(|member| ConstructorField {
        field: &member.field,
        ty: &member.ty,
        subject: format!("{kind} `{}`", syn::ext::IdentExt::unraw(&member.field)),
        is_declared: member.origin == TypeOrigin::Generated,
    });
    constructors::implement(target, made, &fields.collect::<Vec<_>>())
}

/// `Debug` and `Clone` of a struct: the attributes before it, and the implementations after it.
fn debug_and_clone(
    target: ImplTarget<'_>,
    attributes: &[syn::Attribute],
    members: &[Member],
) -> (TokenStream, TokenStream) {
    if members.iter().all(|member| member.origin != TypeOrigin::Replaced) {
        return (derives::derive_both(target.facade, attributes), TokenStream::new());
    }
    let fields: Vec<NamedField<'_>> =
        members.iter().map(|member| (&member.field, &member.ty)).collect();
    (TokenStream::new(), derives::implement_both(target, attributes, &fields))
}

/// `ToValue` of a struct, whose value is a map with the names of the front matter.
fn to_value_implementation(
    target: ImplTarget<'_>,
    members: &[Member],
    inputs: &[Input],
) -> TokenStream {
    let ImplTarget { facade, ident, generics } = target;
    let (parameters, arguments, _) = generics.split_for_impl();
    let entries = members.iter().zip(inputs).map(|(Member { field, .. }, Input { name, .. })| {
        quote!((#name, #facade::ToValue::to_value(&self.#field)))
    });
    // The bound on the user's types is checked only if a complete value is printed.
    let replaced = members.iter().filter(|member| member.origin == TypeOrigin::Replaced);
    let bounds = replaced.map(|Member { ty, .. }| quote!(for<'__written> #ty: #facade::ToValue));
    quote! {
        #[automatically_derived]
        impl #parameters #facade::ToValue for #ident #arguments
        where
            #(#bounds,)*
        {
            fn to_value(&self) -> #facade::Value {
                #facade::__private::project::map([#(#entries),*])
            }
        }
    }
}

/// `#[non_exhaustive]` for nested types, if the prompt has it.
fn non_exhaustive_attribute(head: &Head) -> Option<TokenStream> {
    let is_present = head.attributes.iter().any(|it| it.path().is_ident("non_exhaustive"));
    is_present.then(|| quote!(#[non_exhaustive]))
}

/// `<'prompt>` if one of the types borrows.
fn lifetime_generics<'a>(mut types: impl Iterator<Item = &'a Type>) -> Generics {
    if types.any(lifetimes::is_in_type) { parse_quote!(<'prompt>) } else { Generics::default() }
}

/// The variants of an enumeration with these values.
pub(crate) fn variant_idents(values: &[String], span: Span) -> Vec<Ident> {
    let mut names = UniqueNames::default();
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
    let name = join_capitalized(name.split(|character: char| !character.is_alphanumeric()));
    // `Self` is the only Rust keyword in this form.
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

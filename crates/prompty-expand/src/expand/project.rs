//! Generates the conversion of fields into the inputs of a render. It converts only the values that
//! the template reads.
//!
//! rustc checks the code of the conversion: for a template that reads `passage.title`, it contains
//! the expression `passage.title`. So nested and foreign types need no trait of ours, and rustc
//! itself reports a field that does not exist. The module [`site`] generates the errors for values
//! of a wrong type.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::check::{Use, Uses};
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::{Diagnostic, SourceSpan};
use quote::{format_ident, quote_spanned};

use super::site::{Ability, Site, Sites};
use super::structs;
use crate::model::{FieldNames, Prompt};
use crate::source::Source;

/// The maximum depth of nested uses, which is the same as in the checker.
const DEEPEST: usize = 32;

/// Generates the conversions of one prompt.
#[derive(Clone, Copy)]
pub(crate) struct Projector<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) sites: &'a Sites,
    /// Whether conditions are those of Handlebars.
    pub(crate) is_handlebars: bool,
}

/// A value that a template uses: a place expression, how the template uses it, and the type derived
/// from the name of its Rust type.
#[derive(Clone, Copy)]
pub(crate) struct UsedValue<'a> {
    pub(crate) place: &'a TokenStream,
    pub(crate) usage: &'a Use,
    pub(crate) value_type: &'a ValueType,
}

impl Projector<'_> {
    fn span(&self) -> Span {
        self.source.code_span()
    }

    /// Generates the expression that converts the value.
    pub(crate) fn value(&self, used: UsedValue<'_>) -> TokenStream {
        self.nested_value(used, 0)
    }

    fn nested_value(&self, used: UsedValue<'_>, depth: usize) -> TokenStream {
        let span = self.span();
        // The place is read once, so that rustc reports an unknown field once.
        let given = format_ident!("__given_{depth}", span = span);
        let within = quote_spanned!(span=> (*#given));
        let bound = UsedValue { place: &within, ..used };
        let need = self.need(bound);
        if need.is_empty() {
            return self.converted(used, depth);
        }
        let (place, value) = (used.place, self.converted(bound, depth));
        quote_spanned!(span=> { let #given = &#place; #need #value })
    }

    fn converted(&self, used: UsedValue<'_>, depth: usize) -> TokenStream {
        let UsedValue { place, usage, value_type } = used;
        let span = self.span();
        let both = (usage.item.is_some() || usage.counted) && !usage.attributes.is_empty();
        // Maps and dynamic values have entries instead of fields.
        let has_entries =
            has_any_entries(value_type) && !(usage.attributes.is_empty() && usage.item.is_none());
        if usage.read_fully || both || has_entries || depth > DEEPEST {
            let at = usage.read_fully_at.or(usage.span);
            return self
                .site(Ability::Write, value_type, at)
                .value(&quote_spanned!(span=> &#place));
        }
        if usage.counted && usage.item.is_none() {
            let at = usage.counted_at.or(usage.span);
            return self
                .site(Ability::Count, value_type, at)
                .value(&quote_spanned!(span=> &#place));
        }
        let inner = variable(depth, span);
        if let Some(item) = &usage.item {
            let within = quote_spanned!(span=> (*#inner));
            let item = UsedValue { place: &within, usage: item, value_type: item_type(value_type) };
            let item = self.nested_value(item, depth + 1);
            return self.loop_over(used, &inner, &item);
        }
        if usage.attributes.is_empty() && !usage.tested {
            // The template does not use the value itself, for example the items of a loop that only
            // counts.
            let facade = self.facade;
            return quote_spanned!(span=> #facade::__private::project::null());
        }
        if usage.attributes.is_empty() {
            return self.condition(used);
        }
        let facade = self.facade;
        let attributes = usage.attributes.iter().map(|(name, usage)| {
            let attribute = self.attribute(value_type, &inner, (name, usage), |place| {
                let value_type = field_type(value_type, name);
                self.nested_value(UsedValue { place, usage, value_type }, depth + 1)
            });
            quote_spanned!(span=> (#name, #attribute))
        });
        let map = format_ident!("{}", if may_have_entries(value_type) { "entries" } else { "map" });
        let attributes =
            quote_spanned!(span=> #facade::__private::project::#map([#(#attributes),*]));
        self.attributes_of(place, &inner, &attributes)
    }

    /// Generates the checks that [`Projector::value`] does not include, as statements of a function
    /// that is never called. A value that is converted as a whole may also be looped over or read
    /// by its attributes, and a value whose attributes are read may also be a condition.
    pub(crate) fn checks(&self, used: UsedValue<'_>) -> TokenStream {
        self.nested_checks(used, 0)
    }

    fn nested_checks(&self, used: UsedValue<'_>, depth: usize) -> TokenStream {
        let UsedValue { place, usage, value_type } = used;
        if has_any_entries(value_type) || depth > DEEPEST {
            return TokenStream::new();
        }
        let (facade, span) = (self.facade, self.span());
        let is_whole = usage.read_fully || (usage.item.is_some() && !usage.attributes.is_empty());
        let mut statements = TokenStream::new();
        if is_whole {
            for part in used_parts(usage) {
                let value = self.nested_value(UsedValue { place, usage: &part, value_type }, depth);
                statements.extend(quote_spanned!(span=> let _ = #value;));
            }
        }
        if usage.tested && !is_whole && !usage.attributes.is_empty() {
            let asked = self.condition(used);
            statements.extend(quote_spanned!(span=> let _ = #asked;));
        }
        let inner = variable(depth, span);
        let nothing = quote_spanned!(span=> #facade::__private::project::null());
        if let Some(item) = &usage.item {
            let within = quote_spanned!(span=> (*#inner));
            let item = UsedValue { place: &within, usage: item, value_type: item_type(value_type) };
            let item = self.nested_checks(item, depth + 1);
            if !item.is_empty() {
                let looped = quote_spanned!(span=> { #item #nothing });
                let looped = self.loop_over(used, &inner, &looped);
                statements.extend(quote_spanned!(span=> let _ = #looped;));
            }
        }
        for (name, usage) in &usage.attributes {
            let mut is_empty = false;
            let read = self.attribute(value_type, &inner, (name, usage), |place| {
                let value_type = field_type(value_type, name);
                let attribute =
                    self.nested_checks(UsedValue { place, usage, value_type }, depth + 1);
                is_empty = attribute.is_empty();
                quote_spanned!(span=> { #attribute })
            });
            if !is_empty {
                let read = quote_spanned!(span=> { let _ = #read; #nothing });
                let read = self.attributes_of(place, &inner, &read);
                statements.extend(quote_spanned!(span=> let _ = #read;));
            }
        }
        statements
    }

    /// Generates the statement that requires that an unguarded value is not an `Option`.
    fn need(&self, used: UsedValue<'_>) -> TokenStream {
        let Some(diagnostic) = &used.usage.unguarded else { return TokenStream::new() };
        if !is_need_of_rust(self.prompt, used.value_type) {
            return TokenStream::new();
        }
        let place = used.place;
        let site = self.site(Ability::Need, used.value_type, diagnostic.span);
        let site = Site { is_plain: false, diagnostic: Some(diagnostic), ..site };
        site.require_given(&quote_spanned!(self.span()=> &#place))
    }

    /// Generates the result of `make` for an attribute of `inner`. It is in an `Option` if `inner`
    /// may be a map, which may lack the entry.
    fn attribute(
        &self,
        owner: &ValueType,
        inner: &Ident,
        (name, usage): (&String, &Use),
        make: impl FnOnce(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        let (facade, span) = (self.facade, self.span());
        let field = field(self.prompt, name, span);
        if !may_have_entries(owner) {
            let read = read(self.source, inner, &field, usage.span);
            return make(&quote_spanned!(span=> *#read));
        }
        let read = read_named(facade, self.source, inner, (name, &field), usage.span);
        let made = make(&quote_spanned!(span=> *#inner));
        quote_spanned!(span=> match #read {
            #facade::__private::Option::Some(#inner) => #facade::__private::Option::Some(#made),
            #facade::__private::Option::None => #facade::__private::Option::None,
        })
    }

    fn site(&self, ability: Ability, value_type: &ValueType, at: Option<SourceSpan>) -> Site<'_> {
        Site {
            facade: self.facade,
            source: self.source,
            prompt: self.prompt,
            sites: self.sites,
            ability,
            at,
            is_plain: is_plain(self.prompt, value_type),
            diagnostic: None,
        }
    }

    fn loop_over(&self, used: UsedValue<'_>, inner: &Ident, item: &TokenStream) -> TokenStream {
        let (facade, place, span) = (self.facade, used.place, self.span());
        let at = used.usage.item_at.or(used.usage.span);
        let each = self.site(Ability::Loop, used.value_type, at).each(
            &quote_spanned!(span=> &#place),
            &quote_spanned!(span=> |#inner| items.push(#item)),
        );
        quote_spanned!(span=> {
            let mut items: #facade::__private::Vec<#facade::Value> =
                #facade::__private::Vec::new();
            #each;
            #facade::__private::project::items(items)
        })
    }

    fn condition(&self, used: UsedValue<'_>) -> TokenStream {
        let (facade, place, span) = (self.facade, used.place, self.span());
        let at = used.usage.tested_at.or(used.usage.span);
        let holds = self
            .site(Ability::Condition, used.value_type, at)
            .condition(&quote_spanned!(span=> &#place));
        let private = quote_spanned!(span=> #facade::__private);
        if self.is_handlebars {
            let is_text = matches!(used.value_type, ValueType::String);
            // The closure is never called. It requires that the value can be a condition.
            return quote_spanned!(span=> #private::project::block_condition(
                (&&&&#private::place::Place(&#place)).is_missing(),
                { let _ = || #holds; (&&&&&#private::place::Place(&#place)).block_truth() },
                #is_text,
            ));
        }
        // The template may also test whether the value is `none`.
        quote_spanned!(span=> #private::project::condition(
            (&&&&#private::place::Place(&#place)).is_missing(),
            #facade::Value::Bool(#holds),
        ))
    }

    fn attributes_of(
        &self,
        place: &TokenStream,
        inner: &Ident,
        attributes: &TokenStream,
    ) -> TokenStream {
        let facade = self.facade;
        quote_spanned!(self.span()=>
            #facade::__private::project::Parent(&#place).project(|#inner| #attributes)
        )
    }
}

/// Generates a reference to the field that an attribute reads. If the field does not exist, rustc
/// reports it together with the name of the macro that generated the access. That name contains the
/// place in the template.
pub(crate) fn read(
    source: &Source,
    inner: &Ident,
    field: &Ident,
    at: Option<SourceSpan>,
) -> TokenStream {
    let span = source.code_span();
    let Some(at) = at else {
        return quote_spanned!(span=> (&#inner.#field));
    };
    let access = Ident::new(&source.name_of_macro(at), span);
    quote_spanned!(span=> {
        macro_rules! #access {
            ($value:ident) => { &$value.#field };
        }
        #access!(#inner)
    })
}

/// Generates a reference, in an `Option`, to the field or the entry that an attribute reads. It is
/// used if only rustc knows whether the value is a struct or a map.
pub(crate) fn read_named(
    facade: &TokenStream,
    source: &Source,
    inner: &Ident,
    (name, field): (&str, &Ident),
    at: Option<SourceSpan>,
) -> TokenStream {
    let span = source.code_span();
    let read = read(source, inner, field, at);
    quote_spanned!(span=> {
        #[allow(dead_code)]
        struct Named {
            #field: #facade::Value,
        }
        let fields = &#facade::__private::named::Fields::<Named>::HERE;
        (&&&#facade::__private::place::Place(#inner)).named(#name, fields, |#inner| #read)
    })
}

/// Whether only rustc knows if a value of this type has fields or entries. Types that the
/// template's author names have fields.
pub(crate) fn may_have_entries(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Foreign(name) if name.is_empty())
}

/// Whether the code requires the traits of the facade directly. It does so if the name of the type
/// shows that it implements them, or if the type is a parameter, because rustc then suggests the
/// trait as a bound.
pub(crate) fn is_plain(prompt: &Prompt, value_type: &ValueType) -> bool {
    match value_type {
        ValueType::Foreign(name) => {
            prompt.generics.type_params().any(|parameter| parameter.ident == name)
        }
        ValueType::Optional(inner) => is_plain(prompt, inner),
        other => other.item().is_none_or(|item| is_plain(prompt, item)),
    }
}

/// Whether only rustc knows if a value of this type is an `Option`.
pub(crate) fn is_need_of_rust(prompt: &Prompt, value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Foreign(_)) && !is_plain(prompt, value_type)
}

/// The checker's diagnostics about unguarded values, by their places.
pub(crate) fn unguarded(uses: &Uses) -> BTreeMap<SourceSpan, &Diagnostic> {
    fn collect<'u>(usage: &'u Use, found: &mut BTreeMap<SourceSpan, &'u Diagnostic>) {
        if let Some(diagnostic) = &usage.unguarded {
            found.insert(diagnostic.span.unwrap_or_default(), &**diagnostic);
        }
        usage.item.iter().for_each(|item| collect(item, found));
        usage.attributes.iter().for_each(|(_, attribute)| collect(attribute, found));
    }
    let mut found = BTreeMap::new();
    uses.inputs.iter().for_each(|(_, usage)| collect(usage, &mut found));
    found
}

/// The uses of a value's items and attributes, one by one.
fn used_parts(usage: &Use) -> Vec<Use> {
    let (mut looped, mut read) = (Use::default(), Use::default());
    looped.item.clone_from(&usage.item);
    looped.item_at = usage.item_at;
    read.attributes.clone_from(&usage.attributes);
    let parts = [looped, read];
    parts.into_iter().filter(|it| it.item.is_some() || !it.attributes.is_empty()).collect()
}

fn variable(depth: usize, span: Span) -> Ident {
    format_ident!("__item_{depth}", span = span)
}

/// Whether values of a type are maps that may have any entries.
fn has_any_entries(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Any | ValueType::Object(_)) && value_type.fields().is_none()
}

/// The type of a value that only rustc knows.
static UNKNOWN: ValueType = ValueType::Foreign(String::new());

fn item_type(list: &ValueType) -> &ValueType {
    list.non_null().item().unwrap_or(&UNKNOWN)
}

/// The type of a field of a struct that was generated from front matter; unknown for other structs.
fn field_type<'t>(owner: &'t ValueType, name: &str) -> &'t ValueType {
    let ValueType::Object(fields) = owner.non_null() else { return &UNKNOWN };
    fields.iter().find(|field| field.name == name).map_or(&UNKNOWN, |field| &field.value_type)
}

/// Converts the name of an attribute in a template into the name of a Rust field.
pub(crate) fn field(prompt: &Prompt, name: &str, span: Span) -> Ident {
    if prompt.names == FieldNames::FrontMatter {
        return structs::field_ident(name, span);
    }
    let parsed: syn::Result<Ident> = syn::parse_str(name);
    match parsed {
        Ok(_) => Ident::new(name, span),
        Err(_) => Ident::new_raw(name, span),
    }
}

//! Generates the conversion of fields into the inputs of the template engine. It converts only the
//! values that the template reads.
//!
//! A template that loops over `passages` and reads `passage.title` has this conversion (shortened).
//! The result is a list of maps that have only the key `title`:
//!
//! ```text
//! let mut items = Vec::new();
//! AskLoopsAt2_19::each(&prompt.passages, |__item_0| items.push(
//!     map([("title", the conversion of __item_0.title)])
//! ));
//! items(items)
//! ```
//!
//! rustc checks the expression `__item_0.title`. So nested and foreign types need no trait of ours,
//! and rustc itself reports a field that does not exist. The module [`site`] generates the errors
//! for values of a wrong type.
//!
//! [`InputConverter::value`] follows the uses that the checker found: a [`Use`] is a tree, with the
//! uses of items and attributes as its branches. [`InputConverter::checks`] generates code for the
//! uses that the conversion does not contain, so that rustc also checks them.
//!
//! [`site`]: super::site

use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::check::Use;
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::SourceSpan;
use quote::{format_ident, quote_spanned};

use super::field_access::{field_of_attribute, may_have_entries, read_field, read_field_or_entry};
use super::site::{RequiredTrait, Site, SiteTraits, may_be_option, uses_facade_traits};
use crate::model::{InputField, Prompt};
use crate::source::Source;

/// The maximum depth of nested uses, which limits the recursion here. The uses of the checker are
/// not so deep.
const DEEPEST: usize = 32;

/// Generates the conversions of one prompt.
#[derive(Clone, Copy)]
pub(crate) struct InputConverter<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) traits: &'a SiteTraits,
    /// Whether conditions are those of Handlebars.
    pub(crate) is_handlebars: bool,
}

/// A value that a template uses.
#[derive(Clone, Copy)]
pub(crate) struct UsedValue<'a> {
    /// A place expression, such as `prompt.passages` or `(*__item_0)`.
    pub(crate) place: &'a TokenStream,
    pub(crate) usage: &'a Use,
    /// The type of the value, derived from the name of its Rust type.
    pub(crate) value_type: &'a ValueType,
    /// The number of values around it.
    depth: usize,
}

impl<'a> UsedValue<'a> {
    /// The value of an input, at a place expression.
    pub(crate) fn of_input(place: &'a TokenStream, usage: &'a Use, input: &'a InputField) -> Self {
        Self { place, usage, value_type: input.value_type(), depth: 0 }
    }

    /// The use of an item of the value, at a place expression. `None` if no items are used.
    fn item(self, place: &'a TokenStream) -> Option<Self> {
        let value_type = self.value_type.non_null().item().unwrap_or(&UNKNOWN);
        let (usage, depth) = (self.usage.item.as_deref()?, self.depth + 1);
        Some(Self { place, usage, value_type, depth })
    }

    /// The use of an attribute, at a place expression. Its type is known if the front matter
    /// declares the fields of the struct.
    fn attribute(self, place: &'a TokenStream, name: &str, usage: &'a Use) -> Self {
        let value_type = match self.value_type.non_null() {
            ValueType::Object(fields) => {
                let field = fields.iter().find(|field| field.name == name);
                field.map_or(&UNKNOWN, |field| &field.value_type)
            }
            _ => &UNKNOWN,
        };
        Self { place, usage, value_type, depth: self.depth + 1 }
    }
}

impl InputConverter<'_> {
    fn span(&self) -> Span {
        self.source.code_span()
    }

    /// Generates the expression that converts the value. If the value is used without a guard, the
    /// code requires that it is not an `Option`.
    pub(crate) fn value(&self, used: UsedValue<'_>) -> TokenStream {
        let span = self.span();
        // The place is read once, so that rustc reports an unknown field once.
        let given = format_ident!("__given_{}", used.depth, span = span);
        let within = quote_spanned!(span=> (*#given));
        let bound = UsedValue { place: &within, ..used };
        let required_presence = self.required_presence(bound);
        if required_presence.is_empty() {
            return self.conversion(used);
        }
        let (place, value) = (used.place, self.conversion(bound));
        quote_spanned!(span=> { let #given = &#place; #required_presence #value })
    }

    /// Generates the conversion of as much of the value as the template uses. The largest use
    /// decides: the complete value, its items, its length, its attributes, or its truth.
    fn conversion(&self, used: UsedValue<'_>) -> TokenStream {
        let UsedValue { place, usage, value_type, depth } = used;
        let (facade, span) = (self.facade, self.span());
        let has_attributes = !usage.attributes.is_empty();
        // A value that is used as a list and as a struct is converted completely.
        let is_list_with_attributes = (usage.item.is_some() || usage.counted) && has_attributes;
        // Maps and dynamic values have entries, which cannot be read like fields.
        let has_used_entries =
            has_any_entries(value_type) && (has_attributes || usage.item.is_some());
        if usage.read_fully || is_list_with_attributes || has_used_entries || depth > DEEPEST {
            let at = usage.read_fully_at.or(usage.span);
            let site = self.site(RequiredTrait::ToValue, value_type, at);
            return site.value(&quote_spanned!(span=> &#place));
        }
        let inner = inner_variable(used.depth, span);
        let within = quote_spanned!(span=> (*#inner));
        if let Some(item) = used.item(&within) {
            return self.loop_over(used, &inner, &self.value(item));
        }
        if usage.counted {
            let at = usage.counted_at.or(usage.span);
            let site = self.site(RequiredTrait::Length, value_type, at);
            return site.value(&quote_spanned!(span=> &#place));
        }
        if has_attributes {
            let attributes = usage.attributes.iter().map(|(name, usage)| {
                let attribute = self.attribute(value_type, &inner, (name, usage), |place| {
                    self.value(used.attribute(place, name, usage))
                });
                quote_spanned!(span=> (#name, #attribute))
            });
            let map = if may_have_entries(value_type) { "entries" } else { "map" };
            let map = format_ident!("{map}");
            let attributes =
                quote_spanned!(span=> #facade::__private::project::#map([#(#attributes),*]));
            return self.attributes_of(place, &inner, &attributes);
        }
        if usage.tested {
            return self.condition(used);
        }
        // The template does not use the value itself. An example are the items of a loop that only
        // counts.
        self.null()
    }

    /// Generates the checks that [`Self::value`] does not include, as statements of a function that
    /// is never called. A value that is converted completely may also be looped over or read by its
    /// attributes, and a value whose attributes are read may also be a condition.
    pub(crate) fn checks(&self, used: UsedValue<'_>) -> TokenStream {
        let UsedValue { usage, value_type, depth, .. } = used;
        if has_any_entries(value_type) || depth > DEEPEST {
            return TokenStream::new();
        }
        let has_attributes = !usage.attributes.is_empty();
        let mut checked = Vec::new();
        if usage.read_fully || (usage.item.is_some() && has_attributes) {
            for part in used_parts(usage) {
                checked.push(self.value(UsedValue { usage: &part, ..used }));
            }
        } else if usage.tested && has_attributes {
            checked.push(self.condition(used));
        }
        checked.extend(self.checks_of_items(used));
        for (name, usage) in &usage.attributes {
            checked.extend(self.checks_of_attribute(used, (name, usage)));
        }
        quote_spanned!(self.span()=> #(let _ = #checked;)*)
    }

    /// Generates the expression that checks the items of a list, if they need checks.
    fn checks_of_items(&self, used: UsedValue<'_>) -> Option<TokenStream> {
        let (span, null) = (self.span(), self.null());
        let inner = inner_variable(used.depth, span);
        let within = quote_spanned!(span=> (*#inner));
        let checks = self.checks(used.item(&within)?);
        let has_checks = !checks.is_empty();
        let looped = quote_spanned!(span=> { #checks #null });
        has_checks.then(|| self.loop_over(used, &inner, &looped))
    }

    /// Generates the expression that checks an attribute, if it needs checks.
    fn checks_of_attribute(
        &self,
        used: UsedValue<'_>,
        (name, usage): (&String, &Use),
    ) -> Option<TokenStream> {
        let (span, null) = (self.span(), self.null());
        let inner = inner_variable(used.depth, span);
        let mut has_checks = false;
        let read = self.attribute(used.value_type, &inner, (name, usage), |place| {
            let checks = self.checks(used.attribute(place, name, usage));
            has_checks = !checks.is_empty();
            quote_spanned!(span=> { #checks })
        });
        let read = quote_spanned!(span=> { let _ = #read; #null });
        has_checks.then(|| self.attributes_of(used.place, &inner, &read))
    }

    /// Generates the statement that requires that an unguarded value is not an `Option`.
    fn required_presence(&self, used: UsedValue<'_>) -> TokenStream {
        let Some(diagnostic) = &used.usage.unguarded else { return TokenStream::new() };
        if !may_be_option(self.prompt, used.value_type) {
            return TokenStream::new();
        }
        let place = used.place;
        let site = self.site(RequiredTrait::CertainPresence, used.value_type, diagnostic.span);
        let site = Site { uses_facade_trait: false, diagnostic: Some(diagnostic), ..site };
        site.require_present(&quote_spanned!(self.span()=> &#place))
    }

    /// Generates the result of `make` for the place of an attribute of the variable `inner`. It is
    /// in an `Option` if `inner` may be a map, which may lack the entry.
    fn attribute(
        &self,
        owner: &ValueType,
        inner: &Ident,
        (name, usage): (&String, &Use),
        make: impl FnOnce(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        let (facade, span) = (self.facade, self.span());
        let field = field_of_attribute(self.prompt, name, span);
        if !may_have_entries(owner) {
            let read = read_field(self.source, inner, &field, usage.span);
            return make(&quote_spanned!(span=> *#read));
        }
        let read = read_field_or_entry(facade, self.source, inner, (name, &field), usage.span);
        let made = make(&quote_spanned!(span=> *#inner));
        quote_spanned!(span=> match #read {
            #facade::__private::Option::Some(#inner) => #facade::__private::Option::Some(#made),
            #facade::__private::Option::None => #facade::__private::Option::None,
        })
    }

    fn site(
        &self,
        required: RequiredTrait,
        value_type: &ValueType,
        at: Option<SourceSpan>,
    ) -> Site<'_> {
        let Self { facade, source, prompt, traits, .. } = *self;
        let uses_facade_trait = uses_facade_traits(prompt, value_type);
        Site { facade, source, prompt, traits, required, at, uses_facade_trait, diagnostic: None }
    }

    /// Generates the list of the values `item` of all items, each in the variable `inner`.
    fn loop_over(&self, used: UsedValue<'_>, inner: &Ident, item: &TokenStream) -> TokenStream {
        let (facade, place, span) = (self.facade, used.place, self.span());
        let at = used.usage.item_at.or(used.usage.span);
        let each = self.site(RequiredTrait::Each, used.value_type, at).each(
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

    /// Generates the conversion of a value that is only tested.
    fn condition(&self, used: UsedValue<'_>) -> TokenStream {
        let (facade, place, span) = (self.facade, used.place, self.span());
        let at = used.usage.tested_at.or(used.usage.span);
        let holds = self
            .site(RequiredTrait::Truth, used.value_type, at)
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

    /// Generates the conversion of a value by its attributes. The code of `attributes` reads them
    /// from the variable `inner`, which is the value, or the value in an `Option`.
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

    fn null(&self) -> TokenStream {
        let facade = self.facade;
        quote_spanned!(self.span()=> #facade::__private::project::null())
    }
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

/// The variable for an item, or for the value whose attributes are read.
fn inner_variable(depth: usize, span: Span) -> Ident {
    format_ident!("__item_{depth}", span = span)
}

/// Whether values of a type are maps that may have any entries.
fn has_any_entries(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Any | ValueType::Object(_)) && value_type.fields().is_none()
}

/// The type of a value that only rustc knows.
static UNKNOWN: ValueType = ValueType::Foreign(String::new());

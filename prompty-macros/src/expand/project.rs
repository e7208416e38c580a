//! Turns fields into the inputs of a render: only what the template reads of them.
//!
//! The code that converts is the code that rustc checks: a template that reads `passage.title` makes
//! an expression `passage.title`, so nested and foreign types need no trait of ours, and a field
//! that does not exist is rustc's own error. What a type cannot do is said by [`site`].

use proc_macro2::{Ident, Span, TokenStream};
use prompty_runtime::check::{Shape, Use};
use quote::{format_ident, quote_spanned};

use super::site::{Ability, Site, Sites};
use crate::model::Prompt;
use crate::source::Source;

/// How deep uses are followed; the checker follows them no deeper.
const DEEPEST: usize = 32;

/// Writes the conversions of one prompt.
#[derive(Clone, Copy)]
pub(crate) struct Projector<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) sites: &'a Sites,
}

pub(crate) type At = Option<prompty_core::diagnostic::Span>;

/// A value that a template uses: the expression that can be borrowed, how it is used, and what the
/// name of its type tells.
#[derive(Clone, Copy)]
pub(crate) struct Used<'a> {
    pub(crate) of: &'a TokenStream,
    pub(crate) usage: &'a Use,
    pub(crate) shape: &'a Shape,
}

impl Projector<'_> {
    fn span(&self) -> Span {
        self.source.code_span()
    }

    /// The expression that makes a value of what is used.
    pub(crate) fn value(&self, used: Used<'_>) -> TokenStream {
        self.nested_value(used, 0)
    }

    fn nested_value(&self, used: Used<'_>, depth: usize) -> TokenStream {
        let Used { of, usage, shape } = used;
        let span = self.span();
        let both = usage.item.is_some() && !usage.attributes.is_empty();
        // Maps and values of any kind have entries, not fields.
        let has_entries = matches!(shape, Shape::Object { .. } | Shape::Any)
            && !(usage.attributes.is_empty() && usage.item.is_none());
        if usage.whole || both || has_entries || depth > DEEPEST {
            let at = usage.whole_at.or(usage.span);
            return self.site(Ability::Write, shape, at).value(&quote_spanned!(span=> &#of));
        }
        let inner = variable(depth, span);
        if let Some(item) = &usage.item {
            let within = quote_spanned!(span=> (*#inner));
            let item = Used { of: &within, usage: item, shape: item_shape(shape) };
            let item = self.nested_value(item, depth + 1);
            return self.looped(used, &inner, &item);
        }
        if usage.attributes.is_empty() && !usage.tested {
            // Nothing is asked of it: such as the items of a loop that only counts.
            let facade = self.facade;
            return quote_spanned!(span=> #facade::__private::project::nothing());
        }
        if usage.attributes.is_empty() {
            return self.asked(used);
        }
        let facade = self.facade;
        let attributes = usage.attributes.iter().map(|(name, usage)| {
            let within = self.field(&inner, name, usage);
            let attribute = Used { of: &within, usage, shape: &UNKNOWN };
            let attribute = self.nested_value(attribute, depth + 1);
            quote_spanned!(span=> (#name, #attribute))
        });
        let attributes =
            quote_spanned!(span=> #facade::__private::project::map([#(#attributes),*]));
        self.parts(of, &inner, &attributes)
    }

    /// The statements of a never-called function that let rustc check what [`Projector::value`] does
    /// not: a value that is needed whole may also be looped over, or read by its attributes, and one
    /// whose attributes are read may also be a condition.
    pub(crate) fn checks(&self, used: Used<'_>) -> TokenStream {
        self.nested_checks(used, 0)
    }

    fn nested_checks(&self, used: Used<'_>, depth: usize) -> TokenStream {
        let Used { of, usage, shape } = used;
        if matches!(shape, Shape::Object { .. } | Shape::Any) || depth > DEEPEST {
            return TokenStream::new();
        }
        let (facade, span) = (self.facade, self.span());
        let is_whole = usage.whole || (usage.item.is_some() && !usage.attributes.is_empty());
        let mut statements = TokenStream::new();
        if is_whole {
            for part in used_parts(usage) {
                let value = self.nested_value(Used { of, usage: &part, shape }, depth);
                statements.extend(quote_spanned!(span=> let _ = #value;));
            }
        }
        if usage.tested && !is_whole && !usage.attributes.is_empty() {
            let asked = self.asked(used);
            statements.extend(quote_spanned!(span=> let _ = #asked;));
        }
        let inner = variable(depth, span);
        let nothing = quote_spanned!(span=> #facade::__private::project::nothing());
        if let Some(item) = &usage.item {
            let within = quote_spanned!(span=> (*#inner));
            let item = Used { of: &within, usage: item, shape: item_shape(shape) };
            let item = self.nested_checks(item, depth + 1);
            if !item.is_empty() {
                let looped = quote_spanned!(span=> { #item #nothing });
                let looped = self.looped(used, &inner, &looped);
                statements.extend(quote_spanned!(span=> let _ = #looped;));
            }
        }
        for (name, usage) in &usage.attributes {
            let within = self.field(&inner, name, usage);
            let attribute = Used { of: &within, usage, shape: &UNKNOWN };
            let attribute = self.nested_checks(attribute, depth + 1);
            if !attribute.is_empty() {
                let read = quote_spanned!(span=> { #attribute #nothing });
                let read = self.parts(of, &inner, &read);
                statements.extend(quote_spanned!(span=> let _ = #read;));
            }
        }
        statements
    }

    fn field(&self, inner: &Ident, name: &str, usage: &Use) -> TokenStream {
        let span = self.span();
        let field = field(name, span);
        let read = read(self.source, inner, &field, usage.span);
        quote_spanned!(span=> *#read)
    }

    fn site(&self, ability: Ability, shape: &Shape, at: At) -> Site<'_> {
        Site {
            facade: self.facade,
            source: self.source,
            prompt: self.prompt,
            sites: self.sites,
            ability,
            at,
            is_plain: is_plain(self.prompt, shape),
        }
    }

    fn looped(&self, used: Used<'_>, inner: &Ident, item: &TokenStream) -> TokenStream {
        let (facade, of, span) = (self.facade, used.of, self.span());
        let at = used.usage.item_at.or(used.usage.span);
        let each = self
            .site(Ability::Loop, used.shape, at)
            .each(&quote_spanned!(span=> &#of), &quote_spanned!(span=> |#inner| items.push(#item)));
        quote_spanned!(span=> {
            let mut items: #facade::__private::Vec<#facade::Value> =
                #facade::__private::Vec::new();
            #each;
            #facade::__private::project::items(items)
        })
    }

    fn asked(&self, used: Used<'_>) -> TokenStream {
        let (facade, of, span) = (self.facade, used.of, self.span());
        let at = used.usage.tested_at.or(used.usage.span);
        let holds = self.site(Ability::Ask, used.shape, at).holds(&quote_spanned!(span=> &#of));
        let private = quote_spanned!(span=> #facade::__private);
        // The template may also ask whether it is `none`.
        quote_spanned!(span=> #private::project::asked(
            (&&&#private::place::Place(&#of)).is_missing(),
            #facade::Value::Bool(#holds),
        ))
    }

    fn parts(&self, of: &TokenStream, inner: &Ident, attributes: &TokenStream) -> TokenStream {
        let facade = self.facade;
        quote_spanned!(self.span()=>
            #facade::__private::project::Part(&#of).project(|#inner| #attributes)
        )
    }
}

/// A reference to the field that an attribute reads. Where it does not exist, rustc says so with the
/// name of the macro that the access came out of; that name says where the template reads it.
pub(crate) fn read(source: &Source, inner: &Ident, field: &Ident, at: At) -> TokenStream {
    let span = source.code_span();
    let Some(place) = at.map(|at| source.text.place(at.start)) else {
        return quote_spanned!(span=> (&#inner.#field));
    };
    let access = format_ident!("template_line_{}_column_{}", place.line, place.column, span = span);
    quote_spanned!(span=> {
        macro_rules! #access {
            ($value:ident) => { &$value.#field };
        }
        #access!(#inner)
    })
}

/// Whether a value is held to the facade's own traits: the type's name tells that it will have
/// them, or it is a parameter, of which rustc's advice is to bound it by the trait.
pub(crate) fn is_plain(prompt: &Prompt, shape: &Shape) -> bool {
    match shape {
        Shape::Foreign(name) => {
            prompt.generics.type_params().any(|parameter| parameter.ident == name)
        }
        Shape::List(item) | Shape::Optional(item) => is_plain(prompt, item),
        _ => true,
    }
}

/// The uses of a value's items and attributes, each for itself.
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

/// What is behind a field of a struct, of which only rustc knows.
static UNKNOWN: Shape = Shape::Foreign(String::new());

fn item_shape(shape: &Shape) -> &Shape {
    match shape {
        Shape::List(item) => item,
        Shape::Optional(inner) => item_shape(inner),
        _ => &UNKNOWN,
    }
}

/// An attribute of a template as a field of a Rust struct.
pub(crate) fn field(name: &str, span: Span) -> Ident {
    let parsed: syn::Result<Ident> = syn::parse_str(name);
    match parsed {
        Ok(_) => Ident::new(name, span),
        Err(_) => Ident::new_raw(name, span),
    }
}

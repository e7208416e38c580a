//! Turns fields into the inputs of a render: only what the template reads of them.
//!
//! The code that converts is the code that rustc checks: a template that reads `passage.title` makes
//! an expression `passage.title`, so nested and foreign types need no trait of ours, and a field
//! that does not exist is rustc's own error.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_runtime::check::{Shape, Use};
use quote::{format_ident, quote_spanned};

/// The expression that makes a value of `of`, whose type has a shape, for a template that uses it
/// so. `of` is an expression that can be borrowed.
pub(crate) fn value(
    facade: &TokenStream,
    of: &TokenStream,
    (usage, shape): (&Use, &Shape),
    span: Span,
    depth: usize,
) -> TokenStream {
    let project = quote_spanned!(span=> #facade::__private::project);
    let both = usage.item.is_some() && !usage.attributes.is_empty();
    // Maps and values of any kind have entries, not fields.
    let has_entries = matches!(shape, Shape::Object { .. } | Shape::Any)
        && !(usage.attributes.is_empty() && usage.item.is_none());
    if usage.whole || both || has_entries {
        return quote_spanned!(span=> #project::whole(&#of));
    }
    let inner = format_ident!("__item_{depth}", span = span);
    let within = quote_spanned!(span=> (*#inner));
    if let Some(item) = &usage.item {
        let item = value(facade, &within, (item, item_shape(shape)), span, depth + 1);
        return quote_spanned!(span=> #project::list(&#of, |#inner| #item));
    }
    if !usage.attributes.is_empty() {
        let attributes = usage.attributes.iter().map(|(name, usage)| {
            let field = field(name, span);
            let attribute = value(
                facade,
                &quote_spanned!(span=> #inner.#field),
                (usage, &UNKNOWN),
                span,
                depth + 1,
            );
            quote_spanned!(span=> (#name, #attribute))
        });
        return quote_spanned!(span=>
            #project::Part(&#of).project(|#inner| #project::map([#(#attributes),*]))
        );
    }
    quote_spanned!(span=>
        #facade::__private::StaticValue::Bool(#project::Part(&#of).truth()).into()
    )
}

/// The statements of a never-called function that let rustc check what [`value`] does not: a value
/// that is needed whole may also be looped over, or read by its attributes.
pub(crate) fn checks(
    facade: &TokenStream,
    of: &TokenStream,
    (usage, shape): (&Use, &Shape),
    span: Span,
    depth: usize,
) -> TokenStream {
    if matches!(shape, Shape::Object { .. } | Shape::Any) {
        return TokenStream::new();
    }
    let is_whole = usage.whole || (usage.item.is_some() && !usage.attributes.is_empty());
    let mut statements = TokenStream::new();
    if is_whole {
        let (mut looped, mut read) = (Use::default(), Use::default());
        looped.item.clone_from(&usage.item);
        read.attributes.clone_from(&usage.attributes);
        let parts = [looped, read];
        let parts = parts.iter().filter(|it| it.item.is_some() || !it.attributes.is_empty());
        for part in parts {
            let value = value(facade, of, (part, shape), span, depth);
            statements.extend(quote_spanned!(span=> let _ = #value;));
        }
    }
    let project = quote_spanned!(span=> #facade::__private::project);
    let inner = format_ident!("__item_{depth}", span = span);
    let mut nested = TokenStream::new();
    if let Some(item) = &usage.item {
        let within = quote_spanned!(span=> (*#inner));
        let item = checks(facade, &within, (item, item_shape(shape)), span, depth + 1);
        if !item.is_empty() {
            nested.extend(quote_spanned!(span=>
                let _ = #project::list(&#of, |#inner| { #item #project::nothing() });
            ));
        }
    }
    for (name, usage) in &usage.attributes {
        let field = field(name, span);
        let within = quote_spanned!(span=> #inner.#field);
        let attribute = checks(facade, &within, (usage, &UNKNOWN), span, depth + 1);
        if !attribute.is_empty() {
            nested.extend(quote_spanned!(span=>
                let _ = #project::Part(&#of).project(|#inner| { #attribute #project::nothing() });
            ));
        }
    }
    statements.extend(nested);
    statements
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
fn field(name: &str, span: Span) -> Ident {
    let parsed: syn::Result<Ident> = syn::parse_str(name);
    match parsed {
        Ok(_) => Ident::new(name, span),
        Err(_) => Ident::new_raw(name, span),
    }
}

//! Turns fields into the inputs of a render: only what the template reads of them.
//!
//! The code that converts is the code that rustc checks: a template that reads `passage.title` makes
//! an expression `passage.title`, so nested and foreign types need no trait of ours, and a field
//! that does not exist is rustc's own error.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_runtime::check::Use;
use quote::{format_ident, quote_spanned};

/// The expression that makes a value of `of` for a template that uses it so. `of` is an expression
/// that can be borrowed.
pub(crate) fn value(
    facade: &TokenStream,
    of: &TokenStream,
    usage: &Use,
    span: Span,
    depth: usize,
) -> TokenStream {
    let project = quote_spanned!(span=> #facade::__private::project);
    let both = usage.item.is_some() && !usage.attributes.is_empty();
    if usage.whole || both {
        return quote_spanned!(span=> #project::whole(&#of));
    }
    let inner = format_ident!("item_{depth}", span = Span::mixed_site().located_at(span));
    let within = quote_spanned!(span=> (*#inner));
    if let Some(item) = &usage.item {
        let item = value(facade, &within, item, span, depth + 1);
        return quote_spanned!(span=> #project::list(&#of, |#inner| #item));
    }
    if !usage.attributes.is_empty() {
        let attributes = usage.attributes.iter().map(|(name, usage)| {
            let field = field(name, span);
            let attribute =
                value(facade, &quote_spanned!(span=> #inner.#field), usage, span, depth + 1);
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

/// An attribute of a template as a field of a Rust struct.
fn field(name: &str, span: Span) -> Ident {
    let parsed: syn::Result<Ident> = syn::parse_str(name);
    match parsed {
        Ok(_) => Ident::new(name, span),
        Err(_) => Ident::new_raw(name, span),
    }
}

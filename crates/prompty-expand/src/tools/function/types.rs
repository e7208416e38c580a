//! Analyses the tokens of types. syn's visitor would take long to build.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Ident, Type};

/// The span at which a type borrows. `&'static` counts as well.
pub(super) fn find_borrow(ty: &Type) -> Option<Span> {
    find_borrow_among(ty.to_token_stream())
}

fn find_borrow_among(tokens: TokenStream) -> Option<Span> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                if let Some(span) = find_borrow_among(group.stream()) {
                    return Some(span);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => return Some(punct.span()),
            // `Cow<'static, str>` owns its text after deserialization.
            TokenTree::Punct(punct) if punct.as_char() == '\'' => match tokens.next() {
                Some(TokenTree::Ident(name)) if name == "static" => {}
                _ => return Some(punct.span()),
            },
            _ => {}
        }
    }
    None
}

/// Whether a type uses a name.
pub(super) fn uses_name(ty: &Type, name: &Ident) -> bool {
    is_name_among(ty.to_token_stream(), name)
}

fn is_name_among(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => is_name_among(group.stream(), name),
        TokenTree::Ident(ident) => ident == *name,
        _ => false,
    })
}

//! What the tokens of a type say of it. syn's visitor would be built for little.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Ident, Type};

/// The place where a type borrows; what is borrowed for ever counts, too.
pub(super) fn borrow(ty: &Type) -> Option<Span> {
    borrow_among(ty.to_token_stream())
}

fn borrow_among(tokens: TokenStream) -> Option<Span> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                if let Some(span) = borrow_among(group.stream()) {
                    return Some(span);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => return Some(punct.span()),
            // `Cow<'static, str>` is owned when it has been read.
            TokenTree::Punct(punct) if punct.as_char() == '\'' => match tokens.next() {
                Some(TokenTree::Ident(name)) if name == "static" => {}
                _ => return Some(punct.span()),
            },
            _ => {}
        }
    }
    None
}

/// Whether a name stands in a type.
pub(super) fn names(ty: &Type, name: &Ident) -> bool {
    stands_among(ty.to_token_stream(), name)
}

fn stands_among(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => stands_among(group.stream(), name),
        TokenTree::Ident(ident) => ident == *name,
        _ => false,
    })
}

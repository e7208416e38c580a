//! Tests of complete expansions, without a compiler.

mod cases;
mod characters;
#[cfg(feature = "local")]
mod chat_template;
mod editors;
mod errors;
mod forms;
mod nesting;
mod parses;
#[cfg(feature = "output")]
mod partial;
#[cfg(feature = "tools")]
mod tools;
mod tour;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// The expansion of `prompt!`.
#[allow(clippy::needless_pass_by_value, reason = "the arguments are created at the call")]
fn prompt(input: TokenStream) -> TokenStream {
    crate::expand_prompt(quote!([::typed_prompty] #input))
}

/// The messages of all `compile_error!`s.
fn errors(tokens: TokenStream) -> Vec<String> {
    arguments(tokens, "compile_error").iter().map(syn::LitStr::value).collect()
}

/// The string literals that are the first arguments of calls of a macro.
fn arguments(tokens: TokenStream, name: &str) -> Vec<syn::LitStr> {
    let mut found = Vec::new();
    let mut before: [Option<String>; 2] = [None, None];
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            let is_call = before[0].as_deref() == Some(name) && before[1].as_deref() == Some("!");
            let literal = group.stream().into_iter().next().map(TokenStream::from);
            match literal.and_then(|literal| syn::parse2(literal).ok()) {
                Some(literal) if is_call => found.push(literal),
                _ => found.extend(arguments(group.stream(), name)),
            }
        }
        before = [before[1].take(), Some(token.to_string())];
    }
    found
}

/// An expansion, formatted almost as by rustfmt.
fn pretty(tokens: &TokenStream) -> String {
    match syn::parse2(tokens.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("{error}: {tokens}"),
    }
}

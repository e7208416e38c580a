//! Rust expressions that are copied into the generated code.
//!
//! This module only finds the end of an expression; rustc parses it. The expression parser would be
//! a third of syn.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Lit, Token};

/// An expression as its author wrote it, up to a comma or the end.
pub(crate) struct Expression(TokenStream);

impl Expression {
    /// The literal, if the expression is one.
    pub(crate) fn literal(&self) -> Option<Lit> {
        syn::parse2(self.0.clone()).ok()
    }
}

impl Parse for Expression {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut tokens = TokenStream::new();
        let mut angles = AngleBrackets::default();
        let mut after_name = false;
        while !input.is_empty() && (angles.open > 0 || !input.peek(Token![,])) {
            let is_name = input.peek(Ident);
            if is_name && after_name {
                return Err(input.error("expected `,`"));
            }
            after_name = is_name;
            let token: TokenTree = input.parse()?;
            angles.read(&token);
            tokens.extend([token]);
        }
        if tokens.is_empty() {
            return Err(input.error("expected an expression"));
        }
        Ok(Self(tokens))
    }
}

impl ToTokens for Expression {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

/// Tracks the angle brackets of paths, such as `Vec::<A, B>::new()`. A comma inside them does not
/// end the expression.
#[derive(Default)]
struct AngleBrackets {
    /// The number of open brackets.
    open: usize,
    /// Whether the last token ended an operand, so that `<` is an operator.
    after_operand: bool,
    /// Whether the last token was the first character of `->` or `=>`.
    in_arrow: bool,
}

impl AngleBrackets {
    fn read(&mut self, token: &TokenTree) {
        let TokenTree::Punct(punct) = token else {
            (self.after_operand, self.in_arrow) = (true, false);
            return;
        };
        match punct.as_char() {
            '<' if self.open > 0 || !self.after_operand => self.open += 1,
            // The token after `<<` is not an opening bracket either.
            '<' => return,
            '>' if !self.in_arrow => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        self.after_operand = punct.as_char() == '?';
        self.in_arrow = matches!(punct.as_char(), '-' | '=') && punct.spacing() == Spacing::Joint;
    }
}

#[cfg(test)]
mod tests {
    use quote::{ToTokens, quote};
    use syn::Token;
    use syn::parse::Parser;
    use syn::punctuated::Punctuated;

    use super::Expression;

    fn parts(tokens: proc_macro2::TokenStream) -> Result<Vec<String>, String> {
        let parser = Punctuated::<Expression, Token![,]>::parse_terminated;
        let parsed = parser.parse2(tokens).map_err(|error| error.to_string())?;
        Ok(parsed.iter().map(|part| part.to_token_stream().to_string()).collect())
    }

    #[test]
    fn an_expression_ends_at_a_comma_outside_of_it() {
        let expressions = [
            quote!(history),
            quote!(&[] as &[Message]),
            quote!(1 + 2),
            quote!(Map::<A, B>::new()),
            quote!(f::<Vec<A>, fn(A) -> Vec<B>, C>(1, 2)?),
            quote!(<A as Into<Map<B, C>>>::into(a)),
            quote!(&<A as T<B, C>>::X),
            quote!(if a < b { c } else { d }),
            quote!(match a {
                1 => b,
                _ => c,
            }),
            quote!(move |a| a.b(1, 2)),
            quote!(unsafe { a as u8 }),
        ];
        for tokens in expressions {
            let text = tokens.to_string();
            let found = parts(quote!(#tokens, last, #tokens,)).unwrap();
            assert_eq!(found, [text.as_str(), "last", text.as_str()]);
        }
        for (left, right) in [(quote!(a < b), "c > d"), (quote!(1 << 2), "c >> d")] {
            let next: proc_macro2::TokenStream = right.parse().unwrap();
            let text = left.to_string();
            assert_eq!(parts(quote!(#left, #next)).unwrap(), [text.as_str(), right]);
        }
    }

    #[test]
    fn an_invalid_expression_is_an_error() {
        let error = "unexpected end of input, expected an expression";
        assert_eq!(syn::parse2::<Expression>(quote!()).err().unwrap().to_string(), error);
        assert_eq!(parts(quote!(, a)).unwrap_err(), "expected an expression");
        assert_eq!(parts(quote!(history user: "x")).unwrap_err(), "expected `,`");
    }

    #[test]
    fn a_literal_is_recognised() {
        let literal = |tokens| syn::parse2::<Expression>(tokens).unwrap().literal();
        assert!(matches!(literal(quote!("a")), Some(syn::Lit::Str(text)) if text.value() == "a"));
        assert!(literal(quote!(1 + 2)).is_none());
        assert!(literal(quote!(name)).is_none());
    }
}

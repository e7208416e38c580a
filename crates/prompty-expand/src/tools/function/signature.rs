//! Parses the signature of a function. The body is kept as tokens, so that syn's parser of
//! expressions is not built.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Generics, Ident, Lifetime, ReturnType, Token, Type, Visibility, WhereClause,
    parenthesized, token,
};

/// A function.
pub(super) struct Function {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    constness: Option<Token![const]>,
    pub(super) asyncness: Option<Token![async]>,
    pub(super) unsafety: Option<Token![unsafe]>,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) parameters: Vec<Parameter>,
    pub(super) output: ReturnType,
    pub(super) bounds: Option<WhereClause>,
    /// Empty for a function of a trait without a body.
    body: TokenStream,
}

impl Function {
    /// Whether it has no body, as in a trait.
    pub(super) fn has_no_body(&self) -> bool {
        self.body.is_empty()
    }
}

/// A parameter of a function.
pub(super) struct Parameter {
    pub(super) attributes: Vec<Attribute>,
    /// The name, if it has one.
    pub(super) pattern: Pattern,
    /// The type; `None` for `self`.
    pub(super) ty: Option<Type>,
}

pub(super) enum Pattern {
    Name {
        mutable: Option<Token![mut]>,
        ident: Ident,
    },
    /// `&mut self`
    Receiver(TokenStream, Span),
    /// Any other pattern, such as `(x, y)`.
    Other(TokenStream, Span),
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let constness = input.parse()?;
        let asyncness = input.parse()?;
        let unsafety = input.parse()?;
        input.parse::<Token![fn]>()?;
        let ident = input.parse()?;
        let generics = input.parse()?;
        let content;
        parenthesized!(content in input);
        let mut parameters = Vec::new();
        while !content.is_empty() {
            parameters.push(content.parse()?);
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
        }
        let (output, bounds) = (input.parse()?, input.parse()?);
        // A function of a trait has a semicolon instead of a body.
        input.parse::<Option<Token![;]>>()?;
        let body = input.parse()?;
        Ok(Self {
            attributes,
            visibility,
            constness,
            asyncness,
            unsafety,
            ident,
            generics,
            parameters,
            output,
            bounds,
            body,
        })
    }
}

impl Parse for Parameter {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if let Some((tokens, span)) = receiver(input) {
            let ty = input.parse::<Option<Token![:]>>()?.map(|_| input.parse()).transpose()?;
            return Ok(Self { attributes, pattern: Pattern::Receiver(tokens, span), ty });
        }
        let pattern = input.call(pattern)?;
        input.parse::<Token![:]>()?;
        Ok(Self { attributes, pattern, ty: Some(input.parse()?) })
    }
}

/// `self`, `mut self`, `&self`, `&'a mut self`.
fn receiver(input: ParseStream<'_>) -> Option<(TokenStream, Span)> {
    let ahead = input.fork();
    let read = |input: ParseStream<'_>| -> syn::Result<(TokenStream, Span)> {
        let reference: Option<Token![&]> = input.parse()?;
        let lifetime: Option<Lifetime> = match reference {
            Some(_) => input.parse()?,
            None => None,
        };
        let mutable: Option<Token![mut]> = input.parse()?;
        let receiver: Token![self] = input.parse()?;
        Ok((quote!(#reference #lifetime #mutable #receiver), receiver.span))
    };
    read(&ahead).ok()?;
    read(input).ok()
}

/// A name, or all tokens before the `:`.
fn pattern(input: ParseStream<'_>) -> syn::Result<Pattern> {
    let ahead = input.fork();
    let named = ahead.parse::<Option<Token![mut]>>().is_ok()
        && ahead.parse::<Ident>().is_ok()
        && ahead.peek(Token![:])
        && !ahead.peek(Token![::]);
    if named {
        return Ok(Pattern::Name { mutable: input.parse()?, ident: input.parse()? });
    }
    let (mut tokens, span) = (TokenStream::new(), input.span());
    while !input.is_empty() && (!input.peek(Token![:]) || input.peek(Token![::])) {
        if input.peek(Token![::]) {
            input.parse::<Token![::]>()?.to_tokens(&mut tokens);
        } else {
            input.parse::<proc_macro2::TokenTree>()?.to_tokens(&mut tokens);
        }
    }
    Ok(Pattern::Other(tokens, span))
}

impl ToTokens for Function {
    /// The function, without the attributes of parameters that only `#[tool]` reads.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, visibility, constness, asyncness, unsafety, ident, .. } = self;
        let Self { generics, parameters, output, bounds, body, .. } = self;
        let end = self.has_no_body().then(token::Semi::default);
        // Arguments come from a model, so they are owned.
        tokens.extend(quote! {
            #(#attributes)*
            #[allow(clippy::needless_pass_by_value)]
            #visibility #constness #asyncness #unsafety fn #ident #generics (#(#parameters),*)
                #output #bounds #body #end
        });
    }
}

impl ToTokens for Parameter {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let kept = self.attributes.iter().filter(|it| !is_field_attribute(it));
        let pattern = match &self.pattern {
            Pattern::Name { mutable, ident } => quote!(#mutable #ident),
            Pattern::Receiver(tokens, _) | Pattern::Other(tokens, _) => tokens.clone(),
        };
        let ty = self.ty.iter();
        tokens.extend(quote!(#(#kept)* #pattern #(: #ty)*));
    }
}

/// Whether an attribute of a parameter is moved to the field in the struct of arguments.
pub(super) fn is_field_attribute(attribute: &Attribute) -> bool {
    ["doc", "tool", "serde", "schemars"].iter().any(|name| attribute.path().is_ident(name))
}

/// Whether an attribute can remove a parameter, but would not remove the field for it.
pub(super) fn is_conditional(attribute: &Attribute) -> bool {
    ["cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name))
}

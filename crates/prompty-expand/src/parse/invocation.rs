//! Parses the forms of `prompt!`.
//!
//! The first token is always `[$crate]`. The `macro_rules!` of the facade adds it, so that
//! generated code knows the path of the facade.

use proc_macro2::{Span, TokenStream};
use prompty_core::message::{Role, ThreadRoles};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, FieldsNamed, Generics, Ident, LitStr, Token, braced, bracketed};

use super::attributes;
use super::expression::Expression;
use crate::errors::error_with_help;
use crate::model::Head;

/// The tokens of a `prompt!`, parsed.
pub(crate) struct PromptInvocation {
    pub(crate) facade: TokenStream,
    pub(crate) form: PromptForm,
}

/// The forms of `prompt!`.
pub(crate) enum PromptForm {
    /// `prompt!(pub Name, "path or text")`: the inputs come from the front matter.
    Loaded { head: Head, source: LitStr },
    /// `prompt!(Name { field: Type }, "text or path")`: the inputs are declared in Rust.
    Declared { head: Head, fields: Fields, source: LitStr },
    /// `prompt!(Name { field: Type }, user: "{field}")`: each message is a separate literal.
    Turns { head: Head, fields: Fields, turns: Vec<Turn> },
    /// `prompt!(user: "{local}")`: an expression that captures local variables.
    Expression { turns: Vec<Turn> },
}

/// A message of the short form.
pub(crate) enum Turn {
    /// `role: "text with {captures}"`
    Message { role: Ident, text: LitStr },
    /// `..messages`, after an optional `#[prompt(roles(…))]`
    Thread { messages: Expression, roles: Option<ThreadRoles> },
}

impl Parse for PromptInvocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let facade;
        bracketed!(facade in input);
        Ok(Self { facade: facade.parse()?, form: input.parse()? })
    }
}

impl Parse for PromptForm {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            let help = "write `prompt!(pub Name, \"prompts/name.prompty\")`, or `prompt!(user: \
                        \"Hello {name}\")`";
            return Err(error_with_help(input.span(), "`prompt!` needs a prompt", help));
        }
        if starts_turn(input) {
            return Ok(Self::Expression { turns: parse_turns(input)? });
        }
        let head = parse_head(input)?;
        let fields = if input.peek(syn::token::Brace) { Some(parse_fields(input)?) } else { None };
        if input.is_empty() {
            let message = format!("`{}` has no text", head.ident);
            let help = "after the name, write a path, a text, or messages: `prompt!(Name { field: \
                        &str }, user: \"{field}\")`";
            return Err(error_with_help(head.ident.span(), &message, help));
        }
        if fields.is_none() && is_role(&head.ident) && input.peek(LitStr) {
            return Err(missing_colon(&head.ident, input.span()));
        }
        if fields.is_none() && input.peek(syn::token::Paren) {
            let message = "expected braces around the inputs of the prompt";
            let help = "write `prompt!(Name { field: &str }, \"…\")`";
            return Err(error_with_help(input.span(), message, help));
        }
        parse_comma(input, "expected a comma after the name and the inputs of the prompt")?;
        match fields {
            None if starts_turn(input) => {
                let message = "a prompt that is written as messages must declare its inputs";
                let help = "write `prompt!(Name { field: &str }, user: \"{field}\")`";
                Err(error_with_help(input.span(), message, help))
            }
            None => Ok(Self::Loaded { head, source: parse_source(input)? }),
            Some(_)
                if starts_turn(input)
                    && let Some(span) = head.text =>
            {
                let message = "a text prompt cannot be written as messages";
                let help =
                    "write the text as one literal: `prompt!(text Name { field: &str }, \"…\")`";
                Err(error_with_help(span, message, help))
            }
            Some(fields) if starts_turn(input) => {
                Ok(Self::Turns { head, fields, turns: parse_turns(input)? })
            }
            Some(fields) => Ok(Self::Declared { head, fields, source: parse_source(input)? }),
        }
    }
}

/// Parses `#[prompt(strict)] pub text Name<T> where T: Print`. Errors are about what users write
/// instead.
fn parse_head(input: ParseStream<'_>) -> syn::Result<Head> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility = input.parse()?;
    if let Some(error) = quoted_role(input) {
        return Err(error);
    }
    if input.peek(LitStr) {
        let help = "add a name: `prompt!(pub Name, \"…\")`, or write messages: \
                    `prompt!(user: \"Hi {name}\")`";
        let message = "a prompt needs a name before its text";
        return Err(error_with_help(input.span(), message, help));
    }
    let text = parse_text_word(input)?;
    let ident: Ident = input.parse()?;
    if starts_with_wrong_separator(input) {
        return Err(missing_colon(&ident, input.span()));
    }
    if input.peek(Token![as]) {
        let help = "remove it; if a generated type has the same name as your type, rename your type or \
                    use it instead: `#[prompt(types(input = YourType))]`";
        return Err(error_with_help(
            input.span(),
            "unexpected `as` after the name of a prompt",
            help,
        ));
    }
    let mut generics: Generics = input.parse()?;
    generics.where_clause = input.parse()?;
    Ok(Head { attributes, visibility, text, ident, generics })
}

/// Parses the word `text` before the name of a text prompt. A prompt may also have this name.
fn parse_text_word(input: ParseStream<'_>) -> syn::Result<Option<Span>> {
    let is_text = input.fork().parse::<Ident>().is_ok_and(|word| word == "text");
    match is_text && input.peek2(Ident) {
        true => Ok(Some(input.parse::<Ident>()?.span())),
        false => Ok(None),
    }
}

/// Parses the declared inputs in braces.
fn parse_fields(input: ParseStream<'_>) -> syn::Result<Fields> {
    let content;
    let brace_token = braced!(content in input);
    let mut named = Punctuated::new();
    while !content.is_empty() {
        named.push_value(parse_field(&content)?);
        if content.is_empty() {
            break;
        }
        named.push_punct(parse_comma(&content, "expected a comma between inputs")?);
    }
    Ok(Fields::Named(FieldsNamed { brace_token, named }))
}

/// Parses an input with its type.
fn parse_field(input: ParseStream<'_>) -> syn::Result<syn::Field> {
    let ahead = input.fork();
    let head = ahead.call(Attribute::parse_outer).and_then(|_| ahead.parse::<syn::Visibility>());
    if let (Ok(_), Ok(name)) = (head, ahead.call(Ident::parse_any)) {
        if !ahead.peek(Token![:]) {
            let help = format!("write the type after the name: `{name}: &str`");
            return Err(error_with_help(name.span(), "this input has no type", &help));
        }
        if name != "_" && syn::parse_str::<Ident>(&name.to_string()).is_err() {
            return Err(keyword_error(&name));
        }
    }
    syn::Field::parse_named(input)
}

fn keyword_error(name: &Ident) -> syn::Error {
    let help = match syn::parse_str::<Ident>(&format!("r#{name}")) {
        Ok(raw) => format!("write `{raw}` here and `{name}` in the template"),
        Err(_) => format!("use another name, such as `{name}_`, here and in the template"),
    };
    let message = format!("`{name}` is a keyword of Rust");
    error_with_help(name.span(), &message, &help)
}

/// Parses a comma. If it is missing, the error has the message `rule`.
fn parse_comma(input: ParseStream<'_>, rule: &str) -> syn::Result<Token![,]> {
    let span = input.span();
    input.parse().map_err(|_| error_with_help(span, rule, "write a `,` here"))
}

fn missing_colon(role: &Ident, span: Span) -> syn::Error {
    let help = format!("write `{role}: \"…\"`");
    error_with_help(span, "expected `:` between a role and its text", &help)
}

fn is_role(name: &Ident) -> bool {
    Role::OF_MARKERS.iter().any(|role| name == role.as_str())
}

/// Whether the next tokens are `=` or `=>` and a text. Some users write them after a role, instead
/// of `:`.
fn starts_with_wrong_separator(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let is_other = ahead.parse::<Token![=>]>().is_ok() || ahead.parse::<Token![=]>().is_ok();
    is_other && ahead.peek(LitStr)
}

/// The error about a role in quotes, if the next tokens are one.
fn quoted_role(input: ParseStream<'_>) -> Option<syn::Error> {
    if !(input.peek(LitStr) && input.peek2(Token![:])) {
        return None;
    }
    let role: LitStr = input.fork().parse().ok()?;
    let help = format!("write `{}: \"…\"`", role.value());
    Some(error_with_help(role.span(), "a role must not be in quotes", &help))
}

/// Parses the literal with the path or the text. Nothing but a comma may follow it.
fn parse_source(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let source = input.parse().map_err(|error: syn::Error| {
        let help = "write a path such as `\"prompts/name.prompty\"`, or the text itself";
        error_with_help(error.span(), "the prompt's text must be a string literal", help)
    })?;
    input.parse::<Option<Token![,]>>()?;
    if input.is_empty() {
        return Ok(source);
    }
    let option = input.fork().call(Ident::parse_any).ok();
    let help = match option.filter(|option| attributes::is_type_key(&option.to_string())) {
        Some(option) => format!("write options before the name: `#[prompt({option})]`"),
        None if input.peek(LitStr) => "join the texts into one".to_owned(),
        None => "use another `prompt!` for another prompt".to_owned(),
    };
    let message = "unexpected tokens after the prompt's text";
    Err(error_with_help(input.span(), message, &help))
}

/// Whether the next tokens are a message or `..`. Attributes may precede `..`.
fn starts_turn(input: ParseStream<'_>) -> bool {
    let lookahead = input.fork();
    let is_thread = lookahead.call(Attribute::parse_outer).is_ok() && lookahead.peek(Token![..]);
    is_thread || (input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::]))
}

/// Parses messages up to the end.
fn parse_turns(input: ParseStream<'_>) -> syn::Result<Vec<Turn>> {
    let mut turns = Vec::new();
    while !input.is_empty() {
        if let Some(Turn::Message { text, .. }) = turns.last()
            && !starts_turn(input)
            && !input.peek(Token![#])
        {
            let ahead = input.fork();
            let role =
                ahead.call(Ident::parse_any).ok().filter(|_| starts_with_wrong_separator(&ahead));
            return Err(match role.filter(is_role) {
                Some(role) => missing_colon(&role, ahead.span()),
                None => quoted_role(input).unwrap_or_else(|| argument_error(text, input)),
            });
        }
        turns.push(input.parse()?);
        if input.is_empty() {
            break;
        }
        parse_comma(input, "expected a comma between messages")?;
    }
    Ok(turns)
}

/// The error about an argument after a message, as in `format!`.
fn argument_error(text: &LitStr, input: ParseStream<'_>) -> syn::Error {
    let message = "a message does not take arguments";
    let named = input.peek(Ident) && input.peek2(Token![=]);
    let name: Option<Ident> = input.parse().ok().filter(|_| named || is_end_of_argument(input));
    let help = match name {
        Some(name) if named => format!("bind it before the macro: `let {name} = …;`"),
        Some(name) if text.value().contains("{}") => format!("write `{{{name}}}` in the text"),
        Some(name) => {
            format!("write `{{{name}}}` in the text, or spread a thread: `..{name}`")
        }
        None => {
            "bind it before the macro, `let name = …;`, and write `{name}` in the text".to_owned()
        }
    };
    error_with_help(text.span(), message, &help)
}

fn is_end_of_argument(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

impl Parse for Turn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if input.peek(Token![...]) || input.peek(Token![..=]) {
            let help = "write two dots: `..history`";
            return Err(error_with_help(input.span(), "expected `..` before a thread", help));
        }
        if input.parse::<Option<Token![..]>>()?.is_some() {
            let roles = attributes::read_thread_roles(&attributes)?;
            return Ok(Self::Thread { messages: input.parse()?, roles });
        }
        if let Some(attribute) = attributes.first() {
            let help =
                "remove it; only a thread such as `..history` can have `#[prompt(roles(…))]`";
            let message = "a message cannot have attributes";
            return Err(error_with_help(attribute.span(), message, help));
        }
        let role = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        let text = input.parse().map_err(|error: syn::Error| {
            let help = "write `user: \"{text}\"` to capture a local variable";
            error_with_help(error.span(), "a message must be a string literal", help)
        })?;
        Ok(Self::Message { role, text })
    }
}

//! Parses the forms of `prompt!`.

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
pub(crate) struct Invocation {
    pub(crate) facade: TokenStream,
    pub(crate) form: Form,
}

/// The forms of `prompt!`.
pub(crate) enum Form {
    /// `prompt!(pub Name, "path or text")`: the inputs come from the front matter.
    Loaded { head: Head, source: LitStr },
    /// `prompt!(Name { field: Type }, "text or path")`: the inputs are declared in Rust.
    Declared { head: Head, fields: Fields, source: LitStr },
    /// `prompt!(Name { field: Type }, user: "{field}")`: each message is a literal of its own.
    Turns { head: Head, fields: Fields, turns: Vec<Turn> },
    /// `prompt!(user: "{local}")`: an expression that captures local variables.
    Expression { turns: Vec<Turn> },
}

/// A message of the short form.
pub(crate) enum Turn {
    /// `role: "text with {captures}"`
    Message { role: Ident, text: LitStr },
    /// `..messages`, with the roles of `#[prompt(roles(…))]` in front of it
    Thread { messages: Expression, roles: Option<ThreadRoles> },
}

impl Parse for Invocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let facade;
        bracketed!(facade in input);
        Ok(Self { facade: facade.parse()?, form: input.parse()? })
    }
}

impl Parse for Form {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            let help = "write `prompt!(pub Name, \"prompts/name.prompty\")`, or `prompt!(user: \
                        \"Hello {name}\")`";
            return Err(error_with_help(input.span(), "`prompt!` needs a prompt", help));
        }
        if starts_turn(input) {
            return Ok(Self::Expression { turns: turns(input)? });
        }
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if let Some(error) = quoted_role(input) {
            return Err(error);
        }
        if input.peek(LitStr) {
            let help = "write `prompt!(pub Name, \"…\")`";
            let message = "a prompt needs a name before its text";
            return Err(error_with_help(input.span(), message, help));
        }
        let ident: Ident = input.parse()?;
        if is_separator_of_role(input) {
            return Err(no_colon(&ident, input.span()));
        }
        if input.peek(Token![as]) {
            let help = "rename the type of yours that has a name which the prompt generates, or let it \
                        stand in: `#[prompt(types(input = YourType))]`";
            return Err(error_with_help(input.span(), "a prompt has one name", help));
        }
        let mut generics: Generics = input.parse()?;
        generics.where_clause = input.parse()?;
        let head = Head { attributes, visibility, ident, generics };
        let fields = if input.peek(syn::token::Brace) { Some(fields(input)?) } else { None };
        if input.is_empty() {
            let message = format!("`{}` has no text", head.ident);
            let help = "behind the name comes a path, a text, or messages: `prompt!(Name { field: \
                        &str }, user: \"{field}\")`";
            return Err(error_with_help(head.ident.span(), &message, help));
        }
        comma(input, "a comma stands between a prompt's head and its text")?;
        let form = match fields {
            None if starts_turn(input) => {
                let message = "messages as Rust tokens need their inputs declared";
                let help = "write `prompt!(Name { field: &str }, user: \"{field}\")`";
                return Err(error_with_help(input.span(), message, help));
            }
            None => Self::Loaded { head, source: source(input)? },
            Some(fields) if starts_turn(input) => {
                return Ok(Self::Turns { head, fields, turns: turns(input)? });
            }
            Some(fields) => Self::Declared { head, fields, source: source(input)? },
        };
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            let option = input.fork().call(Ident::parse_any).ok();
            let help = match option.filter(attributes::is_type_key) {
                Some(option) => {
                    format!("options stand in front of the name: `#[prompt({option})]`")
                }
                None if input.peek(LitStr) => "a prompt is one text: join them".to_owned(),
                None => "another prompt is another `prompt!`".to_owned(),
            };
            let message = "nothing can follow the prompt's text";
            return Err(error_with_help(input.span(), message, &help));
        }
        Ok(form)
    }
}

fn fields(input: ParseStream<'_>) -> syn::Result<Fields> {
    let content;
    let brace_token = braced!(content in input);
    let mut named = Punctuated::new();
    while !content.is_empty() {
        named.push_value(field(&content)?);
        if content.is_empty() {
            break;
        }
        named.push_punct(comma(&content, "inputs are separated by commas")?);
    }
    Ok(Fields::Named(FieldsNamed { brace_token, named }))
}

/// Reads an input, which has a type.
fn field(input: ParseStream<'_>) -> syn::Result<syn::Field> {
    let ahead = input.fork();
    let head = ahead.call(Attribute::parse_outer).and_then(|_| ahead.parse::<syn::Visibility>());
    if let (Ok(_), Ok(name)) = (head, ahead.call(Ident::parse_any)) {
        if !ahead.peek(Token![:]) {
            let help = format!("write it behind the name: `{name}: &str`");
            return Err(error_with_help(name.span(), "an input has a type", &help));
        }
        if name != "_" && syn::parse_str::<Ident>(&name.to_string()).is_err() {
            return Err(key_word(&name));
        }
    }
    syn::Field::parse_named(input)
}

fn key_word(name: &Ident) -> syn::Error {
    let help = match syn::parse_str::<Ident>(&format!("r#{name}")) {
        Ok(raw) => format!("write `{raw}` here; in the template it is `{name}`"),
        Err(_) => format!("give it another name, such as `{name}_`, here and in the template"),
    };
    let message = format!("`{name}` is a key word of Rust");
    error_with_help(name.span(), &message, &help)
}

/// Reads a comma. Where it is missing, the error says what it separates.
fn comma(input: ParseStream<'_>, rule: &str) -> syn::Result<Token![,]> {
    let span = input.span();
    input.parse().map_err(|_| error_with_help(span, rule, "write a `,` here"))
}

fn no_colon(role: &Ident, span: Span) -> syn::Error {
    let help = format!("write `{role}: \"…\"`");
    error_with_help(span, "between a role and its text stands a `:`", &help)
}

fn is_role(name: &Ident) -> bool {
    Role::OF_MARKERS.iter().any(|role| name == role.as_str())
}

/// Whether something else than `:` stands between a role and its text.
fn is_separator_of_role(input: ParseStream<'_>) -> bool {
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
    Some(error_with_help(role.span(), "a role has no quotes", &help))
}

fn source(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse().map_err(|error| {
        let help = "write a path such as `\"prompts/name.prompty\"`, or the text itself";
        error_with_help(error.span(), "the prompt's text must be a string literal", help)
    })
}

/// Whether the next tokens are a message or `..`, which may have attributes.
fn starts_turn(input: ParseStream<'_>) -> bool {
    let behind = input.fork();
    let is_thread = behind.call(Attribute::parse_outer).is_ok() && behind.peek(Token![..]);
    is_thread || (input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::]))
}

fn turns(input: ParseStream<'_>) -> syn::Result<Vec<Turn>> {
    let mut turns = Vec::new();
    while !input.is_empty() {
        if let Some(Turn::Message { text, .. }) = turns.last()
            && !starts_turn(input)
            && !input.peek(Token![#])
        {
            let ahead = input.fork();
            let role = ahead.call(Ident::parse_any).ok().filter(|_| is_separator_of_role(&ahead));
            return Err(match role.filter(is_role) {
                Some(role) => no_colon(&role, ahead.span()),
                None => quoted_role(input).unwrap_or_else(|| argument(text, input)),
            });
        }
        turns.push(input.parse()?);
        if input.is_empty() {
            break;
        }
        comma(input, "messages are separated by commas")?;
    }
    Ok(turns)
}

/// The error about an argument behind a message, as `format!` takes it.
fn argument(text: &LitStr, input: ParseStream<'_>) -> syn::Error {
    let message = "a message takes no arguments: it captures the names in its braces";
    let named = input.peek(Ident) && input.peek2(Token![=]);
    let name: Option<Ident> = input.parse().ok().filter(|_| named || is_end_of_argument(input));
    let help = match name {
        Some(name) if named => format!("bind it in front: `let {name} = …;`"),
        Some(name) if text.value().contains("{}") => format!("write `{{{name}}}` into the text"),
        Some(name) => {
            format!("write `{{{name}}}` into the text; a thread is spread: `..{name}`")
        }
        None => "bind it in front, `let name = …;`, and write `{name}` into the text".to_owned(),
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
            let help = "write `..history`";
            return Err(error_with_help(input.span(), "a thread is spread with two dots", help));
        }
        if input.parse::<Option<Token![..]>>()?.is_some() {
            let roles = attributes::read_thread_roles(&attributes)?;
            return Ok(Self::Thread { messages: input.parse()?, roles });
        }
        if let Some(attribute) = attributes.first() {
            let help = "a thread such as `..history` takes `#[prompt(roles(…))]`";
            let message = "a message has no attributes";
            return Err(error_with_help(attribute.span(), message, help));
        }
        let role = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        let text = input.parse().map_err(|error: syn::Error| {
            let help = "write `user: \"{text}\"` to put a local into it";
            error_with_help(error.span(), "a message must be a string literal", help)
        })?;
        Ok(Self::Message { role, text })
    }
}

//! Parses the arguments of `chat_template!`.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, LitInt, LitStr, Token, Visibility, bracketed};

use crate::errors::{Errors, error_with_help, suggestion};

/// The keys of arguments.
const KEYS: [&str; 6] = ["path", "source", "name", "bos_token", "eos_token", "probe_fuel"];

/// The arguments of `chat_template!`: `pub Name, "path or text", key = "value"`.
pub(crate) struct ChatTemplateInvocation {
    pub(crate) facade: TokenStream,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) ident: Ident,
    /// The location of the template; `None` if it is missing, which is one of `errors`.
    pub(crate) place: Option<TemplateLocation>,
    /// `name = "tool_use"`: the name of one of several templates.
    pub(crate) name: Option<LitStr>,
    /// `bos_token = "…"`, `eos_token = "…"`: tokens that are not in the template's file.
    pub(crate) tokens: Vec<(&'static str, LitStr)>,
    /// `probe_fuel = 50_000_000`: the total number of steps for all probes of the analysis.
    pub(crate) probe_fuel: Option<u64>,
    /// The errors in the arguments.
    pub(crate) errors: Errors,
}

/// The location of a template.
pub(crate) enum TemplateLocation {
    Path(LitStr),
    Text(LitStr),
}

impl Parse for ChatTemplateInvocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let facade;
        bracketed!(facade in input);
        let facade = facade.parse()?;
        let example = "write `chat_template!(pub Local, \"prompts/chat_template.jinja\")`";
        if input.is_empty() {
            let message = "`chat_template!` needs a chat template";
            return Err(error_with_help(input.span(), message, example));
        }
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if input.peek(LitStr) {
            let message = "a chat template needs a name before its path";
            return Err(error_with_help(input.span(), message, example));
        }
        let ident: Ident = input.parse()?;
        let mut invocation = Self {
            facade,
            attributes,
            visibility,
            ident,
            place: None,
            name: None,
            tokens: Vec::new(),
            probe_fuel: None,
            errors: Errors::default(),
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                invocation.argument(input)?;
            }
        }
        if invocation.place.is_none() && invocation.errors.is_empty() {
            let ident = &invocation.ident;
            let message = format!("`{ident}` has no template");
            let help = "after the name, write the path of a Jinja file, of a \
                        `tokenizer_config.json` or of a model's folder, or the template itself: \
                        `source = \"…\"`";
            invocation.errors.add(ident.span(), &message, help);
        }
        Ok(invocation)
    }
}

impl ChatTemplateInvocation {
    /// Parses one argument.
    fn argument(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if input.peek(LitStr) {
            let literal: LitStr = input.parse()?;
            let is_text = is_template_text(&literal.value());
            let place = if is_text {
                TemplateLocation::Text(literal.clone())
            } else {
                TemplateLocation::Path(literal.clone())
            };
            self.set_place(place, &literal);
            return Ok(());
        }
        let key = input.call(Ident::parse_any).map_err(|error| {
            let help =
                "write a path such as `\"prompts/chat_template.jinja\"`, or `key = \"value\"`";
            error_with_help(error.span(), "the template's path must be a string literal", help)
        })?;
        let text = key.to_string();
        if !KEYS.contains(&text.as_str()) {
            let message = format!("unknown key `{text}` of `chat_template!`");
            self.errors.add(key.span(), &message, &suggestion("a key", &text, &KEYS));
            return skip_argument(input);
        }
        input.parse::<Token![=]>()?;
        if text == "probe_fuel" {
            return self.set_probe_fuel(&key, input);
        }
        let value: LitStr = input.parse().map_err(|error: syn::Error| {
            let message = format!("`{text}` must be a string literal");
            error_with_help(error.span(), &message, &format!("write `{text} = \"…\"`"))
        })?;
        match text.as_str() {
            "path" => self.set_place(TemplateLocation::Path(value), &key),
            "source" => self.set_place(TemplateLocation::Text(value), &key),
            "name" if self.name.is_none() => self.name = Some(value),
            "bos_token" if !self.has_token("bos_token") => self.tokens.push(("bos_token", value)),
            "eos_token" if !self.has_token("eos_token") => self.tokens.push(("eos_token", value)),
            _ => {
                let message = format!("`{text}` is specified twice");
                self.errors.add(key.span(), &message, "remove one of them");
            }
        }
        Ok(())
    }

    fn set_probe_fuel(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        let value: LitInt = input.parse().map_err(|error: syn::Error| {
            let help = "write `probe_fuel = 50_000_000`";
            error_with_help(error.span(), "`probe_fuel` must be an integer", help)
        })?;
        if self.probe_fuel.replace(value.base10_parse()?).is_some() {
            let message = "`probe_fuel` is specified twice";
            self.errors.add(key.span(), message, "remove one of them");
        }
        Ok(())
    }

    fn has_token(&self, name: &str) -> bool {
        self.tokens.iter().any(|(known, _)| *known == name)
    }

    fn set_place(&mut self, place: TemplateLocation, at: &impl syn::spanned::Spanned) {
        if self.place.is_some() {
            let message = "the template is specified twice";
            self.errors.add(at.span(), message, "remove one of them");
        } else {
            self.place = Some(place);
        }
    }
}

/// Whether a literal is the text of a template and not a path.
fn is_template_text(literal: &str) -> bool {
    literal.contains('\n')
        || literal.trim().is_empty()
        || ["{{", "{%", "{#"].iter().any(|tag| literal.contains(tag))
}

/// Skips the value of an unknown key.
fn skip_argument(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

//! Generates the short form: each message is a literal of its own, with captures as in `format!`.
//!
//! The literals of the user are passed to `format!` unchanged, so that the carets and suggestions
//! of rustc point into them.

use proc_macro2::{Span, TokenStream};
use prompty_core::message::Role;
use prompty_core::text::slice;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::{Ident, LitStr};

use crate::errors::{Errors, error_with_help, suggestion};
use crate::model::Prompt;
use crate::parse::expression::Expression;
use crate::parse::invocation::Turn;

/// Generates the messages of the turns as an expression of type `Vec<Message>`.
pub(crate) fn messages(facade: &TokenStream, turns: &[Turn], errors: &mut Errors) -> TokenStream {
    let count = turns.len();
    let pushes = turns.iter().map(|turn| match turn {
        Turn::Message { role, text } => {
            let constructor = constructor(role, errors);
            let span = Span::call_site().located_at(text.span());
            quote_spanned! {span=>
                messages.push(#facade::Message::#constructor(#facade::__private::format!(#text)));
            }
        }
        Turn::Thread { messages } => thread(facade, messages),
    });
    let pushes: TokenStream = pushes.collect();
    quote! {{
        let mut messages: #facade::__private::Vec<#facade::Message> =
            #facade::__private::Vec::with_capacity(#count);
        #pushes
        messages
    }}
}

/// The same for a prompt type: the captured names are its fields, which print as in templates.
pub(crate) fn bound_messages(
    facade: &TokenStream,
    prompt: &Prompt,
    turns: &[Turn],
    errors: &mut Errors,
) -> TokenStream {
    let count = turns.len();
    let pushes = turns.iter().map(|turn| match turn {
        Turn::Message { role, text } => {
            let constructor = constructor(role, errors);
            let captured = captures(text);
            let mut fields = Vec::new();
            let mut bindings = TokenStream::new();
            let span = Span::call_site().located_at(text.span());
            let printed = quote_spanned!(span=> #facade::__private::Printed);
            let instructs = matches!(role.to_string().as_str(), "system" | "developer");
            for field in prompt.inputs.iter().map(|input| &input.field) {
                let name = field.unraw();
                let mut uses = captured.iter().filter(|capture| name == capture.name).peekable();
                if uses.peek().is_none() {
                    continue;
                }
                // `format!` handles `{name:>8}`, as outside of prompts.
                bindings.extend(if uses.any(|capture| capture.is_formatted) {
                    quote_spanned!(span=> let #field = &self.#field;)
                } else {
                    quote_spanned!(span=> let #field = #printed(&self.#field);)
                });
                fields.push(field);
            }
            let trusted = fields.iter().filter(|_| instructs).map(|field| {
                quote_spanned!(span=> {
                    use #facade::__private::{place::Place, trust::{require_trusted, require_writable}};
                    let given = &self.#field;
                    require_writable(given);
                    let given = Place(given).trust();
                    require_trusted(given);
                })
            });
            quote_spanned! {span=>
                {
                    #(#trusted)*
                    #bindings
                    messages.push(
                        #facade::Message::#constructor(#facade::__private::format!(#text)),
                    );
                }
            }
        }
        Turn::Thread { messages } => {
            let fields = prompt.inputs.iter().map(|input| &input.field);
            let fields: Vec<&Ident> = fields.collect();
            let thread = thread(facade, messages);
            quote! {
                {
                    #[allow(unused_variables)]
                    let Self { #(#fields,)* .. } = self;
                    #thread
                }
            }
        }
    });
    let pushes: TokenStream = pushes.collect();
    quote! {{
        let mut messages: #facade::__private::Vec<#facade::Message> =
            #facade::__private::Vec::with_capacity(#count);
        #pushes
        messages
    }}
}

/// Generates the statement that adds messages. The trait is imported, because rustc draws a call by
/// a path from elsewhere together with all the code in between.
fn thread(facade: &TokenStream, messages: &Expression) -> TokenStream {
    let span = Span::call_site().located_at(messages.span());
    quote_spanned! {span=>
        {
            use #facade::__private::rich::AsThread;
            match #messages {
                ref given => messages.extend_from_slice(AsThread::as_thread(given)),
            }
        }
    }
}

/// An expression for the approximate number of bytes in the texts.
pub(crate) fn size(facade: &TokenStream, prompt: &Prompt, turns: &[Turn]) -> TokenStream {
    let mut literal = 0;
    let mut sizes = TokenStream::new();
    for turn in turns {
        let Turn::Message { text, .. } = turn else { continue };
        literal += text.value().len();
        let captured = captures(text);
        for input in &prompt.inputs {
            let (field, span) = (&input.field, Span::call_site().located_at(text.span()));
            if captured.iter().any(|capture| field.unraw() == capture.name) {
                // The message that captures a value reports it if the value cannot print.
                let printed = quote_spanned!(span=>
                    (&&&#facade::__private::place::Place(&self.#field)).printable()
                );
                sizes.extend(quote_spanned!(span=> + #facade::Print::size_hint(&#printed)));
            }
        }
    }
    quote!(#literal #sizes)
}

/// The constructor for messages of a role. If there is none, the error points at the role.
fn constructor(role: &Ident, errors: &mut Errors) -> Ident {
    let name = role.to_string();
    let known = Role::OF_MARKERS.map(|role| role.as_str().to_owned());
    if known.contains(&name) {
        return format_ident!("{name}", span = Span::call_site());
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let message = format!("unknown role `{name}`");
    errors.push(error_with_help(role.span(), &message, &suggestion("a role", &name, &known)));
    format_ident!("user")
}

/// A capture in a literal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) name: String,
    /// Whether the capture has a format: `{name:>8}`, `{name:?}`.
    pub(crate) is_formatted: bool,
}

/// The captures of a literal, as in `format!`: `{name}` and `{name:…}`.
pub(crate) fn captures(text: &LitStr) -> Vec<Capture> {
    let text = text.value();
    let mut names = Vec::new();
    let mut rest = text.as_str();
    while let Some(open) = rest.find('{') {
        rest = slice(rest, open + 1..);
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        // rustc reports a brace that is not closed.
        let close = rest.find('}').unwrap_or(rest.len());
        let inside = slice(rest, ..close);
        let (name, format) = inside.split_once(':').unwrap_or((inside, ""));
        let name = name.trim();
        // A keyword may be the name of a field: `r#type`.
        if Ident::parse_any.parse_str(name).is_ok() {
            let is_formatted = !format.trim().is_empty();
            names.push(Capture { name: name.to_owned(), is_formatted });
        }
        rest = slice(rest, close..);
    }
    names
}

/// The text of the turns in the form of a template, for the prompt's definition.
pub(crate) fn template(turns: &[Turn]) -> String {
    let mut template = String::new();
    for turn in turns {
        if !template.is_empty() {
            template.push_str("\n\n");
        }
        match turn {
            Turn::Message { role, text } => {
                template.push_str(&format!("{role}:\n{}", text.value()));
            }
            Turn::Thread { messages } => {
                template.push_str(&format!("..{}", quote!(#messages)));
            }
        }
    }
    template
}

#[cfg(test)]
mod tests {
    use super::captures;

    #[test]
    fn captures_are_found_as_format_finds_them() {
        let text = syn::parse_str("\"{a} {{b}} {c:>4} {} {0} {d\"").unwrap();
        let found: Vec<_> =
            captures(&text).into_iter().map(|it| (it.name, it.is_formatted)).collect();
        let expected = [("a", false), ("c", true), ("d", false)];
        assert_eq!(found, expected.map(|(name, is_formatted)| (name.to_owned(), is_formatted)));
    }
}

//! Generates the short form: each message is a separate literal, with captures as in `format!`.
//!
//! The user's literals are passed to `format!` unchanged, so that the carets and suggestions of
//! rustc point into them.

use proc_macro2::{Span, TokenStream};
use prompty_core::message::{Role, ThreadRoles};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, LitStr};

use super::captures::{Capture, captures};
use super::{output, statics};
use crate::errors::{Errors, suggestion};
use crate::model::Prompt;
use crate::parse::expression::Expression;
use crate::parse::invocation::Turn;
use crate::rust_type;
use prompty_check::check::Presence;

/// Generates the messages of the turns as an expression of type `Vec<Message>`. If there is a
/// thread, it is a `Result`, because the thread may have a role that is not allowed.
pub(crate) fn messages(facade: &TokenStream, turns: &[Turn], errors: &mut Errors) -> TokenStream {
    let pushes = turns.iter().map(|turn| match turn {
        Turn::Message { role, text } => {
            let constructor = role_constructor(role, errors);
            let span = Span::call_site().located_at(text.span());
            quote_spanned! {span=>
                messages.push(#facade::Message::#constructor(#facade::__private::format!(#text)));
            }
        }
        Turn::Thread { messages, roles } => {
            let roles = roles.clone().unwrap_or_default();
            let name = quote!(#messages).to_string();
            let fail = quote!(break 'messages #facade::__private::core::result::Result::Err(error));
            push_thread(facade, &SpreadThread { name: &name, roles: &roles, messages }, &fail)
        }
    });
    let list = message_list(facade, turns.len(), &pushes.collect());
    if !turns.iter().any(|turn| matches!(turn, Turn::Thread { .. })) {
        return quote!({ #list messages });
    }
    let result = quote!(#facade::__private::core::result::Result);
    quote!('messages: { #list #result::<_, #facade::Error>::Ok(messages) })
}

/// Like [`messages`], for a prompt type: the captured names are its fields, which print as in
/// templates.
pub(crate) fn bound_messages(
    facade: &TokenStream,
    prompt: &Prompt,
    turns: &[Turn],
    errors: &mut Errors,
) -> TokenStream {
    let pushes = turns.iter().map(|turn| match turn {
        Turn::Message { role, text } => bound_message(facade, prompt, role, text, errors),
        Turn::Thread { messages, roles } => bound_thread(facade, prompt, messages, roles.as_ref()),
    });
    let list = message_list(facade, turns.len(), &pushes.collect());
    quote!({ #list messages })
}

/// Generates the statements that make the list `messages`.
fn message_list(facade: &TokenStream, count: usize, pushes: &TokenStream) -> TokenStream {
    quote! {
        let mut messages: #facade::__private::Vec<#facade::Message> =
            #facade::__private::Vec::with_capacity(#count);
        #pushes
    }
}

/// Generates the block that adds a message. It binds each captured name to the printed field:
/// `{ let name = …(&self.name)…; messages.push(Message::user(format!("Hi {name}"))); }`.
fn bound_message(
    facade: &TokenStream,
    prompt: &Prompt,
    role: &Ident,
    text: &LitStr,
    errors: &mut Errors,
) -> TokenStream {
    let constructor = role_constructor(role, errors);
    let captured = captures(text);
    check_optional_captures(prompt, text, &captured, errors);
    let span = Span::call_site().located_at(text.span());
    let is_instruction = matches!(role.to_string().as_str(), "system" | "developer");
    let (mut trust_checks, mut bindings) = (TokenStream::new(), TokenStream::new());
    for field in prompt.inputs.iter().map(|input| &input.field) {
        let name = field.unraw();
        let mut uses = captured.iter().filter(|capture| name == capture.name).peekable();
        if uses.peek().is_none() {
            continue;
        }
        // `format!` handles `{name:>8}`, as outside of prompts.
        bindings.extend(if uses.any(|capture| capture.is_formatted) {
            quote_spanned!(span=> let #field = &prompt.#field;)
        } else {
            let place = quote_spanned!(span=> #facade::__private::place::Place);
            quote_spanned!(span=> let #field = (&&&&#place(&prompt.#field)).shown();)
        });
        if is_instruction {
            trust_checks.extend(quote_spanned!(span=> {
                use #facade::__private::{place::Place, trust::{require_trusted, require_writable}};
                let given = &prompt.#field;
                let written = (&&&&&&Place(given)).writable();
                require_writable(written);
                let given = Place(given).trust();
                require_trusted(given);
            }));
        }
    }
    bindings.extend(output::requirement_binding(prompt, text));
    quote_spanned! {span=>
        {
            #trust_checks
            #bindings
            messages.push(#facade::Message::#constructor(#facade::__private::format!(#text)),);
        }
    }
}

/// Generates the block that adds the messages of a thread, an expression that may read all fields.
fn bound_thread(
    facade: &TokenStream,
    prompt: &Prompt,
    messages: &Expression,
    roles: Option<&ThreadRoles>,
) -> TokenStream {
    let fields = prompt.inputs.iter().map(|input| &input.field);
    let name = quote!(#messages).to_string();
    // A field that is spread unchanged has the roles of its declaration.
    let input = prompt.inputs.iter().find(|input| input.field == name);
    let declared = || input.and_then(|input| input.roles.clone());
    let roles = roles.cloned().or_else(declared).unwrap_or_default();
    let name = input.map_or(&*name, |input| input.name());
    let fail = quote!(return core::result::Result::Err(error));
    let thread = push_thread(facade, &SpreadThread { name, roles: &roles, messages }, &fail);
    quote! {
        {
            #[allow(unused_variables)]
            let Self { #(#fields,)* .. } = self;
            #thread
        }
    }
}

/// Reports a captured input that may be missing, since its message would have a gap.
fn check_optional_captures(
    prompt: &Prompt,
    text: &LitStr,
    captured: &[Capture],
    errors: &mut Errors,
) {
    for input in &prompt.inputs {
        let field = input.field.unraw();
        let is_captured = captured.iter().any(|it| !it.is_formatted && field == it.name);
        if !is_captured || input.presence() == Presence::Required {
            continue;
        }
        let message = format!(
            "`{}` may be missing, and its type `{}` does not implement `Display`",
            input.name(),
            rust_type::source_text(&input.ty)
        );
        let help = format!(
            "make the input required, or write the prompt as a template with `{{% if {} %}}`",
            input.name()
        );
        errors.add(text.span(), &message, &help);
    }
}

/// A thread among the messages.
struct SpreadThread<'a> {
    /// The name in errors.
    name: &'a str,
    /// The roles that it allows.
    roles: &'a ThreadRoles,
    messages: &'a Expression,
}

/// Generates the statement that adds the messages of a thread. `fail` leaves the code with `error`,
/// if a role is not allowed.
fn push_thread(facade: &TokenStream, thread: &SpreadThread<'_>, fail: &TokenStream) -> TokenStream {
    let SpreadThread { name, roles, messages: given } = thread;
    let span = Span::call_site().located_at(given.span());
    let allowed = statics::thread_roles(facade, roles);
    let own_thread_check = roles.exceeds_default().then(|| {
        quote_spanned! {span=>
            use #facade::__private::rich::require_own_thread;
            require_own_thread(given);
        }
    });
    quote_spanned! {span=>
        {
            use #facade::__private::rich::AsThread;
            // A `match` keeps temporary values of the expression until its end.
            match #given {
                ref given => {
                    #own_thread_check
                    let given = AsThread::as_thread(given);
                    if let #facade::__private::core::result::Result::Err(error) =
                        #allowed.expand(#name, given, &mut messages)
                    {
                        #fail;
                    }
                }
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
        sizes.extend(output::requirement_size(prompt, text));
        for input in &prompt.inputs {
            let (field, span) = (&input.field, Span::call_site().located_at(text.span()));
            if captured.iter().any(|capture| field.unraw() == capture.name) {
                // If the value cannot print, the message that captures it reports the error.
                let printed = quote_spanned!(span=>
                    (&&&&&&#facade::__private::place::Place(&prompt.#field)).printable()
                );
                sizes.extend(quote_spanned!(span=> + #facade::Print::size_hint(&#printed)));
            }
        }
    }
    quote!(#literal #sizes)
}

/// The constructor for messages of a role. If there is none, the error points at the role.
fn role_constructor(role: &Ident, errors: &mut Errors) -> Ident {
    let name = role.to_string();
    let known = Role::OF_MARKERS.map(|role| role.as_str().to_owned());
    if known.contains(&name) {
        return format_ident!("{name}", span = Span::call_site());
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let message = format!("unknown role `{name}`");
    errors.add(role.span(), &message, &suggestion("a role", &name, &known));
    format_ident!("user")
}

/// A name in double braces, as in templates; in this form it is literal text.
pub(crate) fn doubled_braces(turn: &Turn, name: &str) -> Option<String> {
    let Turn::Message { text, .. } = turn else { return None };
    let text = text.value();
    let written = [format!("{{{{ {name} }}}}"), format!("{{{{{name}}}}}")];
    written.into_iter().find(|written| text.contains(written))
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
            Turn::Thread { messages, .. } => {
                template.push_str(&format!("..{}", quote!(#messages)));
            }
        }
    }
    template
}

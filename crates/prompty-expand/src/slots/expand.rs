//! Generates the implementation of a prompt of slots. With errors it fills no slots, so that one
//! mistake is one error.

use proc_macro2::{Span, TokenStream};
use prompty_core::message::ThreadRoles;
use prompty_core::slots::{Slot, declaration};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::check::placeholder_fields;
use super::parse::{BlockTarget, FieldDestination, SlotField, SlotPromptDeclaration, SlotText};
use crate::errors::Errors;
use crate::expand::{output, respanned, statics, value};
use crate::model::ImplTarget;

/// Generates the implementation and all errors.
pub(super) fn implementation(prompt: &SlotPromptDeclaration, errors: Errors) -> TokenStream {
    let SlotPromptDeclaration { ident, facade, generics, .. } = prompt;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let body = match errors.is_empty() {
        true => body(prompt),
        false => TokenStream::new(),
    };
    let errors = errors.into_tokens();
    let target = ImplTarget { facade, ident, generics };
    let output_methods =
        prompt.output.as_ref().map(|output| output::methods_of_slots(target, output));
    quote! {
        #errors
        const _: () = {
            use #facade::__private::core;
            #[automatically_derived]
            impl #parameters #facade::slots::SlotPrompt for #ident #arguments #bounds {
                fn fill_slots<'__p>(
                    &self,
                    slots: #facade::slots::Slots<'__p>,
                ) -> core::result::Result<#facade::slots::Slots<'__p>, #facade::Error> {
                    #body
                    core::result::Result::Ok(slots)
                }
            }
        };
        #output_methods
    }
}

/// The statements that fill the slots.
fn body(prompt: &SlotPromptDeclaration) -> TokenStream {
    let facade = &prompt.facade;
    let values: Vec<TokenStream> = placeholder_fields(prompt)
        .map(|field| {
            let name = field.name();
            let value = value::of_field(facade, &field.ident, field.ty.span());
            quote!(values.insert(#name, #value);)
        })
        .collect();
    let values = match values.is_empty() {
        true => quote!(let values = #facade::Map::new();),
        false => quote!(let mut values = #facade::Map::new(); #(#values)*),
    };
    let values = (!prompt.texts.is_empty()).then_some(values);
    let texts = prompt.texts.iter().map(|text| with_text(facade, text));
    let fields = prompt.fields.iter().map(|field| with_field(facade, field));
    let output = prompt.output.as_ref().map(|_| {
        quote! {
            let slots = slots.with_output(Self::output().requirement()?.shape().clone());
        }
    });
    quote!(#values #(#texts)* #(#fields)* #output)
}

fn with_text(facade: &TokenStream, text: &SlotText) -> TokenStream {
    let (name, text) = (text.target.name(), declaration::text_in_slot(&text.text.value()));
    quote!(let slots = #facade::slots::derived::with_text(slots, #name, #text, &values)?;)
}

/// The statement that fills a field's slot. rustc reports a wrong type at the field.
fn with_field(facade: &TokenStream, field: &SlotField) -> TokenStream {
    let span = Span::call_site().located_at(field.ty.span());
    let derived = quote!(#facade::slots::derived);
    let ident = respanned(&field.ident, span);
    match &field.destination {
        FieldDestination::Placeholders | FieldDestination::Nowhere => TokenStream::new(),
        FieldDestination::History(roles, _) => history(facade, field, roles),
        FieldDestination::Block(BlockTarget::Slot(Slot::Attachment), _) => quote_spanned! {span=>
            let slots = {
                use #facade::slots::Attach;
                #derived::with_attachments(slots, Attach::parts(&self.#ident))
            };
        },
        FieldDestination::Block(BlockTarget::Slot(Slot::Tools), _) => quote_spanned! {span=>
            let slots = {
                use #facade::slots::OfferTools;
                #derived::with_tools(slots, OfferTools::offered(&self.#ident)?)
            };
        },
        FieldDestination::Block(BlockTarget::Slot(Slot::Output), _) => quote_spanned! {span=>
            let slots = {
                use #facade::slots::AnswerShape;
                #derived::with_answer(slots, AnswerShape::answer_shape(&self.#ident))
            };
        },
        FieldDestination::Block(target, _) => {
            let name = target.name();
            let value = value::of_field(facade, &field.ident, field.ty.span());
            quote!(let slots = #derived::with_value(slots, #name, #value);)
        }
    }
}

fn history(facade: &TokenStream, field: &SlotField, roles: &ThreadRoles) -> TokenStream {
    let span = Span::call_site().located_at(field.ty.span());
    let name = field.name();
    let ident = respanned(&field.ident, span);
    let own = roles.exceeds_default().then(|| {
        quote_spanned!(span=> {
            use #facade::__private::rich::require_own_thread;
            require_own_thread(&self.#ident);
        })
    });
    let allowed = statics::thread_roles(facade, roles);
    quote_spanned! {span=>
        #own
        let slots = {
            use #facade::__private::rich::AsThread;
            let thread = AsThread::as_thread(&self.#ident);
            #facade::slots::derived::with_history(slots, #name, thread, &#allowed)?
        };
    }
}

//! What a prompt gets whose source is wrong: implementations that compile, so that one mistake is
//! one error.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, Ident};

use crate::model::Head;

/// A prompt of whose inputs nothing is known. What names them is wrong too, and rustc says so.
pub(crate) fn stub_of_unknown_inputs(facade: &TokenStream, head: &Head) -> TokenStream {
    let (visibility, ident) = (&head.visibility, &head.ident);
    let fallback = stub(facade, ident, &Generics::default());
    quote_spanned! {Span::call_site().located_at(ident.span())=>
        #[allow(missing_docs)]
        #visibility struct #ident {}
        #fallback
    }
}

/// An implementation of `Prompt` without messages.
pub(crate) fn stub(facade: &TokenStream, ident: &Ident, generics: &Generics) -> TokenStream {
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let name = ident.to_string();
    quote! {
        const _: () = {
            use #facade::__private::core;
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition =
                    #facade::StaticDefinition::new(#name, "", "");
                fn messages(&self) -> core::result::Result<
                    #facade::__private::Vec<#facade::Message>,
                    #facade::Error,
                > {
                    core::result::Result::Ok(#facade::__private::Vec::new())
                }
            }
        };
    }
}

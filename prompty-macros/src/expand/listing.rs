//! Puts a prompt on the list of the program's prompts.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The item that lists the prompt, beside its `__DEFINITION`; nothing without the feature.
pub(crate) fn of(facade: &TokenStream, ident: &Ident) -> TokenStream {
    // What the snapshots hold must not change with a feature of another package.
    if !cfg!(feature = "inventory") || cfg!(test) {
        return TokenStream::new();
    }
    let name = ident.to_string();
    quote! {
        #facade::__private::list! {
            #facade::__private::Listed::new(
                core::concat!(core::module_path!(), "::", #name),
                __DEFINITION,
                core::file!(),
                core::line!(),
            )
        }
    }
}

//! Puts a prompt on the list of the program's prompts.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The item that lists the prompt, beside its `__DEFINITION`. Without the feature `inventory` of the
/// facade it comes to nothing there.
pub(crate) fn expand_listing(facade: &TokenStream, ident: &Ident) -> TokenStream {
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

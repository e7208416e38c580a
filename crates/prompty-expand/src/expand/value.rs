//! Generates the value of a field of any type.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// Generates the value of a field of `self`. The trait is imported, because rustc draws a call by a
/// path from elsewhere together with all the code in between.
pub(crate) fn of_field(facade: &TokenStream, field: &impl ToTokens, ty: Span) -> TokenStream {
    let span = Span::call_site().located_at(ty);
    quote_spanned! {span=> {
        use #facade::{ToValue, __private::{place::Place, tiers::*}};
        let field = &self.#field;
        let written = (&&&&&&Place(field)).writable();
        // The closure is never called. It requires the trait, so that rustc reports a type without
        // it here.
        let _ = || ToValue::to_value(written);
        (&&&&&&Place(field)).valued()
    }}
}

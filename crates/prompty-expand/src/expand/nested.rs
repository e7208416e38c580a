//! The location of a prompt's nested types, and their names.
//!
//! They are in a private module with a unique name, and are imported next to the prompt. If another
//! item has the name of a nested type, the import is the only error, and the generated code still
//! uses its own types.
//!
//! Two kinds of types cannot be in the module, and are next to the prompt: the prompt's own type,
//! and objects that contain a type of the user. A prompt may be in the body of a function, and a
//! module cannot name the items of that body.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Visibility, parse_quote};

use crate::location;
use crate::model::Head;

/// The prefix of the modules' names.
const MODULE: &str = "__types_of_";

/// Whether a name is that of a module of nested types.
pub(crate) fn is_module(name: &Ident) -> bool {
    name.to_string().starts_with(MODULE)
}

/// The location of a generated type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeLocation {
    NextToPrompt,
    InModule,
}

impl TypeLocation {
    /// The visibility of a type and its methods.
    pub(crate) fn visibility(self, head: &Head) -> Visibility {
        match self {
            Self::NextToPrompt => head.visibility.clone(),
            // The import has the visibility of the prompt.
            Self::InModule => parse_quote!(pub),
        }
    }
}

/// The nested types of a prompt.
pub(crate) struct NestedTypes {
    module: Ident,
    outside: TokenStream,
    inside: TokenStream,
    imported: Vec<Ident>,
}

impl NestedTypes {
    pub(crate) fn new(head: &Head) -> Self {
        let span = head.ident.span();
        // Two prompts with the same name have different modules.
        let (line, column) = location::start_of(span).unwrap_or_default();
        let module = format_ident!("{MODULE}{}_{line}_{column}", head.ident, span = span);
        let (outside, inside) = (TokenStream::new(), TokenStream::new());
        Self { module, outside, inside, imported: Vec::new() }
    }

    /// Creates the module for the types of the prompt's output, which serde reads.
    pub(crate) fn of_outputs(facade: &TokenStream, head: &Head) -> Self {
        let mut nested = Self::new(head);
        nested.module = format_ident!("{}_output", nested.module, span = head.ident.span());
        nested.inside = quote! {
            #[allow(unused_imports)]
            use #facade::output::generated::{self as __generated, serde as __serde};
        };
        nested
    }

    /// Adds the items of a type.
    pub(crate) fn add(&mut self, ident: &Ident, location: TypeLocation, items: TokenStream) {
        match location {
            TypeLocation::NextToPrompt => self.outside.extend(items),
            TypeLocation::InModule => {
                self.inside.extend(items);
                self.imported.push(ident.clone());
            }
        }
    }

    /// The path of a type at `location`, for code at the location `user`.
    pub(crate) fn path(
        &self,
        ident: &Ident,
        location: TypeLocation,
        user: TypeLocation,
    ) -> TokenStream {
        let module = &self.module;
        match (location, user) {
            (TypeLocation::InModule, TypeLocation::NextToPrompt) => quote!(#module::#ident),
            _ => quote!(#ident),
        }
    }

    /// All items, to be placed next to the prompt.
    pub(crate) fn items(&self, head: &Head) -> TokenStream {
        let Self { module, outside, inside, imported } = self;
        if imported.is_empty() {
            return outside.clone();
        }
        let visibility = &head.visibility;
        quote_spanned! {Span::call_site().located_at(head.ident.span())=>
            #outside
            #[allow(non_snake_case, unreachable_pub)]
            mod #module {
                #inside
            }
            #(
                #[allow(unused_imports)]
                #visibility use #module::#imported;
            )*
        }
    }
}

/// Names that are each used once.
#[derive(Default)]
pub(crate) struct UniqueNames {
    taken: BTreeSet<String>,
    /// The last number that was tried for each name.
    numbers: BTreeMap<String, usize>,
}

impl UniqueNames {
    /// The name, with a number as its suffix if it is taken.
    pub(crate) fn take(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let number = self.numbers.entry(name.clone()).or_insert(1);
        loop {
            *number += 1;
            let numbered = format!("{name}{number}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UniqueNames;

    #[test]
    fn a_name_with_a_number_is_unique_too() {
        let mut names = UniqueNames::default();
        let taken = ["A", "A", "A2", "A", "A2"].map(|name| names.take(name.to_owned()));
        assert_eq!(taken, ["A", "A2", "A22", "A3", "A23"]);
    }
}

//! Where the nested types of a prompt stand, and their names.
//!
//! They stand in a private module whose name no other item has, and are imported beside the prompt. So a
//! name that is taken there is one error, of the import, and the generated code keeps its own types.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Visibility, parse_quote};

use crate::location;
use crate::model::Head;

/// How the names of the modules begin.
const MODULE: &str = "__types_of_";

/// Whether a name is that of a module of nested types.
pub(crate) fn is_module(name: &Ident) -> bool {
    name.to_string().starts_with(MODULE)
}

/// Where a type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    BesideThePrompt,
    InModule,
}

impl Stands {
    /// The visibility of a type and its methods.
    pub(crate) fn visibility(self, head: &Head) -> Visibility {
        match self {
            Self::BesideThePrompt => head.visibility.clone(),
            // The import has the visibility of the prompt.
            Self::InModule => parse_quote!(pub),
        }
    }
}

/// The nested types of a prompt.
pub(crate) struct Nested {
    module: Ident,
    beside: TokenStream,
    inside: TokenStream,
    imported: Vec<Ident>,
}

impl Nested {
    pub(crate) fn new(head: &Head) -> Self {
        let span = head.ident.span();
        // Two prompts of one name have two modules.
        let (line, column) = location::start_of(span).unwrap_or_default();
        let module = format_ident!("{MODULE}{}_{line}_{column}", head.ident, span = span);
        let (beside, inside) = (TokenStream::new(), TokenStream::new());
        Self { module, beside, inside, imported: Vec::new() }
    }

    /// The types of the prompt's output, which serde reads.
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
    pub(crate) fn add(&mut self, ident: &Ident, stands: Stands, items: TokenStream) {
        match stands {
            Stands::BesideThePrompt => self.beside.extend(items),
            Stands::InModule => {
                self.inside.extend(items);
                self.imported.push(ident.clone());
            }
        }
    }

    /// The path of a type that stands in one place and is used in the other.
    pub(crate) fn path(&self, ident: &Ident, stands: Stands, used: Stands) -> TokenStream {
        let module = &self.module;
        match (stands, used) {
            (Stands::InModule, Stands::BesideThePrompt) => quote!(#module::#ident),
            _ => quote!(#ident),
        }
    }

    /// All items that stand beside the prompt.
    pub(crate) fn items(&self, head: &Head) -> TokenStream {
        let Self { module, beside, inside, imported } = self;
        if imported.is_empty() {
            return beside.clone();
        }
        let visibility = &head.visibility;
        quote_spanned! {Span::call_site().located_at(head.ident.span())=>
            #beside
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

/// Names of which each is given away once.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// The numbers that were tried last, by the name without a number.
    numbers: BTreeMap<String, usize>,
}

impl Names {
    /// The name, with a number behind it if it is taken.
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
    use super::Names;

    #[test]
    fn a_name_with_a_number_is_given_away_once_too() {
        let mut names = Names::default();
        let taken = ["A", "A", "A2", "A", "A2"].map(|name| names.take(name.to_owned()));
        assert_eq!(taken, ["A", "A2", "A22", "A3", "A23"]);
    }
}

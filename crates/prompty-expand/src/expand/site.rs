//! Requires traits of the values that a template uses, so that the errors of rustc show the place
//! in the template.
//!
//! A [`Site`] is a place at which a template uses a value. Each site gets its own trait, whose
//! `on_unimplemented` message is the diagnostic that the checker would show. For the loop in line 2
//! of the prompt `Ask`, this is (shortened):
//!
//! ```text
//! {% for passage in passages %}
//!
//! #[diagnostic::on_unimplemented(message = "`{Self}` is not a list\n --> template:2:19 …")]
//! trait AskLoopsAt2_19<Item> { fn each(&self, each: impl FnMut(&Item)); }
//! #[diagnostic::do_not_recommend]
//! impl<Item, T: Each<Item = Item>> AskLoopsAt2_19<Item> for T { … }
//!
//! AskLoopsAt2_19::each(&prompt.passages, |passage| …);
//! ```
//!
//! If `passages` is a `u32`, rustc reports "`u32` is not a list" with the line of the template. The
//! only implementation is marked `do_not_recommend`, so that rustc reports this trait and not
//! `Each`, on which it is based.
//!
//! The methods of [`Site`] generate the code at the place. [`SiteTraits`] collects the traits,
//! which [`SiteTraits::items`] returns after all other code is generated.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan};
use quote::{format_ident, quote_spanned};

use crate::model::Prompt;
use crate::source::Source;

/// The trait of the facade that a value must implement at a site.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredTrait {
    /// The template engine prints the value, or the complete value is passed on.
    ToValue,
    /// Straight-line code prints or compares the value.
    Writable,
    /// The value is printed into instructions.
    Trusted,
    /// The value is printed into a text prompt whose text is trusted.
    TrustedInText,
    /// The items or characters of the value are counted.
    Length,
    /// The value is used without a guard, so it must not be an `Option`.
    CertainPresence,
    /// The value is a condition.
    Truth,
    /// The template loops over the value.
    Each,
}

/// Represents `{Self}` in a diagnostic until the other braces of its text are escaped.
const SELF: &str = "\u{1}";

impl RequiredTrait {
    /// The diagnostic about a value that does not implement the trait.
    fn diagnostic(self) -> Diagnostic {
        let (message, help): (_, &[&str]) = match self {
            Self::Trusted => (
                "an untrusted value is printed in a system or developer message",
                &["print it in a user message, or write `| trusted` after it if this is intended"],
            ),
            Self::TrustedInText => (
                "an untrusted value is printed in a text prompt whose text is a `String`",
                &[
                    "pass it as an input of the type `Untrusted<&str>`, which makes the text \
                     `Untrusted<String>`",
                    "or write `| trusted` after it if this is intended",
                ],
            ),
            Self::ToValue | Self::Writable => (
                "`{Self}` cannot be printed in a prompt",
                &[
                    "print one of its fields, or derive `ToValue` for it",
                    "or implement `Display`; for a type of another crate, pass its text as the \
                     input",
                ],
            ),
            Self::Length => (
                "`{Self}` has no length",
                &["use a string, a list or a map, or count one of its fields"],
            ),
            Self::CertainPresence => {
                ("`{Self}` may be missing", &["guard it with `{% if %}`, or give it a default"])
            }
            Self::Truth => (
                "`{Self}` cannot be a condition",
                &["use one of its fields as the condition, or make it an `Option`"],
            ),
            Self::Each => (
                "`{Self}` is not a list",
                &["loop over a slice, an array, a `Vec`, a set, or an `Option` of one of them"],
            ),
        };
        let diagnostic = Diagnostic::new(Code::WrongValue, message.replace("{Self}", SELF));
        help.iter().fold(diagnostic, |diagnostic, help| diagnostic.with_help(*help))
    }

    /// The use of the value, as a word in the name of a site's trait.
    fn verb(self) -> &'static str {
        match self {
            Self::ToValue | Self::Writable => "Writes",
            Self::Trusted | Self::TrustedInText => "Trusts",
            Self::Length => "Counts",
            Self::CertainPresence => "Needs",
            Self::Truth => "Asks",
            Self::Each => "Loops",
        }
    }
}

/// The traits of a prompt's sites, by their names. Each trait is generated once, because rustc
/// merges errors only if they have the same text.
#[derive(Default)]
pub(crate) struct SiteTraits {
    by_name: RefCell<BTreeMap<String, SiteTrait>>,
}

/// The trait of a site.
struct SiteTrait {
    /// The message of its error. It distinguishes traits of different values that begin at the same
    /// place.
    message: String,
    /// The definition and the implementation of the trait.
    items: TokenStream,
}

impl SiteTraits {
    /// The definitions and implementations of all traits.
    pub(crate) fn items(&self) -> TokenStream {
        self.by_name.borrow().values().map(|site| site.items.clone()).collect()
    }
}

/// A place in a template at which a value is used.
pub(crate) struct Site<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) traits: &'a SiteTraits,
    pub(crate) required: RequiredTrait,
    pub(crate) at: Option<SourceSpan>,
    /// Whether the code requires the trait of the facade directly; see [`uses_facade_traits`].
    pub(crate) uses_facade_trait: bool,
    /// The diagnostic of the checker, if it has a specific one for this place.
    pub(crate) diagnostic: Option<&'a Diagnostic>,
}

impl Site<'_> {
    /// Generates a reference to a value that is written or counted. `given` is a reference to the
    /// value.
    pub(crate) fn reference(&self, given: &TokenStream) -> TokenStream {
        let requirement = self.requirement();
        quote_spanned!(self.source.code_span()=> { let given = #given; #requirement given })
    }

    /// Generates the conversion of a value that is written, or its length if it is counted. `given`
    /// is a reference to the value.
    pub(crate) fn value(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let requirement = self.requirement();
        let convert = match self.required {
            RequiredTrait::Length => quote_spanned!(span=> counted),
            _ => quote_spanned!(span=> valued),
        };
        quote_spanned!(span=> {
            let given = #given;
            #requirement
            (&&&&&&#facade::__private::place::Place(given)).#convert()
        })
    }

    /// Generates the statement that requires the trait of the local variable `given`, a reference
    /// to a value that is written or counted.
    fn requirement(&self) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let place = quote_spanned!(span=> (&&&&&&#facade::__private::place::Place(given)));
        let (used, name, method) = match self.required {
            RequiredTrait::Length => {
                (quote_spanned!(span=> #place.countable()), "Length", "length")
            }
            _ => (quote_spanned!(span=> #place.writable()), "ToValue", "to_value"),
        };
        if !self.uses_facade_trait {
            let name = self.trait_name();
            return quote_spanned!(span=> let used = #used; #name::itself(used););
        }
        let (name, method) = (Ident::new(name, span), Ident::new(method, span));
        // The closure is never called; it only requires the trait.
        let requirement = self.named_by_place(
            &quote_spanned!(span=> used),
            |value| quote_spanned!(span=> let _ = || #name::#method(#value);),
        );
        quote_spanned! {span=>
            use #facade::#name;
            let used = #used;
            #requirement
        }
    }

    /// Generates code that reads a variable. If the prompt has type parameters, rustc may report
    /// the code, and shows the name of the macro that contains it. So the code is then in a macro
    /// whose name has the place in the template.
    fn named_by_place(
        &self,
        variable: &TokenStream,
        make_code: impl Fn(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        let span = self.source.code_span();
        let is_generic = self.prompt.generics.type_params().next().is_some();
        let Some(at) = self.at.filter(|_| is_generic) else { return make_code(variable) };
        let name = Ident::new(&self.source.name_of_macro(at), span);
        let code = make_code(&quote_spanned!(span=> $value));
        quote_spanned!(span=>
            macro_rules! #name {
                ($value:ident) => { #code };
            }
            #name!(#variable);
        )
    }

    /// Generates the statement that requires a trusted value. `given` is a reference to the value.
    pub(crate) fn require_trusted(&self, given: &TokenStream) -> TokenStream {
        // No such type is untrusted: `Untrusted` is not `ToValue`, which a parameter must be.
        if self.uses_facade_trait {
            return TokenStream::new();
        }
        self.require_of_place(given, &quote_spanned!(self.source.code_span()=> trust))
    }

    /// Generates the statement that requires that a value is not an `Option`. `given` is a
    /// reference to the value.
    pub(crate) fn require_present(&self, given: &TokenStream) -> TokenStream {
        self.require_of_place(given, &quote_spanned!(self.source.code_span()=> presence))
    }

    /// Generates the statement that requires the site's trait of what a method of `Place` returns.
    fn require_of_place(&self, given: &TokenStream, method: &TokenStream) -> TokenStream {
        let (facade, span, name) = (self.facade, self.source.code_span(), self.trait_name());
        quote_spanned!(span=> {
            let given = #facade::__private::place::Place(#given).#method();
            #name::itself(given);
        })
    }

    /// Generates a `bool`: whether a value is true. An `Option` of a type without a truth value is
    /// true if it is `Some`.
    pub(crate) fn condition(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let condition =
            quote_spanned!(span=> (&&&&#facade::__private::place::Place(#given)).condition());
        if self.uses_facade_trait {
            return quote_spanned! {span=> {
                use #facade::Truth;
                let condition = #condition;
                Truth::truth(condition)
            }};
        }
        let name = self.trait_name();
        quote_spanned!(span=> { let condition = #condition; #name::holds(condition) })
    }

    /// Generates a loop that calls a closure with each item of a list.
    pub(crate) fn each(&self, given: &TokenStream, closure: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        if self.uses_facade_trait {
            return quote_spanned! {span=> {
                use #facade::Each;
                let given = #given;
                Each::each(given).for_each(#closure)
            }};
        }
        let name = self.trait_name();
        quote_spanned!(span=> {
            let given = (&&&&&#facade::__private::place::Place(#given)).looped();
            #name::each(&*given, #closure)
        })
    }

    /// The name of the site's trait, such as `AskLoopsAt2_19`: the prompt, the use and the place.
    /// rustc shows the name, without a path if it is unique. The trait is generated at the first
    /// call.
    ///
    /// Two values can begin at the same place: `passage` and `passage.title`. They have different
    /// messages, so the second trait gets the suffix `OfPart`.
    fn trait_name(&self) -> Ident {
        let (prompt, span, verb) =
            (&self.prompt.ident, self.source.code_span(), self.required.verb());
        let mut name = match self.at.map(|at| self.source.place_in_names(at)) {
            Some(place) => format_ident!("{prompt}{verb}At{place}", span = span),
            None => format_ident!("{prompt}{verb}", span = span),
        };
        let message = self.message();
        let mut traits = self.traits.by_name.borrow_mut();
        while traits.get(&name.to_string()).is_some_and(|site| site.message != message) {
            name = format_ident!("{name}OfPart", span = span);
        }
        traits.entry(name.to_string()).or_insert_with(|| {
            let items = self.trait_items(&name, &message);
            SiteTrait { message, items }
        });
        name
    }

    /// The text of `on_unimplemented`. All its braces are doubled, except those around `Self`.
    fn message(&self) -> String {
        let mut diagnostic = self.diagnostic.cloned().unwrap_or_else(|| self.required.diagnostic());
        diagnostic.span = self.at;
        let text = self.source.render(&diagnostic);
        text.trim_end().replace('{', "{{").replace('}', "}}").replace(SELF, "{Self}")
    }

    /// Generates the site's trait and its implementation for all types with the required trait.
    fn trait_items(&self, name: &Ident, message: &str) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let label = if self.source.file.is_some() { "in this file" } else { "in this template" };
        let sized = quote_spanned!(span=> #facade::__private::core::marker::Sized);
        // A crate without a prelude has no `#[diagnostic]`.
        let has_diagnostics = !self.prompt.options.no_prelude;
        let on_unimplemented = has_diagnostics.then(|| {
            quote_spanned!(span=>
                #[diagnostic::on_unimplemented(message = #message, label = #label)]
            )
        });
        let attributes = quote_spanned!(span=> #[allow(dead_code)] #on_unimplemented);
        let hidden =
            has_diagnostics.then(|| quote_spanned!(span=> #[diagnostic::do_not_recommend]));
        // A trait that is only required. Its method returns the value itself.
        let itself = |bound| {
            let signature = quote_spanned!(span=> fn itself(&self) -> &Self);
            (signature, bound, quote_spanned!(span=> self))
        };
        let (signature, bound, body) = match self.required {
            RequiredTrait::Truth => (
                quote_spanned!(span=> fn holds(&self) -> #facade::__private::bool),
                quote_spanned!(span=> Truth),
                quote_spanned!(span=> #facade::Truth::truth(self)),
            ),
            // The closure gets the items. If a function returned them, rustc would report a second
            // error about the type that contains them.
            RequiredTrait::Each => (
                quote_spanned!(span=>
                    fn each(&self, each: impl #facade::__private::core::ops::FnMut(&Item))
                ),
                quote_spanned!(span=> Each<Item = Item>),
                quote_spanned!(span=> #facade::__private::place::each(self, each);),
            ),
            RequiredTrait::ToValue => itself(quote_spanned!(span=> ToValue)),
            RequiredTrait::Length => itself(quote_spanned!(span=> Length)),
            RequiredTrait::Writable => itself(quote_spanned!(span=> __private::trust::Writable)),
            RequiredTrait::Trusted | RequiredTrait::TrustedInText => {
                itself(quote_spanned!(span=> __private::trust::Trusted))
            }
            RequiredTrait::CertainPresence => {
                itself(quote_spanned!(span=> __private::presence::CertainPresence))
            }
        };
        let is_loop = self.required == RequiredTrait::Each;
        let item = is_loop.then(|| quote_spanned!(span=> Item: ?#sized,));
        let parameters = is_loop.then(|| quote_spanned!(span=> <Item: ?#sized>));
        let arguments = is_loop.then(|| quote_spanned!(span=> <Item>));
        quote_spanned! {span=>
            #attributes
            trait #name #parameters {
                #signature;
            }
            #hidden
            impl<#item T: #facade::#bound + ?#sized> #name #arguments for T {
                #[inline]
                #signature {
                    #body
                }
            }
        }
    }
}

/// Whether the code requires the traits of the facade directly. It does so if the name of the type
/// shows that it implements them, or if the type is a parameter, because rustc then suggests the
/// trait as a bound.
pub(crate) fn uses_facade_traits(prompt: &Prompt, value_type: &ValueType) -> bool {
    match value_type {
        ValueType::Foreign(name) => {
            prompt.generics.type_params().any(|parameter| parameter.ident == name)
        }
        ValueType::Optional(inner) => uses_facade_traits(prompt, inner),
        other => other.item().is_none_or(|item| uses_facade_traits(prompt, item)),
    }
}

/// Whether only rustc knows if a value of this type is an `Option`.
pub(crate) fn may_be_option(prompt: &Prompt, value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Foreign(_)) && !uses_facade_traits(prompt, value_type)
}

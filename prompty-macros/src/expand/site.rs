//! Requires abilities of values at places of a template, so that the errors of rustc show these
//! places.
//!
//! Each place gets a trait of its own. The `on_unimplemented` message of the trait is the
//! diagnostic that the checker would draw. Its only implementation is marked `do_not_recommend`, so
//! that rustc reports this trait and not the traits on which it is based.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic, Span};
use quote::{format_ident, quote_spanned};

use crate::model::Prompt;
use crate::source::Source;

/// The use that a template makes of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Prints the value, or passes it on as a whole.
    Write,
    /// Uses the value as a condition.
    Ask,
    /// Loops over the value.
    Loop,
    /// Writes the value by straight-line code.
    Print,
    /// Writes the value into instructions.
    Trust,
}

/// A placeholder for the type in a text whose braces are not escaped yet.
const SELF: &str = "\u{1}";

impl Ability {
    fn finding(self) -> Diagnostic {
        let (message, help) = match self {
            Self::Trust => {
                let message = "a value from outside is printed into a system or developer message";
                let help = "print it in a user message, or write `| trusted` after it if that is \
                            intended";
                return Diagnostic::new(Code::WrongValue, message).help(help);
            }
            Self::Write | Self::Print => (
                "cannot be written into a prompt",
                "write one of its fields, or derive `ToValue` for it",
            ),
            Self::Ask => (
                "cannot be a condition",
                "use one of its fields as the condition, or make it an `Option`",
            ),
            Self::Loop => (
                "is no list, and a loop needs one",
                "slices, arrays, `Vec`s, sets and `Option`s of them can be looped over",
            ),
        };
        Diagnostic::new(Code::WrongValue, format!("`{SELF}` {message}")).help(help)
    }
}

/// The traits of a prompt's places. Each trait is generated once, because rustc merges errors only
/// if they have the same text.
#[derive(Default)]
pub(crate) struct Sites {
    traits: RefCell<BTreeMap<String, TokenStream>>,
}

impl Sites {
    /// The traits as items.
    pub(crate) fn items(&self) -> TokenStream {
        self.traits.borrow().values().cloned().collect()
    }
}

/// A place in a template at which a value is used.
pub(crate) struct Site<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) sites: &'a Sites,
    pub(crate) ability: Ability,
    pub(crate) at: Option<Span>,
    /// Whether the code requires the trait of the facade instead of a trait of this place.
    pub(crate) is_plain: bool,
}

impl Site<'_> {
    /// Generates a reference to a value that is written. `given` is a reference to the value.
    pub(crate) fn reference(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::ToValue;
                let given = #given;
                let _ = || ToValue::to_value(given);
                given
            }};
        }
        let name = self.trait_name();
        quote_spanned!(span=> { let given = #given; #name::itself(given) })
    }

    /// Generates the statement that requires a trusted value. `given` is a reference to the value.
    pub(crate) fn require_trusted(&self, given: &TokenStream) -> TokenStream {
        if self.is_plain {
            return TokenStream::new();
        }
        let (facade, span, name) = (self.facade, self.source.code_span(), self.trait_name());
        quote_spanned!(span=> {
            let given = #facade::__private::place::Place(#given).trust();
            #name::itself(given);
        })
    }

    /// Generates the conversion of a value that is written.
    pub(crate) fn value(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::ToValue;
                let given = #given;
                ToValue::to_value(given)
            }};
        }
        let name = self.trait_name();
        quote_spanned!(span=> { let given = #given; #name::value(given) })
    }

    /// Generates a `bool`: whether a value is true. For an `Option` of a type without truth, it is
    /// whether there is a value.
    pub(crate) fn condition(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let condition =
            quote_spanned!(span=> (&&&#facade::__private::place::Place(#given)).condition());
        if self.is_plain {
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
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::Each;
                let given = #given;
                Each::each(given).for_each(#closure)
            }};
        }
        let name = self.trait_name();
        quote_spanned!(span=> { let given = #given; #name::each(given, #closure) })
    }

    /// The name of the place's trait. The trait is generated at the first call.
    fn trait_name(&self) -> Ident {
        let name = self.name();
        let mut traits = self.sites.traits.borrow_mut();
        traits.entry(name.to_string()).or_insert_with(|| self.trait_item(&name));
        name
    }

    fn trait_item(&self, name: &Ident) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let message = self.message();
        let label = if self.source.file.is_some() { "in this file" } else { "in this template" };
        let sized = quote_spanned!(span=> #facade::__private::core::marker::Sized);
        let no_prelude = self.prompt.options.no_prelude;
        let told = (!no_prelude).then(|| {
            quote_spanned!(span=>
                #[diagnostic::on_unimplemented(message = #message, label = #label)]
            )
        });
        let told = quote_spanned!(span=> #[allow(dead_code)] #told);
        let quiet = (!no_prelude).then(|| quote_spanned!(span=> #[diagnostic::do_not_recommend]));
        match self.ability {
            Ability::Write => quote_spanned! {span=>
                #told
                trait #name {
                    fn itself(&self) -> &Self;
                    fn value(&self) -> #facade::Value;
                }
                #quiet
                impl<T: #facade::ToValue + ?#sized> #name for T {
                    #[inline]
                    fn itself(&self) -> &Self {
                        self
                    }
                    fn value(&self) -> #facade::Value {
                        #facade::ToValue::to_value(self)
                    }
                }
            },
            Ability::Print | Ability::Trust => {
                let bound = match self.ability {
                    Ability::Trust => quote_spanned!(span=> Trusted),
                    _ => quote_spanned!(span=> Writable),
                };
                quote_spanned! {span=>
                    #told
                    trait #name {
                        fn itself(&self) -> &Self;
                    }
                    #quiet
                    impl<T: #facade::__private::trust::#bound + ?#sized> #name for T {
                        #[inline]
                        fn itself(&self) -> &Self {
                            self
                        }
                    }
                }
            }
            Ability::Ask => quote_spanned! {span=>
                #told
                trait #name {
                    fn holds(&self) -> #facade::__private::bool;
                }
                #quiet
                impl<T: #facade::Truth + ?#sized> #name for T {
                    #[inline]
                    fn holds(&self) -> #facade::__private::bool {
                        #facade::Truth::truth(self)
                    }
                }
            },
            // The closure gets the items. If a function returned them, rustc would report a second
            // error about the type that contains them.
            Ability::Loop => {
                let closure = quote_spanned!(span=>
                    impl #facade::__private::core::ops::FnMut(&Item)
                );
                quote_spanned! {span=>
                    #told
                    trait #name<Item: ?#sized> {
                        fn each(&self, each: #closure);
                    }
                    #quiet
                    impl<Item: ?#sized, T: #facade::Each<Item = Item> + ?#sized> #name<Item> for T {
                        #[inline]
                        fn each(&self, each: #closure) {
                            #facade::__private::place::each(self, each);
                        }
                    }
                }
            }
        }
    }

    /// The name of the trait contains its place. rustc shows the name, without a path if it is
    /// unique.
    fn name(&self) -> Ident {
        let verb = match self.ability {
            Ability::Write | Ability::Print => "Writes",
            Ability::Trust => "Trusts",
            Ability::Ask => "Asks",
            Ability::Loop => "Loops",
        };
        let (prompt, span) = (&self.prompt.ident, self.source.code_span());
        match self.at.map(|at| self.source.text.place(at.start)) {
            Some(place) => {
                format_ident!("{prompt}{verb}At{}_{}", place.line, place.column, span = span)
            }
            None => format_ident!("{prompt}{verb}", span = span),
        }
    }

    /// The diagnostic as the text of `on_unimplemented`: all braces are doubled except those around
    /// `Self`.
    fn message(&self) -> String {
        let mut finding = self.ability.finding();
        finding.span = self.at;
        let text = self.source.render(&finding);
        text.trim_end().replace('{', "{{").replace('}', "}}").replace(SELF, "{Self}")
    }
}

//! What a value must be able to do at one place of a template, said so that rustc's error shows that
//! place.
//!
//! Each place gets a trait of its own, whose `on_unimplemented` message is the finding as the
//! checker would draw it. The one implementation is marked `do_not_recommend`, so that rustc reports
//! this trait and not what it rests on.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic, Span};
use quote::{format_ident, quote_spanned};

use crate::model::Prompt;
use crate::source::Source;

/// What a template does with a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Prints it, or hands it on whole.
    Write,
    /// Asks whether it is true.
    Ask,
    /// Loops over it.
    Loop,
    /// Writes it by straight-line code.
    Print,
    /// Writes it into instructions.
    Trust,
}

/// Stands for the type in a text until its braces have been escaped.
const SELF: &str = "\u{1}";

impl Ability {
    fn finding(self) -> Diagnostic {
        let (message, help) = match self {
            Self::Trust => {
                let message = "a value from outside is printed into a system or developer message";
                let help = "print it in a user message, or write `| trusted` behind it if that is \
                            meant";
                return Diagnostic::new(Code::WrongValue, message).help(help);
            }
            Self::Write | Self::Print => (
                "cannot be written into a prompt",
                "write one of its fields, or derive `ToValue` for it",
            ),
            Self::Ask => {
                ("cannot be a condition", "ask for one of its fields, or make it an `Option`")
            }
            Self::Loop => (
                "is no list, and a loop needs one",
                "slices, arrays, `Vec`s, sets and `Option`s of them can be looped over",
            ),
        };
        Diagnostic::new(Code::WrongValue, format!("`{SELF}` {message}")).help(help)
    }
}

/// The traits of a prompt's places, each written once: rustc reports what it finds twice only once,
/// if it is worded alike.
#[derive(Default)]
pub(crate) struct Sites {
    traits: RefCell<BTreeMap<String, TokenStream>>,
}

impl Sites {
    /// The traits, as items.
    pub(crate) fn items(&self) -> TokenStream {
        self.traits.borrow().values().cloned().collect()
    }
}

/// A place of a template where a value is used.
pub(crate) struct Site<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) sites: &'a Sites,
    pub(crate) ability: Ability,
    pub(crate) at: Option<Span>,
    /// Whether the value is held to the facade's own trait, and not to one of this place.
    pub(crate) is_plain: bool,
}

impl Site<'_> {
    /// A value that is written, as it is. `given` is a reference to it.
    pub(crate) fn itself(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::ToValue;
                let given = #given;
                let _ = || ToValue::to_value(given);
                given
            }};
        }
        let name = self.declared();
        quote_spanned!(span=> { let given = #given; #name::itself(given) })
    }

    /// The statement that holds a value to be no one else's than the author's. `given` is a reference
    /// to it.
    pub(crate) fn trusted(&self, given: &TokenStream) -> TokenStream {
        if self.is_plain {
            return TokenStream::new();
        }
        let (facade, span, name) = (self.facade, self.source.code_span(), self.declared());
        quote_spanned!(span=> {
            let given = #facade::__private::place::Place(#given).trust();
            #name::itself(given);
        })
    }

    /// The value of what is written.
    pub(crate) fn value(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::ToValue;
                let given = #given;
                ToValue::to_value(given)
            }};
        }
        let name = self.declared();
        quote_spanned!(span=> { let given = #given; #name::value(given) })
    }

    /// Whether a value is true, a `bool`. An `Option` is asked only as far as it is there.
    pub(crate) fn holds(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let asked = quote_spanned!(span=> (&&&#facade::__private::place::Place(#given)).asked());
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::Truth;
                let asked = #asked;
                Truth::truth(asked)
            }};
        }
        let name = self.declared();
        quote_spanned!(span=> { let asked = #asked; #name::holds(asked) })
    }

    /// Does something with each item of a list.
    pub(crate) fn each(&self, given: &TokenStream, closure: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        if self.is_plain {
            return quote_spanned! {span=> {
                use #facade::Each;
                let given = #given;
                Each::each(given).for_each(#closure)
            }};
        }
        let name = self.declared();
        quote_spanned!(span=> { let given = #given; #name::each(given, #closure) })
    }

    /// The name of the place's trait, which is written if it is not yet.
    fn declared(&self) -> Ident {
        let name = self.name();
        let mut traits = self.sites.traits.borrow_mut();
        traits.entry(name.to_string()).or_insert_with(|| self.declaration(&name));
        name
    }

    fn declaration(&self, name: &Ident) -> TokenStream {
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
            // The items go to a closure: if they came back, the type that they come in would be an
            // error of its own.
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

    /// The trait's name says where it is needed; rustc shows it, and shows it without a path if it
    /// is the only one of that name.
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

    /// The finding as `on_unimplemented` takes it: braces doubled but around `Self`.
    fn message(&self) -> String {
        let mut finding = self.ability.finding();
        finding.span = self.at;
        let text = self.source.render(&finding);
        text.trim_end().replace('{', "{{").replace('}', "}}").replace(SELF, "{Self}")
    }
}

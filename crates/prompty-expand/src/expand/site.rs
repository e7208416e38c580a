//! Requires abilities of values at places of a template, so that the errors of rustc show these
//! places.
//!
//! Each place gets its own trait. The `on_unimplemented` message of the trait is the diagnostic
//! that the checker would draw. Its only implementation is marked `do_not_recommend`, so that rustc
//! reports this trait and not the traits on which it is based.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan};
use quote::{format_ident, quote_spanned};

use crate::model::Prompt;
use crate::source::Source;

/// The use that a template makes of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Prints the value, or passes the complete value on.
    Write,
    /// Uses the value as a condition.
    Condition,
    /// Loops over the value.
    Loop,
    /// Writes the value by straight-line code.
    Print,
    /// Writes the value into instructions.
    Trust,
    /// Counts the items or characters of the value.
    Count,
    /// Uses the value without a guard, so it must not be an `Option`.
    Need,
}

/// A placeholder for the type in a text whose braces are not escaped yet.
const SELF: &str = "\u{1}";

impl Ability {
    fn diagnostic(self) -> Diagnostic {
        let (message, help) = match self {
            Self::Trust => {
                let message = "an untrusted value is printed in a system or developer message";
                let help = "print it in a user message, or write `| trusted` after it if this is \
                            intended";
                return Diagnostic::new(Code::WrongValue, message).with_help(help);
            }
            Self::Write | Self::Print => (
                "cannot be printed in a prompt",
                "print one of its fields, or derive `ToValue` for it",
            ),
            Self::Count => {
                ("has no length", "use a string, a list or a map, or count one of its fields")
            }
            Self::Need => ("may be missing", "guard it with `{% if %}`, or give it a default"),
            Self::Condition => (
                "cannot be a condition",
                "use one of its fields as the condition, or make it an `Option`",
            ),
            Self::Loop => (
                "is not a list",
                "loop over a slice, an array, a `Vec`, a set, or an `Option` of one of them",
            ),
        };
        let diagnostic =
            Diagnostic::new(Code::WrongValue, format!("`{SELF}` {message}")).with_help(help);
        match self {
            Self::Write | Self::Print => diagnostic.with_help(
                "or implement `Display`; for a type of another crate, pass its text as the input",
            ),
            _ => diagnostic,
        }
    }
}

/// The traits of a prompt's places. Each trait is generated once, because rustc merges errors only
/// if they have the same text.
#[derive(Default)]
pub(crate) struct Sites {
    traits: RefCell<BTreeMap<String, SiteTrait>>,
}

/// The trait of a place.
struct SiteTrait {
    /// The message of its error. It distinguishes traits of different values that begin at the same
    /// place.
    message: String,
    item: TokenStream,
}

impl Sites {
    /// The traits as items.
    pub(crate) fn items(&self) -> TokenStream {
        self.traits.borrow().values().map(|site| site.item.clone()).collect()
    }
}

/// A place in a template at which a value is used.
pub(crate) struct Site<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) prompt: &'a Prompt,
    pub(crate) sites: &'a Sites,
    pub(crate) ability: Ability,
    pub(crate) at: Option<SourceSpan>,
    /// Whether the code requires the trait of the facade instead of a trait of this place.
    pub(crate) is_plain: bool,
    /// The diagnostic of the checker, if it has a specific one for this place.
    pub(crate) diagnostic: Option<&'a Diagnostic>,
}

impl Site<'_> {
    /// Generates a reference to a value that is written or counted. `given` is a reference to the
    /// value.
    pub(crate) fn reference(&self, given: &TokenStream) -> TokenStream {
        let required = self.required();
        quote_spanned!(self.source.code_span()=> { let given = #given; #required given })
    }

    /// Generates the statement that requires that `given`, a reference, has the ability.
    fn required(&self) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let place = quote_spanned!(span=> (&&&&&&#facade::__private::place::Place(given)));
        let (used, name, method) = match self.ability {
            Ability::Count => (quote_spanned!(span=> #place.countable()), "Length", "length"),
            _ => (quote_spanned!(span=> #place.writable()), "ToValue", "to_value"),
        };
        if self.is_plain {
            let (name, method) = (Ident::new(name, span), Ident::new(method, span));
            let required = self.named_by_place(
                &quote_spanned!(span=> used),
                |value| quote_spanned!(span=> let _ = || #name::#method(#value);),
            );
            return quote_spanned! {span=>
                use #facade::#name;
                let used = #used;
                #required
            };
        }
        let name = self.trait_name();
        quote_spanned!(span=> let used = #used; #name::itself(used);)
    }

    /// Generates code that reads a variable. If rustc may report it, because the prompt has type
    /// parameters, the code is in a macro whose name contains the place in the template.
    fn named_by_place(
        &self,
        variable: &TokenStream,
        code: impl Fn(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        let span = self.source.code_span();
        let is_generic = self.prompt.generics.type_params().next().is_some();
        let Some(at) = self.at.filter(|_| is_generic) else { return code(variable) };
        let name = Ident::new(&self.source.name_of_macro(at), span);
        let code = code(&quote_spanned!(span=> $value));
        quote_spanned!(span=>
            macro_rules! #name {
                ($value:ident) => { #code };
            }
            #name!(#variable);
        )
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

    /// Generates the statement that requires that a value is not an `Option`. `given` is a
    /// reference to the value.
    pub(crate) fn require_given(&self, given: &TokenStream) -> TokenStream {
        let (facade, span, name) = (self.facade, self.source.code_span(), self.trait_name());
        quote_spanned!(span=> {
            let given = #facade::__private::place::Place(#given).presence();
            #name::itself(given);
        })
    }

    /// Generates the conversion of a value that is written, or its length if it is counted.
    pub(crate) fn value(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let required = self.required();
        let convert = match self.ability {
            Ability::Count => quote_spanned!(span=> counted),
            _ => quote_spanned!(span=> valued),
        };
        quote_spanned!(span=> {
            let given = #given;
            #required
            (&&&&&&#facade::__private::place::Place(given)).#convert()
        })
    }

    /// Generates a `bool`: whether a value is true. An `Option` of a type without a truth value is
    /// true if it is `Some`.
    pub(crate) fn condition(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let condition =
            quote_spanned!(span=> (&&&&#facade::__private::place::Place(#given)).condition());
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
        quote_spanned!(span=> {
            let given = (&&&&&#facade::__private::place::Place(#given)).looped();
            #name::each(&*given, #closure)
        })
    }

    /// The name of the place's trait. The trait is generated at the first call.
    fn trait_name(&self) -> Ident {
        let mut name = self.name();
        let message = self.message();
        let mut traits = self.sites.traits.borrow_mut();
        while traits.get(&name.to_string()).is_some_and(|site| site.message != message) {
            name = format_ident!("{name}OfPart", span = self.source.code_span());
        }
        traits.entry(name.to_string()).or_insert_with(|| {
            let item = self.trait_item(&name, &message);
            SiteTrait { message, item }
        });
        name
    }

    fn trait_item(&self, name: &Ident, message: &str) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let label = if self.source.file.is_some() { "in this file" } else { "in this template" };
        let sized = quote_spanned!(span=> #facade::__private::core::marker::Sized);
        let no_prelude = self.prompt.options.no_prelude;
        let on_unimplemented = (!no_prelude).then(|| {
            quote_spanned!(span=>
                #[diagnostic::on_unimplemented(message = #message, label = #label)]
            )
        });
        let attributes = quote_spanned!(span=> #[allow(dead_code)] #on_unimplemented);
        let quiet = (!no_prelude).then(|| quote_spanned!(span=> #[diagnostic::do_not_recommend]));
        match self.ability {
            Ability::Write | Ability::Print | Ability::Trust | Ability::Count | Ability::Need => {
                let bound = match self.ability {
                    Ability::Trust => quote_spanned!(span=> __private::trust::Trusted),
                    Ability::Write => quote_spanned!(span=> ToValue),
                    Ability::Count => quote_spanned!(span=> Length),
                    Ability::Need => quote_spanned!(span=> __private::presence::CertainPresence),
                    _ => quote_spanned!(span=> __private::trust::Writable),
                };
                quote_spanned! {span=>
                    #attributes
                    trait #name {
                        fn itself(&self) -> &Self;
                    }
                    #quiet
                    impl<T: #facade::#bound + ?#sized> #name for T {
                        #[inline]
                        fn itself(&self) -> &Self {
                            self
                        }
                    }
                }
            }
            Ability::Condition => quote_spanned! {span=>
                #attributes
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
                    #attributes
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
            Ability::Count => "Counts",
            Ability::Need => "Needs",
            Ability::Condition => "Asks",
            Ability::Loop => "Loops",
        };
        let (prompt, span) = (&self.prompt.ident, self.source.code_span());
        match self.at.map(|at| self.source.place_in_names(at)) {
            Some(place) => format_ident!("{prompt}{verb}At{place}", span = span),
            None => format_ident!("{prompt}{verb}", span = span),
        }
    }

    /// The diagnostic as the text of `on_unimplemented`: all braces are doubled except those around
    /// `Self`.
    fn message(&self) -> String {
        let mut diagnostic = self.diagnostic.cloned().unwrap_or_else(|| self.ability.diagnostic());
        diagnostic.span = self.at;
        let text = self.source.render(&diagnostic);
        text.trim_end().replace('{', "{{").replace('}', "}}").replace(SELF, "{Self}")
    }
}

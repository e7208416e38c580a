//! What a value must be able to do at one place of a template, said so that rustc's error shows that
//! place.
//!
//! Each place gets a trait of its own, whose `on_unimplemented` message is the finding as the
//! checker would draw it. The one implementation is marked `do_not_recommend`, so that rustc reports
//! this trait and not what it rests on.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_runtime::diagnostic::{Code, Diagnostic};
use quote::{format_ident, quote, quote_spanned};

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
    /// The trait's path behind that of the facade.
    fn path(self, span: Span) -> TokenStream {
        match self {
            Self::Write => quote_spanned!(span=> ToValue),
            Self::Ask => quote_spanned!(span=> Truth),
            Self::Loop => quote_spanned!(span=> Each),
            Self::Print => quote_spanned!(span=> __private::trust::Writable),
            Self::Trust => quote_spanned!(span=> __private::trust::Trusted),
        }
    }

    fn finding(self) -> Diagnostic {
        let (message, help) = match self {
            Self::Trust => (
                "a value from outside is printed into a system or developer message",
                "print it in a user message, or write `| trusted` behind it if that is meant",
            ),
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
        let message = match self {
            Self::Trust => message.to_owned(),
            _ => format!("`{SELF}` {message}"),
        };
        Diagnostic::new(Code::WrongValue, message).help(help)
    }
}

/// A place of a template where a value is used.
pub(crate) struct Site<'a> {
    pub(crate) facade: &'a TokenStream,
    pub(crate) source: &'a Source,
    pub(crate) ability: Ability,
    pub(crate) at: Option<prompty_runtime::diagnostic::Span>,
}

/// A place of a template in straight-line code.
pub(crate) struct Itself {
    pub(crate) name: Ident,
    pub(crate) declaration: TokenStream,
    pub(crate) call: TokenStream,
}

impl Site<'_> {
    /// The expression that uses `given`: a reference to the value, and for a loop the closure for
    /// its items.
    pub(crate) fn of(&self, prompt: &Ident, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let told = self.told();
        let name = self.name(prompt);
        let private = quote_spanned!(span=> #facade::__private);
        let sized = quote_spanned!(span=> #private::core::marker::Sized);
        let function = self.function();
        if self.ability == Ability::Loop {
            let closure = quote_spanned!(span=>
                impl #private::core::ops::FnMut(&Item) -> #facade::Value
            );
            return quote_spanned! {span=> {
                #told
                trait #name<Item: ?#sized> {
                    fn value(&self, project: #closure) -> #facade::Value;
                }
                #[diagnostic::do_not_recommend]
                impl<Item: ?#sized, T: #facade::Each<Item = Item> + ?#sized> #name<Item> for T {
                    fn value(&self, project: #closure) -> #facade::Value {
                        #function(self, project)
                    }
                }
                #name::value(#given)
            }};
        }
        let ability = self.ability.path(span);
        let given = self.bare(given);
        quote_spanned! {span=> {
            #told
            trait #name {
                fn value(&self) -> #facade::Value;
            }
            #[diagnostic::do_not_recommend]
            impl<T: #facade::#ability + ?#sized> #name for T {
                fn value(&self) -> #facade::Value {
                    #function(self)
                }
            }
            let given = #given;
            #name::value(given)
        }}
    }

    /// The same for a value whose type is a parameter. The trait is imported, since rustc draws a
    /// call whose path was written elsewhere together with all that stands between.
    pub(crate) fn of_parameter(&self, given: &TokenStream) -> TokenStream {
        let (facade, span) = (self.facade, self.source.code_span());
        let ability = self.ability.path(span);
        let function = self.function();
        if self.ability == Ability::Loop {
            return quote_spanned!(span=> #function(#given));
        }
        let given = self.bare(given);
        let call = match self.ability {
            Ability::Write => quote_spanned!(span=> #ability::to_value(given)),
            _ => quote_spanned!(span=> #facade::Value::Bool(#ability::truth(given))),
        };
        quote_spanned! {span=> {
            use #facade::#ability;
            let given = #given;
            #call
        }}
    }

    /// What is asked for its truth is an `Option` only as far as it is there.
    fn bare(&self, given: &TokenStream) -> TokenStream {
        let facade = self.facade;
        match self.ability {
            Ability::Ask => quote_spanned!(self.source.code_span()=>
                (&&&#facade::__private::place::Place(#given)).asked()
            ),
            _ => given.clone(),
        }
    }

    /// For straight-line code: the trait, which is declared once however often the place is compiled,
    /// and the expression of the value itself, a reference. For a loop `given` is the value and a
    /// closure that takes its items.
    pub(crate) fn itself(&self, prompt: &Ident, given: &TokenStream) -> Itself {
        let (facade, span) = (self.facade, self.source.code_span());
        let told = self.told();
        let name = self.name(prompt);
        let sized = quote_spanned!(span=> #facade::__private::core::marker::Sized);
        if self.ability == Ability::Loop {
            // The items are lent to a closure: rustc would say twice of a type that came back that it
            // is no iterator.
            let with = quote_spanned!(span=>
                impl #facade::__private::core::ops::FnOnce(
                    &mut dyn #facade::__private::core::iter::Iterator<Item = &'items Item>
                ) -> Given
            );
            let declaration = quote_spanned! {span=>
                #told
                trait #name<Item: ?#sized> {
                    fn items<'items, Given>(&'items self, with: #with) -> Given where Item: 'items;
                }
                #[diagnostic::do_not_recommend]
                impl<Item: ?#sized, T: #facade::Each<Item = Item> + ?#sized> #name<Item> for T {
                    #[inline]
                    fn items<'items, Given>(&'items self, with: #with) -> Given
                    where
                        Item: 'items,
                    {
                        with(&mut #facade::Each::each(self))
                    }
                }
            };
            let call = quote_spanned!(span=> #name::items(#given));
            return Itself { name, declaration, call };
        }
        let ability = self.ability.path(span);
        let declaration = quote_spanned! {span=>
            #told
            trait #name {
                fn itself(&self) -> &Self;
            }
            #[diagnostic::do_not_recommend]
            impl<T: #facade::#ability + ?#sized> #name for T {
                #[inline]
                fn itself(&self) -> &Self {
                    self
                }
            }
        };
        let call = quote_spanned!(span=> #name::itself(#given));
        Itself { name, declaration, call }
    }

    /// The attribute that makes rustc's error the finding.
    fn told(&self) -> TokenStream {
        let message = self.message();
        let label = if self.source.file.is_some() { "in this file" } else { "in this template" };
        quote_spanned!(self.source.code_span()=>
            #[diagnostic::on_unimplemented(message = #message, label = #label)]
        )
    }

    fn function(&self) -> TokenStream {
        let facade = self.facade;
        let project = quote_spanned!(self.source.code_span()=> #facade::__private::project);
        match self.ability {
            Ability::Write | Ability::Print | Ability::Trust => quote!(#project::whole),
            Ability::Ask => quote!(#project::truth),
            Ability::Loop => quote!(#project::list),
        }
    }

    /// The trait's name says where it is needed; rustc shows it, and shows it without a path if it
    /// is the only one of that name.
    fn name(&self, prompt: &Ident) -> Ident {
        let verb = match self.ability {
            Ability::Write | Ability::Print => "Writes",
            Ability::Trust => "Trusts",
            Ability::Ask => "Asks",
            Ability::Loop => "Loops",
        };
        let span = self.source.code_span();
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

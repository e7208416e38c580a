//! Generates loops, and their counters if the template reads them.

use std::cell::Cell;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, ExprKind, For, Target};
use quote::{ToTokens, quote_spanned};

use super::nodes::Sink;
use super::places::PlaceExpr;
use super::{Binding, Compiler, Result, Scope, Tokens, branch_scope, unsupported};
use crate::expand::site::RequiredTrait;

/// The counters of a loop.
#[derive(Clone)]
pub(super) struct LoopCounters {
    /// The index, counted from 0.
    pub(super) index: Counter,
    /// The number of items.
    pub(super) length: Counter,
    /// The variable that counts iterations.
    iterations: Ident,
}

/// A counter of a loop. It records whether generated code reads it. After the body of the loop is
/// generated, this decides whether the loop counts.
#[derive(Clone)]
pub(super) struct Counter {
    ident: Ident,
    is_read: Rc<Cell<bool>>,
}

impl ToTokens for Counter {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.is_read.set(true);
        self.ident.to_tokens(tokens);
    }
}

/// The parts of a loop.
pub(super) struct LoopParts {
    /// The statements before the loop.
    pub(super) before: TokenStream,
    /// The items.
    pub(super) items: LoopItems,
}

/// The items of a loop.
pub(super) enum LoopItems {
    /// The entries of a map: an iterator.
    Entries(TokenStream),
    /// The items of a list: an expression of type `Option`, and its place.
    List(TokenStream, Box<PlaceExpr>),
}

impl Compiler<'_> {
    /// Generates a loop of Jinja. A loop with `loop.length`, a condition and `else` becomes
    /// (shortened):
    ///
    /// ```text
    /// let mut length = 0; each(|item| if condition { length += 1; });
    /// let mut turn = 0;   each(|item| if condition { let index = turn; turn += 1; body });
    /// if turn == 0 { otherwise }
    /// ```
    pub(super) fn for_loop(&self, repeated: &For, scope: &Scope, sink: Sink) -> Tokens {
        let span = self.span;
        if repeated.recursive {
            return unsupported("a recursive loop");
        }
        let depth = scope.depth;
        let item = self.ident("item", depth);
        let counters = self.counters(depth);
        let (looped, bound) = self.loop_parts(repeated, &item, scope)?;
        let mut inner = Scope { depth: depth + 1, is_branch: false, ..scope.clone() };
        for (name, place) in bound {
            inner.bind(name, Binding::Place(place));
        }
        let condition = match &repeated.condition {
            None => None,
            Some(condition) => {
                // The condition of the loop cannot read the counters of the loop.
                let outside = Scope { current_loop: None, ..inner.clone() };
                Some(self.condition(condition, &outside)?)
            }
        };
        let each = |turn: TokenStream| {
            let turn = match &condition {
                None => turn,
                Some(condition) => quote_spanned!(span=> if #condition { #turn }),
            };
            self.iterate(&looped, &item, &turn)
        };
        inner.current_loop = Some(counters.clone());
        let body = self.body(&repeated.body, &inner, sink)?;
        let otherwise = self.body(&repeated.otherwise, &branch_scope(scope), sink)?;
        let otherwise = (!repeated.otherwise.is_empty()).then_some(otherwise);
        Ok(self.counted_loop(&looped.before, &each, &counters, &body, otherwise))
    }

    /// The counters of a loop at a depth.
    pub(super) fn counters(&self, depth: usize) -> LoopCounters {
        let [index, length] = ["index", "length"].map(|name| {
            let (ident, is_read) = (self.ident(name, depth), Rc::default());
            Counter { ident, is_read }
        });
        LoopCounters { iterations: self.ident("turn", depth), index, length }
    }

    /// Generates a loop: the statements before it, `each` with the statements of an iteration, and
    /// the statements for an empty loop. Counters that the body does not read are not generated.
    pub(super) fn counted_loop(
        &self,
        before: &TokenStream,
        each: &dyn Fn(TokenStream) -> TokenStream,
        counters: &LoopCounters,
        body: &TokenStream,
        otherwise: Option<TokenStream>,
    ) -> TokenStream {
        let (span, counter) = (self.span, &counters.iterations);
        let (index, length) = (&counters.index.ident, &counters.length.ident);
        let count_items = counters.length.is_read.get().then(|| {
            let count = each(quote_spanned!(span=> #length += 1;));
            quote_spanned!(span=>
                let mut #length = 0_usize;
                #count
                let #length = #length;
            )
        });
        let is_counted = otherwise.is_some() || counters.index.is_read.get();
        let start = is_counted.then(|| quote_spanned!(span=> let mut #counter = 0_usize;));
        let count = is_counted.then(|| {
            quote_spanned!(span=>
                let #index = #counter;
                #counter += 1;
                let _ = #index;
            )
        });
        let turns = each(quote_spanned!(span=> #count #body));
        let otherwise =
            otherwise.map(|otherwise| quote_spanned!(span=> if #counter == 0 { #otherwise }));
        quote_spanned!(span=> { #before #count_items #start #turns #otherwise })
    }

    /// Generates the statement that runs `turn` in each iteration. The items of a list are passed
    /// to a closure; the module `site` explains why.
    pub(super) fn iterate(
        &self,
        looped: &LoopParts,
        item: &Ident,
        turn: &TokenStream,
    ) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        match &looped.items {
            LoopItems::Entries(entries) => quote_spanned!(span=> for #item in #entries { #turn }),
            LoopItems::List(list, place) => {
                let it = quote_spanned!(span=> it);
                let closure = quote_spanned!(span=> |#item| { #turn });
                let each = self.site(RequiredTrait::Each, place).each(&it, &closure);
                quote_spanned!(span=>
                    if let #facade::__private::Option::Some(it) = #list { #each; }
                )
            }
        }
    }

    /// The items of a loop, and the bindings of its variables.
    fn loop_parts<'n>(
        &self,
        repeated: &'n For,
        item: &Ident,
        scope: &Scope,
    ) -> Result<(LoopParts, Vec<(&'n str, PlaceExpr)>)> {
        let at = repeated.iterable.span;
        if let Target::Tuple(targets) = &repeated.target {
            let [Target::Name(key), Target::Name(entry)] = targets.as_slice() else {
                return unsupported("a loop over tuples");
            };
            let Some(place) = self.entries(&repeated.iterable, scope)? else {
                return unsupported("a loop over tuples");
            };
            let (looped, name, value) =
                self.map_entries(&PlaceExpr { at, ..place }, item, scope)?;
            return Ok((looped, vec![(key.text.as_str(), name), (entry.text.as_str(), value)]));
        }
        let Target::Name(name) = &repeated.target else { return unsupported("a loop over pairs") };
        let Some(place) = self.place(&repeated.iterable, scope)? else {
            let reason = "a loop over the result of an expression";
            return self.unsupported_value(&repeated.iterable, scope, reason);
        };
        let value_type = match &place.value_type {
            ValueType::Foreign(_) => ValueType::Foreign(String::new()),
            // A loop over a map gives its keys.
            _ if place.entries.is_some() => ValueType::String,
            list => match list.item() {
                Some(item) => item.clone(),
                None => return unsupported("a loop over a value of unknown type"),
            },
        };
        let bound = self.item_of_list(item, value_type, at);
        Ok((self.list_loop(place)?, vec![(name.text.as_str(), bound)]))
    }

    /// The item of a loop over a list.
    pub(super) fn item_of_list(
        &self,
        item: &Ident,
        value_type: ValueType,
        at: TemplateSpan,
    ) -> PlaceExpr {
        let (span, some) = (self.span, self.some());
        let reference = Some(quote_spanned!(span=> #item));
        let value = quote_spanned!(span=> #some(#item));
        PlaceExpr { reference, ..PlaceExpr::new(value, value_type, at) }
    }

    /// A loop over a list.
    pub(super) fn list_loop(&self, list: PlaceExpr) -> Result<LoopParts> {
        let items = LoopItems::List(self.flattened(&list)?, Box::new(list));
        Ok(LoopParts { before: TokenStream::new(), items })
    }

    /// A loop over the entries of a map, and the places of the name and the value of an entry.
    pub(super) fn map_entries(
        &self,
        map: &PlaceExpr,
        item: &Ident,
        scope: &Scope,
    ) -> Result<(LoopParts, PlaceExpr, PlaceExpr)> {
        let (span, facade, some, at) = (self.span, self.facade, self.some(), map.at);
        let (present, entries) = (self.flattened(map)?, self.ident("map", scope.depth));
        let site = self.site(RequiredTrait::Writable, map).reference(&quote_spanned!(span=> it));
        let before = quote_spanned!(span=>
            let #entries =
                #present.map(|it| (&&&&&&#facade::__private::place::Place(#site)).mapped());
        );
        let items = quote_spanned!(span=>
            #entries.iter().flat_map(#facade::__private::place::Entries::entries)
        );
        let name = PlaceExpr::new(quote_spanned!(span=> #some(&#item.0)), ValueType::String, at);
        let value_type = map.entries.clone().unwrap_or_else(|| ValueType::Foreign(String::new()));
        let value = PlaceExpr::new(quote_spanned!(span=> #some(#item.1)), value_type, at);
        Ok((LoopParts { before, items: LoopItems::Entries(items) }, name, value))
    }

    /// The map in `map.items()` and `map | items`.
    fn entries(&self, expr: &Expr, scope: &Scope) -> Result<Option<PlaceExpr>> {
        let (ExprKind::Method { value, call } | ExprKind::Filter { value, call }) = &expr.kind
        else {
            return Ok(None);
        };
        if call.name.text != "items" || !call.arguments.is_empty() {
            return Ok(None);
        }
        let is_map = |place: &PlaceExpr| {
            place.entries.is_some()
                || matches!(place.value_type, ValueType::Foreign(_) | ValueType::Object(_))
        };
        Ok(self.place(value, scope)?.filter(is_map))
    }
}

//! Generates code for the blocks of Handlebars, and for the names in them.
//!
//! A block looks at its value at run time: it is a loop, a condition, or a scope. Code is generated if the
//! type says which of these it is. A block whose value has a type that only rustc knows, such as the field
//! of a struct, can be a `with`.

use proc_macro2::TokenStream;
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_template::handlebars::helpers;
use prompty_template::tree::{ContextBlock, ContextKind, Expr, ExprKind, Name};
use quote::quote_spanned;

use super::loops::{Items, LoopParts};
use super::nodes::Sink;
use super::places::{Fallback, Place};
use super::{Bound, CompiledLanguage, Compiler, Loop, Result, Scope, Tokens, reason};
use crate::expand::site::Ability;

/// A block around a place of the template.
#[derive(Clone)]
pub(super) struct Block {
    value: BlockValue,
    kind: ContextKind,
    /// The counters, if the block is a loop.
    turn: Option<Turn>,
}

/// The value to which the names in a block belong.
#[derive(Clone)]
enum BlockValue {
    Inputs,
    Place(Box<Place>),
    /// A thread, an image, a file or a sound.
    Rich,
}

/// The counters of a loop.
#[derive(Clone)]
struct Turn {
    counters: Loop,
    /// The name of an entry, if the loop is over a map.
    key: Option<Box<Place>>,
}

/// What `{{#if}}` and `{{#with}}` ask of a value.
#[derive(Clone, Copy)]
pub(super) enum Question {
    If,
    With,
}

impl Compiler<'_> {
    pub(super) fn is_handlebars(&self) -> bool {
        self.language == CompiledLanguage::Handlebars
    }

    /// Generates the statements of a block.
    pub(super) fn block(&self, block: &ContextBlock, scope: &Scope, sink: Sink) -> Tokens {
        if !matches!(block.kind, ContextKind::Each | ContextKind::With | ContextKind::Section) {
            return reason("a construct that only the engine knows");
        }
        let (span, subject) = (self.span, self.resolved(&block.subject, scope));
        if let Some(presence) = self.rich_presence(subject, scope) {
            if block.kind == ContextKind::Each {
                return reason("a loop over a thread");
            }
            return self.once(block, &presence, BlockValue::Rich, scope, sink);
        }
        let Some(place) = self.place(subject, scope)? else {
            return self.engine_reason(subject, scope, "a block over what is computed");
        };
        if block.kind == ContextKind::With {
            let entered = self.block_truth(&place, Question::With)?;
            let value = BlockValue::Place(Box::new(place));
            return self.once(block, &entered, value, scope, sink);
        }
        let is_section = block.kind == ContextKind::Section;
        match &place.value_type {
            _ if place.entries.is_some() && !is_section => {
                self.each_entry(block, &place, scope, sink)
            }
            value_type if value_type.non_null().item().is_some() => {
                self.each_item(block, place, scope, sink)
            }
            ValueType::Boolean if is_section => {
                let holds = self.block_truth(&place, Question::If)?;
                let around = scope.blocks.last().map(|around| around.value.clone());
                let value = around.unwrap_or(BlockValue::Inputs);
                self.once(block, &holds, value, scope, sink)
            }
            value_type
                if is_section && (value_type.is_scalar() || value_type.fields().is_some()) =>
            {
                let present = self.present(&place)?;
                let is_some = quote_spanned!(span=> #present.is_some());
                self.once(block, &is_some, BlockValue::Place(Box::new(place)), scope, sink)
            }
            _ => reason("a block over a value whose type only rustc knows"),
        }
    }

    /// Generates the statement of a block whose body is written once or not at all.
    fn once(
        &self,
        block: &ContextBlock,
        is_entered: &TokenStream,
        value: BlockValue,
        scope: &Scope,
        sink: Sink,
    ) -> Tokens {
        let span = self.span;
        let mut inner = branch(scope);
        match (block.parameters.as_slice(), &value) {
            ([], _) => {}
            ([name], BlockValue::Place(place)) => {
                inner.bind(&name.text, Bound::Place((**place).clone()));
            }
            _ => return reason("the names behind 'as' of a block that is written once"),
        }
        inner.blocks.push(Block { value, kind: block.kind, turn: None });
        let body = self.body(&block.body, &inner, sink)?;
        let otherwise = self.body(&block.otherwise, &branch(scope), sink)?;
        let otherwise = (!otherwise.is_empty()).then(|| quote_spanned!(span=> else { #otherwise }));
        Ok(quote_spanned!(span=> if #is_entered { #body } #otherwise))
    }

    /// Generates a loop over a list.
    fn each_item(&self, block: &ContextBlock, list: Place, scope: &Scope, sink: Sink) -> Tokens {
        let (span, some) = (self.span, self.some());
        let item = self.ident("item", scope.depth);
        let value_type = list.value_type.non_null().item().cloned().unwrap_or_default();
        let mut value = Place::new(quote_spanned!(span=> #some(#item)), value_type, list.at);
        value.reference = Some(quote_spanned!(span=> #item));
        let items = Items::List(self.present(&list)?, Box::new(list));
        let looped = LoopParts { before: TokenStream::new(), items, bound: Vec::new() };
        self.turns(block, &looped, value, None, scope, sink)
    }

    /// Generates a loop over the entries of a map.
    fn each_entry(&self, block: &ContextBlock, map: &Place, scope: &Scope, sink: Sink) -> Tokens {
        let item = self.ident("item", scope.depth);
        let (before, items, key, value) = self.map_entries(map, &item, scope)?;
        let looped = LoopParts { before, items, bound: Vec::new() };
        self.turns(block, &looped, value, Some(Box::new(key)), scope, sink)
    }

    /// Generates the loop of `{{#each}}`.
    fn turns(
        &self,
        block: &ContextBlock,
        looped: &LoopParts,
        value: Place,
        key: Option<Box<Place>>,
        scope: &Scope,
        sink: Sink,
    ) -> Tokens {
        let (span, depth) = (self.span, scope.depth);
        let (item, counters) = (self.ident("item", depth), self.counters(depth));
        let mut inner = branch(scope);
        if let Some(name) = block.parameters.first() {
            inner.bind(&name.text, Bound::Place(value.clone()));
        }
        if let Some(name) = block.parameters.get(1) {
            inner.bind(
                &name.text,
                match &key {
                    Some(key) => Bound::Place((**key).clone()),
                    None => Bound::Counter(counters.index.clone()),
                },
            );
        }
        inner.blocks.push(Block {
            value: BlockValue::Place(Box::new(value)),
            kind: block.kind,
            turn: Some(Turn { counters: counters.clone(), key }),
        });
        let body = self.body(&block.body, &inner, sink)?;
        // A turn may read nothing of its item.
        let body = quote_spanned!(span=> let _ = &#item; #body);
        let otherwise = self.body(&block.otherwise, &branch(scope), sink)?;
        let otherwise = (!otherwise.is_empty()).then_some(otherwise);
        let each = |turn: TokenStream| self.iterate(looped, &item, &turn);
        Ok(self.counted_loop(&looped.before, &each, &counters, &body, otherwise))
    }

    /// The value of a block around; `None` if it is all inputs.
    fn block_value(&self, up: usize, at: TemplateSpan, scope: &Scope) -> Result<Option<Place>> {
        match scope.blocks.iter().rev().nth(up).map(|block| &block.value) {
            None | Some(BlockValue::Inputs) => Ok(None),
            Some(BlockValue::Place(place)) => Ok(Some(Place { at, ..(**place).clone() })),
            Some(BlockValue::Rich) => reason("a thread or media as the value of a block"),
        }
    }

    /// The place of `this` or `../`.
    pub(super) fn context(&self, up: usize, at: TemplateSpan, scope: &Scope) -> Result<Place> {
        match self.block_value(up, at, scope)? {
            Some(place) => Ok(place),
            None => reason("all inputs as one value"),
        }
    }

    /// The place of a name in a block; the outer `None` if `value` is no block, and the inner one if
    /// the name is computed.
    pub(super) fn attribute_in_block(
        &self,
        value: &Expr,
        name: &Name,
        at: TemplateSpan,
        scope: &Scope,
    ) -> Result<Option<Option<Place>>> {
        let ExprKind::Context(up) = &value.kind else { return Ok(None) };
        self.refuse_function(&name.text)?;
        if self.block_value(*up, at, scope)?.is_some() {
            return Ok(None);
        }
        if scope.variable(&name.text).is_some() {
            return reason(format!("the name '{}', which the template binds", name.text));
        }
        self.variable(&name.text, at, scope).map(Some)
    }

    /// Refuses a name that calls a function of the host.
    pub(super) fn refuse_function(&self, name: &str) -> Result<()> {
        let mut functions = self.prompt.options.functions.iter();
        match functions.any(|function| helpers::function_name(&function.name) == name) {
            true => reason(format!("the function '{name}'")),
            false => Ok(()),
        }
    }

    /// The loop that `@index` and the like belong to, and what they ask of it.
    fn turn<'n, 's>(&self, name: &'n str, scope: &'s Scope) -> Result<Option<(&'n str, &'s Turn)>> {
        let Some(data) = name.strip_prefix('@').filter(|_| self.is_handlebars()) else {
            return Ok(None);
        };
        let part = data.trim_start_matches("../");
        let up = (data.len() - part.len()) / "../".len();
        let loops = scope.blocks.iter().rev().filter(|block| block.kind != ContextKind::With);
        let turn = loops.into_iter().nth(up).and_then(|block| block.turn.as_ref());
        match turn {
            Some(turn) => Ok(Some((part, turn))),
            None => reason(format!("'{name}' in a block that is written once")),
        }
    }

    /// The place of `@key` in a loop over a map. The outer `None` if the name is no `@` name.
    pub(super) fn key_of_loop(
        &self,
        name: &str,
        at: TemplateSpan,
        scope: &Scope,
    ) -> Result<Option<Option<Place>>> {
        let Some((part, turn)) = self.turn(name, scope)? else { return Ok(None) };
        let key = turn.key.as_deref().filter(|_| part == "key");
        Ok(Some(key.map(|key| Place { at, ..key.clone() })))
    }

    /// The number or boolean of `@index` and the like, and of a name behind `as`.
    pub(super) fn counter_of_block(
        &self,
        expr: &Expr,
        scope: &Scope,
    ) -> Result<Option<TokenStream>> {
        let span = self.span;
        let ExprKind::Variable(name) = &expr.kind else { return Ok(None) };
        if let Some(Bound::Counter(index)) = scope.variable(name).map(|it| &it.bound) {
            return Ok(Some(quote_spanned!(span=> #index)));
        }
        let Some((part, turn)) = self.turn(name, scope)? else { return Ok(None) };
        let Loop { index, length, .. } = &turn.counters;
        Ok(match part {
            "index" => Some(quote_spanned!(span=> #index)),
            "first" => Some(quote_spanned!(span=> (#index == 0))),
            "last" => Some(quote_spanned!(span=> (#index + 1 == #length))),
            _ if turn.key.is_none() => Some(quote_spanned!(span=> #index)),
            _ => None,
        })
    }

    /// An expression of type `bool`: what a condition or a `with` says of a place.
    pub(super) fn block_truth(&self, place: &Place, question: Question) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let site = self.site(Ability::Ask, place);
        // The closure is never called. It requires that the value can be a condition.
        let answer = |asked: &TokenStream| {
            let truth = quote_spanned!(span=>
                (&&&&&#facade::__private::place::Place(#asked)).block_truth()
            );
            match question {
                Question::With => quote_spanned!(span=> #truth.is_entered),
                Question::If => {
                    let required = site.condition(asked);
                    quote_spanned!(span=> { let _ = || #required; #truth.holds })
                }
            }
        };
        if let Some(option) = &place.option {
            return Ok(answer(option));
        }
        let asked = answer(&quote_spanned!(span=> it));
        if let (Some(reference), None) = (&place.reference, &place.fallback) {
            return Ok(quote_spanned!(span=> ({ let it = #reference; #asked })));
        }
        let value = &place.value;
        let otherwise = match &place.fallback {
            None => false,
            Some(Fallback::Literal(Value::Integer(_) | Value::Float(_)))
                if matches!(question, Question::With) =>
            {
                true
            }
            Some(Fallback::Literal(literal)) => literal.is_true(),
            Some(Fallback::Expression(_)) => {
                return reason("a condition on an input whose default is an expression");
            }
        };
        Ok(quote_spanned!(span=> #value.map_or(#otherwise, |it| #asked)))
    }

    /// Whether an attribute is the number of items or characters, and not a field or an entry.
    pub(super) fn is_length(&self, base: &Place, name: &Name) -> Result<bool> {
        if !self.is_handlebars() || name.text != "length" || base.entries.is_some() {
            return Ok(false);
        }
        match &base.value_type {
            ValueType::Object(_) => Ok(false),
            ValueType::String | ValueType::Array(_) if base.reference.is_some() => Ok(true),
            ValueType::String | ValueType::Array(_) => {
                reason("the length of a value that may be missing")
            }
            _ => reason("the length of a value whose type only rustc knows"),
        }
    }
}

/// The scope of a body in a block or branch.
fn branch(scope: &Scope) -> Scope {
    Scope { depth: scope.depth + 1, is_branch: true, ..scope.clone() }
}

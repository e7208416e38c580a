//! Generates code for the blocks of Handlebars, and for the names in them.
//!
//! In `{{#with order}}{{id}}{{/with}}`, the name `id` belongs to the value of the block. `../id` is
//! one block further outside, and in a loop `{{@index}}` is a counter. A [`Scope`] therefore has
//! the blocks around a place.
//!
//! The value of a plain block `{{#order}}` decides at run time whether the block is a loop, a
//! condition, or a scope. Code is generated if the type determines which of these it is. A block
//! whose value has a type that only rustc knows, such as the field of a struct, can be a `with`.

use proc_macro2::TokenStream;
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_template::handlebars::helpers;
use prompty_template::tree::{ContextBlock, ContextKind, Expr, ExprKind, Name};
use quote::quote_spanned;

use super::loops::LoopParts;
use super::nodes::Sink;
use super::places::{Fallback, PlaceExpr};
use super::{
    Binding, CompiledLanguage, Compiler, LoopCounters, Result, Scope, Tokens, branch_scope,
    unsupported,
};
use crate::expand::site::RequiredTrait;

/// A block that contains a place of the template.
#[derive(Clone)]
pub(super) struct Block {
    value: BlockSubject,
    kind: ContextKind,
    /// The counters, if the block is a loop.
    block_loop: Option<BlockLoop>,
}

/// The value to which the names in a block belong.
#[derive(Clone)]
enum BlockSubject {
    Inputs,
    Place(Box<PlaceExpr>),
    /// A thread, an image, a file or audio.
    Rich,
}

/// The counters of a loop.
#[derive(Clone)]
struct BlockLoop {
    counters: LoopCounters,
    /// The key of an entry, for a loop over a map.
    key: Option<Box<PlaceExpr>>,
}

/// The condition of a block: `{{#if}}` or `{{#with}}`.
#[derive(Clone, Copy)]
pub(super) enum BlockTest {
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
            return unsupported("a block of a kind that only the engine supports");
        }
        let (span, subject) = (self.span, self.resolved(&block.subject, scope));
        if let Some(presence) = self.rich_presence(subject, scope) {
            if block.kind == ContextKind::Each {
                return unsupported("a loop over a thread");
            }
            return self.once(block, &presence, BlockSubject::Rich, scope, sink);
        }
        let Some(place) = self.place(subject, scope)? else {
            let reason = "a block over the result of an expression";
            return self.unsupported_value(subject, scope, reason);
        };
        if block.kind == ContextKind::With {
            let entered = self.block_truth(&place, BlockTest::With)?;
            let value = BlockSubject::Place(Box::new(place));
            return self.once(block, &entered, value, scope, sink);
        }
        // `{{#each value}}` or `{{#value}}`.
        let is_section = block.kind == ContextKind::Section;
        match &place.value_type {
            // The entries of a map.
            _ if place.entries.is_some() && !is_section => {
                let item = self.ident("item", scope.depth);
                let (looped, key, value) = self.map_entries(&place, &item, scope)?;
                self.each_loop(block, &looped, value, Some(Box::new(key)), scope, sink)
            }
            value_type if value_type.non_null().item().is_some() => {
                let item = self.ident("item", scope.depth);
                let item_type = value_type.non_null().item().cloned().unwrap_or_default();
                let value = self.item_of_list(&item, item_type, place.at);
                self.each_loop(block, &self.list_loop(place)?, value, None, scope, sink)
            }
            // A boolean is a condition, so the names in the block belong to the block around it.
            ValueType::Boolean if is_section => {
                let holds = self.block_truth(&place, BlockTest::If)?;
                let outer = scope.blocks.last().map(|outer| outer.value.clone());
                let value = outer.unwrap_or(BlockSubject::Inputs);
                self.once(block, &holds, value, scope, sink)
            }
            value_type
                if is_section && (value_type.is_scalar() || value_type.fields().is_some()) =>
            {
                let present = self.flattened(&place)?;
                let is_some = quote_spanned!(span=> #present.is_some());
                self.once(block, &is_some, BlockSubject::Place(Box::new(place)), scope, sink)
            }
            _ => unsupported("a block over a value of unknown type"),
        }
    }

    /// Generates the statement of a block whose body is written once or not at all.
    fn once(
        &self,
        block: &ContextBlock,
        is_entered: &TokenStream,
        value: BlockSubject,
        scope: &Scope,
        sink: Sink,
    ) -> Tokens {
        let span = self.span;
        let mut inner = branch_scope(scope);
        match (block.parameters.as_slice(), &value) {
            ([], _) => {}
            ([name], BlockSubject::Place(place)) => {
                inner.bind(&name.text, Binding::Place((**place).clone()));
            }
            _ => return unsupported("the names after `as` in a block that is not a loop"),
        }
        inner.blocks.push(Block { value, kind: block.kind, block_loop: None });
        let body = self.body(&block.body, &inner, sink)?;
        let otherwise = self.body(&block.otherwise, &branch_scope(scope), sink)?;
        let otherwise = (!otherwise.is_empty()).then(|| quote_spanned!(span=> else { #otherwise }));
        Ok(quote_spanned!(span=> if #is_entered { #body } #otherwise))
    }

    /// Generates the loop of `{{#each}}`, or of a plain block over a list.
    fn each_loop(
        &self,
        block: &ContextBlock,
        looped: &LoopParts,
        value: PlaceExpr,
        key: Option<Box<PlaceExpr>>,
        scope: &Scope,
        sink: Sink,
    ) -> Tokens {
        let (span, depth) = (self.span, scope.depth);
        let (item, counters) = (self.ident("item", depth), self.counters(depth));
        let mut inner = branch_scope(scope);
        if let Some(name) = block.parameters.first() {
            inner.bind(&name.text, Binding::Place(value.clone()));
        }
        if let Some(name) = block.parameters.get(1) {
            inner.bind(
                &name.text,
                match &key {
                    Some(key) => Binding::Place((**key).clone()),
                    None => Binding::Counter(counters.index.clone()),
                },
            );
        }
        inner.blocks.push(Block {
            value: BlockSubject::Place(Box::new(value)),
            kind: block.kind,
            block_loop: Some(BlockLoop { counters: counters.clone(), key }),
        });
        let body = self.body(&block.body, &inner, sink)?;
        // An iteration may not read its item.
        let body = quote_spanned!(span=> let _ = &#item; #body);
        let otherwise = self.body(&block.otherwise, &branch_scope(scope), sink)?;
        let otherwise = (!otherwise.is_empty()).then_some(otherwise);
        let each = |turn: TokenStream| self.iterate(looped, &item, &turn);
        Ok(self.counted_loop(&looped.before, &each, &counters, &body, otherwise))
    }

    /// The value of the block that is `up` levels outside; `None` if it is all inputs.
    fn block_value(&self, up: usize, at: TemplateSpan, scope: &Scope) -> Result<Option<PlaceExpr>> {
        match scope.blocks.iter().rev().nth(up).map(|block| &block.value) {
            None | Some(BlockSubject::Inputs) => Ok(None),
            Some(BlockSubject::Place(place)) => Ok(Some(PlaceExpr { at, ..(**place).clone() })),
            Some(BlockSubject::Rich) => unsupported("a thread or media as the value of a block"),
        }
    }

    /// The place of `this` or `../`.
    pub(super) fn context(&self, up: usize, at: TemplateSpan, scope: &Scope) -> Result<PlaceExpr> {
        match self.block_value(up, at, scope)? {
            Some(place) => Ok(place),
            None => unsupported("`this` outside of a block, which means all inputs"),
        }
    }

    /// Whether `this.name` or `../name` leads out of all blocks, so that the name is that of an
    /// input. `value` is the part before the name.
    pub(super) fn is_name_outside_of_blocks(
        &self,
        value: &Expr,
        name: &Name,
        at: TemplateSpan,
        scope: &Scope,
    ) -> Result<bool> {
        let ExprKind::Context(up) = &value.kind else { return Ok(false) };
        self.refuse_function(&name.text)?;
        if self.block_value(*up, at, scope)?.is_some() {
            return Ok(false);
        }
        if scope.variable(&name.text).is_some() {
            return unsupported(format!("the name `{}`, which the template binds", name.text));
        }
        Ok(true)
    }

    /// Returns an error for a name that calls a function of the host.
    pub(super) fn refuse_function(&self, name: &str) -> Result<()> {
        let mut functions = self.prompt.options.functions.iter();
        match functions.any(|function| helpers::function_name(&function.name) == name) {
            true => unsupported(format!("the function `{name}`")),
            false => Ok(()),
        }
    }

    /// The loop of a name such as `@index` or `@../index`, and the name of the counter: `index`.
    /// `None` if the name does not begin with `@`.
    fn counter_and_loop<'n, 's>(
        &self,
        name: &'n str,
        scope: &'s Scope,
    ) -> Result<Option<(&'n str, &'s BlockLoop)>> {
        let Some(data) = name.strip_prefix('@').filter(|_| self.is_handlebars()) else {
            return Ok(None);
        };
        let part = data.trim_start_matches("../");
        let up = (data.len() - part.len()) / "../".len();
        // A `with` block has no counters, so `../` after `@` does not count it.
        let blocks = scope.blocks.iter().rev().filter(|block| block.kind != ContextKind::With);
        let block_loop = blocks.into_iter().nth(up).and_then(|block| block.block_loop.as_ref());
        match block_loop {
            Some(block_loop) => Ok(Some((part, block_loop))),
            None => unsupported(format!("`{name}` in a block that is not a loop")),
        }
    }

    /// The place of `@key` in a loop over a map. `None` if the name is another one: it is computed.
    pub(super) fn key_of_loop(
        &self,
        name: &str,
        at: TemplateSpan,
        scope: &Scope,
    ) -> Result<Option<PlaceExpr>> {
        let Some((part, block_loop)) = self.counter_and_loop(name, scope)? else { return Ok(None) };
        let key = block_loop.key.as_deref().filter(|_| part == "key");
        Ok(key.map(|key| PlaceExpr { at, ..key.clone() }))
    }

    /// The number or boolean of a name such as `@index`, or of a name after `as`.
    pub(super) fn counter_of_block(
        &self,
        expr: &Expr,
        scope: &Scope,
    ) -> Result<Option<TokenStream>> {
        let span = self.span;
        let ExprKind::Variable(name) = &expr.kind else { return Ok(None) };
        if let Some(Binding::Counter(index)) = scope.variable(name).map(|it| &it.binding) {
            return Ok(Some(quote_spanned!(span=> #index)));
        }
        let Some((part, block_loop)) = self.counter_and_loop(name, scope)? else { return Ok(None) };
        let LoopCounters { index, length, .. } = &block_loop.counters;
        Ok(match part {
            "index" => Some(quote_spanned!(span=> #index)),
            "first" => Some(quote_spanned!(span=> (#index == 0))),
            "last" => Some(quote_spanned!(span=> (#index + 1 == #length))),
            // The `@key` of a list is the index. In a map it is a place; see `key_of_loop`.
            _ if block_loop.key.is_none() => Some(quote_spanned!(span=> #index)),
            _ => None,
        })
    }

    /// An expression of type `bool`: whether a place fulfils the condition of a block.
    pub(super) fn block_truth(&self, place: &PlaceExpr, test: BlockTest) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let site = self.site(RequiredTrait::Truth, place);
        // The closure in the code is never called. It requires that the value can be a condition.
        let answer = |tested: &TokenStream| {
            let truth = quote_spanned!(span=>
                (&&&&&#facade::__private::place::Place(#tested)).block_truth()
            );
            match test {
                BlockTest::With => quote_spanned!(span=> #truth.is_entered),
                BlockTest::If => {
                    let required = site.condition(tested);
                    quote_spanned!(span=> { let _ = || #required; #truth.holds })
                }
            }
        };
        if let Some(option) = &place.option {
            return Ok(answer(option));
        }
        let tested = answer(&quote_spanned!(span=> it));
        if let (Some(reference), None) = (&place.reference, &place.fallback) {
            return Ok(quote_spanned!(span=> ({ let it = #reference; #tested })));
        }
        let value = &place.value;
        // The result if the value is missing: that of its default. `{{#with 0}}` is entered.
        let otherwise = match &place.fallback {
            None => false,
            Some(Fallback::Literal(Value::Integer(_) | Value::Float(_)))
                if matches!(test, BlockTest::With) =>
            {
                true
            }
            Some(Fallback::Literal(literal)) => literal.is_true(),
            Some(Fallback::Expression(_)) => {
                return unsupported("a condition on an input whose default is an expression");
            }
        };
        Ok(quote_spanned!(span=> #value.map_or(#otherwise, |it| #tested)))
    }

    /// Whether an attribute is the number of items or characters, and not a field or an entry.
    pub(super) fn is_length(&self, base: &PlaceExpr, name: &Name) -> Result<bool> {
        if !self.is_handlebars() || name.text != "length" || base.entries.is_some() {
            return Ok(false);
        }
        match &base.value_type {
            ValueType::Object(_) => Ok(false),
            ValueType::String | ValueType::Array(_) if base.reference.is_some() => Ok(true),
            ValueType::String | ValueType::Array(_) => {
                unsupported("the length of a value that may be missing")
            }
            _ => unsupported("the length of a value of unknown type"),
        }
    }
}

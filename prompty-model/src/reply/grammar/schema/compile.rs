//! From a schema to an expression: alternatives, references, and the kinds of values.

use std::collections::{HashMap, HashSet};

use super::basic::Basic;
use super::facts::{Facts, Kinds};
use super::node::{self, Node};
use super::{SchemaOptions, SchemaRule, Widened, array, fixed, number, object, overlap, text};
use crate::reply::grammar::{Expression, GrammarBuilder, RuleId};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;

/// How deep schemas may stand in schemas.
const DEEPEST: usize = 64;

/// How many schemas are looked at, counting those that are referred to again and again.
const MOST_WORK: usize = 100_000;

/// Adds the rule of a schema to a grammar.
pub(super) fn rule(
    builder: &mut GrammarBuilder,
    name: &str,
    schema: &Value,
    options: &SchemaOptions,
) -> Result<SchemaRule, Error> {
    let mut compiler = Compiler {
        builder,
        root: schema,
        options,
        widened: Vec::new(),
        references: HashMap::new(),
        work: 0,
    };
    let rule = compiler.builder.reserve(name);
    compiler.references.insert("#".to_owned(), rule);
    let expression = compiler.compile(&[Node::root(schema)], name, 0)?;
    compiler.builder.define(rule, expression);
    Ok(SchemaRule { rule, widened: compiler.widened })
}

/// What is known while a schema becomes rules.
pub(super) struct Compiler<'b, 's> {
    pub(super) builder: &'b mut GrammarBuilder,
    root: &'s Value,
    options: &'b SchemaOptions,
    widened: Vec<Widened>,
    /// The rules of what was referred to, by its pointer.
    references: HashMap<String, RuleId>,
    work: usize,
}

impl<'s> Compiler<'_, 's> {
    /// The expression of schemas that hold together.
    pub(super) fn compile(
        &mut self,
        nodes: &[Node<'s>],
        name: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        if let [node] = nodes
            && let Some(reference) = plain_reference(node)
        {
            return self.reference(node, reference, depth);
        }
        let mut facts = Facts::default();
        for node in nodes {
            facts.gather(self, node, depth)?;
        }
        self.of_facts(facts, name, depth)
    }

    /// The expression of all that is said.
    fn of_facts(
        &mut self,
        mut facts: Facts<'s>,
        name: &str,
        depth: usize,
    ) -> Result<Expression, Error> {
        if facts.nothing {
            return Ok(Expression::NOTHING);
        }
        if facts.is_silent() {
            return Ok(Basic::Value.of(self.builder));
        }
        if facts.fixed.is_some() {
            return fixed::expression(self, &facts, depth);
        }
        let is_one_group = facts.is_one_group();
        let Some(group) = facts.groups.pop() else { return self.kinds(&facts, name, depth) };
        if group.keyword == "oneOf" {
            overlap::note(self, &group);
        }
        let mut ways = Vec::with_capacity(group.schemas.len());
        for (at, schema) in group.schemas.iter().enumerate() {
            self.work(&schema.at, depth)?;
            let name = format!("{name}-{at}");
            // Alone, an alternative that is a reference is the rule of what it refers to.
            ways.push(if is_one_group {
                self.compile(std::slice::from_ref(schema), &name, depth + 1)?
            } else {
                let mut facts = facts.clone();
                facts.gather(self, schema, depth + 1)?;
                self.of_facts(facts, &name, depth + 1)?
            });
        }
        Ok(Expression::Choice(ways))
    }

    fn kinds(&mut self, facts: &Facts<'s>, name: &str, depth: usize) -> Result<Expression, Error> {
        let kinds = facts.meant();
        let mut ways = Vec::new();
        if kinds.contains(Kinds::OBJECT) {
            ways.push(object::expression(self, facts, name, depth)?);
        }
        if kinds.contains(Kinds::ARRAY) {
            ways.push(array::expression(self, facts, name, depth)?);
        }
        if kinds.contains(Kinds::TEXT) {
            ways.push(text::expression(self, facts)?);
        }
        if kinds.contains(Kinds::NUMBER) {
            ways.push(match facts.bounds.is_none() {
                true => Basic::Number.of(self.builder),
                false => number::number(&facts.bounds),
            });
        } else if kinds.contains(Kinds::INTEGER) {
            ways.push(match facts.bounds.is_none() {
                true => Basic::Integer.of(self.builder),
                false => number::integer(&facts.bounds),
            });
        }
        if kinds.contains(Kinds::BOOLEAN) {
            ways.extend(["true".into(), "false".into()]);
        }
        if kinds.contains(Kinds::NULL) {
            ways.push("null".into());
        }
        Ok(Expression::Choice(ways))
    }

    fn reference(
        &mut self,
        node: &Node<'s>,
        reference: &'s Value,
        depth: usize,
    ) -> Result<Expression, Error> {
        let target = self.says_something(node, reference)?;
        if let Some(&known) = self.references.get(&target.at) {
            return Ok(known.into());
        }
        self.work(&node.at, depth)?;
        let name = target.at.rsplit('/').next().unwrap_or_default().to_owned();
        let rule = self.builder.reserve(&name);
        self.references.insert(target.at.clone(), rule);
        let expression = self.compile(&[target], &name, depth + 1)?;
        self.builder.define(rule, expression);
        Ok(rule.into())
    }

    /// What a reference stands for, where that says something of a value: not only references that
    /// lead back to where they came from.
    fn says_something(&self, node: &Node<'s>, reference: &'s Value) -> Result<Node<'s>, Error> {
        let target = self.target(node, reference)?;
        let mut known: HashSet<String> = HashSet::from([node.at.clone()]);
        let mut next = target.clone();
        // A longer row of references is too deep anyway.
        for _ in 0..DEEPEST {
            let Some(further) = plain_reference(&next) else { break };
            if !known.insert(next.at.clone()) {
                let message =
                    format!("`$ref` leads to `{}`, which only leads on to itself", next.at);
                let help = "let one of these definitions say what the value is, such as its `type`";
                return Err(node.error("$ref", message).with_help(help));
            }
            next = self.target(&next, further)?;
        }
        Ok(target)
    }

    /// What a reference stands for.
    pub(super) fn target(&self, node: &Node<'s>, reference: &'s Value) -> Result<Node<'s>, Error> {
        let Some(text) = reference.as_str() else {
            return Err(node.wrong("$ref", "a text", reference));
        };
        let Some(value) = node::referred(self.root, text) else {
            let message = format!("`$ref` leads to `{text}`, which is not in this schema");
            let help = "references are pointers into the schema itself, such as `#/$defs/address`";
            return Err(node.error("$ref", message).with_help(help));
        };
        Ok(Node { value, at: text.to_owned() })
    }

    /// Notes a keyword that the grammar does not hold values to, where the caller allows that.
    pub(super) fn cannot_say(
        &mut self,
        node: &Node<'s>,
        keyword: &str,
        why: &str,
    ) -> Result<(), Error> {
        if !self.options.widen {
            let message = format!("a grammar cannot say `{keyword}`: {why}");
            let help = "leave it out of the schema, or allow the grammar to admit more with \
                        `SchemaOptions::widen`";
            return Err(node.error(keyword, message).with_help(help));
        }
        self.note(node, keyword);
        Ok(())
    }

    /// Notes a keyword that the grammar does not hold values to.
    pub(super) fn note(&mut self, node: &Node<'s>, keyword: &str) {
        let widened = Widened { keyword: keyword.to_owned(), schema: node.at.clone() };
        if !self.widened.contains(&widened) {
            self.widened.push(widened);
        }
    }

    /// Counts a schema that is looked at.
    pub(super) fn work(&mut self, at: &str, depth: usize) -> Result<(), Error> {
        self.work += 1;
        let (message, help) = if depth > DEEPEST {
            (
                format!("the schema is more than {DEEPEST} deep, or refers to itself without end"),
                "a schema may refer to itself from inside of `properties` or `items` only",
            )
        } else if self.work > MOST_WORK {
            (
                "the schema is too large for a grammar".to_owned(),
                "leave definitions out that are not needed, or say less of their values",
            )
        } else {
            return Ok(());
        };
        let place = node::error_at(at, "").place().cloned();
        let error = Error::new(ErrorKind::Limit, message).with_help(help);
        Err(match place {
            Some(place) => error.at(place),
            None => error,
        })
    }
}

/// The reference of a schema that is nothing else.
fn plain_reference<'s>(node: &Node<'s>) -> Option<&'s Value> {
    let map = node.value.as_object()?;
    let is_plain = map.keys().all(|keyword| {
        matches!(keyword, "$ref" | "title" | "description" | "default" | "$comment" | "examples")
            || (node.at == "#" && matches!(keyword, "$defs" | "definitions" | "$schema"))
    });
    map.get("$ref").filter(|_| is_plain)
}

//! The names of a template's file: what it binds where, and what it takes from outside.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::given::MAX_NAMES;
use crate::diagnostic::Span;
use crate::jinja::tree::{
    Call, Expr, ExprKind, Macro, Name, Node, NodeKind, OtherTemplate, Target,
};
use crate::jinja::walk;
use crate::text::slice_list;
use crate::work::add_steps;

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Every name that is bound or read.
    pub(super) all: BTreeSet<String>,
    /// The names that the file binds outside of all blocks, each with the places where it does.
    pub(super) top: BTreeMap<String, Vec<Span>>,
    /// Each place where a name is read, but those of modules.
    pub(super) references: Vec<Reference>,
    /// Each place where something is read of a module: `module.name`.
    pub(super) members: Vec<Member>,
    /// Each place where a module is read as a whole.
    pub(super) modules: Vec<Name>,
    /// The names that are bound where a tag stands, by the start of the tag.
    pub(super) at_tags: HashMap<usize, BTreeSet<String>>,
    /// What lies around each `block`, by its start.
    pub(super) around_blocks: HashMap<usize, Around>,
    /// How many names are in `at_tags` and `around_blocks`.
    counted: usize,
    /// Whether those are more than may be; some of them are missing then.
    pub(super) are_too_many: bool,
    /// The outputs that are `super()` or `self.name()` and nothing else, by their start.
    pub(super) outputs_of_blocks: HashMap<usize, BlockOutput>,
}

/// The loops and other blocks that bind names around a `block`.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) names: BTreeSet<String>,
    /// How many they are, with the file itself.
    pub(super) depth: usize,
}

/// A place where a name is read.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) name: Name,
    pub(super) is_call: bool,
    /// How many blocks lie around the one that binds it; `None` if nothing in the file does.
    pub(super) bound: Option<usize>,
}

/// A place where something is read of a module.
#[derive(Debug)]
pub(super) struct Member {
    /// Where the tag begins that imports the module.
    pub(super) tag: usize,
    pub(super) name: Name,
    /// Where `module.name` stands.
    pub(super) span: Span,
}

/// An output that writes a block.
#[derive(Debug, Clone)]
pub(super) enum BlockOutput {
    /// `{{ super() }}`
    Super,
    /// `{{ self.name() }}`
    OfName(Name),
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Value,
    /// A module; the start of the tag that imports it.
    Module(usize),
}

/// The names of a file with these nodes.
pub(super) fn of(nodes: &[Node]) -> Names {
    let mut finder = Finder::default();
    finder.within(&[], |finder| {
        finder.declare(nodes);
        finder.nodes(nodes);
    });
    finder.names
}

#[derive(Default)]
struct Finder {
    names: Names,
    scopes: Vec<HashMap<String, Bound>>,
}

impl Finder {
    /// Reads what lies in a block that binds these names.
    fn within(&mut self, bound: &[&str], read: impl FnOnce(&mut Self)) {
        let names = bound.iter().map(|name| ((*name).to_owned(), Bound::Value));
        self.scopes.push(names.collect());
        read(self);
        self.scopes.pop();
    }

    fn body(&mut self, bound: &[&str], nodes: &[Node]) {
        self.within(bound, |finder| {
            finder.declare(nodes);
            finder.nodes(nodes);
        });
    }

    fn bind(&mut self, name: &Name, bound: Bound) {
        self.names.all.insert(name.text.clone());
        if self.scopes.len() == 1 {
            self.names.top.entry(name.text.clone()).or_default().push(name.span);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.entry(name.text.clone()).or_insert(bound);
        }
    }

    /// Binds what these nodes bind for the block that they are in.
    fn declare(&mut self, nodes: &[Node]) {
        for node in nodes {
            match &node.kind {
                NodeKind::Set { target, .. } | NodeKind::SetBlock { target, .. } => {
                    for name in target.names() {
                        self.bind(name, Bound::Value);
                    }
                }
                NodeKind::Macro(declared) => self.bind(&declared.name, Bound::Value),
                NodeKind::If(_) => {
                    walk::bodies(node).into_iter().for_each(|body| self.declare(body));
                }
                NodeKind::Unsupported { other: Some(other), .. } => match &**other {
                    OtherTemplate::Import { module, .. } => {
                        self.bind(module, Bound::Module(node.span.start));
                    }
                    OtherTemplate::From { imported, .. } => {
                        imported.iter().for_each(|(_, own)| self.bind(own, Bound::Value));
                    }
                    OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => {}
                },
                _ => {}
            }
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Output(value) => match block_output(value) {
                Some(output) => {
                    self.names.outputs_of_blocks.insert(node.span.start, output);
                }
                None => self.expr(value),
            },
            NodeKind::Do(value) => self.expr(value),
            NodeKind::If(branching) => {
                branching.branches.iter().for_each(|(test, _)| self.expr(test));
                walk::bodies(node).into_iter().for_each(|body| self.nodes(body));
            }
            NodeKind::For(repeated) => {
                self.expr(&repeated.iterable);
                let mut bound = bound_by(&repeated.target);
                bound.push("loop");
                self.within(&bound, |finder| {
                    repeated.condition.iter().for_each(|condition| finder.expr(condition));
                    finder.declare(&repeated.body);
                    finder.nodes(&repeated.body);
                });
                self.body(&[], &repeated.otherwise);
            }
            NodeKind::Set { target, value } => {
                self.expr(value);
                self.target(target);
            }
            NodeKind::SetBlock { target, filters, body } => {
                self.target(target);
                filters.iter().for_each(|filter| self.arguments(filter));
                self.body(&[], body);
            }
            NodeKind::With { bindings, body } => {
                bindings.iter().for_each(|(_, value)| self.expr(value));
                let bound: Vec<&str> =
                    bindings.iter().flat_map(|(target, _)| bound_by(target)).collect();
                self.body(&bound, body);
            }
            NodeKind::FilterBlock { filters, body } => {
                filters.iter().for_each(|filter| self.arguments(filter));
                self.body(&[], body);
            }
            NodeKind::Macro(declared) => self.declared(declared),
            NodeKind::CallBlock { call, caller } => {
                self.expr(call);
                self.declared(caller);
            }
            NodeKind::Scope { block, body, .. } => {
                if block.is_some() {
                    let around = Around { names: self.bound_here(1), depth: self.scopes.len() };
                    self.names.around_blocks.insert(node.span.start, around);
                }
                self.body(&[], body);
            }
            NodeKind::Unsupported { other, .. } => {
                if let Some(OtherTemplate::Import { module, .. }) = other.as_deref()
                    && let Some(scope) = self.scopes.last_mut()
                {
                    // Of several modules with one name, the last before a place counts there.
                    scope.insert(module.text.clone(), Bound::Module(node.span.start));
                }
                let bound = self.bound_here(0);
                self.names.at_tags.insert(node.span.start, bound);
            }
            NodeKind::Text(_)
            | NodeKind::Section(_)
            | NodeKind::Context(_)
            | NodeKind::Partial(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Indentation
            | NodeKind::Break
            | NodeKind::Continue => {}
        }
    }

    /// The names that are bound here, without those of so many outer scopes.
    fn bound_here(&mut self, outer: usize) -> BTreeSet<String> {
        let scopes = slice_list(&self.scopes, outer..);
        let count: usize = scopes.iter().map(HashMap::len).sum();
        add_steps(count);
        self.names.counted = self.names.counted.saturating_add(count);
        if self.names.counted > MAX_NAMES {
            self.names.are_too_many = true;
            return BTreeSet::new();
        }
        scopes.iter().flat_map(|scope| scope.keys().cloned()).collect()
    }

    fn declared(&mut self, declared: &Macro) {
        let parameters = declared.parameters.iter().map(|name| name.text.as_str());
        let bound: Vec<&str> = parameters.chain(["caller", "varargs", "kwargs"]).collect();
        self.within(&bound, |finder| {
            declared.defaults.iter().for_each(|default| finder.expr(default));
            finder.declare(&declared.body);
            finder.nodes(&declared.body);
        });
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Name(_) => {}
            Target::Tuple(targets) => targets.iter().for_each(|target| self.target(target)),
            Target::Attribute(expr) => self.expr(expr),
        }
    }

    fn arguments(&mut self, call: &Call) {
        call.arguments.iter().for_each(|argument| self.expr(argument.expr()));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Variable(name) => self.read(&Name::new(name.as_str(), expr.span), false),
            ExprKind::Attribute { value, name } if self.module(value).is_some() => {
                self.member(value, name);
            }
            ExprKind::Method { value, call } if self.module(value).is_some() => {
                self.member(value, &call.name);
                self.arguments(call);
            }
            ExprKind::Function(call) => {
                self.read(&call.name, true);
                self.arguments(call);
            }
            _ => walk::operands(expr).into_iter().for_each(|operand| self.expr(operand)),
        }
    }

    /// The tag that imports a module, if an expression is one.
    fn module(&self, expr: &Expr) -> Option<usize> {
        let ExprKind::Variable(name) = &expr.kind else { return None };
        match self.lookup(name) {
            Some((_, Bound::Module(tag))) => Some(tag),
            _ => None,
        }
    }

    fn member(&mut self, module: &Expr, name: &Name) {
        if let Some(tag) = self.module(module) {
            let span = module.span.to(name.span);
            self.names.members.push(Member { tag, name: name.clone(), span });
        }
    }

    fn lookup(&self, name: &str) -> Option<(usize, Bound)> {
        let mut scopes = self.scopes.iter().enumerate().rev();
        scopes.find_map(|(depth, scope)| Some((depth, *scope.get(name)?)))
    }

    fn read(&mut self, name: &Name, is_call: bool) {
        self.names.all.insert(name.text.clone());
        let bound = match self.lookup(&name.text) {
            Some((_, Bound::Module(_))) => {
                self.names.modules.push(name.clone());
                return;
            }
            Some((depth, Bound::Value)) => Some(depth),
            None => None,
        };
        self.names.references.push(Reference { name: name.clone(), is_call, bound });
    }
}

fn bound_by(target: &Target) -> Vec<&str> {
    target.names().into_iter().map(|name| name.text.as_str()).collect()
}

/// What an output is that writes a block and nothing else.
fn block_output(value: &Expr) -> Option<BlockOutput> {
    match &value.kind {
        ExprKind::Function(call) if call.name.text == "super" && call.arguments.is_empty() => {
            Some(BlockOutput::Super)
        }
        ExprKind::Method { value, call } if call.arguments.is_empty() => match &value.kind {
            ExprKind::Variable(name) if name == "self" => {
                Some(BlockOutput::OfName(call.name.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a node binds names for what stands behind it.
pub(super) fn binds(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Set { .. } | NodeKind::SetBlock { .. } | NodeKind::Macro(_) | NodeKind::Do(_) => {
            true
        }
        NodeKind::Unsupported { other, .. } => {
            !matches!(other.as_deref(), Some(OtherTemplate::Extends { .. }))
        }
        NodeKind::If(_) => walk::bodies(node).into_iter().flatten().any(binds),
        _ => false,
    }
}

//! The names of a template's file: what it binds where, and what it takes from outside.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::tree::{Call, Expr, ExprKind, Macro, Name, Node, NodeKind, OtherTemplate, Target};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::work::add_steps;

/// How many names of files may be looked at to find what each sees of the others. A name that is imported is
/// written, so a template that is no longer than it may be has fewer.
pub(super) const MAX_NAMES: usize = 1 << 20;

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Every name that is bound or read.
    pub(super) all: BTreeSet<String>,
    /// The names that the file binds outside of all blocks, each with the places where it does.
    pub(super) top: BTreeMap<String, Vec<TemplateSpan>>,
    /// Each place where a name is read, but those of modules; in order.
    pub(super) references: Vec<Reference>,
    /// Each place where something is read of a module: `module.name`.
    pub(super) members: Vec<Member>,
    /// Each place where a module is read as a whole.
    pub(super) modules: Vec<Name>,
    /// The tags that name other files, in order.
    pub(super) tags: Vec<Tag>,
    /// The scope in which each `block` stands, by the start of the block.
    pub(super) scopes_of_blocks: HashMap<usize, ScopeId>,
    /// The outputs that are `super()` or `self.name()` and nothing else, by their start.
    pub(super) outputs_of_blocks: HashMap<usize, BlockOutput>,
    /// The parts of the file, outside of all blocks, that bind names; in order.
    definitions: Vec<TemplateSpan>,
    scopes: Vec<Scope>,
}

impl Names {
    /// Whether the file names others, or has blocks that others could fill.
    pub(super) fn has_parts(&self) -> bool {
        !self.tags.is_empty() || !self.scopes_of_blocks.is_empty()
    }

    /// Whether a place lies in a part of the file that binds names, so that it counts where the file is
    /// imported.
    pub(super) fn is_in_definition(&self, span: TemplateSpan) -> bool {
        let next = self.definitions.partition_point(|part| part.end <= span.start);
        self.definitions.get(next).is_some_and(|part| part.contains(span))
    }

    /// The places in a part of the file where names are read.
    pub(super) fn references_in(&self, part: TemplateSpan) -> impl Iterator<Item = &Reference> {
        let first = self.references.partition_point(|it| it.name.span.start < part.start);
        let references = self.references.iter().skip(first);
        references.take_while(move |it| it.name.span.start < part.end)
    }

    /// Whether a name is bound in a scope or in one around it.
    pub(super) fn binds(&self, scope: ScopeId, name: &str) -> bool {
        self.around(scope).any(|scope| scope.names.contains_key(name))
    }

    /// Whether a name is bound in a scope or in one around it, the file's own left out.
    pub(super) fn binds_inside_of_file(&self, scope: ScopeId, name: &str) -> bool {
        let mut inner = self.around(scope).filter(|scope| scope.parent.is_some());
        inner.any(|scope| scope.names.contains_key(name))
    }

    /// How many scopes lie around a place in a scope, with that one and the file's own.
    pub(super) fn depth(&self, scope: ScopeId) -> usize {
        self.around(scope).count()
    }

    /// A scope and those around it, outwards.
    fn around(&self, scope: ScopeId) -> impl Iterator<Item = &Scope> {
        std::iter::successors(self.scopes.get(scope.0), |inner| {
            inner.parent.and_then(|outer| self.scopes.get(outer.0))
        })
    }
}

/// A tag that names other files.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) span: TemplateSpan,
    /// What it says.
    pub(super) other: OtherTemplate,
    /// The scope in which it stands.
    pub(super) scope: ScopeId,
}

/// A scope of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ScopeId(usize);

/// What binds names: a file, a loop, a macro, or a block.
#[derive(Debug)]
struct Scope {
    /// The scope around it; nothing for the file's own.
    parent: Option<ScopeId>,
    names: HashMap<String, Bound>,
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
    pub(super) span: TemplateSpan,
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
    let mut names = finder.names;
    names.references.sort_by_key(|reference| reference.name.span.start);
    names.definitions = nodes.iter().filter(|node| binds(node)).map(|node| node.span).collect();
    names
}

#[derive(Default)]
struct Finder {
    names: Names,
    /// The scope that is being read.
    scope: Option<ScopeId>,
    /// Where the `set` begins that is being read: what it binds is not known in it yet.
    binding: Option<usize>,
    /// Whether a macro or a block is being read, which may be written when all of the file is known.
    is_later: bool,
}

impl Finder {
    /// Reads what lies in a block that binds these names.
    fn within(&mut self, bound: &[&str], read: impl FnOnce(&mut Self)) {
        let names = bound.iter().map(|name| ((*name).to_owned(), Bound::Value)).collect();
        let parent = self.scope.replace(ScopeId(self.names.scopes.len()));
        self.names.scopes.push(Scope { parent, names });
        read(self);
        self.scope = parent;
    }

    fn body(&mut self, bound: &[&str], nodes: &[Node]) {
        self.within(bound, |finder| {
            finder.declare(nodes);
            finder.nodes(nodes);
        });
    }

    fn bind(&mut self, name: &Name, bound: Bound) {
        self.names.all.insert(name.text.clone());
        let Some(scope) = self.scope.and_then(|scope| self.names.scopes.get_mut(scope.0)) else {
            return;
        };
        if scope.parent.is_none() {
            self.names.top.entry(name.text.clone()).or_default().push(name.span);
        }
        scope.names.entry(name.text.clone()).or_insert(bound);
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
                NodeKind::OtherTemplate(other) => match &**other {
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
                let outer = self.binding;
                self.binding = outer.or(Some(node.span.start));
                self.expr(value);
                self.target(target);
                self.binding = outer;
            }
            NodeKind::SetBlock { target, filters, body } => {
                let outer = self.binding;
                self.binding = outer.or(Some(node.span.start));
                self.target(target);
                filters.iter().for_each(|filter| self.arguments(filter));
                self.body(&[], body);
                self.binding = outer;
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
            NodeKind::Scope { body, .. } => self.body(&[], body),
            NodeKind::Block { body, .. } => {
                if let Some(scope) = self.scope {
                    self.names.scopes_of_blocks.insert(node.span.start, scope);
                }
                let outer = std::mem::replace(&mut self.is_later, true);
                self.body(&[], body);
                self.is_later = outer;
            }
            NodeKind::OtherTemplate(other) => self.tag(node.span, other),
            NodeKind::Text(_)
            | NodeKind::Section(_)
            | NodeKind::Context(_)
            | NodeKind::Partial
            | NodeKind::RecursivePartial(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Indentation
            | NodeKind::Break
            | NodeKind::Continue => {}
        }
    }

    fn tag(&mut self, span: TemplateSpan, other: &OtherTemplate) {
        let Some(scope) = self.scope else { return };
        if let OtherTemplate::Import { module, .. } = other
            && let Some(scope) = self.names.scopes.get_mut(scope.0)
        {
            // Of several modules with one name, the last before a place counts there.
            scope.names.insert(module.text.clone(), Bound::Module(span.start));
        }
        self.names.tags.push(Tag { span, other: other.clone(), scope });
    }

    fn declared(&mut self, declared: &Macro) {
        let parameters = declared.parameters.iter().map(|name| name.text.as_str());
        let bound: Vec<&str> = parameters.chain(["caller", "varargs", "kwargs"]).collect();
        let outer = std::mem::replace(&mut self.is_later, true);
        self.within(&bound, |finder| {
            declared.defaults.iter().for_each(|default| finder.expr(default));
            finder.declare(&declared.body);
            finder.nodes(&declared.body);
        });
        self.is_later = outer;
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
        add_steps(1);
        let mut scopes = self.names.around(self.scope?);
        let found = scopes.find_map(|scope| Some(*scope.names.get(name)?))?;
        Some((scopes.count(), found))
    }

    /// Whether a name that the file binds is read before it does.
    fn is_bound_later(&self, name: &Name) -> bool {
        let first = self.names.top.get(&name.text).and_then(|places| places.first());
        let read = self.binding.unwrap_or(name.span.start);
        !self.is_later && first.is_some_and(|first| read < first.start)
    }

    fn read(&mut self, name: &Name, is_call: bool) {
        self.names.all.insert(name.text.clone());
        let bound = match self.lookup(&name.text) {
            Some((_, Bound::Module(_))) => {
                self.names.modules.push(name.clone());
                return;
            }
            // What the file binds further behind is still that of whoever names the file.
            Some((0, Bound::Value)) if self.is_bound_later(name) => None,
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
        NodeKind::OtherTemplate(other) => {
            matches!(**other, OtherTemplate::Import { .. } | OtherTemplate::From { .. })
        }
        NodeKind::If(_) => walk::bodies(node).into_iter().flatten().any(binds),
        _ => false,
    }
}

//! Finds the names that a template's file binds and reads.
//!
//! The assembly needs them to give imported definitions names that are not used, and to know what
//! an included file takes from its caller, which is the file that includes it.
//!
//! A file is a scope, and so is the body of each block except `if`. Its names are declared before
//! its nodes are visited, because a macro or a `{% block %}` can use names that are bound later.
//! Elsewhere at the top of a file, a name that is read before it is bound is that of the file's
//! caller: in `{{ a }}{% set a = 1 %}{{ a }}`, the first `a` is free, and the second is bound.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::tree::{Call, Expr, ExprKind, Macro, Name, Node, NodeKind, OtherTemplate, Target};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::work::add_steps;

/// The maximum number of names that are examined across files. The assembly writes imported names
/// into its result, so a template within the length limit has fewer.
pub(super) const MAX_NAMES: usize = 1 << 20;

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    /// Every name that is bound or read.
    pub(super) all: BTreeSet<String>,
    /// The names that the file's top scope binds (also in an `if`), with the spans that bind them.
    pub(super) top: BTreeMap<String, Vec<TemplateSpan>>,
    /// Each place that reads a name other than a module, in order.
    pub(super) references: Vec<NameReference>,
    /// Each place that reads a member of a module: `module.name`.
    pub(super) members: Vec<ModuleMember>,
    /// Each place that uses a module as a value.
    pub(super) modules: Vec<Name>,
    /// The tags that name other files, in order.
    pub(super) tags: Vec<ReferenceTag>,
    /// The scope around each `block`, by the start of the block.
    pub(super) scopes_of_blocks: HashMap<usize, ScopeId>,
    /// The outputs that contain only `super()` or `self.name()`, by their start.
    pub(super) outputs_of_blocks: HashMap<usize, BlockOutput>,
    /// The nodes at the top of the file for which [`is_definition`] returns true, in order.
    definitions: Vec<TemplateSpan>,
    scopes: Vec<Scope>,
}

impl FileNames {
    /// Whether the file names other files, or has blocks that others could fill.
    pub(super) fn has_parts(&self) -> bool {
        !self.tags.is_empty() || !self.scopes_of_blocks.is_empty()
    }

    /// Whether a span is in a definition. An import writes only the definitions of a file.
    pub(super) fn is_in_definition(&self, span: TemplateSpan) -> bool {
        let next = self.definitions.partition_point(|part| part.end <= span.start);
        self.definitions.get(next).is_some_and(|part| part.contains(span))
    }

    /// Returns the places in a part of the file that read names.
    pub(super) fn references_in(&self, part: TemplateSpan) -> impl Iterator<Item = &NameReference> {
        let first = self.references.partition_point(|it| it.name.span.start < part.start);
        let references = self.references.iter().skip(first);
        references.take_while(move |it| it.name.span.start < part.end)
    }

    /// Whether a name is bound in a scope or an enclosing one.
    pub(super) fn binds(&self, scope: ScopeId, name: &str) -> bool {
        self.enclosing_scopes(scope).any(|scope| scope.names.contains_key(name))
    }

    /// Whether a name is bound in a scope or an enclosing one, other than the file's top scope.
    pub(super) fn binds_inside_of_file(&self, scope: ScopeId, name: &str) -> bool {
        let mut inner = self.enclosing_scopes(scope).filter(|scope| scope.parent.is_some());
        inner.any(|scope| scope.names.contains_key(name))
    }

    /// Returns the number of scopes from this one to the file's top scope, including both.
    pub(super) fn scope_count(&self, scope: ScopeId) -> usize {
        self.enclosing_scopes(scope).count()
    }

    /// Returns a scope and the scopes around it, from the inside out.
    fn enclosing_scopes(&self, scope: ScopeId) -> impl Iterator<Item = &Scope> {
        std::iter::successors(self.scopes.get(scope.0), |inner| {
            inner.parent.and_then(|outer| self.scopes.get(outer.0))
        })
    }
}

/// A tag that names other files.
#[derive(Debug)]
pub(super) struct ReferenceTag {
    pub(super) span: TemplateSpan,
    /// The content of the tag.
    pub(super) other: OtherTemplate,
    /// The scope that contains it.
    pub(super) scope: ScopeId,
}

/// The index of a scope in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ScopeId(usize);

/// The names that a file, a loop, a macro or another scope binds.
#[derive(Debug)]
struct Scope {
    /// The scope around it; `None` for the file's top scope.
    parent: Option<ScopeId>,
    names: HashMap<String, Binding>,
}

/// A place that reads a name.
#[derive(Debug)]
pub(super) struct NameReference {
    pub(super) name: Name,
    pub(super) is_call: bool,
    /// The depth of the scope that binds the name; 0 is the file's top scope. `None` if it is free.
    pub(super) bound: Option<usize>,
}

/// A place that reads a member of a module.
#[derive(Debug)]
pub(super) struct ModuleMember {
    /// The start of the tag that imports the module.
    pub(super) tag: usize,
    pub(super) name: Name,
    /// The span of `module.name`.
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

/// The meaning of a bound name.
#[derive(Debug, Clone, Copy)]
enum Binding {
    Value,
    /// A module, with the start of the tag that imports it.
    Module(usize),
}

/// Finds the names of a file with these nodes.
pub(super) fn find_names(nodes: &[Node]) -> FileNames {
    let mut finder = NameFinder::default();
    finder.visit_scope(&[], [], nodes);
    let mut names = finder.names;
    names.references.sort_by_key(|reference| reference.name.span.start);
    names.definitions =
        nodes.iter().filter(|node| is_definition(node)).map(|node| node.span).collect();
    names
}

/// Visits the nodes of a file.
#[derive(Default)]
struct NameFinder {
    names: FileNames,
    /// The current scope.
    scope: Option<ScopeId>,
    /// The start of the outermost `set` around the current node. A name inside it is read before
    /// the `set` binds its target.
    outermost_set: Option<usize>,
    /// Whether the current node is in a macro or a `block`. These can use names that are bound
    /// later.
    sees_later_names: bool,
}

impl NameFinder {
    /// Visits nodes in a new scope that binds the names in `bound`. The expressions in `tag` are in
    /// that scope too.
    fn visit_scope<'e>(
        &mut self,
        bound: &[&str],
        tag: impl IntoIterator<Item = &'e Expr>,
        nodes: &[Node],
    ) {
        let names = bound.iter().map(|name| ((*name).to_owned(), Binding::Value)).collect();
        let parent = self.scope.replace(ScopeId(self.names.scopes.len()));
        self.names.scopes.push(Scope { parent, names });
        tag.into_iter().for_each(|expr| self.visit_expr(expr));
        self.declare(nodes);
        self.visit_nodes(nodes);
        self.scope = parent;
    }

    fn bind(&mut self, name: &Name, bound: Binding) {
        self.names.all.insert(name.text.clone());
        let Some(scope) = self.scope.and_then(|scope| self.names.scopes.get_mut(scope.0)) else {
            return;
        };
        if scope.parent.is_none() {
            self.names.top.entry(name.text.clone()).or_default().push(name.span);
        }
        scope.names.entry(name.text.clone()).or_insert(bound);
    }

    /// Binds the names that these nodes bind in the current scope.
    fn declare(&mut self, nodes: &[Node]) {
        for node in nodes {
            match &node.kind {
                NodeKind::Set { target, .. } | NodeKind::SetBlock { target, .. } => {
                    for name in target.names() {
                        self.bind(name, Binding::Value);
                    }
                }
                NodeKind::Macro(declared) => self.bind(&declared.name, Binding::Value),
                NodeKind::If(_) => {
                    walk::bodies(node).into_iter().for_each(|body| self.declare(body));
                }
                NodeKind::OtherTemplate(other) => match &**other {
                    OtherTemplate::Import { module, .. } => {
                        self.bind(module, Binding::Module(node.span.start));
                    }
                    OtherTemplate::From { imported, .. } => {
                        imported.iter().for_each(|(_, own)| self.bind(own, Binding::Value));
                    }
                    OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => {}
                },
                _ => {}
            }
        }
    }

    fn visit_nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.visit_node(node));
    }

    fn visit_node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Output(value) => match block_output(value) {
                Some(output) => {
                    self.names.outputs_of_blocks.insert(node.span.start, output);
                }
                None => self.visit_expr(value),
            },
            NodeKind::Do(value) => self.visit_expr(value),
            NodeKind::If(branching) => {
                branching.branches.iter().for_each(|(test, _)| self.visit_expr(test));
                walk::bodies(node).into_iter().for_each(|body| self.visit_nodes(body));
            }
            NodeKind::For(repeated) => {
                self.visit_expr(&repeated.iterable);
                let mut bound = bound_by(&repeated.target);
                bound.push("loop");
                self.visit_scope(&bound, &repeated.condition, &repeated.body);
                self.visit_scope(&[], [], &repeated.otherwise);
            }
            NodeKind::Set { target, value } => self.in_assignment(node, |finder| {
                finder.visit_expr(value);
                finder.visit_target(target);
            }),
            NodeKind::SetBlock { target, filters, body } => self.in_assignment(node, |finder| {
                finder.visit_target(target);
                filters.iter().for_each(|filter| finder.visit_arguments(filter));
                finder.visit_scope(&[], [], body);
            }),
            NodeKind::With { bindings, body } => {
                bindings.iter().for_each(|(_, value)| self.visit_expr(value));
                let bound: Vec<&str> =
                    bindings.iter().flat_map(|(target, _)| bound_by(target)).collect();
                self.visit_scope(&bound, [], body);
            }
            NodeKind::FilterBlock { filters, body } => {
                filters.iter().for_each(|filter| self.visit_arguments(filter));
                self.visit_scope(&[], [], body);
            }
            NodeKind::Macro(declared) => self.visit_macro(declared),
            NodeKind::CallBlock { call, caller } => {
                self.visit_expr(call);
                self.visit_macro(caller);
            }
            NodeKind::Scope { body, .. } => self.visit_scope(&[], [], body),
            NodeKind::Block { body, .. } => {
                if let Some(scope) = self.scope {
                    self.names.scopes_of_blocks.insert(node.span.start, scope);
                }
                self.with_later_names(|finder| finder.visit_scope(&[], [], body));
            }
            NodeKind::OtherTemplate(other) => self.visit_tag(node.span, other),
            // Texts, and nodes of other languages.
            _ => {}
        }
    }

    /// Visits a tag that names other files.
    fn visit_tag(&mut self, span: TemplateSpan, other: &OtherTemplate) {
        let Some(scope) = self.scope else { return };
        if let OtherTemplate::Import { module, .. } = other
            && let Some(scope) = self.names.scopes.get_mut(scope.0)
        {
            // `declare` has bound the first module of this name. From here on, this one applies.
            scope.names.insert(module.text.clone(), Binding::Module(span.start));
        }
        self.names.tags.push(ReferenceTag { span, other: other.clone(), scope });
    }

    fn visit_macro(&mut self, declared: &Macro) {
        let parameters = declared.parameters.iter().map(|name| name.text.as_str());
        let bound: Vec<&str> = parameters.chain(["caller", "varargs", "kwargs"]).collect();
        self.with_later_names(|finder| {
            finder.visit_scope(&bound, &declared.defaults, &declared.body);
        });
    }

    fn in_assignment(&mut self, node: &Node, visit: impl FnOnce(&mut Self)) {
        let outer = self.outermost_set;
        self.outermost_set = outer.or(Some(node.span.start));
        visit(self);
        self.outermost_set = outer;
    }

    fn with_later_names(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.sees_later_names, true);
        visit(self);
        self.sees_later_names = outer;
    }

    /// Visits what a target reads: `ns` in `ns.name`. Other targets read nothing.
    fn visit_target(&mut self, target: &Target) {
        match target {
            Target::Name(_) => {}
            Target::Tuple(targets) => targets.iter().for_each(|target| self.visit_target(target)),
            Target::Attribute(expr) => self.visit_expr(expr),
        }
    }

    fn visit_arguments(&mut self, call: &Call) {
        call.arguments.iter().for_each(|argument| self.visit_expr(argument.expr()));
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Variable(name) => {
                self.record_read(&Name::new(name.as_str(), expr.span), false);
            }
            ExprKind::Attribute { value, name } if self.import_of(value).is_some() => {
                self.record_member(value, name);
            }
            ExprKind::Method { value, call } if self.import_of(value).is_some() => {
                self.record_member(value, &call.name);
                self.visit_arguments(call);
            }
            ExprKind::Function(call) => {
                self.record_read(&call.name, true);
                self.visit_arguments(call);
            }
            _ => walk::operands(expr).into_iter().for_each(|operand| self.visit_expr(operand)),
        }
    }

    /// Returns the start of the tag that imports a module, if an expression is a module.
    fn import_of(&self, expr: &Expr) -> Option<usize> {
        let ExprKind::Variable(name) = &expr.kind else { return None };
        match self.lookup(name) {
            Some((_, Binding::Module(tag))) => Some(tag),
            _ => None,
        }
    }

    /// Records the use of a module's member.
    fn record_member(&mut self, module: &Expr, name: &Name) {
        if let Some(tag) = self.import_of(module) {
            let span = module.span.to(name.span);
            self.names.members.push(ModuleMember { tag, name: name.clone(), span });
        }
    }

    /// Returns the depth of the scope that binds a name, and its meaning. The depth is the number
    /// of scopes around that scope.
    fn lookup(&self, name: &str) -> Option<(usize, Binding)> {
        add_steps(1);
        let mut scopes = self.names.enclosing_scopes(self.scope?);
        let found = scopes.find_map(|scope| Some(*scope.names.get(name)?))?;
        // The search has left only the scopes around the one that it found.
        Some((scopes.count(), found))
    }

    /// Whether the file reads a name before it binds it.
    fn is_bound_later(&self, name: &Name) -> bool {
        let first = self.names.top.get(&name.text).and_then(|places| places.first());
        let read = self.outermost_set.unwrap_or(name.span.start);
        !self.sees_later_names && first.is_some_and(|first| read < first.start)
    }

    /// Records a place that reads a name.
    fn record_read(&mut self, name: &Name, is_call: bool) {
        self.names.all.insert(name.text.clone());
        let bound = match self.lookup(&name.text) {
            Some((_, Binding::Module(_))) => {
                self.names.modules.push(name.clone());
                return;
            }
            // Before the file binds the name, it is that of the file's caller.
            Some((0, Binding::Value)) if self.is_bound_later(name) => None,
            Some((depth, Binding::Value)) => Some(depth),
            None => None,
        };
        self.names.references.push(NameReference { name: name.clone(), is_call, bound });
    }
}

fn bound_by(target: &Target) -> Vec<&str> {
    target.names().into_iter().map(|name| name.text.as_str()).collect()
}

/// Returns the block that an output writes, if the output contains nothing else.
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

/// Whether an import keeps a node: it binds a name for the nodes after it, or it is a `do`, which
/// is executed only for its effects. An `if` is kept if it contains such a node.
pub(super) fn is_definition(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Set { .. } | NodeKind::SetBlock { .. } | NodeKind::Macro(_) | NodeKind::Do(_) => {
            true
        }
        NodeKind::OtherTemplate(other) => {
            matches!(**other, OtherTemplate::Import { .. } | OtherTemplate::From { .. })
        }
        NodeKind::If(_) => walk::bodies(node).into_iter().flatten().any(is_definition),
        _ => false,
    }
}

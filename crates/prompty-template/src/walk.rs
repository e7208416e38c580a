//! Walks over a template's tree: over nodes, bodies and expressions.

use super::tree::{Argument, Call, Expr, ExprKind, Name, Node, NodeKind};
use prompty_core::diagnostic::TemplateSpan;

/// Returns the bodies of a node, in order.
pub fn bodies(node: &Node) -> Vec<&[Node]> {
    match &node.kind {
        NodeKind::Text(_)
        | NodeKind::Output(_)
        | NodeKind::Set { .. }
        | NodeKind::Do(_)
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::Recursion { .. }
        | NodeKind::Indentation
        | NodeKind::OtherTemplate(_)
        | NodeKind::Partial => Vec::new(),
        NodeKind::If(branching) => {
            let branches = branching.branches.iter().map(|(_, body)| body.as_slice());
            branches.chain(branching.otherwise.as_deref()).collect()
        }
        NodeKind::For(repeated) => vec![&repeated.body, &repeated.otherwise],
        NodeKind::SetBlock { body, .. }
        | NodeKind::With { body, .. }
        | NodeKind::FilterBlock { body, .. }
        | NodeKind::Scope { body, .. }
        | NodeKind::Block { body, .. } => vec![body],
        NodeKind::Macro(declared) => vec![&declared.body],
        NodeKind::CallBlock { caller, .. } => vec![&caller.body],
        NodeKind::Section(section) => vec![&section.body],
        NodeKind::Context(block) => vec![&block.body, &block.otherwise],
        NodeKind::RecursivePartial(partial) => vec![&partial.body],
    }
}

/// Returns all nodes at any depth. Each is before those in its bodies.
pub(crate) fn all_nodes(nodes: &[Node]) -> impl Iterator<Item = &Node> {
    let mut waiting: Vec<&Node> = nodes.iter().rev().collect();
    std::iter::from_fn(move || {
        let node = waiting.pop()?;
        waiting.extend(bodies(node).into_iter().flatten().rev());
        Some(node)
    })
}

/// Calls `visit` with the span of every literal text.
pub fn texts(nodes: &[Node], visit: &mut impl FnMut(TemplateSpan)) {
    let texts = all_nodes(nodes).filter(|node| matches!(node.kind, NodeKind::Text(_)));
    texts.for_each(|node| visit(node.span));
}

/// Calls `visit` with each output, filter block and call block that writes directly to the output,
/// in order. The second argument is the subjects of the sections and context blocks around it,
/// innermost last. The bodies of filter and call blocks are not visited, because the filter or the
/// macro may change their text.
///
/// The exception is a call block for which `marks_message` returns true. It writes its body
/// unchanged, so the body is visited after the block.
pub fn direct_outputs<'t>(
    nodes: &'t [Node],
    marks_message: &impl Fn(&Node) -> bool,
    visit: &mut impl FnMut(&'t Node, &[&'t Expr]),
) {
    outputs_within(nodes, &mut Vec::new(), marks_message, visit);
}

fn outputs_within<'t>(
    nodes: &'t [Node],
    sections: &mut Vec<&'t Expr>,
    marks_message: &impl Fn(&Node) -> bool,
    visit: &mut impl FnMut(&'t Node, &[&'t Expr]),
) {
    for node in nodes {
        match &node.kind {
            NodeKind::CallBlock { caller, .. } if marks_message(node) => {
                visit(node, sections);
                outputs_within(&caller.body, sections, marks_message, visit);
            }
            NodeKind::Output(_) | NodeKind::FilterBlock { .. } | NodeKind::CallBlock { .. } => {
                visit(node, sections);
            }
            NodeKind::Section(section) => {
                sections.push(&section.subject);
                outputs_within(&section.body, sections, marks_message, visit);
                sections.pop();
            }
            NodeKind::Context(block) => {
                sections.push(&block.subject);
                outputs_within(&block.body, sections, marks_message, visit);
                sections.pop();
                outputs_within(&block.otherwise, sections, marks_message, visit);
            }
            NodeKind::If(_)
            | NodeKind::For(_)
            | NodeKind::With { .. }
            | NodeKind::RecursivePartial(_) => {
                for body in bodies(node) {
                    outputs_within(body, sections, marks_message, visit);
                }
            }
            // A `set` block and a macro do not write at their place. A scope and a `block` are
            // unsupported in prompts. The other nodes have no bodies.
            _ => {}
        }
    }
}

/// Returns the first construct that prompts cannot use, at any depth: its name and its node.
pub fn first_unsupported(nodes: &[Node]) -> Option<(&'static str, &Node)> {
    all_nodes(nodes).find_map(|node| Some((unsupported(node)?, node)))
}

/// Returns the name of a node's construct, if prompts cannot use it.
pub fn unsupported(node: &Node) -> Option<&'static str> {
    match &node.kind {
        NodeKind::Scope { construct, .. } => Some(construct),
        NodeKind::Block { .. } => Some("block"),
        NodeKind::OtherTemplate(other) => Some(other.keyword()),
        NodeKind::Partial => Some("partial"),
        NodeKind::Break => Some("break"),
        NodeKind::Continue => Some("continue"),
        _ => None,
    }
}

/// Returns the names that a node binds, in order, without those that its bodies bind.
pub fn bound_names(node: &Node) -> Vec<&Name> {
    match &node.kind {
        NodeKind::For(repeated) => repeated.target.names(),
        NodeKind::Set { target, .. } | NodeKind::SetBlock { target, .. } => target.names(),
        NodeKind::With { bindings, .. } => {
            bindings.iter().flat_map(|(target, _)| target.names()).collect()
        }
        NodeKind::Macro(declared) => {
            std::iter::once(&declared.name).chain(&declared.parameters).collect()
        }
        NodeKind::CallBlock { caller, .. } => caller.parameters.iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the expressions in a node's own tags, in order, without those in its bodies.
pub fn expressions(node: &Node) -> Vec<&Expr> {
    match &node.kind {
        NodeKind::Output(value) | NodeKind::Do(value) | NodeKind::Set { value, .. } => vec![value],
        NodeKind::If(branching) => branching.branches.iter().map(|(test, _)| test).collect(),
        NodeKind::For(repeated) => {
            std::iter::once(&repeated.iterable).chain(&repeated.condition).collect()
        }
        NodeKind::SetBlock { filters, .. } | NodeKind::FilterBlock { filters, .. } => {
            filters.iter().flat_map(arguments).collect()
        }
        NodeKind::With { bindings, .. } => bindings.iter().map(|(_, value)| value).collect(),
        NodeKind::Macro(declared) => declared.defaults.iter().collect(),
        NodeKind::CallBlock { call, caller } => {
            std::iter::once(call).chain(&caller.defaults).collect()
        }
        NodeKind::Section(section) => vec![&section.subject],
        NodeKind::Context(block) => vec![&block.subject],
        NodeKind::Text(_)
        | NodeKind::Break
        | NodeKind::Continue
        | NodeKind::RecursivePartial(_)
        | NodeKind::Recursion { .. }
        | NodeKind::Indentation
        | NodeKind::Scope { .. }
        | NodeKind::Block { .. }
        | NodeKind::OtherTemplate(_)
        | NodeKind::Partial => Vec::new(),
    }
}

/// Returns the direct subexpressions of an expression.
pub fn operands(expr: &Expr) -> Vec<&Expr> {
    let mut all = Vec::new();
    each_operand(expr, &mut |operand| all.push(operand));
    all
}

/// Calls `visit` with each direct subexpression of an expression, in the order of the text.
pub fn each_operand<'t>(expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    match &expr.kind {
        ExprKind::Variable(_)
        | ExprKind::Implicit
        | ExprKind::Context(_)
        | ExprKind::Literal(_) => {}
        ExprKind::Attribute { value, .. } => visit(value),
        ExprKind::Index { value, index } => [value, index].into_iter().for_each(|it| visit(it)),
        ExprKind::Slice { value, bounds } => {
            visit(value);
            bounds.iter().flatten().for_each(|it| visit(it));
        }
        ExprKind::Unary { operand, .. } => visit(operand),
        ExprKind::Binary { left, right, .. } => {
            [left, right].into_iter().for_each(|it| visit(it));
        }
        ExprKind::Comparison { first, rest } => {
            visit(first);
            rest.iter().for_each(|(_, operand)| visit(operand));
        }
        ExprKind::Conditional { condition, value, otherwise } => {
            [value, condition].into_iter().chain(otherwise).for_each(|it| visit(it));
        }
        ExprKind::Filter { value, call }
        | ExprKind::Test { value, call }
        | ExprKind::Method { value, call } => {
            visit(value);
            arguments(call).for_each(visit);
        }
        ExprKind::Function(call) => arguments(call).for_each(visit),
        ExprKind::Invocation { value, arguments } => {
            visit(value);
            arguments.iter().map(Argument::expr).for_each(visit);
        }
        ExprKind::List(items) | ExprKind::Tuple(items) => items.iter().for_each(visit),
        ExprKind::Map(entries) => {
            entries.iter().flat_map(|(name, value)| [name, value]).for_each(visit);
        }
    }
}

fn arguments(call: &Call) -> impl Iterator<Item = &Expr> {
    call.arguments.iter().map(Argument::expr)
}

/// Whether any node may write more than once: a loop, a section, or a macro.
pub fn repeats(nodes: &[Node]) -> bool {
    all_nodes(nodes).any(|node| {
        matches!(
            node.kind,
            NodeKind::For(_)
                | NodeKind::Macro(_)
                | NodeKind::Section(_)
                | NodeKind::Context(_)
                | NodeKind::RecursivePartial(_)
        )
    })
}

/// The depth of the deepest expression or block in a body: 1 for `{{ a }}`, and 3 for
/// `{% if a %}{{ b + 1 }}{% endif %}`.
pub fn nesting(nodes: &[Node]) -> usize {
    let of_node = |node: &Node| {
        let inside = bodies(node).into_iter().map(nesting).max().unwrap_or(0);
        let own = expressions(node).into_iter().map(expression_nesting).max().unwrap_or(0);
        inside.max(own) + 1
    };
    nodes.iter().map(of_node).max().unwrap_or(0)
}

fn expression_nesting(expr: &Expr) -> usize {
    operands(expr).into_iter().map(|it| expression_nesting(it) + 1).max().unwrap_or(0)
}

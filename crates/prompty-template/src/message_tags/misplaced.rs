//! Calls of `message` that can mark nothing: in an expression, in a tag, in CDATA or in a comment.

use std::collections::HashSet;

use super::body::{is_message, opens_message};
use super::findings;
use super::names::Bound;
use crate::tree::{Expr, ExprKind, Node, NodeKind};
use crate::walk;
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};

/// Tells the calls that are not among those that were `read`, and adds their names to them.
pub(super) fn tell(
    nodes: &[Node],
    read: &mut HashSet<TemplateSpan>,
) -> Vec<Diagnostic<TemplateSpan>> {
    let mut search = Search { read, findings: Vec::new() };
    search.nodes(nodes, Bound::of_root(nodes));
    search.findings
}

struct Search<'r> {
    read: &'r mut HashSet<TemplateSpan>,
    findings: Vec<Diagnostic<TemplateSpan>>,
}

impl Search<'_> {
    fn nodes(&mut self, nodes: &[Node], bound: Bound) {
        for node in nodes {
            if let NodeKind::CallBlock { call: Expr { kind: ExprKind::Function(call), .. }, .. } =
                &node.kind
                && opens_message(call)
                && !bound.has(&call.name.text)
            {
                self.call(call.name.span);
            }
            for expr in walk::expressions(node) {
                self.expr(expr, bound);
            }
            let within = bound.within(node);
            for body in walk::bodies(node) {
                self.nodes(body, within);
            }
        }
    }

    fn expr(&mut self, expr: &Expr, bound: Bound) {
        if let ExprKind::Function(call) = &expr.kind
            && is_message(call)
            && !bound.has(&call.name.text)
        {
            self.call(call.name.span);
        }
        for operand in walk::operands(expr) {
            self.expr(operand, bound);
        }
    }

    fn call(&mut self, name: TemplateSpan) {
        if self.read.insert(name) {
            self.findings.push(findings::misplaced(name));
        }
    }
}

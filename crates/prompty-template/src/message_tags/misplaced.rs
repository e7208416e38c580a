//! Finds calls of `message`, and call blocks of a role such as `system`, that cannot mark a
//! message: in an expression, a tag, CDATA or a comment.
//!
//! Each of them is an error. So each call marks a message or is reported, and the checker and the
//! render agree on the messages of a template.

use std::collections::HashSet;

use super::body::{is_message, opens_message};
use super::findings;
use super::names::BoundNames;
use crate::tree::{Expr, ExprKind, Node, NodeKind};
use crate::walk;
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};

/// Reports the calls that are not in `handled`, which has the spans of the names of the calls that
/// mark messages. Adds the spans of the reported ones to it.
pub(super) fn find_misplaced(
    nodes: &[Node],
    handled: &mut HashSet<TemplateSpan>,
) -> Vec<Diagnostic<TemplateSpan>> {
    let mut search = CallSearch { handled, findings: Vec::new() };
    search.nodes(nodes, BoundNames::of_root(nodes));
    search.findings
}

/// Searches for calls that were not read as messages.
struct CallSearch<'r> {
    /// The spans of the names of the calls that were read as messages, or reported.
    handled: &'r mut HashSet<TemplateSpan>,
    findings: Vec<Diagnostic<TemplateSpan>>,
}

impl CallSearch<'_> {
    fn nodes(&mut self, nodes: &[Node], bound: BoundNames) {
        for node in nodes {
            // The name of a block may also be a role. In an expression, only `message` marks. A
            // block of `message` is visited both here and as an expression; `handled` prevents a
            // second report.
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

    fn expr(&mut self, expr: &Expr, bound: BoundNames) {
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
        if self.handled.insert(name) {
            self.findings.push(findings::misplaced(name));
        }
    }
}

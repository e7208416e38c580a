//! The names that a template prints and asks for.

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, ExprKind};

/// A dotted name; without parts it is the item of the section around it.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) parts: Vec<Box<str>>,
    pub(super) span: TemplateSpan,
}

impl Path {
    pub(super) fn from_expr(expr: &Expr) -> Self {
        let mut parts = Vec::new();
        let mut inner = expr;
        while let ExprKind::Attribute { value, name } = &inner.kind {
            parts.push(name.text.as_str().into());
            inner = value;
        }
        if let ExprKind::Variable(name) = &inner.kind {
            parts.push(name.as_str().into());
        }
        parts.reverse();
        Self { parts, span: expr.span }
    }

    /// The name as the author wrote it.
    pub(super) fn shown(&self) -> String {
        if self.parts.is_empty() { ".".to_owned() } else { self.parts.join(".") }
    }
}

//! Dotted names in templates.

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Expr, ExprKind};

/// A dotted name. Without parts it is the item of the enclosing section.
#[derive(Debug, Clone)]
pub(super) struct NamePath {
    pub(super) parts: Vec<Box<str>>,
    pub(super) span: TemplateSpan,
}

impl NamePath {
    /// The name that an expression consists of: `a.b` has the parts `a` and `b`.
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

    /// The name as written in the template.
    pub(super) fn to_source(&self) -> String {
        if self.parts.is_empty() { ".".to_owned() } else { self.parts.join(".") }
    }
}

//! The error for a template construct that an engine does not support.

use std::borrow::Cow;

use super::RenderFailure;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_template::SyntaxError;
use prompty_template::tree::{Node, NodeKind};

/// A construct of a template that the engine does not support, with its place.
#[derive(Debug, Clone)]
pub(super) struct UnsupportedConstruct {
    /// The name of the construct in the plural, such as "`for` loops".
    name: Cow<'static, str>,
    span: TemplateSpan,
}

impl UnsupportedConstruct {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, span: TemplateSpan) -> Self {
        Self { name: name.into(), span }
    }

    /// The construct that a node represents.
    pub(super) fn from_node(node: &Node) -> Self {
        let name = match &node.kind {
            NodeKind::Text(_) => "literal text",
            NodeKind::Output(_) => "outputs",
            NodeKind::If(_) => "`if` blocks",
            NodeKind::For(_) => "`for` loops",
            NodeKind::Set { .. } => "assignments",
            NodeKind::SetBlock { .. } => "`set` blocks",
            NodeKind::With { .. } => "`with` blocks with bindings",
            NodeKind::FilterBlock { .. } => "`filter` blocks",
            NodeKind::Macro(_) => "macros",
            NodeKind::CallBlock { .. } => "`call` blocks",
            NodeKind::Do(_) => "`do` tags",
            NodeKind::Section(_) => "sections",
            NodeKind::Context(_) => "blocks that change the context of names",
            NodeKind::RecursivePartial(_) | NodeKind::Recursion { .. } => "recursive partials",
            NodeKind::Indentation => "indented partials",
            NodeKind::Break => "`break` tags",
            NodeKind::Continue => "`continue` tags",
            NodeKind::Scope { construct, .. } => {
                return Self::new(format!("`{construct}` blocks"), node.span);
            }
            NodeKind::Block { .. } => "`block` tags",
            NodeKind::OtherTemplate(tag) => {
                return Self::new(format!("`{}` tags", tag.keyword()), node.span);
            }
            NodeKind::Partial => "partials",
            _ => "tags of this kind",
        };
        Self::new(name, node.span)
    }

    fn message(&self) -> String {
        format!("this renderer does not support {}", self.name)
    }
}

const HELP: &str = "remove it, or use a template format whose engine supports it";

impl From<UnsupportedConstruct> for SyntaxError {
    fn from(construct: UnsupportedConstruct) -> Self {
        Self::new(construct.span, construct.message()).with_help(HELP)
    }
}

impl From<UnsupportedConstruct> for RenderFailure {
    fn from(construct: UnsupportedConstruct) -> Self {
        let error = Error::new(ErrorKind::Render, construct.message()).with_help(HELP);
        Self::new(error, Some(construct.span))
    }
}

#[cfg(test)]
mod tests {
    use super::{HELP, UnsupportedConstruct};
    use crate::engine::RenderFailure;
    use prompty_core::diagnostic::TemplateSpan;
    use prompty_template::SyntaxError;
    use prompty_template::tree::{Node, NodeKind};

    #[test]
    fn both_errors_name_the_construct_and_have_the_help() {
        let construct =
            UnsupportedConstruct::from_node(&Node::new(NodeKind::Break, TemplateSpan::new(2, 5)));
        let error = SyntaxError::from(construct.clone());
        assert_eq!(error.message, "this renderer does not support `break` tags");
        assert_eq!((error.span, error.help.as_deref()), (TemplateSpan::new(2, 5), Some(HELP)));
        let failure = RenderFailure::from(construct);
        assert_eq!(failure.error.to_string(), error.message);
        assert_eq!((failure.span, failure.error.help()), (Some(error.span), Some(HELP)));
    }
}

//! The elements that are open at a place of a template: a message, and a part of it.

use crate::message_tags::syntax::Element;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;

/// The elements that are open at a place of the template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct OpenElements {
    pub(super) message: Option<OpenMessage>,
    /// The part of a message, and the span that opens it.
    pub(super) part: Option<(Element, TemplateSpan)>,
}

/// A message that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenMessage {
    pub(super) opener: Opener,
    pub(super) span: TemplateSpan,
    /// The role, if it is the same in all branches.
    pub(super) role: Option<Role>,
    /// Whether the tag or call that opens it is invalid, so that the role is unknown.
    pub(super) has_error: bool,
}

/// The construct that opened a message. A construct of the same kind must close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opener {
    Tag,
    Call,
    Block,
    /// The template itself, if all of it is one message.
    Template,
}

impl OpenElements {
    /// Whether the same elements are open, regardless of roles.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let opener = |state: &Self| state.message.as_ref().map(|open| open.opener);
        let part = |state: &Self| state.part.map(|(element, _)| element);
        opener(self) == opener(other) && part(self) == part(other)
    }

    /// Returns the span that opened the innermost open element.
    pub(super) fn place(&self) -> Option<TemplateSpan> {
        let message = self.message.as_ref().filter(|open| open.opener != Opener::Template);
        self.part.map(|(_, span)| span).or(message.map(|open| open.span))
    }

    /// Merges the state of another branch that joins this one.
    pub(super) fn merge(&mut self, other: &Self) {
        if let (Some(open), Some(other)) = (&mut self.message, &other.message)
            && open.role != other.role
        {
            open.role = None;
        }
    }
}

//! What is open at a place of a template: a message, and a part of it.

use crate::message_tags::syntax::Element;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;

/// What is open at a place of the template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct State {
    pub(super) message: Option<OpenMessage>,
    /// The part of a message, and where it is opened.
    pub(super) part: Option<(Element, TemplateSpan)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenMessage {
    pub(super) opener: Opener,
    pub(super) span: TemplateSpan,
    /// The role, where it is the same on all ways.
    pub(super) role: Option<Role>,
    /// Whether there is a mistake in what opens it, so that the role is not known.
    pub(super) is_mistaken: bool,
}

/// What has opened a message, which something of the same kind must close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opener {
    Tag,
    Call,
    Block,
    /// The template itself, which is one message.
    Template,
}

impl State {
    /// Whether the same is open.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let opener = |state: &Self| state.message.as_ref().map(|open| open.opener);
        let part = |state: &Self| state.part.map(|(element, _)| element);
        opener(self) == opener(other) && part(self) == part(other)
    }

    /// Where the innermost that is open was opened.
    pub(super) fn place(&self) -> Option<TemplateSpan> {
        let message = self.message.as_ref().filter(|open| open.opener != Opener::Template);
        self.part.map(|(_, span)| span).or(message.map(|open| open.span))
    }

    /// What is open where this way meets another.
    pub(super) fn merge(&mut self, other: &Self) {
        if let (Some(open), Some(other)) = (&mut self.message, &other.message)
            && open.role != other.role
        {
            open.role = None;
        }
    }
}

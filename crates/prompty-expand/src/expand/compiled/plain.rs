//! Generates code for templates in which each message is one text: they have no thread, no media,
//! and no boundary inside a loop or a branch. They need no writer that tracks the open message.
//!
//! `user:\nHi {{ name }}!` becomes (shortened)
//!
//! ```text
//! Vec::from([{
//!     let mut writer = TextWriter::with_capacity(4 + the size of `name`);
//!     writer.literal("Hi "); writer.value(&prompt.name); writer.literal("!");
//!     writer.message(Role::User)
//! }])
//! ```

use proc_macro2::TokenStream;
use prompty_core::message::Role;
use prompty_template::tree::{ExprKind, Node, NodeKind};
use prompty_template::{Template, walk};
use quote::quote_spanned;

use super::nodes::{Piece, SPLIT_MARKER, Sink, split_within};
use super::places::unescaped;
use super::{Compiler, Result, Scope, Tokens, is_from_user, unsupported};

impl Compiler<'_> {
    /// The messages of a plain template; `None` for other templates.
    pub(super) fn plain(&self, template: &Template) -> Result<Option<TokenStream>> {
        if template.nodes.iter().any(|node| self.is_rich(node)) {
            return Ok(None);
        }
        let pieces = self.all_pieces(&template.nodes, &Scope::default());
        let (span, facade) = (self.span, self.facade);
        if let Some(role) = self.leading_role() {
            let message = self.message_of(&role, &[], &pieces, &mut self.outermost_scope())?;
            return Ok(Some(quote_spanned!(span=> #facade::__private::Vec::from([#message]))));
        }
        let has_inner_marker =
            |piece: &Piece<'_>| matches!(piece, Piece::Node(node) if self.has_marker(node));
        if pieces.iter().any(has_inner_marker) {
            return Ok(None);
        }
        // Text before the first marker is a message too.
        let is_blank =
            |piece: &&Piece<'_>| matches!(piece, Piece::Text(text) if text.trim().is_empty());
        if !matches!(pieces.iter().find(|it| !is_blank(it)), Some(Piece::Marker(..))) {
            return Ok(None);
        }
        let mut messages = TokenStream::new();
        let mut scope = Scope::default();
        let mut rest = pieces.as_slice();
        while let [piece, after @ ..] = rest {
            if matches!(piece, Piece::Marker(..)) {
                messages.extend(self.plain_message(rest, &mut scope)?);
            }
            rest = after;
        }
        Ok(Some(quote_spanned!(span=> #facade::__private::Vec::from([#messages]))))
    }

    /// The expression of the message that the first of these pieces opens. `scope` keeps the names
    /// that the message binds, for the messages after it.
    fn plain_message(&self, pieces: &[Piece<'_>], scope: &mut Scope) -> Tokens {
        let Some((Piece::Marker(marker, head), rest)) = pieces.split_first() else {
            return Ok(TokenStream::new());
        };
        let section = rest.split(|piece| matches!(piece, Piece::Marker(..))).next();
        let (within, section) = split_within(section.unwrap_or(rest), marker);
        scope.from_user = is_from_user(&marker.role);
        let attributes = self.attributes(marker, head, within, scope)?;
        self.message_of(&marker.role, &attributes, section, scope)
    }

    /// The expression of the message that consists of these pieces.
    fn message_of(
        &self,
        role: &Role,
        attributes: &[(String, TokenStream)],
        section: &[Piece<'_>],
        scope: &mut Scope,
    ) -> Tokens {
        let size = self.section_size(section, scope)?;
        let mut statements = TokenStream::new();
        for (index, piece) in section.iter().enumerate() {
            match piece {
                Piece::Node(node) if self.bind_set(node, scope)? => {}
                Piece::Node(node) => statements.extend(self.node(node, scope, Sink::Writer)?),
                Piece::Run(run) => statements.extend(self.run(run, scope, Sink::Writer)?),
                Piece::Marker(..) => {}
                Piece::Rest(_) => return unsupported(SPLIT_MARKER),
                Piece::Text(text) => {
                    // Blank lines at both ends of a message are removed here, at compile time.
                    let text = if index == 0 { text.trim_start_matches('\n') } else { text };
                    let is_last = index + 1 == section.len();
                    let text = if is_last { self.without_last_breaks(text, index) } else { text };
                    statements.extend(self.text(text, Sink::Writer));
                }
            }
        }
        let (span, facade) = (self.span, self.facade);
        let role = self.role(role);
        // A string is not trimmed after the values are written.
        let (writer, message) = match self.keeps_white_space() {
            true => (
                quote_spanned!(span=> #facade::__private::String),
                quote_spanned!(span=> #facade::Message::new(#role, writer)),
            ),
            false => (
                quote_spanned!(span=> #facade::__private::TextWriter),
                quote_spanned!(span=> writer.message(#role)),
            ),
        };
        let attributes = attributes
            .iter()
            .map(|(name, value)| quote_spanned!(span=> message.metadata.insert(#name, #value);));
        Ok(quote_spanned! {span=>
            {
                #[allow(unused_mut)]
                let mut writer = #writer::with_capacity(#size);
                #statements
                #[allow(unused_mut)]
                let mut message = #message;
                #(#attributes)*
                message
            },
        })
    }

    /// The text at the end of a message without its line breaks. `index` is the number of pieces before
    /// it. If the text consists of line breaks, the first one stays, because a value may end in the
    /// first half of `\r\n`. The writer removes it.
    fn without_last_breaks<'t>(&self, text: &'t str, index: usize) -> &'t str {
        match text.trim_end_matches('\n') {
            "" if index > 0 && !text.is_empty() && !self.keeps_white_space() => "\n",
            trimmed => trimmed,
        }
    }

    /// Whether a node contains a thread or media.
    pub(super) fn is_rich(&self, node: &Node) -> bool {
        if let NodeKind::Output(value) = &node.kind
            && let ExprKind::Variable(name) = &unescaped(value).kind
            && let Some(input) = self.input(name)
        {
            return input.rich().is_some();
        }
        walk::bodies(node).into_iter().flatten().any(|node| self.is_rich(node))
    }
}

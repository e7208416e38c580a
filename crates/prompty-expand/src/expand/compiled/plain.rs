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
        let (span, facade) = (self.span, self.facade);
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
        scope.from_user = is_from_user(marker);
        let attributes = self.attributes(marker, head, within, scope)?;
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
                    let text = if is_last { text.trim_end_matches('\n') } else { text };
                    statements.extend(self.text(text, Sink::Writer));
                }
            }
        }
        let (span, facade) = (self.span, self.facade);
        let role = self.role(marker);
        let attributes = attributes
            .iter()
            .map(|(name, value)| quote_spanned!(span=> message.metadata.insert(#name, #value);));
        Ok(quote_spanned! {span=>
            {
                #[allow(unused_mut)]
                let mut writer = #facade::__private::TextWriter::with_capacity(#size);
                #statements
                #[allow(unused_mut)]
                let mut message = writer.message(#role)?;
                #(#attributes)*
                message
            },
        })
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

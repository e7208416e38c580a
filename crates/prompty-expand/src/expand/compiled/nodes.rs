//! Generates statements for the nodes of a template.
//!
//! [`Compiler::body`] splits the nodes of a body into pieces: `Hi.\nuser:\n{{ name }}` consists of
//! the text `Hi.\n`, a marker, the text `\n` and a node. It generates the statements of each piece,
//! and passes through the pieces with a [`Scope`] that changes at markers and at `set`.

use proc_macro2::{Ident, TokenStream};
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::role_markers::TemplateMarker;
use prompty_template::tree::{Expr, ExprKind, If, Node, NodeKind, Target};
use prompty_template::walk;
use quote::quote_spanned;

use super::places::{constant_value, unescaped};
use super::{Binding, Compiler, Result, Scope, Tokens, branch_scope, is_from_user, unsupported};
use crate::expand::implementation::media_part;
use crate::expand::statics;

/// The sink to which the statements write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sink {
    /// The writer of the messages.
    Writer,
    /// The counter of the texts' sizes. Role boundaries have no size.
    Sizer,
    /// Either of the two, in a function that is called with both.
    Either,
}

/// The reason why a marker that begins outside of a block and ends inside it is not compiled.
pub(super) const SPLIT_MARKER: &str =
    "a role marker that begins outside of a block and ends inside it";

impl Sink {
    pub(super) fn ident(self, span: proc_macro2::Span) -> Ident {
        let name = match self {
            Self::Writer => "writer",
            Self::Sizer => "size",
            Self::Either => "sink",
        };
        Ident::new(name, span)
    }
}

/// A piece of a body: literal text, a role boundary, a node, or a run of nodes and texts that is
/// written by a separate function.
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// A marker, and the part of its line in the literal text that contains its role.
    Marker(&'a TemplateMarker, TemplateSpan),
    /// The rest of a marker's line, after an expression in its attributes.
    Rest(TemplateSpan),
    Node(&'a Node),
    Run(Vec<Piece<'a>>),
}

/// Splits off the leading pieces that belong to the line of a marker. Returns them and the rest.
#[expect(clippy::indexing_slicing, reason = "the list has at least this number of pieces")]
pub(super) fn split_within<'p, 'n>(
    pieces: &'p [Piece<'n>],
    marker: &TemplateMarker,
) -> (&'p [Piece<'n>], &'p [Piece<'n>]) {
    let length = pieces.iter().take_while(|piece| piece.is_within(marker)).count();
    (&pieces[..length], &pieces[length..])
}

impl Piece<'_> {
    /// Whether the piece is part of a marker's line, after an expression in it.
    pub(super) fn is_within(&self, marker: &TemplateMarker) -> bool {
        match self {
            Self::Rest(_) => true,
            Self::Node(node) => marker.attributes.is_some_and(|it| it.contains(node.span)),
            _ => false,
        }
    }
}

impl Compiler<'_> {
    /// Generates the statements of a body.
    pub(super) fn body(&self, nodes: &[Node], scope: &Scope, sink: Sink) -> Tokens {
        let pieces = self.all_pieces(nodes, scope);
        let mut statements = TokenStream::new();
        let scope = &mut scope.clone();
        // A marker reserves capacity for the text of its message, but the text before the first
        // marker of the template has none. Inside of a block, such text belongs to a message that
        // was opened outside.
        if sink == Sink::Writer && scope.depth == 0 {
            let (span, size) = (self.span, self.section_size(&pieces, scope)?);
            statements.extend(quote_spanned!(span=> writer.reserve(#size);));
        }
        let mut rest = pieces.as_slice();
        while let [piece, after @ ..] = rest {
            rest = after;
            statements.extend(match piece {
                Piece::Text(text) => self.text(text, sink),
                Piece::Node(node) if self.bind_set(node, scope)? => continue,
                Piece::Node(node) => {
                    // The next iteration of a loop begins in the message in which this iteration
                    // ends.
                    scope.from_user &= self.ends_from_user(node, scope.from_user);
                    self.node(node, scope, sink)?
                }
                Piece::Run(run) => self.run(run, scope, sink)?,
                Piece::Rest(_) => return unsupported(SPLIT_MARKER),
                Piece::Marker(marker, head) => {
                    let (within, section) = split_within(rest, marker);
                    rest = section;
                    scope.from_user = is_from_user(&marker.role);
                    if sink == Sink::Sizer {
                        continue;
                    }
                    let size = self.section_size(section, scope)?;
                    self.boundary(marker, head, within, &size, scope)?
                }
            });
        }
        Ok(statements)
    }

    /// Splits a body into pieces, and groups the pieces of the whole template into runs. There are
    /// no runs inside a body that binds names, because a function cannot see the names of the
    /// template.
    pub(super) fn all_pieces<'a>(&'a self, nodes: &'a [Node], scope: &Scope) -> Vec<Piece<'a>> {
        let pieces = nodes.iter().flat_map(|node| self.pieces(node));
        let binds = |node: &Node| matches!(node.kind, NodeKind::Set { .. });
        if scope.depth > 0 || nodes.iter().any(binds) {
            return pieces.collect();
        }
        self.group_runs(pieces)
    }

    /// Splits a literal text at its markers. Every other node is one piece.
    pub(super) fn pieces<'a>(&'a self, node: &'a Node) -> Vec<Piece<'a>> {
        if !matches!(node.kind, NodeKind::Text(_)) {
            return vec![Piece::Node(node)];
        }
        let mut pieces = Vec::new();
        // The end of the text that is already in pieces.
        let mut done = node.span.start;
        // If an expression is in the line of a marker, the text after it belongs to the line.
        let is_open =
            |marker: &&TemplateMarker| marker.name.start < done && done <= marker.line.end;
        if let Some(marker) = self.markers.iter().rev().find(is_open) {
            let rest = TemplateSpan::new(done, marker.line.end.min(node.span.end));
            pieces.push(Piece::Rest(rest));
            done = rest.end;
        }
        for marker in self.markers.iter().filter(|it| node.span.contains(it.name)) {
            let line =
                TemplateSpan::new(marker.line.start.max(done), marker.line.end.min(node.span.end));
            pieces.push(Piece::Text(self.slice(done, line.start)));
            pieces.push(Piece::Marker(marker, line));
            done = line.end;
        }
        pieces.push(Piece::Text(self.slice(done, node.span.end)));
        pieces.retain(|piece| !matches!(piece, Piece::Text("")));
        pieces
    }

    /// Whether the text after a node certainly belongs to a message of the user or the assistant,
    /// whichever branches run. `before` is the same for the text before the node.
    fn ends_from_user(&self, node: &Node, before: bool) -> bool {
        match &node.kind {
            NodeKind::Text(_) => {
                let markers = self.markers.iter().rev();
                let mut last = markers.filter(|marker| node.span.contains(marker.name));
                last.next().map_or(before, |marker| is_from_user(&marker.role))
            }
            _ => walk::bodies(node).into_iter().fold(before, |all, body| {
                let end = body.iter().fold(before, |now, node| self.ends_from_user(node, now));
                all && end
            }),
        }
    }

    /// A part of the template's text.
    #[expect(clippy::string_slice, reason = "the nodes and markers are those of this text")]
    pub(super) fn slice(&self, start: usize, end: usize) -> &str {
        &self.text[start..end]
    }

    /// An expression for the size of the texts between here and the next boundary of the body.
    pub(super) fn section_size(&self, pieces: &[Piece<'_>], scope: &Scope) -> Tokens {
        let span = self.span;
        let (mut literal, mut statements) = (0_usize, TokenStream::new());
        let scope = &mut scope.clone();
        for piece in pieces.iter().take_while(|piece| !matches!(piece, Piece::Marker(..))) {
            match piece {
                Piece::Node(node) if self.bind_set(node, scope)? => {}
                // A node that contains boundaries reserves capacity itself.
                Piece::Node(node) if !self.has_marker(node) => {
                    statements.extend(self.node(node, scope, Sink::Sizer)?);
                }
                Piece::Node(node) => scope.from_user &= self.ends_from_user(node, scope.from_user),
                Piece::Run(run) => statements.extend(self.run(run, scope, Sink::Sizer)?),
                Piece::Text(text) => literal += text.len(),
                Piece::Marker(..) | Piece::Rest(_) => {}
            }
        }
        if statements.is_empty() {
            return Ok(quote_spanned!(span=> #literal));
        }
        let facade = self.facade;
        Ok(quote_spanned!(span=> #literal + {
            let mut size = #facade::__private::Sizer::default();
            #statements
            size.bytes()
        }))
    }

    /// Whether a node contains a role marker, at any depth.
    pub(super) fn has_marker(&self, node: &Node) -> bool {
        let mut found = false;
        walk::texts(std::slice::from_ref(node), &mut |span| {
            found |= self.markers.iter().any(|marker| span.contains(marker.name));
        });
        found
    }

    pub(super) fn text(&self, text: &str, sink: Sink) -> TokenStream {
        if text.is_empty() {
            return TokenStream::new();
        }
        let (span, sink) = (self.span, sink.ident(self.span));
        quote_spanned!(span=> #sink.literal(#text);)
    }

    /// Generates the statements of a node.
    pub(super) fn node(&self, node: &Node, scope: &Scope, sink: Sink) -> Tokens {
        match &node.kind {
            NodeKind::Output(value) => self.output(value, scope, sink),
            NodeKind::If(branching) => self.branches(branching, scope, sink),
            NodeKind::For(repeated) => self.for_loop(repeated, scope, sink),
            NodeKind::Text(text) => Ok(self.text(text, sink)),
            NodeKind::Section(section) => self.section(section, scope, sink),
            NodeKind::Context(block) => self.block(block, scope, sink),
            NodeKind::Set { .. } | NodeKind::SetBlock { .. } => unsupported("a `set` block"),
            NodeKind::With { bindings, body } => {
                let mut inner = Scope { depth: scope.depth + 1, is_branch: false, ..scope.clone() };
                for (target, value) in bindings {
                    self.bind(target, value, &mut inner)?;
                }
                self.body(body, &inner, sink)
            }
            NodeKind::FilterBlock { .. } => unsupported("a `filter` block"),
            NodeKind::Macro(_) | NodeKind::CallBlock { .. } => unsupported("a macro"),
            NodeKind::Do(_) => unsupported("`do`"),
            NodeKind::Break => unsupported("`break`"),
            NodeKind::Continue => unsupported("`continue`"),
            NodeKind::RecursivePartial(_) | NodeKind::Recursion { .. } | NodeKind::Indentation => {
                unsupported("a recursive partial")
            }
            NodeKind::Partial => unsupported("a partial"),
            NodeKind::Block { .. } => unsupported("a `block` tag"),
            NodeKind::Scope { construct, .. } => unsupported(format!("a `{construct}` block")),
            NodeKind::OtherTemplate(tag) => unsupported(format!("a `{}` tag", tag.keyword())),
            _ => unsupported("a tag of a kind that only the engine supports"),
        }
    }

    /// Binds the name of a `set` and returns whether the node is one.
    pub(super) fn bind_set(&self, node: &Node, scope: &mut Scope) -> Result<bool> {
        let NodeKind::Set { target, value } = &node.kind else { return Ok(false) };
        // In Handlebars, a name that is set in a block is also set after it.
        if scope.is_branch || (self.is_handlebars() && scope.depth > 0) {
            return unsupported("a `set` in a branch");
        }
        self.bind(target, value, scope)?;
        Ok(true)
    }

    /// Binds a name to a place or to a constant.
    fn bind(&self, target: &Target, value: &Expr, scope: &mut Scope) -> Result<()> {
        let Target::Name(name) = target else { return unsupported("a `set` of several names") };
        if name.text == "loop" {
            return unsupported("a variable with the name `loop`");
        }
        let value = self.resolved(value, scope).clone();
        let bound = match self.place(&value, scope)? {
            Some(place) => Binding::Place(place),
            None if constant_value(&value).is_some() => Binding::Constant(value),
            None => {
                let reason = "a `set` of the result of an expression";
                return self.unsupported_value(&value, scope, reason);
            }
        };
        scope.bind(&name.text, bound);
        Ok(())
    }

    /// Generates the statement that prints a value.
    fn output(&self, value: &Expr, scope: &Scope, sink: Sink) -> Tokens {
        let span = self.span;
        if let Some(rich) = self.rich(value, scope) {
            return Ok(if sink == Sink::Writer { rich } else { TokenStream::new() });
        }
        self.require_plain_print(value, scope)?;
        let value = self.value(value, scope)?;
        let sink = sink.ident(span);
        Ok(quote_spanned!(span=> #sink.value(&#value);))
    }

    /// Generates the statement for a thread, an image, a file or audio; `None` for other values.
    fn rich(&self, printed: &Expr, scope: &Scope) -> Option<TokenStream> {
        let ExprKind::Variable(name) = &unescaped(printed).kind else { return None };
        if !self.is_of_input(name, scope) {
            return None;
        }
        let (input, span) = (self.input(name)?, self.span);
        let part = media_part(self.facade, input.rich()?, span);
        let value = self.rich_value(input);
        Some(match part {
            None => {
                let roles = input.thread_roles(&self.checked.definition);
                let roles = statics::thread_roles(self.facade, &roles);
                quote_spanned!(span=> writer.thread(#name, &#roles, #value);)
            }
            Some(part) => quote_spanned!(span=> writer.media(#name, || #value.map(#part));),
        })
    }

    /// Generates `if`, `elif` and `else`.
    fn branches(&self, branching: &If, scope: &Scope, sink: Sink) -> Tokens {
        let span = self.span;
        let inner = branch_scope(scope);
        let mut statements = TokenStream::new();
        for (index, (condition, body)) in branching.branches.iter().enumerate() {
            let condition = self.condition(condition, scope)?;
            let body = self.body(body, &inner, sink)?;
            let or = (index > 0).then(|| quote_spanned!(span=> else));
            statements.extend(quote_spanned!(span=> #or if #condition { #body }));
        }
        if let Some(body) = &branching.otherwise {
            let body = self.body(body, &inner, sink)?;
            statements.extend(quote_spanned!(span=> else { #body }));
        }
        Ok(statements)
    }
}

/// The number of characters that a template writes with any inputs: those outside of blocks,
/// without the lines of markers. `markers` are in the order of the template's text.
pub(super) fn fixed_characters(text: &str, nodes: &[Node], markers: &[TemplateMarker]) -> usize {
    let texts = nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Text(literal) => Some((literal, node.span)),
        _ => None,
    });
    let written = texts.map(|(literal, span)| {
        // A line may begin or end in another text, if an expression is in it.
        let first = markers.partition_point(|marker| marker.line.end <= span.start);
        let lines = markers.iter().skip(first).map(|marker| marker.line);
        let lines = lines.take_while(|line| line.start < span.end).map(|line| {
            TemplateSpan::new(line.start.max(span.start), line.end.min(span.end)).text_in(text)
        });
        let in_lines: usize = lines.flatten().map(|line| line.chars().count()).sum();
        literal.chars().count().saturating_sub(in_lines)
    });
    written.sum()
}

//! Nodes as statements.

use proc_macro2::{Ident, TokenStream};
use prompty_runtime::check::Shape;
use prompty_runtime::diagnostic::Span;
use prompty_runtime::message::Role;
use prompty_runtime::nonce::marker;
use prompty_runtime::template::ast::{Expr, ExprKind, For, If, Node, NodeKind, Target};
use prompty_runtime::template::markers::TemplateMarker;
use prompty_runtime::template::walk;
use prompty_runtime::value::Value;
use quote::{format_ident, quote_spanned};

use super::{Compiler, Loop, Result, Scope, Variable, reason};
use crate::expand::site::Ability;
use crate::model::Kind;

/// What the statements write to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sink {
    /// The messages.
    Writer,
    /// The sum of the sizes of all texts; role boundaries do not count.
    Sizer,
    /// Either of them, in a function that is called with both.
    Either,
}

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

/// A piece of a body: literal text, a role boundary, a node, or a run of nodes and texts that are
/// written by a function of their own.
pub(super) enum Piece<'a> {
    Text(&'a str),
    Marker(&'a TemplateMarker),
    Node(&'a Node),
    Run(Vec<Piece<'a>>),
}

impl Compiler<'_> {
    /// The statements of a body.
    pub(super) fn body(&self, nodes: &[Node], scope: &Scope, sink: Sink) -> Result<TokenStream> {
        let pieces = self.all_pieces(nodes, scope);
        let mut statements = TokenStream::new();
        // The text before a body's first boundary belongs to a message that was opened outside.
        if sink == Sink::Writer && scope.depth == 0 {
            let (span, size) = (self.span, self.section_size(&pieces, scope)?);
            statements.extend(quote_spanned!(span=> writer.reserve(#size);));
        }
        let mut scope = scope.clone();
        for (index, piece) in pieces.iter().enumerate() {
            let rest = pieces.get(index + 1..).unwrap_or_default();
            match piece {
                Piece::Text(text) => statements.extend(self.text(text, sink)),
                Piece::Node(node) => {
                    // What a round of a loop ends in, the next one begins in.
                    scope.from_user &= self.ends_from_user(node, scope.from_user);
                    statements.extend(self.node(node, &scope, sink)?);
                }
                Piece::Run(run) => statements.extend(self.run(run, &scope, sink)?),
                Piece::Marker(marker) => {
                    scope.from_user = is_from_user(marker);
                    if sink == Sink::Writer {
                        let size = self.section_size(rest, &scope)?;
                        statements.extend(self.boundary(marker, size)?);
                    }
                }
            }
        }
        Ok(statements)
    }

    /// The pieces of a body, those of the whole template in runs.
    pub(super) fn all_pieces<'a>(&'a self, nodes: &'a [Node], scope: &Scope) -> Vec<Piece<'a>> {
        let pieces = nodes.iter().flat_map(|node| self.pieces(node));
        if scope.depth == 0 { self.in_runs(pieces) } else { pieces.collect() }
    }

    /// A literal text cut at the markers in it; every other node as it is.
    pub(super) fn pieces<'a>(&'a self, node: &'a Node) -> Vec<Piece<'a>> {
        if !matches!(node.kind, NodeKind::Text(_)) {
            return vec![Piece::Node(node)];
        }
        let mut pieces = Vec::new();
        let mut done = node.span.start;
        for marker in self.markers.iter().filter(|it| node.span.contains(it.name)) {
            let line = Span::new(marker.line.start.max(done), marker.line.end.min(node.span.end));
            pieces.push(Piece::Text(self.slice(done, line.start)));
            pieces.push(Piece::Marker(marker));
            done = line.end;
        }
        pieces.push(Piece::Text(self.slice(done, node.span.end)));
        pieces
    }

    /// Whether what follows a node surely does not go to instructions, given that for what comes
    /// before it.
    fn ends_from_user(&self, node: &Node, before: bool) -> bool {
        match &node.kind {
            NodeKind::Text(_) => {
                let markers = self.markers.iter().rev();
                let mut last = markers.filter(|marker| node.span.contains(marker.name));
                last.next().map_or(before, is_from_user)
            }
            _ => walk::bodies(node).into_iter().fold(before, |all, body| {
                let end = body.iter().fold(before, |now, node| self.ends_from_user(node, now));
                all && end
            }),
        }
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// An expression for how much stands between here and the next boundary of the body.
    pub(super) fn section_size(&self, pieces: &[Piece<'_>], scope: &Scope) -> Result<TokenStream> {
        let span = self.span;
        let section: Vec<&Piece<'_>> =
            pieces.iter().take_while(|piece| !matches!(piece, Piece::Marker(_))).collect();
        let literal: usize = section
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.len(),
                _ => 0,
            })
            .sum();
        let mut statements = TokenStream::new();
        for piece in section {
            match piece {
                // A node with boundaries of its own makes room for them itself.
                Piece::Node(node) if !self.has_marker(node) => {
                    statements.extend(self.node(node, scope, Sink::Sizer)?);
                }
                Piece::Run(run) => statements.extend(self.run(run, scope, Sink::Sizer)?),
                _ => {}
            }
        }
        if statements.is_empty() {
            return Ok(quote_spanned!(span=> #literal));
        }
        let facade = self.facade;
        Ok(quote_spanned!(span=> #literal + {
            let mut size = #facade::__private::place::Sizer::default();
            #statements
            size.bytes()
        }))
    }

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

    fn boundary(&self, marker: &TemplateMarker, size: TokenStream) -> Result<TokenStream> {
        let (span, role) = (self.span, self.role(marker));
        let attributes = self.attributes(marker)?.into_iter();
        let attributes =
            attributes.map(|(name, value)| quote_spanned!(span=> writer.attribute(#name, #value);));
        Ok(quote_spanned!(span=> writer.open(#role, #size); #(#attributes)*))
    }

    /// The role that a marker opens.
    pub(super) fn role(&self, marker: &TemplateMarker) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        let name = marker.role.as_str();
        let mut variant: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
        variant.extend(name.chars().skip(1));
        let variant = format_ident!("{variant}", span = span);
        quote_spanned!(span=> #facade::Role::#variant)
    }

    /// The attributes of a marker: their names and their values.
    pub(super) fn attributes(&self, marker: &TemplateMarker) -> Result<Vec<(String, TokenStream)>> {
        let span = self.span;
        let Some(attributes) = marker.attributes else { return Ok(Vec::new()) };
        let text = self.slice(attributes.start, attributes.end);
        if text.contains("{{") || text.contains("{%") {
            return reason("an expression in a marker's attributes");
        }
        let attributes = marker::attributes(text).map(|attribute| {
            let value = match attribute.typed() {
                Value::Integer(number) => {
                    let number = i64::try_from(number).unwrap_or(i64::MAX);
                    quote_spanned!(span=> #number)
                }
                Value::Bool(value) => quote_spanned!(span=> #value),
                Value::Float(number) => quote_spanned!(span=> #number),
                other => {
                    let text = other.to_string();
                    quote_spanned!(span=> #text)
                }
            };
            (attribute.name.to_owned(), value)
        });
        Ok(attributes.collect())
    }

    pub(super) fn node(&self, node: &Node, scope: &Scope, sink: Sink) -> Result<TokenStream> {
        match &node.kind {
            NodeKind::Output(value) => self.output(value, scope, sink),
            NodeKind::If(branching) => self.branches(branching, scope, sink),
            NodeKind::For(repeated) => self.repeated(repeated, scope, sink),
            NodeKind::Text(text) => Ok(self.text(text, sink)),
            NodeKind::Set { .. } | NodeKind::SetBlock { .. } => reason("'set'"),
            NodeKind::With { .. } => reason("'with'"),
            NodeKind::FilterBlock { .. } => reason("a 'filter' block"),
            NodeKind::Macro(_) | NodeKind::CallBlock { .. } => reason("a macro"),
            NodeKind::Do(_) => reason("'do'"),
            _ => reason("a construct that only the engine knows"),
        }
    }

    fn output(&self, value: &Expr, scope: &Scope, sink: Sink) -> Result<TokenStream> {
        let span = self.span;
        if let Some(rich) = self.rich(value, scope) {
            return Ok(if sink == Sink::Writer { rich } else { TokenStream::new() });
        }
        let value = self.value(value, scope)?;
        let sink = sink.ident(span);
        Ok(quote_spanned!(span=> #sink.value(&#value);))
    }

    /// The statement of a thread, an image, a file or a sound in its place.
    fn rich(&self, value: &Expr, scope: &Scope) -> Option<TokenStream> {
        let ExprKind::Variable(name) = &value.kind else { return None };
        if scope.variable(name).is_some() {
            return None;
        }
        let input = self.input(name)?;
        let span = self.span;
        let media = self.media(input);
        match input.kind {
            Kind::Value(_) => None,
            Kind::Thread => {
                let thread = self.thread(input);
                Some(quote_spanned!(span=> writer.thread(#thread.iter().cloned());))
            }
            Kind::Image => Some(quote_spanned!(span=> writer.image(#media);)),
            Kind::File => Some(quote_spanned!(span=> writer.file(#media);)),
            Kind::Audio => Some(quote_spanned!(span=> writer.audio(#media);)),
        }
    }

    fn branches(&self, branching: &If, scope: &Scope, sink: Sink) -> Result<TokenStream> {
        let span = self.span;
        let inner = Scope { depth: scope.depth + 1, ..scope.clone() };
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

    fn repeated(&self, repeated: &For, scope: &Scope, sink: Sink) -> Result<TokenStream> {
        let (span, facade) = (self.span, self.facade);
        let Target::Name(name) = &repeated.target else {
            return reason("a loop over pairs");
        };
        if repeated.recursive {
            return reason("a recursive loop");
        }
        let Some(place) = self.place(&repeated.iterable, scope)? else {
            return reason("a loop over what is computed");
        };
        let shape = match &place.shape {
            Shape::List(item) => (**item).clone(),
            Shape::Foreign(_) => Shape::Foreign(String::new()),
            _ => return reason("a loop over a map"),
        };
        let list = self.present(&place)?;
        let depth = scope.depth;
        let item = self.ident("item", depth);
        let index = self.ident("index", depth);
        let length = self.ident("length", depth);
        let mut inner = scope.clone();
        inner.depth += 1;
        inner.variables.push(Variable { name: name.text.clone(), ident: item.clone(), shape });
        let condition = match &repeated.condition {
            None => None,
            Some(condition) => {
                // The condition does not see the loop's counters.
                let outside = Scope { current_loop: None, ..inner.clone() };
                Some(self.condition(condition, &outside)?)
            }
        };
        // The items go to a closure, see the site of a loop.
        let each = |turn: TokenStream| {
            let turn = match &condition {
                None => turn,
                Some(condition) => quote_spanned!(span=> if #condition { #turn }),
            };
            let it = quote_spanned!(span=> it);
            let closure = quote_spanned!(span=> |#item| { #turn });
            let each = self.site(Ability::Loop, &place).each(&it, &closure);
            quote_spanned!(span=>
                if let #facade::__private::Option::Some(it) = #list { #each; }
            )
        };
        inner.current_loop = Some(Loop { index: index.clone(), length: length.clone() });
        let body = self.body(&repeated.body, &inner, sink)?;
        let text = body.to_string();
        let mut before = TokenStream::new();
        if text.contains(&length.to_string()) {
            let count = each(quote_spanned!(span=> #length += 1;));
            before.extend(quote_spanned!(span=>
                let mut #length = 0_usize;
                #count
                let #length = #length;
            ));
        }
        let counter = self.ident("turn", depth);
        let counts = !repeated.otherwise.is_empty() || text.contains(&index.to_string());
        let turn = if counts {
            before.extend(quote_spanned!(span=> let mut #counter = 0_usize;));
            quote_spanned!(span=> let #index = #counter;
                #counter += 1;
                let _ = #index;
                #body)
        } else {
            body
        };
        let turns = each(turn);
        let otherwise = if repeated.otherwise.is_empty() {
            TokenStream::new()
        } else {
            let outside = Scope { depth: scope.depth + 1, ..scope.clone() };
            let body = self.body(&repeated.otherwise, &outside, sink)?;
            quote_spanned!(span=> if #counter == 0 { #body })
        };
        Ok(quote_spanned!(span=> { #before #turns #otherwise }))
    }
}

/// Whether a marker opens a message of the user or the assistant.
pub(super) fn is_from_user(marker: &TemplateMarker) -> bool {
    matches!(marker.role, Role::User | Role::Assistant)
}

/// How many characters a template writes whatever its inputs are.
pub(super) fn fixed_characters(nodes: &[Node], markers: &[TemplateMarker]) -> usize {
    let texts = nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Text(text) => Some(text.chars().count()),
        _ => None,
    });
    let written: usize = texts.sum();
    let lines: usize = markers.iter().map(|it| it.line.end - it.line.start).sum();
    written.saturating_sub(lines)
}

//! Where lines begin and end in what a template writes, as far as that can be known.
//!
//! White-space control can swallow the newline before or behind a role marker. Whether the marker
//! still has its line to itself depends on what is written next to it on each way through the
//! template.

use std::collections::HashMap;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Node, NodeKind};
use prompty_template::walk;

/// The block whose text is caught instead of written, if the place is inside of one.
type CaptureBlock = Option<&'static str>;

/// A text of the template, and what may stand beside it in the output.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) span: TemplateSpan,
    /// The block that catches the text, if one does.
    pub(super) captured: CaptureBlock,
    /// Whether something may stand before it on its line.
    pub(super) begins_inside: bool,
    /// Whether something may stand behind it on its line.
    pub(super) goes_on: bool,
}

/// The texts of a template, and the places of what it prints.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) texts: Vec<Text>,
    pub(super) outputs: Vec<Output>,
}

/// What a template prints.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) span: TemplateSpan,
    /// Where its expression stands.
    pub(super) expr: TemplateSpan,
    /// The block that catches it instead of writing it.
    pub(super) captured: CaptureBlock,
}

/// What a node does to the line that is being written.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// Whether, on some way, something stands on the line that the node begins (or ends) in.
    writes: bool,
    /// Whether, on some way, what is beside the node shares that line.
    passes: bool,
}

impl Edge {
    const NOTHING: Self = Self { writes: false, passes: true };
    const VALUE: Self = Self { writes: true, passes: true };

    /// This edge with what lies behind it, seen from this side.
    fn then(self, other: Self) -> Self {
        Self {
            writes: self.writes || (self.passes && other.writes),
            passes: self.passes && other.passes,
        }
    }

    fn or(self, other: Self) -> Self {
        Self { writes: self.writes || other.writes, passes: self.passes || other.passes }
    }
}

/// The first and the last edge of a node.
#[derive(Debug, Clone, Copy)]
struct Edges {
    first: Edge,
    last: Edge,
}

impl Edges {
    const NOTHING: Self = Self { first: Edge::NOTHING, last: Edge::NOTHING };
    const VALUE: Self = Self { first: Edge::VALUE, last: Edge::VALUE };

    fn or(self, other: Self) -> Self {
        Self { first: self.first.or(other.first), last: self.last.or(other.last) }
    }
}

/// The layout of a template.
pub(super) fn layout(nodes: &[Node]) -> Layout {
    let mut flow = Flow::default();
    flow.walk(nodes, None, false, false);
    flow.layout.texts.sort_by_key(|text| text.span);
    flow.layout.outputs.sort_by_key(|output| output.span);
    flow.layout
}

#[derive(Default)]
struct Flow {
    known: HashMap<TemplateSpan, Edges>,
    layout: Layout,
}

impl Flow {
    fn walk(&mut self, nodes: &[Node], captured: CaptureBlock, inside: bool, goes_on: bool) {
        // What follows each node, from the last to the first.
        let mut following = Vec::with_capacity(nodes.len());
        let mut next = goes_on;
        for node in nodes.iter().rev() {
            following.push(next);
            let edge = self.edges(node).first;
            next = edge.writes || (edge.passes && next);
        }
        let mut inside = inside;
        for (node, goes_on) in nodes.iter().zip(following.into_iter().rev()) {
            self.enter(node, captured, inside, goes_on);
            let edge = self.edges(node).last;
            inside = edge.writes || (edge.passes && inside);
        }
    }

    fn enter(&mut self, node: &Node, captured: CaptureBlock, inside: bool, goes_on: bool) {
        match &node.kind {
            NodeKind::Text(_) => self.layout.texts.push(Text {
                span: node.span,
                captured,
                begins_inside: inside,
                goes_on,
            }),
            NodeKind::Output(expr) => {
                self.layout.outputs.push(Output { captured, span: node.span, expr: expr.span });
            }
            NodeKind::If(branches) => {
                for (_, body) in &branches.branches {
                    self.walk(body, captured, inside, goes_on);
                }
                self.walk(
                    branches.otherwise.as_deref().unwrap_or_default(),
                    captured,
                    inside,
                    goes_on,
                );
            }
            NodeKind::For(node) => {
                self.repeated(&node.body, captured, inside, goes_on);
                self.walk(&node.otherwise, captured, inside, goes_on);
            }
            NodeKind::Context(block) => {
                self.repeated(&block.body, captured, inside, goes_on);
                self.walk(&block.otherwise, captured, inside, goes_on);
            }
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => {
                self.walk(body, captured, inside, goes_on);
            }
            NodeKind::SetBlock { body, .. } => self.walk(body, Some("set"), false, false),
            NodeKind::FilterBlock { body, .. } => self.walk(body, Some("filter"), false, false),
            NodeKind::Macro(node) => self.walk(&node.body, Some("macro"), false, false),
            NodeKind::CallBlock { caller, .. } => {
                self.walk(&caller.body, Some("call"), false, false);
            }
            NodeKind::Set { .. }
            | NodeKind::Do(_)
            | NodeKind::Break
            | NodeKind::Continue
            | NodeKind::OtherTemplate(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Indentation
            | NodeKind::Partial => {}
            // Sections and recursive partials, and what is unknown here, which may repeat.
            _ => {
                for body in walk::bodies(node) {
                    self.repeated(body, captured, inside, goes_on);
                }
            }
        }
    }

    /// The body of a loop stands beside itself.
    fn repeated(&mut self, body: &[Node], captured: CaptureBlock, inside: bool, goes_on: bool) {
        let edges = self.sequence(body);
        self.walk(body, captured, inside || edges.last.writes, goes_on || edges.first.writes);
    }

    fn edges(&mut self, node: &Node) -> Edges {
        if let Some(edges) = self.known.get(&node.span) {
            return *edges;
        }
        let edges = match &node.kind {
            NodeKind::Text(text) => text_edges(text),
            NodeKind::Output(_) | NodeKind::FilterBlock { .. } | NodeKind::CallBlock { .. } => {
                Edges::VALUE
            }
            NodeKind::If(branches) => {
                let otherwise = branches.otherwise.as_deref().unwrap_or_default();
                let mut edges = self.sequence(otherwise);
                for (_, body) in &branches.branches {
                    edges = edges.or(self.sequence(body));
                }
                edges
            }
            NodeKind::For(node) => {
                let edges = self.sequence(&node.body);
                edges.or(self.sequence(&node.otherwise))
            }
            NodeKind::Section(section) => self.sequence(&section.body).or(Edges::NOTHING),
            NodeKind::Context(block) => {
                let edges = self.sequence(&block.body);
                edges.or(self.sequence(&block.otherwise))
            }
            NodeKind::With { body, .. } => self.sequence(body),
            NodeKind::Scope { body, .. } | NodeKind::Block { body, .. } => {
                self.sequence(body).or(Edges::VALUE)
            }
            NodeKind::RecursivePartial(partial) => self.sequence(&partial.body),
            NodeKind::Set { .. }
            | NodeKind::SetBlock { .. }
            | NodeKind::Macro(_)
            | NodeKind::Do(_)
            | NodeKind::Break
            | NodeKind::Indentation
            | NodeKind::Continue => Edges::NOTHING,
            // Partials, other templates, and what is unknown here may write a value or nothing.
            _ => Edges::NOTHING.or(Edges::VALUE),
        };
        self.known.insert(node.span, edges);
        edges
    }

    fn sequence(&mut self, nodes: &[Node]) -> Edges {
        let mut all = Edges::NOTHING;
        for node in nodes {
            let edges = self.edges(node);
            all = Edges { first: all.first.then(edges.first), last: edges.last.then(all.last) };
        }
        all
    }
}

fn text_edges(text: &str) -> Edges {
    let edge = |line: &str, has_newline: bool| {
        let writes = !line.trim().is_empty();
        Edge { writes, passes: !writes && !has_newline }
    };
    let has_newline = text.contains('\n');
    let first = text.split('\n').next().unwrap_or_default();
    let last = text.rsplit('\n').next().unwrap_or_default();
    Edges { first: edge(first, has_newline), last: edge(last, has_newline) }
}

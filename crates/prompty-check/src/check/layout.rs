//! The lines of a template's output, as far as they are known before a render.
//!
//! White-space control can remove the newline before or after a role marker. Whether the marker is
//! still alone on its line depends on its neighbours on each path through the template.

use std::collections::HashMap;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{Node, NodeKind};
use prompty_template::walk;

/// The block that captures the text of a place instead of writing it, if there is one.
type CaptureBlock = Option<&'static str>;

/// A text of the template, and whether it may share its first and last line in the output.
#[derive(Debug)]
pub(super) struct TextPart {
    pub(super) span: TemplateSpan,
    /// The block that captures the text, if there is one.
    pub(super) captured: CaptureBlock,
    /// Whether other output may precede it on its line.
    pub(super) begins_inside: bool,
    /// Whether other output may follow it on its line.
    pub(super) continues: bool,
}

/// The texts of a template, and the places of its printed values.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) texts: Vec<TextPart>,
    pub(super) outputs: Vec<OutputPart>,
}

/// A value that a template prints.
#[derive(Debug)]
pub(super) struct OutputPart {
    pub(super) span: TemplateSpan,
    /// The place of its expression.
    pub(super) expr: TemplateSpan,
    /// The block that captures it instead of writing it, if there is one.
    pub(super) captured: CaptureBlock,
}

/// The effect of a node on the first or the last line that it touches.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// Whether, on some path, the node writes on that line.
    writes: bool,
    /// Whether, on some path, the node's neighbour shares that line.
    passes: bool,
}

impl Edge {
    const NOTHING: Self = Self { writes: false, passes: true };
    const VALUE: Self = Self { writes: true, passes: true };

    /// Joins this edge with the next edge inwards.
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

/// The effects of a node on its first and its last line.
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
    let mut builder = LayoutBuilder::default();
    builder.walk(nodes, None, false, false);
    builder.layout.texts.sort_by_key(|text| text.span);
    builder.layout.outputs.sort_by_key(|output| output.span);
    builder.layout
}

#[derive(Default)]
struct LayoutBuilder {
    known: HashMap<TemplateSpan, Edges>,
    layout: Layout,
}

impl LayoutBuilder {
    fn walk(&mut self, nodes: &[Node], captured: CaptureBlock, inside: bool, continues: bool) {
        // Whether output follows each node on its line, from the last node to the first.
        let mut following = Vec::with_capacity(nodes.len());
        let mut next = continues;
        for node in nodes.iter().rev() {
            following.push(next);
            let edge = self.edges(node).first;
            next = edge.writes || (edge.passes && next);
        }
        let mut inside = inside;
        for (node, continues) in nodes.iter().zip(following.into_iter().rev()) {
            self.enter(node, captured, inside, continues);
            let edge = self.edges(node).last;
            inside = edge.writes || (edge.passes && inside);
        }
    }

    fn enter(&mut self, node: &Node, captured: CaptureBlock, inside: bool, continues: bool) {
        match &node.kind {
            NodeKind::Text(_) => self.layout.texts.push(TextPart {
                span: node.span,
                captured,
                begins_inside: inside,
                continues,
            }),
            NodeKind::Output(expr) => {
                self.layout.outputs.push(OutputPart { captured, span: node.span, expr: expr.span });
            }
            NodeKind::If(branches) => {
                for (_, body) in &branches.branches {
                    self.walk(body, captured, inside, continues);
                }
                self.walk(
                    branches.otherwise.as_deref().unwrap_or_default(),
                    captured,
                    inside,
                    continues,
                );
            }
            NodeKind::For(node) => {
                self.repeated(&node.body, captured, inside, continues);
                self.walk(&node.otherwise, captured, inside, continues);
            }
            NodeKind::Context(block) => {
                self.repeated(&block.body, captured, inside, continues);
                self.walk(&block.otherwise, captured, inside, continues);
            }
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => {
                self.walk(body, captured, inside, continues);
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
            // Sections, recursive partials and unknown nodes may repeat their bodies.
            _ => {
                for body in walk::bodies(node) {
                    self.repeated(body, captured, inside, continues);
                }
            }
        }
    }

    /// Walks the body of a loop, which may follow itself.
    fn repeated(&mut self, body: &[Node], captured: CaptureBlock, inside: bool, continues: bool) {
        let edges = self.sequence(body);
        self.walk(body, captured, inside || edges.last.writes, continues || edges.first.writes);
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
            // Partials, other templates and unknown nodes may write a value or nothing.
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

//! The lines of a template's output, as far as they are known before a render.
//!
//! White-space control can remove the newline before or after a role marker. Whether the marker is
//! still alone on its line depends on its neighbours on each path through the template:
//!
//! ```text
//! {{ name }}{% if formal -%}
//! user:
//! {% endif %}
//! ```
//!
//! The `-` removes the newline before `user:`, so the output is `Adauser:`. The text `user:` begins
//! inside of a line, because the printed value before it writes on that line ([`Edge::writes`]). If
//! only a space were before it, the node before the space would decide ([`Edge::passes`]).
//!
//! [`OutputLinesBuilder`] visits the nodes in order, and derives the [`Surroundings`] of each node
//! from the [`Edges`] of its neighbours.

use std::collections::HashMap;

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{ContextBlock, For, Node, NodeKind};
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
pub(super) struct OutputLines {
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
    /// A value may be empty, so its neighbours may share the line.
    const VALUE: Self = Self { writes: true, passes: true };

    /// Joins this edge with the next edge inwards.
    fn then(self, other: Self) -> Self {
        Self {
            writes: self.writes || (self.passes && other.writes),
            passes: self.passes && other.passes,
        }
    }

    /// The edge of a node that has one of two contents.
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

/// What surrounds a node in the output.
#[derive(Clone, Copy)]
struct Surroundings {
    captured: CaptureBlock,
    /// Whether other output may precede the node on its first line.
    begins_inside: bool,
    /// Whether other output may follow the node on its last line.
    continues: bool,
}

impl Surroundings {
    /// Nothing else on the lines of the node.
    fn alone(captured: CaptureBlock) -> Self {
        Self { captured, begins_inside: false, continues: false }
    }
}

/// Finds the texts and printed values of a template.
pub(super) fn of(nodes: &[Node]) -> OutputLines {
    let mut builder = OutputLinesBuilder::default();
    builder.add_all(nodes, Surroundings::alone(None));
    builder.lines.texts.sort_by_key(|text| text.span);
    builder.lines.outputs.sort_by_key(|output| output.span);
    builder.lines
}

#[derive(Default)]
struct OutputLinesBuilder {
    /// The edges of the nodes that were visited.
    known_edges: HashMap<TemplateSpan, Edges>,
    lines: OutputLines,
}

impl OutputLinesBuilder {
    /// Adds nodes that are written one after the other.
    fn add_all(&mut self, nodes: &[Node], around: Surroundings) {
        // Whether output follows each node on its line, from the last node to the first.
        let mut following = Vec::with_capacity(nodes.len());
        let mut continues = around.continues;
        for node in nodes.iter().rev() {
            following.push(continues);
            let edge = self.edges(node).first;
            continues = edge.writes || (edge.passes && continues);
        }
        let mut begins_inside = around.begins_inside;
        for (node, continues) in nodes.iter().zip(following.into_iter().rev()) {
            self.add(node, Surroundings { begins_inside, continues, ..around });
            let edge = self.edges(node).last;
            begins_inside = edge.writes || (edge.passes && begins_inside);
        }
    }

    /// Adds a node, and all nodes in it.
    fn add(&mut self, node: &Node, around: Surroundings) {
        let Surroundings { captured, begins_inside, continues } = around;
        match &node.kind {
            NodeKind::Text(_) => {
                let part = TextPart { span: node.span, captured, begins_inside, continues };
                self.lines.texts.push(part);
            }
            NodeKind::Output(expr) => {
                self.lines.outputs.push(OutputPart { captured, span: node.span, expr: expr.span });
            }
            NodeKind::For(For { body, otherwise, .. })
            | NodeKind::Context(ContextBlock { body, otherwise, .. }) => {
                self.add_repeated(body, around);
                self.add_all(otherwise, around);
            }
            NodeKind::If(_)
            | NodeKind::With { .. }
            | NodeKind::Scope { .. }
            | NodeKind::Block { .. } => self.add_bodies(node, around),
            NodeKind::SetBlock { .. } => self.add_bodies(node, Surroundings::alone(Some("set"))),
            NodeKind::FilterBlock { .. } => {
                self.add_bodies(node, Surroundings::alone(Some("filter")));
            }
            NodeKind::Macro(_) => self.add_bodies(node, Surroundings::alone(Some("macro"))),
            NodeKind::CallBlock { .. } => self.add_bodies(node, Surroundings::alone(Some("call"))),
            // Sections, recursive partials and unknown nodes may repeat their bodies.
            _ => {
                for body in walk::bodies(node) {
                    self.add_repeated(body, around);
                }
            }
        }
    }

    /// Adds the bodies of a node, each of which is written at most once.
    fn add_bodies(&mut self, node: &Node, around: Surroundings) {
        for body in walk::bodies(node) {
            self.add_all(body, around);
        }
    }

    /// Adds the body of a loop, which may follow itself.
    fn add_repeated(&mut self, body: &[Node], around: Surroundings) {
        let edges = self.edges_of_all(body);
        let begins_inside = around.begins_inside || edges.last.writes;
        let continues = around.continues || edges.first.writes;
        self.add_all(body, Surroundings { begins_inside, continues, ..around });
    }

    /// The edges of a node. Nodes that write nothing let their neighbours share the line.
    fn edges(&mut self, node: &Node) -> Edges {
        if let Some(edges) = self.known_edges.get(&node.span) {
            return *edges;
        }
        let edges = match &node.kind {
            NodeKind::Text(text) => text_edges(text),
            NodeKind::Output(_) | NodeKind::FilterBlock { .. } | NodeKind::CallBlock { .. } => {
                Edges::VALUE
            }
            NodeKind::If(branches) if branches.otherwise.is_none() => {
                self.edges_of_any(node).or(Edges::NOTHING)
            }
            NodeKind::Section(_) => self.edges_of_any(node).or(Edges::NOTHING),
            NodeKind::Scope { .. } | NodeKind::Block { .. } => {
                self.edges_of_any(node).or(Edges::VALUE)
            }
            NodeKind::If(_)
            | NodeKind::For(_)
            | NodeKind::Context(_)
            | NodeKind::With { .. }
            | NodeKind::RecursivePartial(_) => self.edges_of_any(node),
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
        self.known_edges.insert(node.span, edges);
        edges
    }

    /// The edges of a node that writes one of its bodies.
    fn edges_of_any(&mut self, node: &Node) -> Edges {
        let edges = walk::bodies(node).into_iter().map(|body| self.edges_of_all(body));
        edges.reduce(Edges::or).unwrap_or(Edges::NOTHING)
    }

    /// The edges of nodes that are written one after the other.
    fn edges_of_all(&mut self, nodes: &[Node]) -> Edges {
        let mut all = Edges::NOTHING;
        for node in nodes {
            let edges = self.edges(node);
            all = Edges { first: all.first.then(edges.first), last: edges.last.then(all.last) };
        }
        all
    }
}

/// The edges of a text: `" \nHi"` writes nothing on its first line, and `Hi` on its last line.
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

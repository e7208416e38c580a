//! Renders a prompt to segments: pieces of text with their origins.
//!
//! The template is compiled a second time, with fences around its outputs (see
//! [`Marks::Fences`](crate::engine::Marks)). With `N` as the nonce:
//!
//! ```text
//! user:\nHi {{ name }}!  =>  user:\nHi N:0;AdaN;!  =>  Literal "user:\nHi ", Interpolated "Ada",
//!                                                    Literal "!"
//! ```

use super::blueprint::Options;
use super::sources::{self, OutputSource};
use super::template_renderer::LanguageRenderer;
use crate::engine::{RenderFailure, Scope};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::marker_line::opens_role;
use prompty_template::SyntaxError;
use prompty_template::role_markers::syntax::{self, END, TAG};
use prompty_template::tree::Node;
use prompty_template::walk;

/// A piece of a rendered prompt. All segments together are the complete rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment {
    /// The text.
    pub text: String,
    /// The origin of the text.
    pub origin: Origin,
}

/// The origin of a piece of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Literal text of the template. Only such text may contain role markers.
    Literal,
    /// The value of an expression, or the output of a filter block or call block.
    Interpolated {
        /// The input or variable with which the expression begins, if there is one.
        source: Option<String>,
        /// Whether the text may contain an input that is declared `strict`, directly or through
        /// loops, variables and macros.
        strict: bool,
    },
}

/// A template that is compiled for renders to segments.
#[derive(Debug)]
pub(super) struct SegmentTemplate {
    engine: LanguageRenderer,
    /// The source of each output, by the index in its fence.
    sources: Vec<OutputSource>,
    /// Whether a strict input may be in the attributes of a call that marks a message.
    is_strict_in_attributes: bool,
}

impl SegmentTemplate {
    /// Compiles the template of a pipeline. `strict` contains the names of the strict inputs.
    pub(super) fn compile(
        engine: &LanguageRenderer,
        text: &str,
        options: &Options,
        strict: &[&str],
    ) -> Result<Self, SyntaxError> {
        let read_by_calls = if engine.calls_see_inputs() { strict } else { &[] };
        let marks_message = |node: &Node| engine.marks_message(node);
        let tree = engine.tree();
        let sources = sources::output_sources(tree, &marks_message, strict, read_by_calls);
        let mut is_strict_in_attributes = false;
        // Both walks visit the same outputs in the same order.
        let mut sources_left = sources.iter();
        walk::direct_outputs(&tree.nodes, &marks_message, &mut |node, _| {
            let is_strict = sources_left.next().is_some_and(|source| source.strict);
            is_strict_in_attributes |= is_strict && marks_message(node);
        });
        Ok(Self { engine: engine.fenced(text, options)?, sources, is_strict_in_attributes })
    }

    /// Renders the template and splits the text at its nonces. The text after a nonce shows what
    /// the nonce is for: `nonce:index;` opens an output, and `nonce;` closes it.
    pub(super) fn render(&self, scope: Scope<'_>) -> Result<Vec<Segment>, RenderFailure> {
        let text = self.engine.render(scope)?;
        let mut segments = SegmentBuilder {
            list: Vec::new(),
            open: None,
            sources: &self.sources,
            is_strict_in_attributes: self.is_strict_in_attributes,
        };
        let mut pieces = text.split(scope.nonce);
        segments.push(pieces.next().unwrap_or_default());
        for piece in pieces {
            if let Some((index, text)) = parse_opening_fence(piece) {
                segments.open_output(index);
                segments.push(text);
            } else if let Some(text) = piece.strip_prefix(';') {
                segments.close_output()?;
                segments.push(text);
            } else if let Some((value, text)) = syntax::split_encoded(piece) {
                segments.push_attribute(&value)?;
                segments.push(text);
            } else if let Some(text) = piece.strip_prefix(TAG).or(piece.strip_prefix(END)) {
                // The tag of a call that marks a message.
                segments.push(text);
            } else {
                // The placeholder of a rich input also contains the nonce.
                segments.push(scope.nonce);
                segments.push(piece);
            }
        }
        Ok(segments.list)
    }
}

fn parse_opening_fence(piece: &str) -> Option<(usize, &str)> {
    let (index, text) = piece.strip_prefix(':')?.split_once(';')?;
    Some((index.parse().ok()?, text))
}

/// Collects the segments of a render.
struct SegmentBuilder<'s> {
    list: Vec<Segment>,
    /// The output whose text is being collected.
    open: Option<OpenOutput>,
    sources: &'s [OutputSource],
    is_strict_in_attributes: bool,
}

/// An output that is not closed yet. The outputs of a recursive loop are inside the output that
/// called it.
struct OpenOutput {
    index: usize,
    text: String,
    /// The number of open outputs, including the nested ones.
    depth: usize,
}

impl SegmentBuilder<'_> {
    fn open_output(&mut self, index: usize) {
        match &mut self.open {
            Some(open) => open.depth += 1,
            None => self.open = Some(OpenOutput { index, text: String::new(), depth: 1 }),
        }
    }

    /// Adds text to the open output, or else to the literal text.
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
            return;
        }
        match self.list.last_mut() {
            Some(Segment { text: last, origin: Origin::Literal }) => last.push_str(text),
            _ => self.list.push(Segment { text: text.to_owned(), origin: Origin::Literal }),
        }
    }

    /// Adds the value of an expression in the attributes of a marker.
    fn push_attribute(&mut self, value: &str) -> Result<(), Error> {
        // If the marker is in literal text, the expression is an output.
        if self.open.is_some() {
            self.push(value);
            return Ok(());
        }
        let strict = self.is_strict_in_attributes;
        if strict && opens_role(value) {
            return Err(strict_violation(None));
        }
        if !value.is_empty() {
            let origin = Origin::Interpolated { source: None, strict };
            self.list.push(Segment { text: value.to_owned(), origin });
        }
        Ok(())
    }

    /// Closes the innermost output. If it is not nested, it becomes a segment.
    fn close_output(&mut self) -> Result<(), Error> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.depth -= 1;
        if open.depth > 0 {
            self.open = Some(open);
            return Ok(());
        }
        let source = self.sources.get(open.index);
        let strict = source.is_some_and(|source| source.strict);
        let source = source.and_then(|source| source.name.clone());
        if strict && opens_role(&open.text) {
            return Err(strict_violation(source.as_deref()));
        }
        let origin = Origin::Interpolated { source, strict };
        self.list.push(Segment { text: open.text, origin });
        Ok(())
    }
}

fn strict_violation(source: Option<&str>) -> Error {
    let message = match source {
        Some(name) => {
            format!("`{name}` is strict but contains a line that looks like a role marker")
        }
        None => "a strict input contains a line that looks like a role marker".to_owned(),
    };
    Error::new(ErrorKind::StrictViolation, message)
        .with_help("reject the input, or do not declare it `strict`")
}

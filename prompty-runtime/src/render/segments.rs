//! Renders to pieces that say where they come from.

use super::blueprint::Options;
use super::engine::BuiltIn;
use super::sources::{self, Source};
use crate::nonce::opens_role;
use crate::template::{RenderFailure, Scope, SyntaxError};
use prompty_core::error::{Error, ErrorKind};

/// A piece of a rendered prompt. The texts of all pieces, joined, are the rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a piece of a rendered prompt comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The template's own text. Only this may hold role markers.
    Literal,
    /// The value of an expression, or what a filter or call block made.
    Interpolated {
        /// The input or variable that the expression begins with, if there is one.
        source: Option<String>,
        /// Whether an input that is declared `strict` may be in it, directly or by way of loops,
        /// variables and macros.
        strict: bool,
    },
}

/// A template compiled for renders to segments.
#[derive(Debug)]
pub(super) struct SegmentTemplate {
    engine: BuiltIn,
    /// Where each output comes from, by the index in its fence.
    sources: Vec<Source>,
}

impl SegmentTemplate {
    /// The template of a pipeline; `strict` are the names of the inputs declared so.
    pub(super) fn compile(
        engine: &BuiltIn,
        text: &str,
        options: &Options,
        strict: &[&str],
    ) -> Result<Self, SyntaxError> {
        let sources = sources::output_sources(engine.tree(), strict);
        Ok(Self { engine: engine.fenced(text, options)?, sources })
    }

    /// Renders and cuts the text at its fences: `nonce:index;` opens an output, `nonce;` closes it.
    pub(super) fn render(&self, scope: Scope<'_>) -> Result<Vec<Segment>, RenderFailure> {
        let text = self.engine.render(scope)?;
        let mut segments = Segments { list: Vec::new(), open: None, sources: &self.sources };
        let mut pieces = text.split(scope.nonce);
        segments.push(pieces.next().unwrap_or_default());
        for piece in pieces {
            if let Some((index, text)) = opening(piece) {
                segments.open(index);
                segments.push(text);
            } else if let Some(text) = piece.strip_prefix(';') {
                segments.close()?;
                segments.push(text);
            } else {
                // The placeholder of a rich input holds the nonce, too.
                segments.push(scope.nonce);
                segments.push(piece);
            }
        }
        Ok(segments.list)
    }
}

fn opening(piece: &str) -> Option<(usize, &str)> {
    let (index, text) = piece.strip_prefix(':')?.split_once(';')?;
    Some((index.parse().ok()?, text))
}

struct Segments<'s> {
    list: Vec<Segment>,
    open: Option<Open>,
    sources: &'s [Source],
}

/// An output on its way. What a recursive loop writes stands in the output that called it.
struct Open {
    index: usize,
    text: String,
    /// How many outputs are open, with those inside it.
    depth: usize,
}

impl Segments<'_> {
    fn open(&mut self, index: usize) {
        match &mut self.open {
            Some(open) => open.depth += 1,
            None => self.open = Some(Open { index, text: String::new(), depth: 1 }),
        }
    }

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

    fn close(&mut self) -> Result<(), Error> {
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
            return Err(violation(source.as_deref()));
        }
        let origin = Origin::Interpolated { source, strict };
        self.list.push(Segment { text: open.text, origin });
        Ok(())
    }
}

fn violation(source: Option<&str>) -> Error {
    let message = match source {
        Some(name) => format!("`{name}` is strict and holds a line that opens a role"),
        None => "a strict input holds a line that opens a role".to_owned(),
    };
    Error::new(ErrorKind::StrictViolation, message)
        .with_help("refuse the input, or do not declare it `strict`")
}

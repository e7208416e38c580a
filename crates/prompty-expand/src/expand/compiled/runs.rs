//! Generates functions for runs of a template: nodes and texts without a role boundary.
//!
//! The text of a run is first sized and then written. The same code does both, so it is generated
//! once, as a function that is generic over the sink: `__write_6(prompt, &mut size)`, and then
//! `__write_6(prompt, &mut writer)`. This saves compile time, which grows with the amount of
//! generated code. The number in the name is the byte at which the run begins.
//!
//! The function gets the prompt, but no names that a loop or `{% set %}` binds. So there are no
//! runs in a body that binds names: see [`Compiler::all_pieces`].

use proc_macro2::{Ident, TokenStream};
use prompty_template::tree::Node;
use quote::{format_ident, quote_spanned};

use super::nodes::{Piece, Sink};
use super::{Compiler, Scope, Tokens};
use crate::expand::text_prompt::receiver_type;

impl Compiler<'_> {
    /// Groups texts and nodes into runs. The nodes of a run contain no boundary, thread or media. A
    /// run begins and ends with a node: texts before and after it are not part of it, since a
    /// message may drop their blank lines.
    ///
    /// For example, `Text Node Text Node Text Marker` becomes `Text Run Text Marker`, where the run
    /// is `Node Text Node`.
    pub(super) fn group_runs<'a>(&self, pieces: impl Iterator<Item = Piece<'a>>) -> Vec<Piece<'a>> {
        let mut all = Vec::new();
        let mut run = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Node(node) if self.can_be_in_run(node) => run.push(Piece::Node(node)),
                Piece::Text(text) if !run.is_empty() => run.push(Piece::Text(text)),
                other => {
                    end_run(&mut run, &mut all);
                    all.push(other);
                }
            }
        }
        end_run(&mut run, &mut all);
        all
    }

    /// Whether a run can contain a node.
    fn can_be_in_run(&self, node: &Node) -> bool {
        !self.has_marker(node) && !self.is_rich(node) && !self.is_in_marker(node)
    }

    /// Whether a node is in the attributes of a marker, such as `{{ id }}` in
    /// `user[id={{ id }}]:`.
    fn is_in_marker(&self, node: &Node) -> bool {
        let next = self.markers.partition_point(|it| it.line.start <= node.span.start);
        let marker = next.checked_sub(1).and_then(|last| self.markers.get(last));
        let attributes = marker.and_then(|marker| marker.attributes);
        attributes.is_some_and(|attributes| attributes.contains(node.span))
    }

    /// Generates the statement that writes a run to a sink.
    pub(super) fn run(&self, run: &[Piece<'_>], scope: &Scope, sink: Sink) -> Tokens {
        let Some(Piece::Node(first)) = run.first() else { return Ok(TokenStream::new()) };
        let (span, start) = (self.span, first.span.start);
        let name = format_ident!("__write_{start}", span = span);
        if !self.runs.borrow().contains_key(&start) {
            let function = self.run_function(&name, run, scope)?;
            self.runs.borrow_mut().insert(start, function);
        }
        let sink = sink.ident(span);
        Ok(quote_spanned!(span=> #name(prompt, &mut #sink);))
    }

    /// Generates the function of a run.
    fn run_function(&self, name: &Ident, run: &[Piece<'_>], scope: &Scope) -> Tokens {
        let mut statements = TokenStream::new();
        for piece in run {
            match piece {
                Piece::Text(text) => statements.extend(self.text(text, Sink::Either)),
                Piece::Node(node) => statements.extend(self.node(node, scope, Sink::Either)?),
                // `group_runs` puts only texts and nodes into a run.
                Piece::Marker(..) | Piece::Rest(_) | Piece::Run(_) => {}
            }
        }
        let (span, facade) = (self.span, self.facade);
        let (parameters, _, bounds) = self.prompt.generics.split_for_impl();
        let receiver = receiver_type(self.prompt);
        let sink = Sink::Either.ident(span);
        Ok(quote_spanned! {span=>
            #[inline]
            fn #name #parameters (
                prompt: &#receiver,
                #sink: &mut impl #facade::__private::Sink,
            ) #bounds {
                #statements
            }
        })
    }

    /// The functions of all runs.
    pub(super) fn run_functions(&self) -> TokenStream {
        self.runs.borrow().values().cloned().collect()
    }
}

/// Ends a run before the texts at its end.
fn end_run<'a>(run: &mut Vec<Piece<'a>>, all: &mut Vec<Piece<'a>>) {
    let nodes = run.iter().rposition(|piece| matches!(piece, Piece::Node(_)));
    let texts = run.split_off(nodes.map_or(0, |last| last + 1));
    if !run.is_empty() {
        all.push(Piece::Run(std::mem::take(run)));
    }
    all.extend(texts);
}

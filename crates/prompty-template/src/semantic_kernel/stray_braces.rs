//! Reports braces that do not open a block, so that they are text.
//!
//! In `{{ {{$a}} {{}}`, only `{{$a}}` is a block. The first two braces are reported, because other
//! braces follow before a `}}`. The last four are reported as an empty block.

use super::blocks::{self, UnclosedBlock};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};

/// The maximum number of reported braces.
const MAX_REPORTED: usize = 20;

/// Returns a diagnostic for each `{{` that is text.
pub(super) fn findings(text: &str) -> Vec<Diagnostic<TemplateSpan>> {
    let blocks = blocks::find(text);
    // The open block begins at the last `{{` outside of quotation marks. So all braces after it are
    // inside its quotation marks, and are not reported.
    let last = blocks.open.map_or(text.len(), |open| open.start);
    let mut found = Vec::new();
    let mut position = 0;
    let ends = blocks.closed.iter().map(|block| (block.span.start, block.span.end));
    for (end, next) in ends.chain([(text.len(), text.len())]) {
        let literal = text.get(position..end).into_iter();
        let braces = literal.flat_map(|literal| literal.match_indices("{{"));
        let braces = braces.map(|(offset, _)| position + offset);
        let limit = MAX_REPORTED.saturating_sub(found.len());
        let reported = braces.take_while(|start| *start <= last).take(limit);
        found.extend(reported.map(|start| finding(text, start, blocks.open)));
        position = next;
    }
    found
}

#[expect(clippy::string_slice, reason = "braces and quotation marks were found in the same text")]
fn finding(text: &str, start: usize, open: Option<UnclosedBlock>) -> Diagnostic<TemplateSpan> {
    let inside = &text[start + 2..];
    let line_end = inside.find('\n').unwrap_or(inside.len());
    let print = "to write literal braces, use `{{ \"{{\" }}`";
    if inside.trim_start().starts_with("}}") {
        let length = inside.find("}}").unwrap_or_default();
        // Two braces at each end: `{{  }}`.
        let span = TemplateSpan::new(start, start + length + 4);
        return stray("this block is empty, so it is text", span)
            .with_help(format!("write the name of an input, as in `{{{{$name}}}}`; {print}"));
    }
    let span = TemplateSpan::new(start, start + 2);
    // Of the three braces in `{{{ name`, this search finds the first two, and `blocks::find` the
    // last two.
    match open.filter(|open| open.start.abs_diff(start) <= 1) {
        Some(UnclosedBlock { quote: Some(mark), .. }) => {
            let mark = char::from(mark);
            let message = format!(
                "this block is never closed, so it is text: a string in it has no closing {mark}"
            );
            // The braces with the rest of their line.
            let span = TemplateSpan::new(start, start + 2 + line_end);
            stray(&message, span)
                .with_help(format!("close the string with {mark} before the `}}}}`; {print}"))
        }
        Some(_) => stray("this block is never closed, so it is text", span)
            .with_help(format!("write `}}}}` where it ends; {print}")),
        None => stray("these braces do not open a block, so they are text", span).with_help(
            format!("close the block before the next `{{{{`, or remove these braces; {print}"),
        ),
    }
}

fn stray(message: &str, span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::StrayBraces, message).with_label("is written unchanged").with_span(span)
}

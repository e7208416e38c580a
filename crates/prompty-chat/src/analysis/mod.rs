//! Detects how a model writes its replies, by rendering the chat template with sentinels.
//!
//! Every place for data gets a word that no template contains. The template's output between those
//! words is the format of a reply. In the comments of this module, these words are written as the
//! names of their constants in `conversation`: `<a>CONTENT</s>`.
//!
//! [`analyze`] renders the conversations without calls (`renders`), and then calls, in the forms
//! that templates accept. For each form, [`read_format`] compares the outputs (`piece`) in this
//! order: `turn`, `headers` or else `reasoning` and `content`, and then `tools`, which uses
//! `json_call` or else `arguments`, `quoting` and `frame`. The first form that can be read is the
//! format. Each step may render other probes.
//!
//! Comments and [`Finding`]s name what is searched for by a code. The numbers are not an order:
//!
//! | code | what |
//! |---|---|
//! | R1, R2, R3 | reasoning before content, in the prompt, before calls |
//! | C1 | the markers around content |
//! | T1 | how calls are written: as JSON or in markup, with which fields |
//! | T2, T3 | the markers around all calls and around each of them; the text between two calls |
//! | T4 | the texts around the name, and the namespace of the name |
//! | T5, T6 | the text between two arguments; the texts around all arguments |
//! | T7 | the id of a call |
//! | A1, A2 | the texts around the key of an argument, and around its value |
//! | A3 | quotes around strings with the characters of markup, and escapes in them |

mod arguments;
mod content;
mod conversation;
mod frame;
mod headers;
mod instructions;
mod json_call;
mod piece;
mod probe;
mod quoting;
mod reasoning;
mod renders;
mod tools;
#[cfg(test)]
mod tour;
mod turn;
mod unconditional_prompt;

use std::collections::HashSet;
use std::sync::Arc;

pub use instructions::Candidate;
use instructions::Example;
use piece::Piece;
use probe::FormatProber;
pub use probe::{Finding, ProbeRecord};
use renders::{CallRender, ConversationRenders};
use turn::TurnMarkers;

use super::capabilities::ProbedTemplate;
use prompty_core::error::Error;
use prompty_reply::format::view::ToolFormat;
use prompty_reply::format::{AnalysisResult, List, Marker, ReplyFormat, Text, Turn};

/// The results of the analysis of a chat template, and how they were found.
///
/// ```
/// # mod typed_prompty { pub use prompty_chat as chat; }
/// use typed_prompty::chat::{Analysis, ChatTemplate, Finding, ProbeRecord};
///
/// let text = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}";
/// let template = ChatTemplate::from_text(text)?;
/// let analysis: &Analysis = template.analysis()?;
/// assert_eq!(analysis.format().turn.end[0].text, "<|end|>");
/// let probe: &ProbeRecord = &analysis.probes()[0];
/// assert_eq!(probe.name, "question and answer");
/// let finding: &Finding = &analysis.findings()[0];
/// assert_eq!(finding.step, "turn");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Analysis {
    format: ReplyFormat,
    unclear_calls: Option<Arc<Error>>,
    candidates: Vec<Candidate>,
    probes: Vec<ProbeRecord>,
    findings: Vec<Finding>,
}

impl Analysis {
    /// The format of the model's replies.
    pub fn format(&self) -> &ReplyFormat {
        &self.format
    }

    /// The error if the template writes tool calls, but their format could not be detected. The
    /// rest of the [format](Self::format) is valid: only requests with tools fail.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_chat as chat; }
    /// use typed_prompty::chat::ChatTemplate;
    ///
    /// let text = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\
    ///     {% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}<|end|>{% endfor %}";
    /// let template = ChatTemplate::from_text(text)?;
    /// let analysis = template.analysis()?;
    /// assert!(analysis.format().tools.is_none());
    /// assert!(analysis.unclear_calls().is_some());
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn unclear_calls(&self) -> Option<&Error> {
        self.unclear_calls.as_deref()
    }

    /// Formats of calls that only the instructions to the model show. They are not used by default.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The format as a classification and a list of markers.
    pub fn result(&self) -> AnalysisResult {
        AnalysisResult::from_format(&self.format)
    }

    /// The probes that were rendered, in order.
    pub fn probes(&self) -> &[ProbeRecord] {
        &self.probes
    }

    /// The findings of each step.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Detects how the model of a template writes its replies.
pub(super) fn analyze(template: ProbedTemplate<'_>) -> Result<Analysis, Error> {
    let (mut analysis, examples) = probe_format(template)?;
    split_ends(&mut analysis.format, template.tokens.eos());
    analysis.format.turn.control_tokens = special_and_unwritten(template, &analysis.format);
    let candidates = examples.into_iter().filter_map(|it| it.candidate(&analysis.format));
    analysis.candidates = candidates.collect();
    Ok(analysis)
}

/// The special tokens, and the tokens that the template contains but does not write around any part
/// of a turn. A model may begin a call with one.
fn special_and_unwritten(template: ProbedTemplate<'_>, format: &ReplyFormat) -> List<Text> {
    // All markers of the format, in one text.
    let format = format.to_json();
    let constants = template.engine.string_constants().iter().flat_map(|it| control_tokens(it));
    let unwritten = constants.filter(|token| !format.contains(token));
    let mut seen = HashSet::new();
    let all = template.tokens.all().into_iter().chain(unwritten);
    all.filter(|token| seen.insert(*token)).map(|it| Text::Owned(it.to_owned())).collect()
}

/// The words in a text that have the form of tokens: `<|…|>`.
fn control_tokens(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("<|").filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let token = rest.get(..rest.find("|>")? + "|>".len())?;
        let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '|' | '<' | '>');
        token.chars().all(is_word).then_some(token)
    })
}

/// Completes the format that a tokenizer's configuration declares. Such a format describes a reply,
/// not the turn around it. So the turn is taken from the format that the analysis found, except for
/// the end of the turn if it is declared.
pub(super) fn complete_declared_format(
    mut declared: ReplyFormat,
    found: Option<&ReplyFormat>,
) -> ReplyFormat {
    let Some(ReplyFormat { turn, .. }) = found else { return declared };
    declared.turn.open = turn.open.clone();
    declared.turn.user_open = turn.user_open.clone();
    declared.turn.control_tokens = turn.control_tokens.clone();
    if declared.turn.end.is_empty() {
        declared.turn.end = turn.end.clone();
    }
    declared
}

/// Finds the format, with the records of the probes, and the examples of calls in instructions.
/// The examples become candidates later, because they are compared with the complete format.
fn probe_format(template: ProbedTemplate<'_>) -> Result<(Analysis, Vec<Example>), Error> {
    prompty_core::trace::span!("analyze_template");
    let prober = &mut FormatProber::new(template);
    let found = find_format(prober);
    // A format from only a part of the probes may be wrong.
    if let Some(exceeded) = prober.budget.exceeded() {
        return Err(exceeded.into_error());
    }
    let (format, unclear_calls, examples) = found?;
    note_format(prober, &format);
    let probes = std::mem::take(&mut prober.records);
    let findings = std::mem::take(&mut prober.findings);
    for Finding { step, found } in &findings {
        prompty_core::trace::step(step, found);
    }
    let unclear_calls = unclear_calls.map(Arc::new);
    let candidates = Vec::new();
    Ok((Analysis { format, unclear_calls, candidates, probes, findings }, examples))
}

/// Renders the probes and reads the format from their outputs. If the calls cannot be read, the
/// format has no calls, and the error is returned with it.
fn find_format(
    prober: &mut FormatProber<'_>,
) -> Result<(ReplyFormat, Option<Error>, Vec<Example>), Error> {
    let renders = ConversationRenders::new(prober)?;
    let style = renders.style;
    let found = CallRender::find(prober, style, |prober, called| {
        read_format(prober, &renders, Some(called))
    });
    let (format, unclear) = match found {
        Ok(Some((_, format))) => (format, None),
        Ok(None) => (read_format(prober, &renders, None)?, None),
        Err(unclear) => (read_format(prober, &renders, None)?, Some(unclear)),
    };
    Ok((format, unclear, instructions::find(prober, style)))
}

/// If a turn ends with a marker and the tokenizer's end token, each of both becomes an end:
/// `<end></s>` becomes `<end>` and `</s>`.
fn split_ends(format: &mut ReplyFormat, token: Option<&str>) {
    let Some(token) = token.filter(|it| !it.is_empty()) else { return };
    let split = |end: &Marker| {
        let front = end.text.strip_suffix(token).map(str::trim_end)?;
        (!front.is_empty()).then(|| [front.to_owned(), token.to_owned()].map(Marker::new))
    };
    let ends = format.turn.end.iter();
    let ends: Vec<Marker> =
        ends.flat_map(|it| split(it).map_or_else(|| vec![it.clone()], Vec::from)).collect();
    format.turn.end = List::Owned(distinct(ends));
}

/// The markers without duplicates and without empty ones.
fn distinct(ends: Vec<Marker>) -> Vec<Marker> {
    let mut distinct: Vec<Marker> = Vec::new();
    for end in ends {
        if !end.is_none() && !distinct.iter().any(|it| it.text == end.text) {
            distinct.push(end);
        }
    }
    distinct
}

/// Reads the format from the renders, and from `called`, the output for calls in one style, if the
/// template writes calls.
fn read_format(
    prober: &mut FormatProber<'_>,
    renders: &ConversationRenders,
    called: Option<&CallRender>,
) -> Result<ReplyFormat, Error> {
    let turns = TurnMarkers::find(prober, renders, called.map(|it| &*it.output));
    let headed = headers::find(prober, renders, &turns, called);
    let (reasoning, content) = match &headed {
        Some(headed) => (headed.reasoning.clone(), headed.content.clone()),
        None => {
            let found = reasoning::find(prober, renders, &turns, called);
            let content = content::find(prober, renders, &turns, &found, called);
            (found.reasoning, content)
        }
    };
    let known = tools::KnownParts {
        turns: &turns,
        after_content: renders.after_content().unwrap_or(Piece::new("")),
        reasoning: reasoning.as_ref(),
        content: Some(&content),
        headers: headed.as_ref(),
    };
    let tools = called.map(|called| tools::find(prober, called, known)).transpose()?;

    // A turn ends after content or after a call. The end after a call also closes the message that
    // contains the call, if replies consist of several messages.
    let mut ends = turns.ends(renders, headed.is_some());
    let mut headers = headed.map(|it| (it.headers, it.closers));
    let call_end = tools.as_ref().and_then(|it| it.end.clone());
    if let Some((_, closers)) = &mut headers {
        closers.extend(call_end.iter().map(|it| it.text.clone().into_owned()));
    }
    ends.extend(call_end);
    Ok(ReplyFormat {
        turn: Turn {
            user_open: Text::Owned(turns.user_open.clone()),
            open: Text::Owned(turns.open.clone()),
            end: List::Owned(distinct(ends)),
            control_tokens: List::Borrowed(&[]),
        },
        reasoning,
        content,
        tools: tools.map(|it| it.tools),
        headers: headers.map(|(mut headers, closers)| {
            headers.close = closers.into_iter().map(Marker::new).collect();
            headers
        }),
    })
}

/// Notes the findings about content, calls and arguments. The other steps note their own. The codes
/// are explained at the head of this file.
fn note_format(prober: &mut FormatProber<'_>, format: &ReplyFormat) {
    let result = AnalysisResult::from_format(format);
    let it = &result.markers;
    let content = (result.content, &it.content_start, &it.content_end);
    prober.note("C1", format_args!("{content:?}"));
    prober.note("T1", format_args!("{:?}, fields {:?}", result.tools, result.parameter_order));
    if format.tools.is_none() {
        return;
    }
    let section = (&it.tool_section_start, &it.tool_section_end);
    let call = (&it.per_call_start, &it.per_call_end);
    prober.note("T2", format_args!("around all calls {section:?}, around each {call:?}"));
    let many = if result.supports_parallel_calls { "many calls" } else { "one call" };
    prober.note("T3", format_args!("{many}, with {:?} between", it.call_separator));
    let name = (&it.func_name_prefix, &it.func_name_suffix, &it.func_close);
    prober.note("T4", format_args!("{name:?}, namespace {:?}", it.function_namespace));
    prober.note("T5", format_args!("between arguments {:?}", it.arg_separator));
    prober.note("T6", format_args!("around arguments {:?}", (&it.args_start, &it.args_end)));
    let id = (result.call_id_pos, &it.call_id_prefix, &it.call_id_suffix);
    prober
        .note("T7", format_args!("{id:?}, fields {:?}", (&result.id_field, &result.gen_id_field)));
    if result.tools == ToolFormat::TagWithTagged {
        prober.note("A1", format_args!("{:?}", (&it.arg_name_prefix, &it.arg_name_suffix)));
        prober.note("A2", format_args!("{:?}", (&it.arg_value_prefix, &it.arg_value_suffix)));
    }
}

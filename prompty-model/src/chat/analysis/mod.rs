//! How a model writes its replies, found by rendering its chat template with sentinels.
//!
//! Every place in which data can stand gets a word that no template holds. What the template writes
//! between those words is the format of a reply.

mod align;
mod arguments;
mod content;
mod conversation;
mod frame;
mod headers;
mod json_call;
mod probe;
mod reasoning;
mod renders;
mod report;
mod tools;
mod turn;

use align::Piece;
use conversation::CONTENT;
use probe::Prober;
pub use probe::{Finding, ProbeRecord};
use renders::{Called, Renders, tail};
use turn::Turns;

use super::source::ChatTemplate;
use crate::reply::format::{AnalysisResult, List, Marker, ReplyFormat, Text, Turn};
use prompty_core::error::Error;

/// What an analysis found about a chat template, and how.
#[derive(Debug, Clone)]
pub struct Analysis {
    format: ReplyFormat,
    probes: Vec<ProbeRecord>,
    findings: Vec<Finding>,
}

impl Analysis {
    /// How the model writes.
    pub fn format(&self) -> &ReplyFormat {
        &self.format
    }

    /// The same as a classification and a list of markers.
    pub fn result(&self) -> AnalysisResult {
        AnalysisResult::from_format(&self.format)
    }

    /// What was asked of the template, in order.
    pub fn probes(&self) -> &[ProbeRecord] {
        &self.probes
    }

    /// What each step found.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl ChatTemplate {
    /// Finds out how the model writes its replies, by rendering conversations of words that no
    /// template holds. The same template gives the same analysis each time.
    ///
    /// ```
    /// use prompty_model::chat::ChatTemplate;
    ///
    /// let template = ChatTemplate::from_text(
    ///     "{% for m in messages %}<|{{ m.role }}|>\
    ///      {% if m.reasoning_content %}(think){{ m.reasoning_content }}(/think){% endif %}\
    ///      {{ m.content }}<|end|>{% endfor %}\
    ///      {% if add_generation_prompt %}<|assistant|>{% endif %}",
    /// )?;
    /// let analysis = template.analyze()?;
    /// let reasoning = analysis.format().reasoning.as_ref().expect("it shows reasoning");
    /// assert_eq!((&*reasoning.open.text, &*reasoning.close.text), ("(think)", "(/think)"));
    /// assert_eq!(analysis.format().turn.end[0].text, "<|end|>");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Of kind [`Analysis`](prompty_core::ErrorKind::Analysis) where it is not clear how the template
    /// writes replies, with the probe and what the template said.
    pub fn analyze(&self) -> Result<Analysis, Error> {
        let mut analysis = analyze(self)?;
        let tokens = self.special_tokens().all().into_iter().filter(|it| !it.is_empty());
        split_ends(&mut analysis.format, self.special_tokens().eos());
        analysis.format.turn.control_tokens = tokens.map(|it| Text::Owned(it.to_owned())).collect();
        Ok(analysis)
    }
}

fn analyze(template: &ChatTemplate) -> Result<Analysis, Error> {
    prompty_core::trace::span!("analyze_template");
    let switches = &template.capabilities().thinking_switches;
    let prober = &mut Prober::new(template.engine(), template.tokens_as_variables(), switches);
    let renders = Renders::of(prober)?;
    let style = renders.style;
    let found = Called::of(prober, style, |prober, called| look(prober, &renders, Some(called)))?;
    let format = match found {
        Some((_, format)) => format,
        None => look(prober, &renders, None)?,
    };
    report::of(prober, &format);
    let probes = std::mem::take(&mut prober.records);
    let findings = std::mem::take(&mut prober.findings);
    for Finding { step, found } in &findings {
        prompty_core::trace::step(step, found);
    }
    Ok(Analysis { format, probes, findings })
}

/// Where a turn ends with the checkpoint's own token and something in front of it, either ends it.
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

/// The same markers, each once.
fn distinct(ends: Vec<Marker>) -> Vec<Marker> {
    let mut distinct: Vec<Marker> = Vec::new();
    for end in ends {
        if !end.is_none() && !distinct.iter().any(|it| it.text == end.text) {
            distinct.push(end);
        }
    }
    distinct
}

/// Reads the renders, with calls of one style.
fn look(
    prober: &mut Prober<'_>,
    renders: &Renders,
    called: Option<&Called>,
) -> Result<ReplyFormat, Error> {
    let turns = Turns::of(prober, renders, called.map(|it| &*it.calls));
    let headed = headers::find(prober, renders, &turns, called);
    let (reasoning, content) = match &headed {
        Some(headed) => (headed.reasoning.clone(), headed.content.clone()),
        None => {
            let found = reasoning::find(prober, renders, &turns, called);
            let content = content::find(prober, renders, &turns, &found, called);
            (found.reasoning, content)
        }
    };
    let said = tail(&renders.said).and_then(|it| it.after(CONTENT));
    let known = tools::Known {
        turns: &turns,
        said: said.unwrap_or(Piece::whole("")),
        reasoning: reasoning.as_ref(),
        content: Some(&content),
        headers: headed.as_ref(),
    };
    let tools = called.map(|called| tools::find(prober, called, known)).transpose()?;

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

//! Renders a request, and makes sure that its data does not become structure.
//!
//! The policy of the request decides what happens to the suspects: the data that contains markup or
//! could become markup. For each policy, [`Auditor::render_located`] renders the request, finds the
//! places of the suspects ([`Auditor::locate`]), and searches for assembled markup.

use std::collections::{HashMap, HashSet};

use super::align::{DataPlace, Placeholders, align};
use super::assembled_markup::{AssembledMarkup, AssembledSearch};
use super::data::{Usage, any_text, replace_texts, stripped};
use super::markup::{Markup, Threat, markup_at};
use super::neutralise::{NeutraliseScope, neutralise};
use super::prompt_text::{DataSource, LocatedData, PromptText, overlaps_any};
use crate::rendering::{RenderedText, Renderer};
use crate::request::{ControlTokens, Request};
use prompty_core::error::{Error, ErrorKind};

/// The prompt for a request whose data is trusted.
///
/// # Errors
///
/// Returns an error if rendering fails.
pub(crate) fn prompt_without_audit(
    renderer: Renderer<'_>,
    request: &Request<'_>,
) -> Result<PromptText, Error> {
    let rendered = renderer.render(request)?;
    Ok(prompt_without_ranges(renderer, request, rendered))
}

/// The prompt for a request whose data must not become structure.
///
/// # Errors
///
/// Returns an error if rendering fails, and one of kind [`ErrorKind::ControlTokens`] according to
/// the policy of the request.
pub(crate) fn audit(
    renderer: Renderer<'_>,
    markup: &Markup,
    request: &Request<'_>,
) -> Result<PromptText, Error> {
    let policy = request.options.control_tokens;
    let auditor = Auditor { renderer, markup, policy };
    let capabilities = renderer.template.capabilities;
    if !any_text(request, capabilities, &mut |text| markup.is_suspect(text)) {
        return auditor.prompt_without_suspects(request);
    }
    match policy {
        ControlTokens::Neutralise => auditor.neutralise_data(request),
        ControlTokens::Refuse => auditor.refuse_marked(request),
        _ => auditor.mark_data(request),
    }
}

/// The prompt for a text in which no data contains markup.
fn prompt_without_ranges(
    renderer: Renderer<'_>,
    request: &Request<'_>,
    rendered: RenderedText,
) -> PromptText {
    let generation_prompt = renderer.generation_prompt(&rendered, request.options.now);
    let RenderedText { text, variables, .. } = rendered;
    PromptText::without_ranges(text, generation_prompt, variables)
}

struct Auditor<'a> {
    renderer: Renderer<'a>,
    markup: &'a Markup,
    policy: ControlTokens,
}

/// A piece of data that contains markup or could become markup.
struct Suspect {
    source: DataSource,
    usage: Usage,
    /// The piece without white space around it.
    core: String,
    threat: Threat,
}

/// A text with suspects, to be compared with its harmless version: the same request with
/// placeholders for the suspects.
struct SuspectComparison<'a> {
    auditor: &'a Auditor<'a>,
    request: &'a Request<'a>,
    suspects: &'a [Suspect],
    text: &'a str,
    placeholders: Placeholders,
}

/// The result of a comparison if some suspects appear neither unchanged nor escaped.
struct AlteredData {
    /// The number of the suspect at which the texts start to differ, if it is known.
    at: Option<usize>,
    /// The harmless text with its placeholders erased; `None` if rendering it failed.
    harmless: Option<String>,
}

impl Auditor<'_> {
    /// The prompt for data without any markup.
    fn prompt_without_suspects(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let rendered = self.renderer.render(request)?;
        self.refuse_assembled_markup(request, &rendered, &[], false)?;
        Ok(prompt_without_ranges(self.renderer, request, rendered))
    }

    /// Returns an error if the template has assembled markup from data outside of `located`.
    /// `is_markup_located` is that of [`AssembledSearch`].
    fn refuse_assembled_markup(
        &self,
        request: &Request<'_>,
        rendered: &RenderedText,
        located: &[LocatedData<'_>],
        is_markup_located: bool,
    ) -> Result<(), Error> {
        // A template can only assemble markup from data that it splits or changes.
        if !rendered.splits_data {
            return Ok(());
        }
        let Self { renderer, markup, .. } = *self;
        let search =
            AssembledSearch { renderer, markup, request, text: &rendered.text, is_markup_located };
        let Some(AssembledMarkup { token, source }) = search.run(located) else { return Ok(()) };
        let source = source.map_or_else(|| "data".to_owned(), |it| it.to_string());
        let message = format!(
            "the chat template turns {source} into `{token}`, which is markup of the chat template"
        );
        Err(Error::new(ErrorKind::ControlTokens, message).with_help(
            "remove the characters of the markup from the data, or set `ControlTokens::Ignore` if \
             the data is trusted",
        ))
    }

    /// The prompt with the places of data that contains markup.
    fn mark_data(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let suspects = self.suspects(request);
        let (rendered, located) = self.render_located(request, &suspects)?;
        let now = request.options.now;
        let generation_prompt = self.renderer.generation_prompt(&rendered, now);
        let RenderedText { text, variables, .. } = rendered;
        PromptText::with_ranges(text, generation_prompt, variables, located).map_err(|source| {
            let at = suspects.iter().position(|it| it.source == source);
            self.altered_error(&suspects, at)
        })
    }

    /// The prompt, or an error if data contains markup.
    fn refuse_marked(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let suspects = self.suspects(request);
        if let Some(suspect) = suspects.iter().find(|it| it.threat == Threat::Complete) {
            return Err(self.markup_error(suspect));
        }
        let (rendered, located) = self.render_located(request, &suspects)?;
        if let Some(first) = located.first() {
            let suspect = suspects.iter().find(|it| it.source == first.source);
            return Err(suspect
                .map_or_else(|| self.altered_error(&suspects, None), |it| self.markup_error(it)));
        }
        Ok(prompt_without_ranges(self.renderer, request, rendered))
    }

    /// The prompt for data in which all markup is broken. The ends of the data are broken only if
    /// markup is left otherwise, so that most data keeps its start and its end.
    fn neutralise_data(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let template = self.renderer.template;
        let inside = neutralise(request, template, self.markup, NeutraliseScope::Inside);
        match self.refuse_marked(&inside) {
            Err(error) if error.kind() == ErrorKind::ControlTokens => {
                let edges = neutralise(&inside, template, self.markup, NeutraliseScope::Edges);
                self.refuse_marked(&edges)
            }
            other => other,
        }
    }

    /// The rendered text, and the places of data with markup in it. Returns an error if the
    /// template has altered that data, or has assembled markup from other data.
    fn render_located<'s>(
        &self,
        request: &Request<'_>,
        suspects: &'s [Suspect],
    ) -> Result<(RenderedText, Vec<LocatedData<'s>>), Error> {
        let rendered = self.renderer.render(request)?;
        let located = self.locate(request, suspects, &rendered.text)?;
        self.refuse_assembled_markup(request, &rendered, &located, true)?;
        Ok((rendered, located))
    }

    /// The data that contains markup or could become markup. Equal names are one suspect.
    fn suspects(&self, request: &Request<'_>) -> Vec<Suspect> {
        let mut suspects = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        let capabilities = self.renderer.template.capabilities;
        replace_texts(request, capabilities, &mut |source, usage, text| {
            let threat = self.markup.threat(text)?;
            let core = stripped(text);
            if usage == Usage::Text || known.insert(core.to_owned()) {
                let (source, core) = (source.clone(), core.to_owned());
                suspects.push(Suspect { source, usage, core, threat });
            }
            None
        });
        suspects
    }

    /// The places of data with markup in a text. They are found by comparison with a harmless
    /// version of the text, in which suspects are replaced by placeholders. If the texts differ in
    /// more than that, fewer suspects are replaced: first no names that the template compares, and
    /// then only those with complete markup.
    fn locate<'s>(
        &self,
        request: &Request<'_>,
        suspects: &'s [Suspect],
        text: &str,
    ) -> Result<Vec<LocatedData<'s>>, Error> {
        if suspects.is_empty() {
            return Ok(Vec::new());
        }
        let engine = self.renderer.template.engine;
        let placeholders = Placeholders::absent_from(&[text, engine.text()]);
        let comparison = SuspectComparison { auditor: self, request, suspects, text, placeholders };
        let mut altered = match comparison.compare(&|_| true) {
            Ok(placed) => return Ok(self.with_markup(suspects, &placed, text)),
            Err(altered) => altered,
        };
        // A template compares names with its own words, and handles those differently.
        let is_compared = |it: &Suspect| {
            let is_name =
                it.usage != Usage::Text || matches!(it.source, DataSource::Variable { .. });
            it.threat != Threat::Complete && is_name && engine.has_word(&it.core)
        };
        if suspects.iter().any(is_compared) {
            altered = match comparison.compare(&|it| !is_compared(it)) {
                Ok(placed) => return Ok(self.with_markup(suspects, &placed, text)),
                Err(altered) => altered,
            };
        }
        let placed = self.locate_complete(&comparison, altered)?;
        Ok(self.with_markup(suspects, &placed, text))
    }

    /// The places of the suspects with complete markup. Other suspects may be altered if no markup
    /// results from them: the other markup must be that of the harmless text.
    fn locate_complete(
        &self,
        comparison: &SuspectComparison<'_>,
        altered: AlteredData,
    ) -> Result<Vec<DataPlace>, Error> {
        let SuspectComparison { suspects, text, .. } = *comparison;
        let is_complete = |it: &Suspect| it.threat == Threat::Complete;
        let placed = match suspects.iter().any(is_complete) {
            true => {
                let compared = comparison.compare(&is_complete);
                compared.map_err(|AlteredData { at, .. }| self.altered_error(suspects, at))?
            }
            false => Vec::new(),
        };
        let AlteredData { at, harmless: Some(harmless) } = altered else {
            return Err(self.altered_error(suspects, None));
        };
        let places = self.markup.places(text);
        let outside = places.iter().filter(|place| !overlaps_any(&placed, |it| &it.range, place));
        let outside = outside.map(|place| markup_at(text, place.clone()));
        match outside.eq(self.markup.all_in(&harmless)) {
            true => Ok(placed),
            false => Err(self.altered_error(suspects, at)),
        }
    }

    /// The pieces of data that markup overlaps.
    fn with_markup<'s>(
        &self,
        suspects: &'s [Suspect],
        placed: &[DataPlace],
        text: &str,
    ) -> Vec<LocatedData<'s>> {
        let places = self.markup.places(text);
        // For each place, the last end of the markup that begins there or before.
        let last_end = |end: &mut usize, place: &std::ops::Range<usize>| {
            *end = place.end.max(*end);
            Some(*end)
        };
        let ends: Vec<usize> = places.iter().scan(0, last_end).collect();
        let has_markup = |it: &&DataPlace| {
            let before = places.partition_point(|place| place.start < it.range.end);
            let last = before.checked_sub(1).and_then(|last| ends.get(last));
            last.is_some_and(|end| *end > it.range.start)
        };
        let ranges = placed.iter().filter(has_markup).filter_map(|it| {
            let suspect = suspects.get(it.data)?;
            let (bytes, source) = (it.range.clone(), suspect.source.clone());
            Some(LocatedData { bytes, source, data: &suspect.core })
        });
        ranges.collect()
    }

    /// The error for data with markup.
    fn markup_error(&self, suspect: &Suspect) -> Error {
        let source = &suspect.source;
        let token = self.token(suspect);
        let message = match suspect.threat {
            Threat::Complete => {
                format!("{source} contains `{token}`, which is markup of the chat template")
            }
            Threat::Partial => format!(
                "{source} and the text next to it form `{token}`, which is markup of the chat template"
            ),
        };
        Error::new(ErrorKind::ControlTokens, message).with_help(self.markup_help())
    }

    /// The help for data with markup.
    fn markup_help(&self) -> &'static str {
        match self.policy {
            ControlTokens::Neutralise => "remove the markup, or set `ControlTokens::Mark`",
            _ => "remove the markup, or set `ControlTokens::Mark` or `ControlTokens::Neutralise`",
        }
    }

    /// The error for data that the template handles differently from other data. It names a suspect
    /// with complete markup, if there is one, and preferably the one at which the texts differ.
    fn altered_error(&self, suspects: &[Suspect], at: Option<usize>) -> Error {
        let is_complete = |it: &&Suspect| it.threat == Threat::Complete;
        let at = at.and_then(|at| suspects.get(at));
        let suspect = at.filter(is_complete).or_else(|| suspects.iter().find(is_complete)).or(at);
        let Some(suspect) = suspect.or_else(|| suspects.first()) else {
            let message = "data contains markup of the chat template";
            return Error::new(ErrorKind::ControlTokens, message).with_help(self.markup_help());
        };
        let (source, token) = (&suspect.source, self.token(suspect));
        let message =
            format!("the chat template handles `{token}` in {source} differently from other data");
        Error::new(ErrorKind::ControlTokens, message).with_help(match self.policy {
            ControlTokens::Neutralise => {
                "remove the markup, or set `ControlTokens::Ignore` if the data is trusted"
            }
            _ => {
                "remove the markup, set `ControlTokens::Neutralise`, or set `ControlTokens::Ignore` \
                 if the data is trusted"
            }
        })
    }

    /// The markup in a suspect, or the start of the suspect if it contains none.
    fn token(&self, suspect: &Suspect) -> String {
        let first = self.markup.all_in(&suspect.core).next();
        match first.or_else(|| self.markup.first_in(&suspect.core)) {
            Some(token) => token.to_owned(),
            None => suspect.core.chars().take(40).collect(),
        }
    }
}

impl SuspectComparison<'_> {
    /// The places of the selected suspects in the text, unchanged or escaped. First, each suspect
    /// gets its own placeholder in the harmless version. If that fails, equal suspects share one,
    /// because a template may compare its data.
    fn compare(&self, is_chosen: &dyn Fn(&Suspect) -> bool) -> Result<Vec<DataPlace>, AlteredData> {
        let separate: Vec<usize> = (0..self.suspects.len()).collect();
        self.compare_with(&separate, is_chosen).or_else(|altered| {
            let mut first_with_core: HashMap<&str, usize> = HashMap::new();
            let cores = self.suspects.iter().map(|it| &*it.core).enumerate();
            let shared: Vec<usize> = cores
                .map(|(number, core)| *first_with_core.entry(core).or_insert(number))
                .collect();
            if shared == separate {
                return Err(altered);
            }
            let mut placed = self.compare_with(&shared, is_chosen).map_err(|_| altered)?;
            number_shared_places(&mut placed, &shared);
            Ok(placed)
        })
    }

    /// Like [`compare`](Self::compare), with a given placeholder number for each suspect. The
    /// suspects are numbered in the order in which [`Auditor::suspects`] has found them. For texts,
    /// the same order gives their numbers back; equal names share a number.
    fn compare_with(
        &self,
        placeholder_of: &[usize],
        is_chosen: &dyn Fn(&Suspect) -> bool,
    ) -> Result<Vec<DataPlace>, AlteredData> {
        let Self { auditor: Auditor { renderer, markup, .. }, suspects, placeholders, .. } = self;
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (number, suspect) in suspects.iter().enumerate() {
            if suspect.usage != Usage::Text {
                names.insert(&suspect.core, number);
            }
        }
        let mut texts = suspects.iter().enumerate().filter(|(_, it)| it.usage == Usage::Text);
        let capabilities = renderer.template.capabilities;
        let harmless = replace_texts(self.request, capabilities, &mut |_, usage, text| {
            markup.threat(text)?;
            let core = stripped(text);
            let number = match usage {
                Usage::Text => texts.next()?.0,
                Usage::Name => *names.get(core)?,
            };
            let suspect = suspects.get(number)?;
            let placeholder = placeholders.get(*placeholder_of.get(number)?);
            is_chosen(suspect).then(|| text.replacen(core, &placeholder, 1))
        });
        let harmless = renderer.render(&harmless);
        let Ok(harmless) = harmless else { return Err(AlteredData { at: None, harmless: None }) };
        let data: Vec<&str> = suspects.iter().map(|it| &*it.core).collect();
        align(placeholders, &harmless.text, self.text, &data)
            .map_err(|at| AlteredData { at, harmless: Some(placeholders.erase(&harmless.text)) })
    }
}

/// Gives places that share a placeholder the numbers of their suspects in order, if each suspect
/// appears in the text once. Example: if the suspects 0 and 2 have the placeholder 0, two places
/// with the number 0 get the numbers 0 and 2.
fn number_shared_places(placed: &mut [DataPlace], placeholder_of: &[usize]) {
    let mut sharing: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, placeholder) in placeholder_of.iter().enumerate() {
        sharing.entry(*placeholder).or_default().push(number);
    }
    let mut places: HashMap<usize, usize> = HashMap::new();
    for it in placed.iter() {
        *places.entry(it.data).or_default() += 1;
    }
    sharing.retain(|placeholder, numbers| places.get(placeholder) == Some(&numbers.len()));
    let in_order = sharing.into_iter().map(|(placeholder, all)| (placeholder, all.into_iter()));
    let mut next: HashMap<usize, _> = in_order.collect();
    for it in placed {
        let number = next.get_mut(&it.data).and_then(Iterator::next);
        it.data = number.unwrap_or(it.data);
    }
}

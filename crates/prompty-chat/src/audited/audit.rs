//! Renders a request, and makes sure that its data is nothing but data.

use std::collections::{HashMap, HashSet};

use super::align::{Placed, Placeholders, align};
use super::assembled::{Assembled, Search};
use super::data::{Usage, any_text, replace_texts, stripped};
use super::markup::{Markup, Threat, markup_at};
use super::neutralise::{Scope, neutralise};
use super::prompt_text::{DataSource, LocatedData, PromptText, overlaps_any};
use crate::rendered::{Rendered, Renderer};
use crate::request::{ControlTokens, Request};
use prompty_core::error::{Error, ErrorKind};

/// The prompt for a request whose data is trusted.
///
/// # Errors
///
/// Those of rendering it.
pub(crate) fn trust(renderer: Renderer<'_>, request: &Request<'_>) -> Result<PromptText, Error> {
    let rendered = renderer.render(request)?;
    Ok(unmarked(renderer, request, rendered))
}

/// The prompt for a request whose data cannot become structure.
///
/// # Errors
///
/// Those of rendering it, and [`ErrorKind::ControlTokens`] as the policy of the request says.
pub(crate) fn audit(
    renderer: Renderer<'_>,
    markup: &Markup,
    request: &Request<'_>,
) -> Result<PromptText, Error> {
    let policy = request.options.control_tokens;
    let auditor = Auditor { renderer, markup, policy };
    let capabilities = renderer.template.capabilities;
    if !any_text(request, capabilities, &mut |text| markup.is_suspect(text)) {
        return auditor.without_suspects(request);
    }
    match policy {
        ControlTokens::Neutralise => auditor.neutralised(request),
        ControlTokens::Refuse => auditor.refused_if_marked(request),
        _ => auditor.marked(request),
    }
}

/// The prompt for a text in which no data has markup.
fn unmarked(renderer: Renderer<'_>, request: &Request<'_>, rendered: Rendered) -> PromptText {
    let generation_prompt = renderer.generation_prompt(&rendered, request.options.now);
    let Rendered { text, variables, .. } = rendered;
    PromptText::unmarked(text, generation_prompt, variables)
}

struct Auditor<'a> {
    renderer: Renderer<'a>,
    markup: &'a Markup,
    policy: ControlTokens,
}

/// A piece of data that contains markup or could become some.
struct Suspect {
    source: DataSource,
    usage: Usage,
    /// The piece without white space around it.
    core: String,
    threat: Threat,
}

/// A text and its suspects, to be compared with its harmless twin: the same request with placeholders for
/// suspects.
struct Trial<'a> {
    auditor: &'a Auditor<'a>,
    request: &'a Request<'a>,
    suspects: &'a [Suspect],
    text: &'a str,
    placeholders: Placeholders,
}

/// What a comparison shows where some suspects do not stand in the text as they are, or escaped.
struct Altered {
    /// The number of the suspect at which the texts start to differ, if that is clear.
    at: Option<usize>,
    /// The harmless text without its placeholders; nothing where it cannot be rendered.
    harmless: Option<String>,
}

impl Auditor<'_> {
    /// The prompt for data without any markup.
    fn without_suspects(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let rendered = self.renderer.render(request)?;
        self.refuse_assembled_markup(request, &rendered, &[], false)?;
        Ok(unmarked(self.renderer, request, rendered))
    }

    /// Refuses markup that the template has assembled from data.
    fn refuse_assembled_markup(
        &self,
        request: &Request<'_>,
        rendered: &Rendered,
        located: &[LocatedData<'_>],
        is_markup_located: bool,
    ) -> Result<(), Error> {
        if !rendered.splits_data {
            return Ok(());
        }
        let Self { renderer, markup, .. } = *self;
        let search = Search { renderer, markup, request, text: &rendered.text, is_markup_located };
        let Some(Assembled { token, source }) = search.run(located) else { return Ok(()) };
        let source = source.map_or_else(|| "data".to_owned(), |it| it.to_string());
        let message = format!(
            "the chat template makes `{token}`, which is its markup, out of {source}: it takes texts \
             apart"
        );
        Err(Error::new(ErrorKind::ControlTokens, message).with_help(
            "take what the markup is made of out of the data; `ControlTokens::Ignore` lets the template \
             do with trusted data what it does",
        ))
    }

    /// The prompt with the places of data that contains markup.
    fn marked(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let suspects = self.suspects(request);
        let (rendered, located) = self.located(request, &suspects)?;
        let now = request.options.now;
        let generation_prompt = self.renderer.generation_prompt(&rendered, now);
        let Rendered { text, variables, .. } = rendered;
        PromptText::marked(text, generation_prompt, variables, located).map_err(|source| {
            let at = suspects.iter().position(|it| it.source == source);
            self.altered_error(&suspects, at)
        })
    }

    /// The prompt, or an error if data contains markup.
    fn refused_if_marked(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let suspects = self.suspects(request);
        if let Some(suspect) = suspects.iter().find(|it| it.threat == Threat::Whole) {
            return Err(self.markup_error(suspect));
        }
        let (rendered, located) = self.located(request, &suspects)?;
        if let Some(first) = located.first() {
            let suspect = suspects.iter().find(|it| it.source == first.source);
            return Err(suspect
                .map_or_else(|| self.altered_error(&suspects, None), |it| self.markup_error(it)));
        }
        Ok(unmarked(self.renderer, request, rendered))
    }

    /// The prompt for data whose markup is broken.
    fn neutralised(&self, request: &Request<'_>) -> Result<PromptText, Error> {
        let template = self.renderer.template;
        let inside = neutralise(request, template, self.markup, Scope::Inside);
        match self.refused_if_marked(&inside) {
            Err(error) if error.kind() == ErrorKind::ControlTokens => {
                let edges = neutralise(&inside, template, self.markup, Scope::Edges);
                self.refused_if_marked(&edges)
            }
            other => other,
        }
    }

    /// The text, and where data with markup stands in it.
    fn located<'s>(
        &self,
        request: &Request<'_>,
        suspects: &'s [Suspect],
    ) -> Result<(Rendered, Vec<LocatedData<'s>>), Error> {
        let rendered = self.renderer.render(request)?;
        let located = self.locate(request, suspects, &rendered.text)?;
        self.refuse_assembled_markup(request, &rendered, &located, true)?;
        Ok((rendered, located))
    }

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

    /// Where data with markup stands in a text.
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
        let trial = Trial { auditor: self, request, suspects, text, placeholders };
        let mut altered = match trial.compare(&|_| true) {
            Ok(placed) => return Ok(self.with_markup(suspects, &placed, text)),
            Err(altered) => altered,
        };
        // A template compares names with its own words, and treats those differently.
        let is_compared = |it: &Suspect| {
            let is_name =
                it.usage != Usage::Text || matches!(it.source, DataSource::Variable { .. });
            is_name && engine.has_word(&it.core)
        };
        let is_foreign = |it: &Suspect| it.threat == Threat::Whole || !is_compared(it);
        if suspects.iter().any(|it| !is_foreign(it)) {
            altered = match trial.compare(&is_foreign) {
                Ok(placed) => return Ok(self.with_markup(suspects, &placed, text)),
                Err(altered) => altered,
            };
        }
        // Data that is no markup by itself may be altered, as long as no markup comes of it.
        let is_whole = |it: &Suspect| it.threat == Threat::Whole;
        let placed = match suspects.iter().any(is_whole) {
            true => {
                let compared = trial.compare(&is_whole);
                compared.map_err(|Altered { at, .. }| self.altered_error(suspects, at))?
            }
            false => Vec::new(),
        };
        let Altered { at, harmless: Some(harmless) } = altered else {
            return Err(self.altered_error(suspects, None));
        };
        let places = self.markup.places(text);
        let outside = places.iter().filter(|place| !overlaps_any(&placed, |it| &it.range, place));
        let outside = outside.map(|place| markup_at(text, place.clone()));
        if outside.ne(self.markup.all_in(&harmless)) {
            return Err(self.altered_error(suspects, at));
        }
        Ok(self.with_markup(suspects, &placed, text))
    }

    /// The pieces of data that markup overlaps.
    fn with_markup<'s>(
        &self,
        suspects: &'s [Suspect],
        placed: &[Placed],
        text: &str,
    ) -> Vec<LocatedData<'s>> {
        let places = self.markup.places(text);
        // For each place, the end of the markup that begins there or before.
        let mut end = 0;
        let ends: Vec<usize> = places
            .iter()
            .map(|place| {
                end = end.max(place.end);
                end
            })
            .collect();
        let has_markup = |it: &&Placed| {
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
            Threat::Whole => {
                format!("{source} spells `{token}`, which is markup of the chat template")
            }
            Threat::Part => format!(
                "{source} makes markup of the chat template together with what stands beside it: \
                 `{token}`"
            ),
        };
        Error::new(ErrorKind::ControlTokens, message).with_help(match self.policy {
            ControlTokens::Neutralise => "take it out, or choose `ControlTokens::Mark`",
            _ => "take it out, or choose `ControlTokens::Mark` or `ControlTokens::Neutralise`",
        })
    }

    /// The error for data that the template does not write as it writes other data. It names a suspect
    /// with whole markup, if there is one, and best the one at which that shows.
    fn altered_error(&self, suspects: &[Suspect], at: Option<usize>) -> Error {
        let is_whole = |it: &&Suspect| it.threat == Threat::Whole;
        let at = at.and_then(|at| suspects.get(at));
        let suspect = at.filter(is_whole).or_else(|| suspects.iter().find(is_whole)).or(at);
        let Some(suspect) = suspect.or_else(|| suspects.first()) else {
            return Error::new(ErrorKind::ControlTokens, "data spells markup of the chat template");
        };
        let (source, token) = (&suspect.source, self.token(suspect));
        let message = format!(
            "{source} holds `{token}`, and the chat template does not write it as it writes other \
             data"
        );
        Error::new(ErrorKind::ControlTokens, message).with_help(match self.policy {
            ControlTokens::Neutralise => {
                "take it out; `ControlTokens::Ignore` lets the template do with trusted data what it \
                 does"
            }
            _ => {
                "take it out, or choose `ControlTokens::Neutralise`; `ControlTokens::Ignore` lets the \
                 template do with trusted data what it does"
            }
        })
    }

    /// The markup in a suspect, or the start of the suspect if it contains none.
    fn token(&self, suspect: &Suspect) -> String {
        let first = self.markup.all_in(&suspect.core).next();
        match first.or_else(|| self.markup.first(&suspect.core)) {
            Some(token) => token.to_owned(),
            None => suspect.core.chars().take(40).collect(),
        }
    }
}

impl Trial<'_> {
    /// Where the chosen suspects stand in the text, which they do as they are, or escaped. Each has its
    /// own placeholder in the twin; or else equal suspects the same one, as a template may compare its
    /// data.
    fn compare(&self, is_chosen: &dyn Fn(&Suspect) -> bool) -> Result<Vec<Placed>, Altered> {
        let own: Vec<usize> = (0..self.suspects.len()).collect();
        self.compare_with(&own, is_chosen).or_else(|altered| {
            let mut known: HashMap<&str, usize> = HashMap::new();
            let cores = self.suspects.iter().map(|it| &*it.core).enumerate();
            let shared: Vec<usize> =
                cores.map(|(number, core)| *known.entry(core).or_insert(number)).collect();
            if shared == own {
                return Err(altered);
            }
            let mut placed = self.compare_with(&shared, is_chosen).map_err(|_| altered)?;
            distinguish(&mut placed, &shared);
            Ok(placed)
        })
    }

    /// The same, with the number of each suspect's placeholder.
    fn compare_with(
        &self,
        placeholder_of: &[usize],
        is_chosen: &dyn Fn(&Suspect) -> bool,
    ) -> Result<Vec<Placed>, Altered> {
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
        let Ok(harmless) = harmless else { return Err(Altered { at: None, harmless: None }) };
        let data: Vec<&str> = suspects.iter().map(|it| &*it.core).collect();
        align(placeholders, &harmless.text, self.text, &data)
            .map_err(|at| Altered { at, harmless: Some(placeholders.erase(&harmless.text)) })
    }
}

/// Numbers pieces of data that share a placeholder in the order in which they stand, if each stands in
/// the text once.
fn distinguish(placed: &mut [Placed], placeholder_of: &[usize]) {
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

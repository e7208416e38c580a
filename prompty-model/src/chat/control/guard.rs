//! Writes a prompt, and sees to it that its data is nothing but data.

use std::collections::{HashMap, HashSet};

use super::align::{Placed, Words, align};
use super::data::{Asked, Use, any, core, replaced};
use super::markup::{Markup, Threat};
use super::neutral::{Reach, neutral};
use super::origin::{Made, Origin};
use super::ranges::{ControlTokens, DataRange, DataSource, touches};
use crate::chat::prompt::PromptText;
use crate::chat::source::ChatTemplate;
use prompty_core::error::{Error, ErrorKind};

/// How a prompt is written: with all that belongs to it, or its text alone.
type Write<'w> = dyn Fn(&Asked<'_>, bool) -> Result<PromptText, Error> + 'w;

/// Writes a prompt whose data cannot become structure.
///
/// # Errors
///
/// Those of writing it, and [`ErrorKind::ControlTokens`] as the policy has it.
pub(in crate::chat) fn guarded(
    template: &ChatTemplate,
    asked: &Asked<'_>,
    write: &Write<'_>,
) -> Result<PromptText, Error> {
    let policy = asked.options.control_tokens;
    if policy == ControlTokens::Ignore {
        return write(asked, true);
    }
    let markup = template.markup();
    let guard = Guard { template, markup, policy, write };
    if !any(asked, template.capabilities(), &mut |text| markup.is_suspect(text)) {
        return guard.plain(asked);
    }
    match policy {
        ControlTokens::Neutralise => guard.neutralised(asked),
        policy => guard.marked(asked, policy == ControlTokens::Refuse),
    }
}

struct Guard<'g> {
    template: &'g ChatTemplate,
    markup: &'g Markup,
    policy: ControlTokens,
    write: &'g Write<'g>,
}

/// A piece of data that a word stands for.
struct Suspect {
    source: DataSource,
    usage: Use,
    core: String,
    threat: Threat,
}

/// The suspects among the data.
struct Suspects {
    list: Vec<Suspect>,
}

/// What two texts of a template show.
enum Compared {
    /// All suspects stand whole.
    Whole(Vec<Placed>),
    /// They do not; the number of the one at which that shows, and what the template wrote.
    Torn(Option<usize>, Result<String, Error>),
}

impl Guard<'_> {
    /// The prompt with data that holds nothing of markup.
    fn plain(&self, asked: &Asked<'_>) -> Result<PromptText, Error> {
        let prompt = (self.write)(asked, true)?;
        self.check_origin(asked, &prompt, &|_| false)?;
        Ok(prompt)
    }

    /// Sees to it that the template has made no markup out of data, but for data that `is_followed`.
    fn check_origin(
        &self,
        asked: &Asked<'_>,
        prompt: &PromptText,
        is_followed: &dyn Fn(&str) -> bool,
    ) -> Result<(), Error> {
        if !prompt.rewrites {
            return Ok(());
        }
        let origin = Origin {
            template: self.template,
            markup: self.markup,
            asked,
            text: &prompt.text,
            is_followed,
            write: &|asked| (self.write)(asked, false).map(|written| written.text),
        };
        match origin.made(&prompt.data_ranges) {
            Some(Made { token, source }) => {
                let source = source.map_or_else(|| "data".to_owned(), |it| it.to_string());
                let message = format!(
                    "the chat template makes `{token}`, which is its markup, out of {source}: it takes \
                     texts apart"
                );
                Err(Error::new(ErrorKind::ControlTokens, message).with_help(
                    "take what the markup is made of out of the data; `ControlTokens::Ignore` lets the \
                     template do with trusted data what it does",
                ))
            }
            None => Ok(()),
        }
    }

    /// The prompt with the places of data that holds markup; or no prompt, if there are any.
    fn marked(&self, asked: &Asked<'_>, refuse: bool) -> Result<PromptText, Error> {
        let suspects = self.suspects(asked);
        if refuse && let Some(suspect) = suspects.list.iter().find(|it| it.threat == Threat::Whole)
        {
            return Err(self.spelt(suspect));
        }
        let mut prompt = (self.write)(asked, true)?;
        prompt.data_ranges = self.ranges(asked, &suspects, &prompt.text)?;
        self.check_origin(asked, &prompt, &|piece| self.markup.threat(piece).is_some())?;
        if refuse && let Some(range) = prompt.data_ranges.first() {
            let found = suspects.list.iter().find(|it| it.source == range.source);
            return Err(found.map_or_else(|| self.torn(&suspects, None), |it| self.spelt(it)));
        }
        Ok(prompt)
    }

    /// The prompt for data whose markup is broken.
    fn neutralised(&self, asked: &Asked<'_>) -> Result<PromptText, Error> {
        let within = neutral(asked, self.template, self.markup, Reach::Within);
        match self.marked(&within, true) {
            Err(error) if error.kind() == ErrorKind::ControlTokens => {
                let edges = neutral(&within, self.template, self.markup, Reach::Edges);
                self.marked(&edges, true)
            }
            other => other,
        }
    }

    /// The data that holds markup or could become some.
    fn suspects(&self, asked: &Asked<'_>) -> Suspects {
        let mut suspects = Suspects { list: Vec::new() };
        let mut known: HashSet<String> = HashSet::new();
        let can = self.template.capabilities();
        replaced(asked, can, &mut |source, usage, text| {
            let threat = self.markup.threat(text)?;
            let core = core(text);
            if usage == Use::Text || known.insert(core.to_owned()) {
                let (source, core) = (source.clone(), core.to_owned());
                suspects.list.push(Suspect { source, usage, core, threat });
            }
            None
        });
        suspects
    }

    /// What the template writes with words in the place of those suspects that are `chosen`: each has
    /// one of its own, or those that say the same have the same, as a template may look for that.
    fn compared(
        &self,
        asked: &Asked<'_>,
        suspects: &Suspects,
        text: &str,
        words: &Words,
        chosen: &dyn Fn(&Suspect) -> bool,
    ) -> Compared {
        let all = &suspects.list;
        let own: Vec<usize> = (0..all.len()).collect();
        let apart = self.compared_by(asked, suspects, text, words, &own, chosen);
        if matches!(apart, Compared::Whole(_)) {
            return apart;
        }
        let mut known: HashMap<&str, usize> = HashMap::new();
        let cores = all.iter().map(|it| &*it.core).enumerate();
        let shared: Vec<usize> =
            cores.map(|(number, core)| *known.entry(core).or_insert(number)).collect();
        if shared == own {
            return apart;
        }
        match self.compared_by(asked, suspects, text, words, &shared, chosen) {
            Compared::Whole(mut placed) => {
                told_apart(&mut placed, &shared);
                Compared::Whole(placed)
            }
            Compared::Torn(..) => apart,
        }
    }

    /// The same with the word of each suspect by its number.
    fn compared_by(
        &self,
        asked: &Asked<'_>,
        suspects: &Suspects,
        text: &str,
        words: &Words,
        word_of: &[usize],
        chosen: &dyn Fn(&Suspect) -> bool,
    ) -> Compared {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (number, suspect) in suspects.list.iter().enumerate() {
            if suspect.usage != Use::Text {
                numbers.insert(&suspect.core, number);
            }
        }
        let mut texts = suspects.list.iter().enumerate().filter(|(_, it)| it.usage == Use::Text);
        let can = self.template.capabilities();
        let harmless = replaced(asked, can, &mut |_, usage, text| {
            self.markup.threat(text)?;
            let core = core(text);
            let number = match usage {
                Use::Text => texts.next()?.0,
                Use::Name => *numbers.get(core)?,
            };
            let suspect = suspects.list.get(number)?;
            let word = words.word(*word_of.get(number)?);
            chosen(suspect).then(|| text.replacen(core, &word, 1))
        });
        let written = match (self.write)(&harmless, false) {
            Ok(written) => written.text,
            Err(error) => return Compared::Torn(None, Err(error)),
        };
        let data: Vec<&str> = suspects.list.iter().map(|it| &*it.core).collect();
        match align(words, &written, text, &data) {
            Ok(placed) => Compared::Whole(placed),
            Err(at) => Compared::Torn(at, Ok(words.out_of(&written))),
        }
    }

    /// Where data that holds markup stands in a text.
    fn ranges(
        &self,
        asked: &Asked<'_>,
        suspects: &Suspects,
        text: &str,
    ) -> Result<Vec<DataRange>, Error> {
        if suspects.list.is_empty() {
            return Ok(Vec::new());
        }
        let words = Words::foreign_to(&[text, self.template.text()]);
        let compared = |chosen: &dyn Fn(&Suspect) -> bool| {
            self.compared(asked, suspects, text, &words, chosen)
        };
        let mut torn = match compared(&|_| true) {
            Compared::Whole(placed) => return Ok(self.of_placed(suspects, &placed, text)),
            Compared::Torn(at, written) => (at, written),
        };
        // A template compares names with its own words, and does other things for those.
        let is_compared = |it: &Suspect| {
            let is_name = it.usage != Use::Text || matches!(it.source, DataSource::Variable { .. });
            is_name && self.template.engine().has_word(&it.core)
        };
        let is_foreign = |it: &Suspect| it.threat == Threat::Whole || !is_compared(it);
        if suspects.list.iter().any(|it| !is_foreign(it)) {
            torn = match compared(&is_foreign) {
                Compared::Whole(placed) => return Ok(self.of_placed(suspects, &placed, text)),
                Compared::Torn(at, written) => (at, written),
            };
        }
        // What is no markup by itself may be written in another way, as long as none comes of it.
        let placed = if suspects.list.iter().any(|it| it.threat == Threat::Whole) {
            match compared(&|it| it.threat == Threat::Whole) {
                Compared::Whole(placed) => placed,
                Compared::Torn(at, _) => return Err(self.torn(suspects, at)),
            }
        } else {
            Vec::new()
        };
        let (at, Ok(harmless)) = torn else { return Err(self.torn(suspects, None)) };
        let places = self.markup.places(text);
        let outside = places.iter().filter(|place| !touches(&placed, |it| &it.range, place));
        let outside = outside.filter_map(|place| text.get(place.clone()));
        let expected = self.markup.places(&harmless);
        let expected = expected.into_iter().filter_map(|place| harmless.get(place));
        if outside.ne(expected) {
            return Err(self.torn(suspects, at));
        }
        Ok(self.of_placed(suspects, &placed, text))
    }

    /// Those of the places of data that markup touches.
    fn of_placed(&self, suspects: &Suspects, placed: &[Placed], text: &str) -> Vec<DataRange> {
        let places = self.markup.places(text);
        // How far the markup reaches that begins up to each place.
        let mut reach = 0;
        let ends: Vec<usize> = places
            .iter()
            .map(|place| {
                reach = reach.max(place.end);
                reach
            })
            .collect();
        let is_touched = |it: &&Placed| {
            let before = places.partition_point(|place| place.start < it.range.end);
            let last = before.checked_sub(1).and_then(|last| ends.get(last));
            last.is_some_and(|end| *end > it.range.start)
        };
        let ranges = placed.iter().filter(is_touched).filter_map(|it| {
            let source = suspects.list.get(it.data)?.source.clone();
            Some(DataRange { bytes: it.range.clone(), source })
        });
        ranges.collect()
    }

    /// Data holds markup, and the caller wants none.
    fn spelt(&self, suspect: &Suspect) -> Error {
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

    /// The template does not write the data as it writes other data.
    fn torn(&self, suspects: &Suspects, at: Option<usize>) -> Error {
        let is_whole = |it: &&Suspect| it.threat == Threat::Whole;
        let at = at.and_then(|at| suspects.list.get(at));
        let suspect = at.filter(is_whole).or_else(|| suspects.list.iter().find(is_whole)).or(at);
        let Some(suspect) = suspect.or_else(|| suspects.list.first()) else {
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

    /// The markup in a suspect, or its start where it has none of its own.
    fn token(&self, suspect: &Suspect) -> String {
        let first = self.markup.places(&suspect.core).into_iter().next();
        let first = first.and_then(|place| suspect.core.get(place));
        match first.or_else(|| self.markup.first(&suspect.core)) {
            Some(token) => token.to_owned(),
            None => suspect.core.chars().take(40).collect(),
        }
    }
}

/// Data that shares a word has it in the order in which it stands, where there is as much of it.
fn told_apart(placed: &mut [Placed], word_of: &[usize]) {
    let mut sharing: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, word) in word_of.iter().enumerate() {
        sharing.entry(*word).or_default().push(number);
    }
    let mut places: HashMap<usize, usize> = HashMap::new();
    for it in placed.iter() {
        *places.entry(it.data).or_default() += 1;
    }
    sharing.retain(|word, numbers| places.get(word) == Some(&numbers.len()));
    let in_order = sharing.into_iter().map(|(word, all)| (word, all.into_iter()));
    let mut next: HashMap<usize, _> = in_order.collect();
    for it in placed {
        let number = next.get_mut(&it.data).and_then(Iterator::next);
        it.data = number.unwrap_or(it.data);
    }
}

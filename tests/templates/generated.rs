//! Generated messages, written by each template as its last turn: they are read back.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};
use typed_prompty::message::Message;
use typed_prompty::reply::Reply;
use typed_prompty::reply::format::{
    AnalysisResult, Arguments, CallShape, Marker, NamePlace, NamedCall, ReplyFormat,
};

use crate::messages::{Called, Draft, Markers, Said, dense, draft, schema};
use crate::reading::read;
use crate::subjects::{Subject, subjects};
use crate::writing::{QUESTION, options, write};

/// How many messages each template is given, the same each time. With `PROPTEST_CASES` they are as many
/// as it says, and others each time.
const CASES: u32 = 24;

#[test]
fn what_a_template_writes_is_read_back() {
    let (mut counts, mut failed) = (Counts::default(), Vec::new());
    for subject in subjects() {
        let counts = RefCell::new(&mut counts);
        let (markers, shapes) = (markers(subject.format()), RefCell::default());
        let check = |draft: Draft| {
            let said = draft.with(&markers);
            let outcome = check(subject, &said, &mut shapes.borrow_mut());
            counts.borrow_mut().add(&outcome);
            match outcome {
                Outcome::Wrong(why) => Err(TestCaseError::fail(why)),
                _ => Ok(()),
            }
        };
        if let Err(error) = runner().run(&draft(), check) {
            failed.push(match error {
                TestError::Fail(why, draft) => {
                    let said = draft.with(&markers);
                    format!("{}: {why}\n    said {said:?}", subject.name)
                }
                TestError::Abort(why) => format!("{}: {why}", subject.name),
            });
        }
    }
    println!("generated messages: {counts}");
    assert!(failed.is_empty(), "{} templates fail:\n{}", failed.len(), failed.join("\n"));
}

fn runner() -> TestRunner {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: wanted.unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 3000,
        ..Config::default()
    };
    match wanted {
        Some(_) => TestRunner::new(config),
        None => {
            let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            TestRunner::new_with_rng(config, rng)
        }
    }
}

/// What came of a message.
enum Outcome {
    ReadBack,
    /// The template refuses it.
    Refused,
    /// It is no other text than another message is.
    Ambiguous(&'static str),
    Wrong(String),
}

#[derive(Debug, Default)]
struct Counts {
    read_back: usize,
    refused: usize,
    ambiguous: HashMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::ReadBack => self.read_back += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Ambiguous(why) => *self.ambiguous.entry(why).or_default() += 1,
            Outcome::Wrong(_) => {}
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} read back, {} refused by the template", self.read_back, self.refused)?;
        for (why, count) in &self.ambiguous {
            write!(f, ", {count} left out ({why})")?;
        }
        Ok(())
    }
}

fn check(subject: &Subject, said: &Said, shapes: &mut Shapes) -> Outcome {
    if let Some(why) = ambiguity(subject.format(), said) {
        return Outcome::Ambiguous(why);
    }
    let Ok(written) = write(subject, &said.message(), &said.tools(), None) else {
        return Outcome::Refused;
    };
    let shown = shapes.of(subject, said);
    let content = said.content.as_deref().unwrap_or_default().trim_start();
    if shown.content_is_last && !said.calls.is_empty() && content.starts_with(['}', ']', ')']) {
        return Outcome::Ambiguous("a bracket behind a call may be one too many of it");
    }
    let turn = shown.turn(&written.reply);
    let reply = match read(&written.parser, turn) {
        Ok(reply) => reply,
        Err(why) => return Outcome::Wrong(format!("{why}\n    of {turn:?}")),
    };
    match shown.differs(said, &reply) {
        None => Outcome::ReadBack,
        Some(_) if is_written_alike(subject, said, &reply, &written.reply) => {
            Outcome::Ambiguous("the template writes it with other white space in the same way")
        }
        Some(why) => Outcome::Wrong(format!("{why}\n    of {turn:?}")),
    }
}

/// Whether the template writes a message as it writes what was read of it, which differs only in the
/// white space around its texts.
fn is_written_alike(subject: &Subject, said: &Said, reply: &Reply, written: &str) -> bool {
    let text = |text: &Option<String>, found: &str| match text {
        Some(text) if text.trim() == found.trim() => Some(Some(found.to_owned())),
        Some(_) => None,
        None => Some(None),
    };
    let texts = text(&said.reasoning, reply.reasoning()).zip(text(&said.content, reply.content()));
    let Some((reasoning, content)) = texts else { return false };
    let found = Said { reasoning, content, calls: said.calls.clone() };
    let again = write(subject, &found.message(), &said.tools(), None);
    again.is_ok_and(|again| again.reply == written)
}

/// What a template writes of messages, by their shape: whether they have reasoning and content, and
/// how many calls.
type Shape = (bool, bool, usize);

#[derive(Debug, Default)]
pub(crate) struct Shapes(HashMap<Shape, Shown>);

/// What of a message a template writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    reasoning: Option<Spaces>,
    content: Option<Spaces>,
    /// Whether content is written where reasoning would be.
    content_as_reasoning: bool,
    /// Whether content is written behind calls.
    content_is_last: bool,
    calls: usize,
    ids: bool,
    /// What stands behind the end of the turn, and is no part of it.
    trailer: String,
}

/// What a template does with the white space around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spaces {
    Kept,
    Trimmed,
}

/// White space in front of a text and behind it that some templates keep, and others take off in
/// part.
const SPACES: [(&str, &str); 2] = [("\n\n\n\n ", " \n\n\n\n"), (" \n\n", "\n\n ")];

impl Shapes {
    /// What the template writes of a message of this shape: what of one with words that stand
    /// nowhere else.
    pub(crate) fn of(&mut self, subject: &Subject, said: &Said) -> &Shown {
        let shape = (said.reasoning.is_some(), said.content.is_some(), said.calls.len());
        self.0.entry(shape).or_insert_with(|| Shown::of(subject, said, None))
    }
}

impl Shown {
    /// What the template writes of a message of this shape, with thinking on, off or not said.
    pub(crate) fn of(subject: &Subject, said: &Said, thinking: Option<bool>) -> Self {
        let calls = said.calls.iter().enumerate().map(|(index, call)| Called {
            arguments: json!({"key": format!("zqvalue{index}qz")}),
            ..call.clone()
        });
        let calls: Vec<Called> = calls.collect();
        let write = |reasoning: Option<String>, content: Option<String>| {
            let plain = Said { reasoning, content, calls: calls.clone() };
            let written = write(subject, &plain.message(), &plain.tools(), thinking);
            written.map(|written| written.reply).unwrap_or_default()
        };
        let texts = SPACES.map(|(front, behind)| {
            let around = |word: &str| format!("{front}{word}{behind}");
            let reasoning = said.reasoning.as_ref().map(|_| around("zqmuseqz"));
            write(reasoning, said.content.as_ref().map(|_| around("zqsayqz")))
        });
        let spaces = |word: &str| {
            let mut pairs = texts.iter().zip(SPACES);
            let kept = pairs
                .all(|(text, (front, behind))| text.contains(&format!("{front}{word}{behind}")));
            let spaces = if kept { Spaces::Kept } else { Spaces::Trimmed };
            texts[0].contains(word).then_some(spaces)
        };
        let only_content = said.content.is_some() && said.reasoning.is_none();
        let words = calls.len();
        let word = |index: usize| format!("zqvalue{index}qz");
        let written = (0..words).filter(|index| texts[0].contains(&word(*index))).count();
        let mut last = (0..words).map(word).collect::<Vec<_>>();
        last.extend(["zqmuseqz", "zqsayqz"].map(str::to_owned));
        let said = last.iter().filter_map(|word| Some(texts[0].rfind(&**word)? + word.len())).max();
        let behind = &texts[0][said.unwrap_or_default()..];
        let ends = subject.format().turn.end.iter();
        let end = ends.filter_map(|end| Some(behind.find(&*end.text)? + end.text.len())).min();
        let trailer = end.map_or("", |end| &behind[end..]);
        let content = |text: &str| write(None, Some(text.to_owned()));
        // White space alone that ends a turn is no marker; and some templates write a line's end
        // only where there is none.
        let loses_spaces =
            subject.format().turn.end.is_empty() || content("zqsayqz") == content("zqsayqz\n");
        Self {
            reasoning: spaces("zqmuseqz"),
            content: match spaces("zqsayqz") {
                Some(_) if loses_spaces => Some(Spaces::Trimmed),
                spaces => spaces,
            },
            content_is_last: texts[0].rfind("zqsayqz") > texts[0].rfind("zqvalue0qz"),
            content_as_reasoning: only_content
                && write(Some("zqsayqz".to_owned()), None)
                    == write(None, Some("zqsayqz".to_owned())),
            calls: written,
            ids: calls.iter().all(|call| texts[0].contains(&call.id)),
            trailer: match alone_trailer(subject, &texts[0]) {
                Some(trailer) => trailer,
                None => trailer.trim().to_owned(),
            },
        }
    }

    /// A turn without what the template writes behind its end.
    pub(crate) fn turn<'t>(&self, written: &'t str) -> &'t str {
        let turn = written.trim_end().strip_suffix(&*self.trailer);
        turn.filter(|_| !self.trailer.is_empty()).unwrap_or(written)
    }

    /// How a reply differs from the message that the template wrote.
    pub(crate) fn differs(&self, said: &Said, reply: &Reply) -> Option<String> {
        let text = |text: &Option<String>, spaces: Option<Spaces>| match spaces {
            Some(_) => text.as_deref().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let same = |expected: &str, found: &str, spaces: Option<Spaces>| match spaces {
            Some(Spaces::Kept) => expected == found,
            _ => expected.trim() == found.trim(),
        };
        let mut reasoning = (text(&said.reasoning, self.reasoning), self.reasoning);
        let mut content = (text(&said.content, self.content), self.content);
        if self.content_as_reasoning {
            std::mem::swap(&mut reasoning, &mut content);
        }
        if !same(&reasoning.0, reply.reasoning(), reasoning.1) {
            return Some(format!("reasoning {:?}, not {:?}", reasoning.0, reply.reasoning()));
        }
        if !same(&content.0, reply.content(), content.1) {
            return Some(format!("content {:?}, not {:?}", content.0, reply.content()));
        }
        if !reply.malformed().is_empty() {
            return Some(format!("malformed {:?}", reply.malformed()));
        }
        let calls = said.calls.iter().take(self.calls).map(|call| {
            let id = if self.ids { &*call.id } else { "" };
            (&*call.name, call.arguments.clone(), id, true)
        });
        let found = reply.calls().iter().map(|call| {
            let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
            let id = if self.ids { &*call.id } else { "" };
            (&*call.name, arguments, id, call.complete && call.known && !call.mended)
        });
        let (calls, found): (Vec<_>, Vec<_>) = (calls.collect(), found.collect());
        (calls != found).then(|| format!("calls {calls:?}, not {found:?}"))
    }
}

/// What the template writes behind any last turn, the user's as well, where that is more than markers.
fn alone_trailer(subject: &Subject, turn: &str) -> Option<String> {
    const LONGEST_MARKERS: usize = 200;
    let options = options(None).with_generation_prompt(false);
    let alone = subject.template.prompt(&[Message::user(QUESTION)], &[], &options).ok()?.text;
    let pairs = turn.chars().rev().zip(alone.chars().rev());
    let same: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let trailer = turn[turn.len() - same..].trim();
    (trailer.len() > LONGEST_MARKERS).then(|| trailer.to_owned())
}

/// The markers of a format.
pub(crate) fn markers(format: &ReplyFormat) -> Markers {
    let mut structure: Vec<String> = Vec::new();
    let mut add = |marker: &str| {
        let marker = marker.trim();
        if !marker.is_empty() && !structure.iter().any(|known| known == marker) {
            structure.push(marker.to_owned());
        }
    };
    for end in format.turn.end.iter() {
        add(&end.text);
    }
    let open = format.turn.open.trim();
    add(open.rfind('<').map_or("", |at| &open[at..]));
    if let Some(reasoning) = &format.reasoning {
        add(&reasoning.open.text);
        add(&reasoning.close.text);
        // A control token stays one without the words that stand behind it in the opener.
        if let Some((token, _)) = reasoning.open.text.split_once('>') {
            add(&format!("{token}>"));
        }
    }
    add(&format.content.open.text);
    add(&format.content.close.text);
    if let Some(headers) = &format.headers {
        add(&headers.open.text);
        add(&headers.end.text);
        headers.close.iter().for_each(|close| add(&close.text));
    }
    let mut namespace = None;
    if let Some(tools) = &format.tools {
        for marker in
            [&tools.section_open, &tools.section_close, &tools.call_open, &tools.call_close]
        {
            add(&marker.text);
        }
        if let CallShape::Named(call) = &tools.shape {
            add(&call.prefix.text);
            if call.name == NamePlace::Id {
                namespace = Some(call.namespace.to_string());
            }
        }
    }
    let mut all = AnalysisResult::of(format).preserved_tokens;
    all.extend(structure.iter().filter(|it| !all.contains(it)).cloned().collect::<Vec<_>>());
    Markers { all, structure, namespace }
}

/// Why the text of a message is also that of another one.
fn ambiguity(format: &ReplyFormat, said: &Said) -> Option<&'static str> {
    if said.reasoning.is_none() && format.reasoning.as_ref().is_some_and(|it| it.open.is_none()) {
        return Some("nothing opens reasoning, so nothing says that there is none");
    }
    let tools = format.tools.as_ref()?;
    let is_bracket = said.content.as_ref().is_some_and(|content| dense(content) == "[");
    if is_bracket && !said.calls.is_empty() && matches!(tools.shape, CallShape::Json(_)) {
        return Some("a bracket alone in front of calls may open a list of them");
    }
    let CallShape::Named(call) = &tools.shape else { return None };
    let mut leaves = Leaves::default();
    said.calls.iter().for_each(|call| leaves.add(&call.arguments));
    match &call.arguments {
        Arguments::Tagged { value_close, .. } => {
            let followers = followers(format, call);
            let is_cut = |text: &String| closes(text, &value_close.text, &followers);
            leaves.texts.iter().any(is_cut).then_some(
                "a raw value holds its closing tag with what may follow a value behind it",
            )
        }
        Arguments::Nested { .. } if leaves.has_nothing => {
            Some("nested tags write the same, nothing, for null, `\"\"`, `[]` and `{}`")
        }
        Arguments::Nested { .. } if leaves.has_mixed_list => {
            Some("nested tags write a text as they write what it looks like")
        }
        Arguments::Nested { open_prefix, close_prefix, .. } => {
            let holds = |text: &String| {
                [open_prefix, close_prefix].iter().any(|mark| text.contains(&*mark.text))
            };
            leaves.texts.iter().any(holds).then_some("a raw value holds tags")
        }
        Arguments::Literal { quote, .. } if !quote.is_empty() => leaves
            .texts
            .iter()
            .any(|text| text.contains(&**quote))
            .then_some("a text holds the token that quotes it"),
        _ => None,
    }
}

/// What may stand behind a tagged value: another argument, and what ends the call or opens another.
fn followers(format: &ReplyFormat, call: &NamedCall) -> Vec<String> {
    let mut marks: Vec<&Marker> = vec![&call.close, &call.prefix];
    if let Some(tools) = &format.tools {
        marks.extend([
            &tools.call_close,
            &tools.section_close,
            &tools.call_open,
            &tools.section_open,
        ]);
    }
    if let Arguments::Tagged { key_open, .. } = &call.arguments {
        marks.push(key_open);
    }
    marks.extend(format.turn.end.iter());
    let marks = marks.into_iter().filter(|mark| !mark.is_none());
    marks.map(|mark| dense(&mark.text)).collect()
}

/// Whether a text holds a closing tag and behind it a follower, whatever white space there is.
fn closes(text: &str, close: &str, followers: &[String]) -> bool {
    let (text, close) = (dense(text), dense(close));
    text.match_indices(&*close).any(|(at, _)| {
        let behind = &text[at + close.len()..];
        followers.iter().any(|follower| behind.starts_with(&**follower))
    })
}

/// What arguments hold.
#[derive(Debug, Default)]
struct Leaves {
    texts: Vec<String>,
    /// Whether there is null, or something without anything in it.
    has_nothing: bool,
    /// Whether a list holds values of several types.
    has_mixed_list: bool,
}

impl Leaves {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => self.has_nothing = true,
            Value::String(text) => {
                self.has_nothing |= text.is_empty();
                self.texts.push(text.clone());
            }
            Value::Array(items) => {
                self.has_nothing |= items.is_empty();
                self.has_mixed_list |= schema(value)["items"].get("anyOf").is_some();
                items.iter().for_each(|item| self.add(item));
            }
            Value::Object(entries) => {
                self.has_nothing |= entries.is_empty();
                entries.values().for_each(|item| self.add(item));
            }
            Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

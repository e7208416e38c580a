//! New names for the words in a template's markers.

use std::collections::BTreeMap;

use serde_json::Value;
use typed_prompty::chat::ChatTemplate;
use typed_prompty::message::Message;
use typed_prompty::reply::format::{AnalysisResult, CallShape};

use super::markers::markers;
use super::messages::samples;
use super::parts::{literals, parts};
use super::subjects::Subject;
use super::writing::{QUESTION, options};

/// The words of markers, with their new names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// Complete markers or pieces of them, with their new texts. The longest is first.
    pub(crate) new: Vec<(String, String)>,
    /// The new names of words.
    words: BTreeMap<String, String>,
    /// The words that keep their names, and the reasons.
    pub(crate) left_out: Vec<(String, &'static str)>,
}

impl Names {
    pub(crate) fn for_subject(subject: &Subject) -> Self {
        let literals = literals(subject.template.text());
        let mut names = Self::default();
        let mut texts = Vec::new();
        collect_texts(&serde_json::to_value(subject.format()).unwrap(), &mut texts);
        let (bracketed, glued): (Vec<_>, Vec<_>) =
            texts.iter().flat_map(|text| pieces(text)).partition(|piece| {
                piece.starts_with(['<', '[', '«']) && !piece.ends_with(is_word_character)
            });
        for piece in bracketed {
            names.piece(&piece, &literals);
        }
        for piece in glued {
            let mut with = names.clone();
            with.piece(&piece, &literals);
            with.new.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
            if with.new.len() == names.new.len() || writes_the_same(subject, &with) {
                names = with;
            } else {
                names
                    .left_out
                    .push((piece, "written as one piece in some places, and as several in others"));
            }
        }
        names.fields(subject, &literals);
        for token in AnalysisResult::from_format(subject.format()).preserved_tokens {
            let bare = names.rename(&token);
            let is_known = |word: &&str| token.contains(*word) && !ROLES.contains(word);
            let mut kept = words(&bare).filter(is_known).peekable();
            let is_listed = names.left_out.iter().any(|(known, _)| token.contains(&**known));
            if kept.peek().is_some() && !is_listed {
                let kept = kept.collect::<Vec<_>>().join(" ");
                names.left_out.push((kept, "no brackets around it"));
            }
        }
        names.new.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
        names
    }

    /// Swaps the names of two fields of a JSON call: the name field and the arguments field. `None`
    /// if the template does not write both names itself.
    pub(crate) fn swapped(subject: &Subject) -> Option<Self> {
        let tools = subject.format().tools.as_ref()?;
        let CallShape::Json(call) = &tools.shape else { return None };
        let literals = literals(subject.template.text());
        let quoted = |field: &str| {
            let forms = [format!("\"{field}\":"), format!("\\\"{field}\\\":")];
            forms.into_iter().find(|form| literals.iter().any(|literal| literal.contains(form)))
        };
        let (name, args) = (quoted(&call.name_field)?, quoted(&call.args_field)?);
        Some(Self { new: vec![(name.clone(), args.clone()), (args, name)], ..Self::default() })
    }

    /// Renames a complete marker, or its longest pieces that occur in the template's text.
    fn piece(&mut self, piece: &str, literals: &[String]) {
        let is_known = self.new.iter().any(|(old, _)| old == piece)
            || self.left_out.iter().any(|(old, _)| old == piece);
        if is_known || !has_word(piece) {
            return;
        }
        if words(piece).any(|word| ROLES.contains(&word)) {
            self.left_out.push((piece.to_owned(), "the name of a role, which comes from messages"));
            return;
        }
        let Some((start, end)) = longest_part(piece, literals) else {
            self.left_out.push((
                piece.to_owned(),
                "not in the template's text together with other characters",
            ));
            return;
        };
        let found = &piece[start..end];
        if !self.new.iter().any(|(old, _)| old == found) {
            let new = self.rename_words(found);
            self.new.push((found.to_owned(), new));
        }
        self.piece(&piece[..start], literals);
        self.piece(&piece[end..], literals);
    }

    /// Renames all words in a piece of a marker.
    fn rename_words(&mut self, piece: &str) -> String {
        let (mut new, mut rest) = (String::new(), piece);
        while let Some(word) = words(rest).find(|word| word.chars().count() > 1) {
            let (before, after) = rest.split_once(word).unwrap();
            let number = self.words.len();
            new += before;
            new += self.words.entry(word.to_owned()).or_insert_with(|| invented(word, number));
            rest = after;
        }
        new + rest
    }

    /// The names of JSON fields that the template writes itself.
    fn fields(&mut self, subject: &Subject, literals: &[String]) {
        let Some(CallShape::Json(call)) = subject.format().tools.as_ref().map(|it| &it.shape)
        else {
            return;
        };
        let fields = [&call.name_field, &call.args_field, &call.id_field, &call.function_field];
        for (number, field) in fields.into_iter().enumerate().filter(|(_, it)| !it.is_empty()) {
            let mut any = false;
            for quoted in [format!("\"{field}\":"), format!("\\\"{field}\\\":")] {
                if literals.iter().any(|literal| literal.contains(&quoted)) {
                    any = true;
                    let new = quoted.replace(&**field, &invented(field, 70 + number));
                    self.new.push((quoted, new));
                }
            }
            if !any {
                self.left_out.push((
                    field.to_string(),
                    "a key of an object that the template writes as one value",
                ));
            }
        }
    }

    /// Renames the texts of a template. Its code keeps its words.
    pub(crate) fn rename_template(&self, text: &str) -> String {
        let rename = |(is_literal, part): (bool, &str)| match is_literal {
            true => self.rename(part),
            false => part.to_owned(),
        };
        parts(text).into_iter().map(rename).collect()
    }

    fn rename(&self, text: &str) -> String {
        let (mut renamed, mut rest) = (String::new(), text);
        while let Some(next) = rest.chars().next() {
            let found = self.new.iter().find(|(old, _)| rest.starts_with(&**old));
            let length = found.map_or(next.len_utf8(), |(old, _)| old.len());
            let (before, after) = rest.split_at(length);
            renamed += found.map_or(before, |(_, new)| new);
            rest = after;
        }
        renamed
    }

    /// Renames the strings of a format. Each name of a field is a complete string in it.
    pub(crate) fn rename_format(&self, value: Value) -> Value {
        match value {
            Value::String(text) => {
                let quoted = [format!("\"{text}\":"), format!("\\\"{text}\\\":")];
                match self.new.iter().find(|(old, _)| quoted.contains(old)) {
                    Some((_, new)) => new.trim_matches(['\\', '"', ':']).into(),
                    None => self.rename(&text).into(),
                }
            }
            Value::Array(items) => items.into_iter().map(|it| self.rename_format(it)).collect(),
            Value::Object(entries) => {
                let entries = entries.into_iter().map(|(key, it)| (key, self.rename_format(it)));
                Value::Object(entries.collect())
            }
            other => other,
        }
    }
}

const ROLES: [&str; 4] = ["user", "assistant", "system", "tool"];

/// A word that occurs in no template, in the same case and with another length.
fn invented(word: &str, number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
    let mut new = format!("z{}q{}", letter(number), letter(number / 26 + 7));
    while new.len() <= word.chars().count() {
        new.push('x');
    }
    if word.chars().any(char::is_lowercase) { new } else { new.to_uppercase() }
}

/// The words of a marker.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_word_character(character)).filter(|word| !word.is_empty())
}

fn has_word(text: &str) -> bool {
    words(text).any(|word| word.chars().count() > 1)
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '▁')
}

/// The range of the longest part of a marker that contains a word and occurs in the template's
/// text. A single word is not enough, because it may be the name of something else.
fn longest_part(marker: &str, literals: &[String]) -> Option<(usize, usize)> {
    let positions = || marker.char_indices().map(|(at, _)| at).chain([marker.len()]);
    let is_boundary = |at: usize| {
        let (before, after) = marker.split_at(at);
        !(before.ends_with(is_word_character) && after.starts_with(is_word_character))
    };
    let parts = positions().flat_map(|start| positions().map(move |end| (start, end)));
    let parts =
        parts.filter(|(start, end)| start < end && is_boundary(*start) && is_boundary(*end));
    let parts = parts.filter(|(start, end)| {
        let part = &marker[*start..*end];
        has_word(part)
            && !part.chars().all(is_word_character)
            && literals.iter().any(|literal| literal.contains(part))
    });
    parts.max_by_key(|(start, end)| (end - start, std::cmp::Reverse(*start)))
}

/// The pieces of a marker that can be renamed: text in brackets, text after a bracket that is not
/// closed, and text after either of them.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['<', '[', '«']) {
        let from_bracket = &rest[start..];
        let closer = match &from_bracket[..from_bracket.chars().next().map_or(0, char::len_utf8)] {
            "<" => '>',
            "[" => ']',
            _ => '»',
        };
        let own = from_bracket.find(char::is_whitespace).unwrap_or(from_bracket.len());
        let closed = from_bracket.find(closer).map(|at| at + closer.len_utf8());
        let again =
            from_bracket.char_indices().skip(1).find(|(_, it)| matches!(it, '<' | '[' | '«'));
        let end =
            closed.unwrap_or(from_bracket.len()).min(own).min(again.map_or(own, |(at, _)| at));
        let piece = &from_bracket[..end];
        pieces.push(piece.to_owned());
        rest = &from_bracket[end.max(1)..];
        // The text up to the next bracket. If it is a single word, the piece before it is included.
        let glued = rest.find(['<', '[', '«']).unwrap_or(rest.len());
        let glued = &rest[..rest[..glued].find(char::is_whitespace).unwrap_or(glued)];
        if ROLES.contains(&glued) {
            continue;
        }
        let is_word = glued.chars().all(is_word_character) && has_word(glued);
        pieces.push(if is_word { format!("{piece}{glued}") } else { glued.to_owned() });
    }
    pieces.retain(|piece| has_word(piece));
    pieces
}

/// Collects all texts of a value.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(entries) => entries.values().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

/// Whether a renamed template writes the same as before, except for the names.
fn writes_the_same(subject: &Subject, names: &Names) -> bool {
    let text = names.rename_template(subject.template.text());
    let Ok(template) = ChatTemplate::from_text(&text) else { return false };
    let renamed = Subject { name: subject.name.clone(), template };
    samples(&markers(subject.format())).iter().all(|message| {
        let options = options(None);
        let conversation = [Message::user(QUESTION), message.to_message(), Message::user(QUESTION)];
        let write = |subject: &Subject| subject.template.prompt(&conversation, &[], &options).ok();
        let written = write(subject).map(|prompt| names.rename(&prompt.text));
        written == write(&renamed).map(|prompt| prompt.text)
    })
}

//! Prompt files that people wrote. They must load, check without an error, and give the messages of
//! the library for which they were written. If no library could read a file, it must load, or a
//! finding must name the cause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prompty_check::check::{CheckOptions, check};
use prompty_check::definition::{Definition, LoadOptions, migrate};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceText};
use prompty_core::message::Message;
use prompty_core::value::Map;
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::Pipeline;
use serde_json::Value;

use crate::frame::{Case, Outcome, Rule};
use crate::load::{Folder, write};

/// A prompt file with the files that it refers to, in a temporary folder.
struct WildPrompt {
    _folder: Folder,
    path: PathBuf,
    text: String,
    options: LoadOptions,
}

const UNDECLARED: Rule =
    Rule::named("undeclared or possibly missing inputs are errors of the checker");
const WHITE_SPACE: Rule = Rule::named("white space at the ends of a message is kept");
const PYTHON: Rule = Rule::named("the library prints a Python object");
const IMAGE: Rule = Rule::named("`![](…)` stays text");
const EMPTY: Rule = Rule::named("a message without text is kept, as in the second version");
const ROLES: Rule = Rule::named("a loop that writes roles is a thread, and its roles are checked");
const ROLES_IN_OTHER_FORM: Rule =
    Rule::named("a loop that writes roles in another form is an error that suggests a thread");
const FRONT_MATTER: Rule =
    Rule::named("the library ends the front matter at three hyphens inside a value");

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    // Several folders of a project may contain a file with the name that the prompt refers to.
    let mut outcomes = (0..WildPrompt::variants(case)).map(|variant| run_with(case, variant));
    let first = outcomes.next().unwrap();
    match first {
        Outcome::Failed(_) => {
            outcomes.find(|outcome| matches!(outcome, Outcome::Passed)).unwrap_or(first)
        }
        outcome => outcome,
    }
}

fn run_with(case: &Case<'_>, variant: usize) -> Outcome {
    let wild = WildPrompt::new(case, variant);
    let source = SourceText::new("wild.prompty", wild.text.as_str());
    let folder = wild.path.parent().unwrap();
    let checked = check(source, &CheckOptions::new().with_folder(folder));
    let errors: Vec<&Diagnostic> =
        checked.report.diagnostics.iter().filter(|it| is_error(it)).collect();
    let definition = Definition::from_path_with(&wild.path, &wild.options);
    let Some(expected) = expected(case) else {
        return match definition {
            Err(error) if errors.is_empty() && error.place().is_none() => {
                Outcome::Failed(format!("the error has no place: {error:#}"))
            }
            _ => Outcome::Passed,
        };
    };
    let definition = match definition {
        Ok(definition) => definition,
        Err(error) => return Outcome::Failed(format!("the prompt does not load: {error:#}")),
    };
    let found = match prepare(&definition, case) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::RoleNotAllowed => {
            return same_texts_as_users(&definition, case, expected);
        }
        Err(error)
            if suggests_thread(&error) && errors.iter().any(|it| it.code == Code::MadeMarker) =>
        {
            return Outcome::Skipped(ROLES_IN_OTHER_FORM);
        }
        Err(error) => return Outcome::Failed(format!("the prompt does not render: {error:#}")),
    };
    let mut others = errors.iter().filter(|error| !is_about_declarations(error));
    if let Some(error) = others.next() {
        let line = error.span.map_or(0, |span| checked.source.place(span.start).line);
        return Outcome::Failed(format!("[{}] line {line}: {}", error.code, error.message));
    }
    if let Err(why) = migrates(&wild, &definition, &found, case) {
        return Outcome::Failed(format!("migrated: {why}"));
    }
    match same_messages(&definition, &found, expected) {
        Outcome::Passed if !errors.is_empty() => Outcome::Skipped(UNDECLARED),
        outcome => outcome,
    }
}

/// Checks the migrated file: it has the second version, and it gives the same definition and
/// messages as the original.
fn migrates(
    wild: &WildPrompt,
    definition: &Definition,
    messages: &[Message],
    case: &Case<'_>,
) -> Result<(), String> {
    let options = wild.options.clone().with_base_directory(wild.path.parent().unwrap());
    let migrate = |text: &str| {
        migrate(&SourceText::new("wild.prompty", text), &options)
            .map_err(|error| format!("{error:#}"))
    };
    let Some(text) = migrate(&wild.text)? else { return Ok(()) };
    if migrate(&text)?.is_some() {
        return Err("the file still has the first version".to_owned());
    }
    let migrated = Definition::from_text_with("wild.prompty", text, &options)
        .map_err(|error| format!("{error:#}"))?;
    if migrated.to_value() != definition.to_value() {
        return Err("the definition differs".to_owned());
    }
    match prepare(&migrated, case) {
        Ok(found) if found == messages => Ok(()),
        Ok(_) => Err("the messages differ".to_owned()),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// Whether an error says that the lines of a loop do not open messages, and its help suggests a
/// thread.
fn suggests_thread(error: &Error) -> bool {
    error.to_string().contains("in a loop does not open a message")
        && error.help().is_some_and(|help| help.contains("kind: thread"))
}

fn is_error(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error
}

/// Whether an error says that the front matter does not declare what the template needs.
fn is_about_declarations(error: &Diagnostic) -> bool {
    matches!(error.code, Code::UnknownInput | Code::UnguardedOptional)
}

/// The messages of the first version's library if there are any, otherwise those of the second
/// version's.
fn expected<'c>(case: &'c Case<'_>) -> Option<&'c Vec<Value>> {
    let first = case.json["prompty_0_1_50"].as_array();
    first.or_else(|| case.json["prompty_2_1_0_python"].as_array())
}

fn prepare(definition: &Definition, case: &Case<'_>) -> Result<Vec<Message>, Error> {
    let inputs: Map = serde_json::from_value(case.json["inputs"].clone()).unwrap();
    Pipeline::new(definition)?.prepare(inputs)
}

/// A history with unknown roles. The library writes them as text, and ours rejects them. With
/// `user` in place of these roles, ours must give the same lines in the same order.
fn same_texts_as_users(definition: &Definition, case: &Case<'_>, expected: &[Value]) -> Outcome {
    let mut inputs = case.json["inputs"].clone();
    let mut replaced = Vec::new();
    for items in inputs.as_object_mut().unwrap().values_mut().filter_map(Value::as_array_mut) {
        for role in items.iter_mut().filter_map(|item| item.get_mut("role")) {
            replaced.push(format!("{}:", role.as_str().unwrap_or_default()));
            *role = Value::from("user");
        }
    }
    let inputs: Map = serde_json::from_value(inputs).unwrap();
    let found = match Pipeline::new(definition).and_then(|it| it.prepare(inputs)) {
        Ok(found) => found,
        Err(error) => return Outcome::Failed(format!("the prompt does not render: {error:#}")),
    };
    let lines = |texts: &mut dyn Iterator<Item = String>| -> Vec<String> {
        let text = texts.collect::<Vec<_>>().join("\n");
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.filter(|line| !replaced.iter().any(|role| role == line)).map(str::to_owned).collect()
    };
    let found = lines(&mut found.iter().map(Message::text));
    let expected = lines(&mut expected.iter().map(|it| it[1].as_str().unwrap().to_owned()));
    match found == expected {
        true => Outcome::Skipped(ROLES),
        false => Outcome::Failed("with `user` as the role: the lines differ".to_owned()),
    }
}

fn same_messages(definition: &Definition, found: &[Message], expected: &[Value]) -> Outcome {
    let texts = |messages: &[Value]| -> Vec<(String, String)> {
        let text = |message: &Value, at: usize| message[at].as_str().unwrap().to_owned();
        messages.iter().map(|message| (text(message, 0), text(message, 1))).collect()
    };
    let expected = texts(expected);
    let found: Vec<(String, String)> = found
        .iter()
        .map(|message| (message.role.to_string(), message.text().to_string()))
        .collect();
    if found == expected {
        return Outcome::Passed;
    }
    let rule = rule(definition, &found, &expected);
    rule.map_or_else(|| Outcome::Failed(difference(&found, &expected)), Outcome::Skipped)
}

/// The rule by which messages that differ from the library's are right.
fn rule(
    definition: &Definition,
    found: &[(String, String)],
    expected: &[(String, String)],
) -> Option<Rule> {
    let stripped = |messages: &[(String, String)]| -> Vec<(String, String)> {
        messages.iter().map(|(role, text)| (role.clone(), text.trim().to_owned())).collect()
    };
    let with_text = |messages: &[(String, String)]| -> Vec<(String, String)> {
        messages.iter().filter(|(_, text)| !text.trim().is_empty()).cloned().collect()
    };
    let has = |messages: &[(String, String)], piece: &str| {
        messages.iter().any(|(_, text)| text.contains(piece))
    };
    if stripped(found) == stripped(expected) {
        Some(WHITE_SPACE)
    } else if has(expected, "<built-in method ") && !has(found, "<built-in method ") {
        Some(PYTHON)
    } else if has(expected, "<image>") && definition.instructions.contains("![") {
        Some(IMAGE)
    } else if with_text(found) == with_text(expected) {
        Some(EMPTY)
    } else if expected.ends_with(found) && has(expected.get(..1).unwrap_or_default(), "---") {
        Some(FRONT_MATTER)
    } else {
        None
    }
}

fn difference(found: &[(String, String)], expected: &[(String, String)]) -> String {
    let roles = |messages: &[(String, String)]| {
        messages.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>().join(", ")
    };
    if roles(found) != roles(expected) {
        return format!("expected the roles {}; got {}", roles(expected), roles(found));
    }
    let mut pairs = found.iter().zip(expected);
    let Some(((_, found), (_, expected))) = pairs.find(|(found, expected)| found != expected)
    else {
        return String::new();
    };
    let same = found.chars().zip(expected.chars()).take_while(|(one, other)| one == other).count();
    let piece =
        |text: &str| text.chars().skip(same.saturating_sub(30)).take(80).collect::<String>();
    format!("expected {:?}; got {:?}", piece(expected), piece(found))
}

impl WildPrompt {
    /// The files of the case's project by name. Files with the same name are sorted by folder.
    fn referenced(case: &Case<'_>) -> BTreeMap<String, Vec<(Option<String>, String)>> {
        let (project, _) = case.json["file"].as_str().unwrap().split_once("__").unwrap();
        let mut files: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let mut entries: Vec<PathBuf> = std::fs::read_dir(case.folder.join("refs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            // The name of a file lists the folders above it.
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some(rest) = name.strip_prefix(&format!("{project}__")) else { continue };
            let content = std::fs::read_to_string(&path).unwrap();
            let mut parts = rest.rsplit("__");
            let name = parts.next().unwrap().to_owned();
            files.entry(name).or_default().push((parts.next().map(str::to_owned), content));
        }
        files
    }

    fn variants(case: &Case<'_>) -> usize {
        Self::referenced(case).values().map(Vec::len).max().unwrap_or(1)
    }

    fn new(case: &Case<'_>, variant: usize) -> Self {
        let file = case.json["file"].as_str().unwrap();
        let text = std::fs::read_to_string(case.folder.join(file)).unwrap();
        let folder = Folder::new();
        let prompts = folder.path().join("prompts");
        for (name, files) in Self::referenced(case) {
            let (_, content) = &files[variant % files.len()];
            write(&prompts.join(&name), content);
            // A prompt refers to files in its own folder or in sibling folders.
            for (above, content) in &files {
                let above = above.as_deref().unwrap_or_default();
                write(&folder.path().join(above).join(&name), content);
            }
        }
        let (_, name) = file.split_once("__").unwrap();
        let path = prompts.join(name);
        write(&path, &text);
        // The host of these prompts trusts the addresses in them.
        let mut environment = environment(&case.folder.join("env.json"));
        environment.push(("PROMPTY_TRUSTED_ENDPOINTS".to_owned(), "*".to_owned()));
        let options = LoadOptions::new().with_environment(environment).with_root(folder.path());
        Self { _folder: folder, path, text, options }
    }
}

fn environment(file: &Path) -> Vec<(String, String)> {
    let variables: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let variables = variables.as_object().unwrap().iter();
    variables.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
}

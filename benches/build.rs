//! Writes the texts of the prompts as Rust code, for the subjects that need them at compile time:
//! askama's templates, our typed prompts, and the literal texts of hand-built messages.
//!
//! The prompts are in the folder that `PROMPTY_BENCH` names, or in its subfolder `prompts`. A
//! relative path starts at the root of the repository. Without the variable, the small prompts next
//! to this file are used.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The file of a prompt, askama's struct for it, and ours.
const JOBS: [(&str, &str, &str); 3] = [
    (
        "a_chat",
        "Chat<'a> { pub assistant: &'a str, pub company: &'a str, pub question: &'a str }",
        "pub Chat { assistant: &str, company: &str, question: &str }",
    ),
    (
        "b_rag",
        "Rag<'a> { pub docs: &'a [super::Document], pub question: &'a str }",
        "pub Rag { docs: &[super::Document], question: &str }",
    ),
    (
        "c_thread",
        "Thread<'a> { pub history: &'a [super::Turn], pub question: &'a str }",
        "pub Thread { history: &[typed_prompty::Message], question: &str }",
    ),
];

/// askama has no threads, so its template writes each turn under its role.
const THREAD: &str = "{{ history }}";
const TURNS: &str = "{% for turn in history %}{{ turn.role }}:\n{{ turn.text }}\n{% endfor %}";

fn main() {
    println!("cargo::rerun-if-env-changed=PROMPTY_BENCH");
    let folder = folder();
    println!("cargo::rustc-env=PROMPTS={}", folder.display());
    let mut literals = String::new();
    let mut templates = String::new();
    let mut typed = String::new();
    for (name, fields, inputs) in JOBS {
        let path = folder.join(name).with_extension("prompty");
        println!("cargo::rerun-if-changed={}", path.display());
        let source =
            fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let body = body(&source);
        write_literals(&mut literals, name, body);
        let template = body.replace(THREAD, TURNS);
        let attributes = format!("#[template(source = {template:?}, ext = \"txt\")]");
        writeln!(typed, "typed_prompty::prompt!({inputs}, {body:?});").unwrap();
        write!(templates, "#[derive(askama::Template)]\n{attributes}\npub struct {fields}\n")
            .unwrap();
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("literals.rs"), literals).unwrap();
    fs::write(out.join("templates.rs"), templates).unwrap();
    fs::write(out.join("typed.rs"), typed).unwrap();
}

fn folder() -> PathBuf {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let Some(named) = env::var_os("PROMPTY_BENCH").filter(|named| !named.is_empty()) else {
        return here.join("prompts");
    };
    let named = here.join("..").join(named);
    let folders = [named.join("prompts"), named.clone()];
    let found = folders.into_iter().find(|folder| folder.join("a_chat.prompty").is_file());
    found.unwrap_or_else(|| panic!("PROMPTY_BENCH: no a_chat.prompty in {}", named.display()))
}

/// The text after the front matter.
fn body(source: &str) -> &str {
    let rest = source.strip_prefix("---\n").expect("a prompt begins with its front matter");
    rest.split_once("\n---\n").expect("front matter ends with a line `---`").1
}

/// For each message, the literal texts between its tags: `pub const SYSTEM: [&str; 3] = …;`.
fn write_literals(out: &mut String, job: &str, body: &str) {
    let source = Path::new(job).with_extension("prompty");
    writeln!(out, "/// The literal texts of `{}`.\npub mod {job} {{", source.display()).unwrap();
    let mut message: Option<(&str, String)> = None;
    for line in body.lines().map(Some).chain([None]) {
        let role = line.and_then(|line| line.strip_suffix(':'));
        let role = role.filter(|role| ["system", "user", "assistant"].contains(role));
        if (role.is_some() || line.is_none())
            && let Some((role, text)) = message.take()
        {
            let literals = literals(text.trim_matches('\n'));
            let name = role.to_uppercase();
            writeln!(out, "    /// The texts before, between and after its inputs.").unwrap();
            writeln!(out, "    pub const {name}: [&str; {}] = {literals:?};", literals.len())
                .unwrap();
        }
        match (role, &mut message, line) {
            (Some(role), ..) => message = Some((role, String::new())),
            (None, Some((_, text)), Some(line)) => writeln!(text, "{line}").unwrap(),
            _ => {}
        }
    }
    out.push_str("}\n");
}

fn literals(text: &str) -> Vec<&str> {
    let mut literals = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['{']) {
        literals.push(&rest[..start]);
        let end = rest.find("}}").into_iter().chain(rest.find("%}")).min();
        rest = &rest[end.expect("a tag ends") + 2..];
    }
    literals.push(rest);
    literals
}

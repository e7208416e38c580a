//! Generates the program that contains all prompts, builds it and runs it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use packages::Package;

/// The code of the prompts.
#[derive(Default)]
pub(crate) struct Prompts {
    items: String,
    calls: String,
    pub(crate) count: usize,
}

/// A prompt of the program.
pub(crate) struct Prompt {
    pub(crate) source: String,
    /// The same prompt in one file, if the source refers to other files.
    pub(crate) one_file: Option<String>,
    /// The fields in the form of a declaration: `name: Type`.
    pub(crate) fields: Vec<String>,
    /// The comparing code. It calls `check(set, prompt, inputs)` for each set of inputs.
    pub(crate) body: String,
    pub(crate) allowed: String,
    /// The definitions of types that the prompt needs.
    pub(crate) items: String,
}

/// The folder of template files, relative to the folder of the program.
pub(crate) const TEMPLATES: &str = "templates";

/// The package of the program.
pub(crate) fn package() -> Package {
    Package::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "agreement")
}

impl Prompts {
    /// Adds a prompt. `NAME` in `body` is replaced by the name of its type.
    pub(crate) fn add(&mut self, prompt: &Prompt) {
        let Prompt { source, one_file, fields, body, allowed, items } = prompt;
        let name = format!("P{}", self.count);
        let (fields, body) = (fields.join(", "), body.replace("NAME", &name));
        // The compiled prompt is compared with the engine and with the one file.
        let (setup, comparison) = match one_file {
            Some(text) => (
                format!("let one_file = report.one_file({text:?});\n"),
                "report.compare(index, &definition, prompt.messages(), one_file.prepare(given.clone()));\n",
            ),
            None => (String::new(), ""),
        };
        let folder =
            if one_file.is_some() { format!(", templates = {TEMPLATES:?}") } else { String::new() };
        let code = format!(
            "{items}prompt!(#[prompt(allow({allowed}){folder})] {name} {{ {fields} }}, {source:?});\n\
             fn p{count}(report: &mut Report, sets: &[(Set, Inputs)]) {{\n\
             let definition = {name}::DEFINITION;\n\
             let pipeline = report.prompt(&definition);\n\
             {setup}\
             let mut check = |index: usize, prompt: {name}<'_>, given: &Inputs| {{\n\
             let _ = prompt.len_hint();\n\
             let dynamic = pipeline.prepare(given.clone());\n\
             {comparison}\
             report.compare(index, &definition, prompt.messages(), dynamic);\n\
             }};\n\
             {body}\n}}\n",
            count = self.count,
        );
        // A type without references has no lifetime.
        let code = if fields.contains('&') { code } else { code.replace("<'_>", "") };
        self.items.push_str(&code);
        writeln!(self.calls, "p{}(report, &sets);", self.count).unwrap();
        self.count += 1;
    }

    fn code(&self) -> String {
        format!(
            "#![allow(warnings)]\n\
             use std::collections::BTreeMap;\n\
             use typed_prompty::{{Inputs, Media, Message, Prompt, ToValue, Value, prompt}};\n\
             use crate::Report;\n\
             use crate::inputs::{{Home, Set, User, only}};\n\
             pub fn run(report: &mut Report) {{\nlet sets = report.sets();\n{}}}\n{}",
            self.calls, self.items,
        )
    }

    /// Builds and runs the program, and returns its output and whether it succeeded.
    pub(crate) fn run(&self) -> (String, bool) {
        let output = self.write().cargo("run").output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        if !errors.is_empty() {
            println!("{errors}");
        }
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
    }

    fn write(&self) -> Package {
        let root = packages::workspace();
        let fixtures = root.join("tests/fixtures/agreement");
        let package = package();
        // The procedural macros have all their features, so the builds of other tests are reused.
        let manifest = format!(
            "[package]\nname = \"agreement\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             publish = false\n[dependencies]\nserde_json = \"1\"\n\
             typed-prompty = {{ path = {root:?}, features = [\"languages\", \"serde\"] }}\n\
             prompty-macros = {{ path = {macros:?}, features = [\"local\", \"output\", \
             \"slots\", \"tools\"] }}\n\
             [workspace]\n",
            macros = root.join("prompty-macros"),
        );
        package.write("Cargo.toml", manifest);
        package.write("src/prompts.rs", self.code());
        for name in ["main.rs", "inputs.rs"] {
            package.write(Path::new("src").join(name), fs::read(fixtures.join(name)).unwrap());
        }
        package
    }
}

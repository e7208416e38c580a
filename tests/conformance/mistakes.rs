//! Common mistakes, and correct programs with ordinary Rust types. Each is a program of one
//! package, which is checked once. The findings of rustc for each program are compared with the
//! expected ones.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use packages::Package;
use prompty_template::builtins;
use serde_json::Value;

use crate::frame::{Outcome, Report, Rule};

/// The name of the report.
const AREA: &str = "mistakes";

/// Checks all programs, and compares the findings for each with the expected ones.
pub(crate) fn run(root: &Path, at_least: f64) -> Report {
    let cases = root.join("mistakes");
    let expected: BTreeMap<String, Value> =
        serde_json::from_str(&fs::read_to_string(cases.join("expected.json")).unwrap()).unwrap();
    let package = write_package(&cases, &expected);
    let findings = check(&package);
    let none = Vec::new();
    let outcomes = expected.iter().map(|(name, expected)| {
        let found = findings.get(program_of(name)).unwrap_or(&none);
        let source = fs::read_to_string(cases.join(name)).unwrap();
        let differences = differences(expected, found, &source);
        let outcome = match differences.is_empty() {
            true => Outcome::Passed,
            false if found.is_empty() && is_method(expected) => Outcome::Skipped(PYTHON_METHOD),
            false if is_without_marker(expected, found) => Outcome::Skipped(WITHOUT_MARKER),
            false => Outcome::Failed(differences.join("; ")),
        };
        (name.clone(), outcome)
    });
    Report::of_outcomes(AREA, at_least, outcomes)
}

/// The program is not a mistake, since prompts support the method.
const PYTHON_METHOD: Rule = Rule::named("prompts support this Python method");

/// The program is correct, but messages of a template without role markers are a warning.
const WITHOUT_MARKER: Rule = Rule::named("a template without role markers is a warning");

/// Whether a correct program has only the warning about a template without role markers.
fn is_without_marker(expected: &Value, found: &[Finding]) -> bool {
    let is_warning = |it: &Finding| it.message.contains("prompt_no_role_marker");
    expected["caught"] != true && found.iter().all(is_warning)
}

/// Whether the mistake of a case is a call of a method that prompts support.
fn is_method(expected: &Value) -> bool {
    let called = expected["at"].as_str().and_then(|at| at.rsplit_once('.'));
    called.is_some_and(|(_, method)| builtins::TEXT_METHODS.iter().any(|it| it.name == method))
}

/// A finding of rustc for a program.
struct Finding {
    level: String,
    message: String,
    rendered: String,
    /// The lines that the finding points at.
    lines: Vec<u64>,
}

/// The name of a case's program.
fn program_of(case: &str) -> &str {
    case.rsplit_once('.').map_or(case, |(name, _)| name)
}

/// The crates that cases may use, besides the facade. Those that no case names are not built.
const CRATES: [(&str, &str); 6] = [
    ("chrono", "\"0.4\""),
    ("schemars", "\"1\""),
    ("serde", "{ version = \"1\", features = [\"derive\"] }"),
    ("serde_json", "\"1\""),
    ("url", "\"2\""),
    ("uuid", "\"1\""),
];

/// Writes a package whose programs are the cases.
fn write_package(cases: &Path, expected: &BTreeMap<String, Value>) -> Package {
    let set = cases.ancestors().nth(2).and_then(Path::file_name).unwrap().to_string_lossy();
    let package =
        Package::new(Path::new(env!("CARGO_TARGET_TMPDIR")), &format!("mistakes-of-{set}"));
    let root = packages::workspace();
    let programs = || expected.keys().map(|name| fs::read_to_string(cases.join(name)).unwrap());
    let is_used = |name: &str| programs().any(|text| text.contains(name));
    let mut manifest = format!(
        "[package]\nname = \"mistakes\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         publish = false\n[workspace]\n[lints.rust]\nunused = \"allow\"\n[dependencies]\n\
         typed-prompty = {{ path = {root:?}, features = [{}] }}\n",
        packages::ALL_FEATURES
    );
    // All cases have the same imports, so unused ones are allowed.
    for (name, version) in CRATES.into_iter().filter(|(name, _)| is_used(name)) {
        writeln!(manifest, "{name} = {version}").unwrap();
    }
    package.write("Cargo.toml", manifest);
    let programs = package.folder().join("src/bin");
    // Programs of cases that were removed are deleted.
    if programs.exists() {
        for entry in fs::read_dir(&programs).unwrap() {
            let path = entry.unwrap().path();
            let is_case = |name: &String| path.file_stem().is_some_and(|it| it == program_of(name));
            if !expected.keys().any(is_case) {
                fs::remove_file(path).unwrap();
            }
        }
    }
    for name in expected.keys() {
        let text = fs::read(cases.join(name)).unwrap();
        let program = Path::new("src/bin").join(format!("{}.rs", program_of(name)));
        if name.ends_with(".rs") {
            package.write(program, text);
            continue;
        }
        package.write(name, text);
        let macro_call = format!("typed_prompty::prompt!(pub P, {name:?});\n\nfn main() {{}}\n");
        package.write(program, macro_call);
    }
    for entry in fs::read_dir(cases.join("prompts")).unwrap() {
        let entry = entry.unwrap();
        package
            .write(Path::new("prompts").join(entry.file_name()), fs::read(entry.path()).unwrap());
    }
    package
}

/// Runs `cargo check`, and returns the findings for each program.
fn check(package: &Package) -> BTreeMap<String, Vec<Finding>> {
    let mut cargo = package.cargo("check");
    let output = cargo.args(["--bins", "--keep-going", "--message-format=json"]).output().unwrap();
    let mut findings: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["reason"] != "compiler-message" {
            continue;
        }
        let program = line["target"]["name"].as_str().unwrap_or_default().to_owned();
        findings.entry(program).or_default().extend(finding(&line["message"]));
    }
    assert!(!findings.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    findings
}

/// An error or a warning; `None` for the summaries at the end.
fn finding(json: &Value) -> Option<Finding> {
    let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    let (level, message) = (text("level"), text("message"));
    let is_summary = message.starts_with("aborting due to") || message.ends_with("emitted");
    if is_summary || !matches!(level.as_str(), "error" | "warning") {
        return None;
    }
    let spans = json["spans"].as_array().unwrap().iter();
    let mut lines: Vec<u64> = spans.filter_map(|span| span["line_start"].as_u64()).collect();
    let rendered = text("rendered");
    lines.extend(lines_in_text(&rendered));
    Some(Finding { level, message, rendered, lines })
}

/// The lines of the places that a text names: `prompts/a.prompty:12:10`, or
/// `template_line_12_column_10`. The latter are names of macros, which show the place in rustc's
/// own errors.
fn lines_in_text(text: &str) -> Vec<u64> {
    let places = regex::Regex::new(r":(\d+):\d+|template_line_(\d+)_column").unwrap();
    let numbers = places.captures_iter(text).filter_map(|it| it.get(1).or(it.get(2)));
    numbers.filter_map(|it| it.as_str().parse().ok()).collect()
}

/// The differences between the findings of a case and the expected findings.
fn differences(expected: &Value, found: &[Finding], source: &str) -> Vec<String> {
    let first = found.first().map(|it| it.message.lines().next().unwrap_or_default());
    let Some(first) = first else {
        let is_right = expected["caught"] != true;
        return if is_right { Vec::new() } else { vec!["expected a finding".to_owned()] };
    };
    if expected["caught"] != true {
        return vec![format!("expected no finding, got: {first}")];
    }
    let mut differences = Vec::new();
    if expected["severity"] == "error" && found.iter().all(|it| it.level != "error") {
        differences.push(format!("expected an error, got a warning: {first}"));
    }
    let most = expected["max_findings"].as_u64().unwrap_or(u64::MAX);
    if found.len() as u64 > most {
        differences.push(format!("{} findings", found.len()));
    }
    let mut all = String::new();
    found.iter().for_each(|it| writeln!(all, "{}", it.rendered.to_lowercase()).unwrap());
    for wanted in list(&expected["must_contain"]) {
        if !texts(wanted).iter().any(|it| all.contains(&it.to_lowercase())) {
            differences.push(format!("lacks {wanted}: {first}"));
        }
    }
    for unwanted in list(&expected["must_not_contain"]) {
        if texts(unwanted).iter().any(|it| all.contains(&it.to_lowercase())) {
            differences.push(format!("contains {unwanted}"));
        }
    }
    if let Some(at) = expected["at"].as_str() {
        let lines = (1..).zip(source.lines()).filter(|(_, line)| line.contains(at));
        let lines: Vec<u64> = lines.map(|(number, _)| number).collect();
        if !found.iter().flat_map(|it| &it.lines).any(|line| lines.contains(line)) {
            differences.push(format!("expected a place on line {lines:?}: {first}"));
        }
    }
    differences
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A string, or several alternatives.
fn texts(value: &Value) -> Vec<&str> {
    match value.as_str() {
        Some(text) => vec![text],
        None => list(value).iter().filter_map(Value::as_str).collect(),
    }
}

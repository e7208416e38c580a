//! The README and the guide agree with the code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "in a test, a panic is a failure, and the output is for people"
)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use typed_prompty::check::{AllowedCodes, CheckOptions, check};
use typed_prompty::diagnostic::{Code, SourceText};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The table of checks, made from the codes.
fn table() -> String {
    let mut table =
        String::from("| check | severity | can be allowed | what it finds |\n|---|---|---|---|\n");
    for code in Code::ALL.iter().copied() {
        let allowed = if AllowedCodes::can_allow(code) { "yes" } else { "" };
        let (name, severity, summary) = (code.name(), code.severity(), code.summary().trim());
        writeln!(table, "| `{name}` | {severity} | {allowed} | {summary} |").unwrap();
    }
    table
}

/// If `UPDATE_GUIDE` is set, this writes the table instead of comparing it.
#[test]
fn the_guide_lists_every_check_with_its_severity() {
    let (begin, end) = ("<!-- checks: begin -->\n", "<!-- checks: end -->");
    let path = Path::new(ROOT).join("src/guide/checks.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(begin).unwrap();
    let (written, after) = rest.split_once(end).unwrap();
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        fs::write(path, format!("{before}{begin}{}{end}{after}", table())).unwrap();
        return;
    }
    assert_eq!(written, table(), "run the test with UPDATE_GUIDE=1");
}

#[test]
fn the_guide_lists_filters_that_templates_have() {
    let page = fs::read_to_string(Path::new(ROOT).join("src/guide/template_language.md")).unwrap();
    let (_, filters) = page.split_once("- filters: ").unwrap();
    let (filters, _) = filters.split_once(";\n").unwrap();
    let names: Vec<&str> = filters.split('`').skip(1).step_by(2).collect();
    assert!(names.contains(&"upper"), "{names:?}");
    for name in names {
        let source = SourceText::new(name, format!("user:\n{{{{ x | {name} }}}}"));
        let checked = check(source, &CheckOptions::new());
        let findings = &checked.report.diagnostics;
        assert!(findings.iter().all(|finding| finding.code != Code::UnknownFilter), "{findings:?}");
    }
}

#[test]
fn the_readme_is_short() {
    let bytes = fs::metadata(Path::new(ROOT).join("README.md")).unwrap().len();
    assert!(bytes <= 10_240, "the README has {bytes} bytes; move long parts to the guide");
}

#[test]
fn the_guide_has_each_page_in_its_contents() {
    let contents = fs::read_to_string(Path::new(ROOT).join("src/guide/mod.rs")).unwrap();
    for page in files(&Path::new(ROOT).join("src/guide"), "md") {
        let name = page.file_stem().unwrap().to_str().unwrap();
        assert!(
            contents.contains(&format!("//! | [`{name}`] |")),
            "the contents have no line for `{name}`"
        );
        assert!(
            contents.contains(&format!("    {name},\n")),
            "`{name}` is not a module of the guide"
        );
    }
}

#[test]
fn files_that_contributing_names_exist() {
    let page = fs::read_to_string(Path::new(ROOT).join("CONTRIBUTING.md")).unwrap();
    let (_, section) = page.split_once("## Where things go").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let code = section.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_path =
        |word: &&str| word.contains('/') && (word.ends_with('/') || word.ends_with(".rs"));
    let paths: Vec<&str> = code.filter(is_path).collect();
    assert!(paths.len() > 20, "expected more paths: {paths:?}");
    for path in paths {
        assert!(Path::new(ROOT).join(path).exists(), "`{path}` does not exist");
    }
}

#[test]
fn the_readme_and_the_front_page_list_the_features() {
    let manifest = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).unwrap();
    let (_, section) = manifest.split_once("\n[features]\n").unwrap();
    let (section, _) = section.split_once("\n[").unwrap();
    let feature = Regex::new(r"(?m)^([\w-]+) = ").unwrap();
    let names = feature.captures_iter(section).map(|found| found[1].to_owned());
    let mut features: Vec<String> = names.filter(|name| name != "default").collect();
    features.sort();
    for page in ["README.md", "src/lib.rs"] {
        let text = fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
        let (_, table) = text.split_once("| feature | default | what it adds |").unwrap();
        let rows = table.lines().skip(1).map(|line| line.trim_start_matches("//! "));
        let rows = rows.take_while(|row| row.starts_with('|'));
        let mut listed: Vec<String> =
            rows.filter_map(|row| row.split('`').nth(1).map(str::to_owned)).collect();
        listed.sort();
        assert_eq!(listed, features, "the features in {page}");
    }
}

/// A text block of the guide that begins with `error` must be part of a message in `tests/ui`. Only
/// the name of the source file may differ: the guide has `src/main.rs`.
#[test]
fn messages_in_the_guide_are_those_of_the_compiler() {
    let cases = Path::new(ROOT).join("tests/ui");
    let messages: Vec<String> = ["stderr", "snap"]
        .into_iter()
        .flat_map(|ending| files(&cases, ending))
        .map(|path| without_case_names(&fs::read_to_string(path).unwrap()))
        .collect();
    let mut shown = 0;
    for page in files(&Path::new(ROOT).join("src/guide"), "md") {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```text\n").skip(1) {
            let block = block.split("```").next().unwrap();
            if !block.starts_with("error") {
                continue;
            }
            shown += 1;
            let is_message = messages.iter().any(|message| message.contains(block.trim_end()));
            assert!(
                is_message,
                "{}: this is not a message of the compiler:\n{block}",
                page.display()
            );
        }
    }
    assert!(shown > 0, "the guide shows no message");
}

/// The facade exports the modules of the inner packages. So their examples use the paths of the
/// facade, and users can copy them. A hidden line defines these paths inside the package, such as
/// `# mod typed_prompty { pub use prompty_reply as reply; }`.
#[test]
fn examples_of_inner_packages_show_the_facades_paths() {
    let (mut checked, mut found) = (0, Vec::new());
    for package in INNER_PACKAGES {
        let source = Path::new(ROOT).join(package).join("src");
        for path in files(&source, "rs") {
            let name = path.strip_prefix(ROOT).unwrap();
            if HIDDEN_MODULES.iter().any(|module| name.starts_with(module)) {
                continue;
            }
            checked += 1;
            let text = fs::read_to_string(&path).unwrap();
            let visible = |line: &str| line.strip_prefix("//").is_some_and(shows_an_inner_path);
            let lines = text.lines().enumerate().filter(|(_, line)| visible(line.trim_start()));
            found.extend(lines.map(|(at, line)| format!("{}:{}: {line}", name.display(), at + 1)));
        }
    }
    assert!(checked > 100, "checked only {checked} files");
    assert!(found.is_empty(), "users cannot use these paths:\n{}", found.join("\n"));
}

/// The packages whose modules the facade exports.
const INNER_PACKAGES: [&str; 7] = [
    "prompty-core",
    "prompty-runtime",
    "crates/prompty-chat",
    "crates/prompty-check",
    "crates/prompty-output",
    "crates/prompty-reply",
    "crates/prompty-wire",
];

/// Modules that the facade does not export. Users do not read their examples.
const HIDDEN_MODULES: [&str; 4] = [
    "crates/prompty-template/src",
    "prompty-core/src/regular_expression",
    "prompty-core/src/schema",
    "prompty-core/src/text.rs",
];

/// Whether a line of a doc comment, after its first two slashes, imports from an inner package.
fn shows_an_inner_path(line: &str) -> bool {
    let text = line.trim_start_matches(['/', '!']).trim_start();
    ["chat", "check", "core", "output", "reply", "runtime", "template", "wire"]
        .iter()
        .any(|it| text.starts_with(&format!("use prompty_{it}")))
}

/// The text with each name of a test case replaced by `src/main.rs`.
fn without_case_names(text: &str) -> String {
    let case = Regex::new(r"\w+/(fail|pass)_\w+\.rs").unwrap();
    case.replace_all(text, "src/main.rs").into_owned()
}

/// All files with an extension in a folder and in those below it.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

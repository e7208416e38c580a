//! Checks the reports of the macros for the cases in `tests/ui` of the repository, without a
//! compiler.
//!
//! A case `fail_*.rs` whose reports all come from the macros has a snapshot next to it. A case that
//! also needs the compiler has a file `.stderr`, and `tests/ui/main.rs` runs it. Some have both.
//!
//! `INSTA_UPDATE=always cargo test -p prompty-expand cases` writes the snapshots.

mod invocations;
mod report;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::location::tests::located;

/// With fewer cases than this, some were lost.
const FEWEST_CASES: usize = 350;

#[test]
fn the_reports_match_the_snapshots() {
    let root = root();
    let mut count = 0;
    let mut failed = Vec::new();
    for case in cases(&root) {
        let has_snapshot = root.join(&case).with_extension("snap").exists();
        if std::env::var_os("ALL_CASES").is_none()
            && !has_snapshot
            && root.join(&case).with_extension("stderr").exists()
        {
            continue;
        }
        count += 1;
        let name = case.display().to_string();
        // All differences are printed, not only the first one.
        if catch_unwind(AssertUnwindSafe(|| compare(&root, &case))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{} of {count} cases differ:\n{}", failed.len(), failed.join("\n"));
    assert!(count >= FEWEST_CASES, "only {count} cases");
}

#[test]
fn a_case_that_passes_has_no_errors() {
    let root = root();
    let mut failed = Vec::new();
    for case in files(&root).into_iter().filter(|case| name_of(case).starts_with("pass_")) {
        let reports = reports(&root, &case);
        failed.extend(reports.into_iter().filter(|report| report.starts_with("error")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Compares the reports of a case with its snapshot.
fn compare(root: &Path, case: &Path) {
    let reports = reports(root, case);
    assert!(
        !reports.is_empty(),
        "the macros report nothing about {}: if the compiler does, add an empty `.stderr` and run \
         `TRYBUILD=overwrite cargo test --test ui`",
        case.display(),
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root.join(case).parent().unwrap());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = case.file_stem().unwrap().to_str().unwrap();
    settings.bind(|| insta::assert_snapshot!(name, reports.join("\n")));
}

/// The reports of the macros about a file, ordered by their places.
fn reports(root: &Path, case: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join(case)).unwrap();
    let shown = case.to_str().unwrap().replace('\\', "/");
    located(case.to_owned(), root.to_owned(), || {
        let file = syn::parse_str(&text).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let expansions = invocations::expand_all(file);
        let mut reports: Vec<_> = expansions.into_iter().flat_map(report::of_expansion).collect();
        reports.sort_by_key(|report| report.start);
        reports.iter().map(|report| report.draw(&shown, &text)).collect()
    })
}

/// The failing cases, relative to `tests/ui`.
fn cases(root: &Path) -> Vec<PathBuf> {
    files(root).into_iter().filter(|case| name_of(case).starts_with("fail_")).collect()
}

fn name_of(case: &Path) -> &str {
    case.file_name().unwrap().to_str().unwrap()
}

/// The Rust files in all folders of `tests/ui`, relative to it, sorted.
fn files(root: &Path) -> Vec<PathBuf> {
    let children = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let topics = children(root.to_owned()).filter(|path| path.is_dir());
    let files = topics.flat_map(children).filter(|it| it.extension().is_some_and(|it| it == "rs"));
    let mut files: Vec<_> = files.map(|it| it.strip_prefix(root).unwrap().to_owned()).collect();
    files.sort();
    files
}

/// The folder of the cases.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("tests/ui")
}

//! The framework of all areas: reads the cases, counts the outcomes and prints the reports.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

/// A file of cases, and the function that runs one of them.
pub(crate) struct Area {
    /// The name of the file in the folder of cases, without `.json` or `.jsonl`.
    pub(crate) name: &'static str,
    /// The name of another file, if it differs from the area's name.
    pub(crate) file: Option<&'static str>,
    /// Selects the cases of the file that belong to the area.
    pub(crate) only: fn(&Value) -> bool,
    /// Runs one case. A panic counts as a failure.
    pub(crate) run: fn(&Case<'_>) -> Outcome,
    /// The share of the cases that must pass.
    pub(crate) at_least: f64,
}

impl Area {
    /// An area in which all cases must pass.
    pub(crate) const fn new(name: &'static str, run: fn(&Case<'_>) -> Outcome) -> Self {
        Self { name, file: None, only: |_| true, run, at_least: 1.0 }
    }
}

/// One case of an area.
pub(crate) struct Case<'c> {
    /// The case as JSON.
    pub(crate) json: &'c Value,
    /// The folder of the area's file.
    pub(crate) folder: &'c Path,
}

/// A rule by which a case is skipped, or passes with a different result.
///
/// `skipped_cases.md` describes every rule under its name. A test finds the names in the code by
/// the text of the constructor, so the argument is always a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rule(&'static str);

impl Rule {
    /// The rule with a name.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self(name)
    }

    pub(crate) const fn name(self) -> &'static str {
        self.0
    }
}

/// The outcome of a case.
pub(crate) enum Outcome {
    /// The result is as expected.
    Passed,
    /// The result differs in form, and a rule says that it means the same.
    PassedBy(Rule),
    /// The result is not as expected, for this reason.
    Failed(String),
    /// The case does not count, for the reason of this rule.
    Skipped(Rule),
}

impl Case<'_> {
    /// An input of the case by its name; `null` if it is missing.
    pub(crate) fn given(&self, name: &str) -> &Value {
        &self.json["given"][name]
    }

    /// Passes if a result is the expected error. The kind and a part of the message are compared.
    /// `None` if the case does not expect an error.
    pub(crate) fn expected_error<T: fmt::Debug>(
        &self,
        result: &Result<T, prompty_core::Error>,
    ) -> Option<Outcome> {
        let expected = self.json.get("expect_error")?;
        let error = match result {
            Ok(found) => return Some(Outcome::Failed(format!("expected an error, got {found:?}"))),
            Err(error) => error,
        };
        let kind = kind_name(error.kind());
        if expected["kind"] != kind {
            let wanted = &expected["kind"];
            return Some(Outcome::Failed(format!("expected {wanted}, got {kind}: {error}")));
        }
        let mentions = expected["mentions"].as_str().unwrap_or_default().to_lowercase();
        if !error.to_string().to_lowercase().contains(&mentions) {
            return Some(Outcome::Failed(format!("`{error}` does not mention `{mentions}`")));
        }
        Some(Outcome::Passed)
    }
}

/// The kinds of errors that the cases distinguish.
fn kind_name(kind: prompty_core::ErrorKind) -> &'static str {
    use prompty_core::ErrorKind;
    match kind {
        ErrorKind::FileNotFound => "file_not_found",
        ErrorKind::UntrustedEndpoint => "untrusted_endpoint",
        ErrorKind::StrictViolation => "strict_violation",
        _ => "value_error",
    }
}

/// The outcomes of an area.
pub(crate) struct Report {
    /// The name of the area.
    pub(crate) name: &'static str,
    passed: usize,
    /// The cases that failed, with the reasons.
    failed: Vec<(String, String)>,
    passed_by: BTreeMap<Rule, usize>,
    skipped: BTreeMap<Rule, usize>,
    at_least: f64,
}

/// Runs all cases of an area.
pub(crate) fn run(area: &Area, root: &Path) -> Report {
    let file = root.join(format!("{}.json", area.file.unwrap_or(area.name)));
    let folder = file.parent().unwrap();
    let cases = cases(&file);
    let outcomes = cases.iter().filter(|json| (area.only)(json)).map(|json| {
        let id = json["id"].as_str().or(json["file"].as_str()).unwrap_or("(no id)").to_owned();
        let case = std::panic::AssertUnwindSafe(Case { json, folder });
        let outcome = std::panic::catch_unwind(|| (area.run)(&case))
            .unwrap_or_else(|_| Outcome::Failed("it panicked".to_owned()));
        (id, outcome)
    });
    Report::of_outcomes(area.name, area.at_least, outcomes)
}

/// Calls `run` for each item on all cores. Returns the results in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let results = numbers.map_while(|number| Some((number, run(items.get(number)?))));
        results.collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Reads the cases in `area.json`, or in `area.jsonl` with one case per line.
fn cases(file: &Path) -> Vec<Value> {
    let lines = file.with_extension("jsonl");
    let read = |file: &Path| {
        std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()))
    };
    if lines.exists() {
        return read(&lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    }
    let mut content: Value = serde_json::from_str(&read(file)).unwrap();
    match content["cases"].take() {
        Value::Array(cases) => cases,
        _ => panic!("{} has no cases", file.display()),
    }
}

impl Report {
    /// The report of cases that were run together.
    pub(crate) fn of_outcomes(
        name: &'static str,
        at_least: f64,
        outcomes: impl IntoIterator<Item = (String, Outcome)>,
    ) -> Self {
        let (passed_by, skipped) = (BTreeMap::new(), BTreeMap::new());
        let mut report = Self { name, passed: 0, failed: Vec::new(), passed_by, skipped, at_least };
        outcomes.into_iter().for_each(|(id, outcome)| report.add(id, outcome));
        report
    }

    fn add(&mut self, id: String, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::PassedBy(rule) => {
                self.passed += 1;
                *self.passed_by.entry(rule).or_default() += 1;
            }
            Outcome::Failed(why) => self.failed.push((id, why)),
            Outcome::Skipped(rule) => *self.skipped.entry(rule).or_default() += 1,
        }
    }

    /// The rules that were applied to cases of the area.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Rule> {
        self.passed_by.keys().chain(self.skipped.keys()).copied()
    }

    /// Whether there are cases, and all of them passed.
    pub(crate) fn all_passed(&self) -> bool {
        self.passed > 0 && self.failed.is_empty()
    }

    /// Whether the share of passed cases is high enough.
    pub(crate) fn has_enough_passes(&self) -> bool {
        let run = self.passed + self.failed.len();
        self.passed as f64 >= self.at_least * run as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.passed + self.failed.len();
        write!(f, "{}: {} of {run}", self.name, self.passed)?;
        if self.at_least < 1.0 {
            write!(f, " (at least {} %)", self.at_least * 100.0)?;
        }
        for (rule, count) in &self.passed_by {
            write!(f, ", {count} of them by a rule ({})", rule.name())?;
        }
        for (rule, count) in &self.skipped {
            write!(f, ", {count} skipped (rule: {})", rule.name())?;
        }
        for (id, why) in &self.failed {
            write!(f, "\n    {id}: {why}")?;
        }
        Ok(())
    }
}

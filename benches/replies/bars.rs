//! The bars of the benchmark, and whether they are met.

use std::fmt;
use std::time::Duration;

use typed_prompty_benches::replies::{Answer, Input};

use crate::peers::Reading;

/// The results of one reader for one input.
pub struct Row {
    pub name: &'static str,
    complete: Run,
    streamed: Run,
}

/// The result for the complete or the streamed reply.
#[derive(Default)]
struct Run {
    median: Option<Duration>,
    /// The judgement of the result; `None` if it was not tried.
    judgement: Option<Judgement>,
    /// Whether arguments arrive before their call ends; `None` if there are none.
    streams_arguments: Option<bool>,
}

enum Judgement {
    Right,
    Wrong(String),
    NotRun(String),
}

impl Row {
    pub fn new(name: &'static str) -> Self {
        Self { name, complete: Run::default(), streamed: Run::default() }
    }

    fn run(&self, is_streamed: bool) -> &Run {
        if is_streamed { &self.streamed } else { &self.complete }
    }

    fn run_mut(&mut self, is_streamed: bool) -> &mut Run {
        if is_streamed { &mut self.streamed } else { &mut self.complete }
    }

    /// Compares the result with the expected one.
    pub fn judge(&mut self, is_streamed: bool, reading: &Reading, expected: &Answer) {
        let run = self.run_mut(is_streamed);
        run.judgement = Some(match reading {
            Err(error) => Judgement::NotRun(error.clone()),
            Ok(answer) => answer.difference(expected).map_or(Judgement::Right, Judgement::Wrong),
        });
        // If arguments only arrive at the end of a call, there are about as many pieces as calls.
        let pieces = reading.as_ref().map_or(0, |answer| answer.argument_pieces);
        run.streams_arguments =
            (!expected.calls.is_empty()).then_some(pieces > 2 * expected.calls.len());
    }

    /// Whether there is anything to time.
    pub fn runs(&self, is_streamed: bool) -> bool {
        !matches!(self.run(is_streamed).judgement, Some(Judgement::NotRun(_)))
    }

    pub fn set_median(&mut self, is_streamed: bool, median: Duration) {
        self.run_mut(is_streamed).median = Some(median);
    }

    pub fn complete_us(&self) -> f64 {
        self.complete.us()
    }

    pub fn streamed_us(&self) -> f64 {
        self.streamed.us()
    }

    /// The remark in the table.
    pub fn remark(&self) -> String {
        let of = |run: &Run| match &run.judgement {
            None => "-".to_owned(),
            Some(Judgement::Right) => "right".to_owned(),
            Some(Judgement::Wrong(difference)) => format!("WRONG: {difference}"),
            Some(Judgement::NotRun(error)) => {
                format!("not run: {}", error.lines().next().unwrap_or_default())
            }
        };
        let (complete, streamed) = (of(&self.complete), of(&self.streamed));
        let both = if complete == streamed {
            complete
        } else {
            format!("{complete}; streamed {streamed}")
        };
        let at_the_end = self.name != crate::OURS
            && self.streamed.median.is_some()
            && self.streamed.streams_arguments == Some(false);
        if at_the_end { format!("{both} (no arguments streamed)") } else { both }
    }
}

impl Run {
    fn us(&self) -> f64 {
        self.median.map_or(f64::NAN, |median| median.as_nanos() as f64 / 1000.0)
    }

    fn is_right(&self) -> bool {
        matches!(self.judgement, Some(Judgement::Right))
    }
}

/// A bound on a figure.
pub struct Bar {
    pub name: String,
    reached: f64,
    bound: f64,
    is_upper: bool,
}

impl Bar {
    pub fn at_most(name: String, reached: f64, bound: f64) -> Self {
        Self { name, reached, bound, is_upper: true }
    }

    fn at_least(name: String, reached: f64, bound: f64) -> Self {
        Self { name, reached, bound, is_upper: false }
    }

    pub fn is_met(&self) -> bool {
        if self.is_upper { self.reached <= self.bound } else { self.reached >= self.bound }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_upper { "<=" } else { ">=" };
        let met = if self.is_met() { "ok" } else { "MISSED" };
        write!(f, "bar: {}: {:.2} {sign} {:.1} {met}", self.name, self.reached, self.bound)
    }
}

/// The bars of one input: ours is right, and as fast as the fastest peer that is right.
pub fn of_input(input: &Input, rows: &[Row]) -> Vec<Bar> {
    let Some((ours, peers)) = rows.split_first() else { return vec![] };
    let mut bars = Vec::new();
    let wrong = [&ours.complete, &ours.streamed].iter().filter(|run| !run.is_right()).count();
    if wrong > 0 {
        bars.push(Bar::at_most(
            format!("wrong replies of ours: {} ({})", input.name, ours.remark()),
            wrong as f64,
            0.0,
        ));
    }
    let fastest = |is_streamed: bool| {
        let counts =
            |run: &&Run| run.is_right() && (!is_streamed || run.streams_arguments != Some(false));
        let runs = peers.iter().map(|row| row.run(is_streamed)).filter(counts);
        runs.map(Run::us).min_by(f64::total_cmp)
    };
    if let Some(peer) = fastest(false) {
        let name = format!("fastest right peer / ours, complete: {}", input.name);
        bars.push(Bar::at_least(name, peer / ours.complete_us(), 1.0));
    }
    if let Some(peer) = fastest(true) {
        let (what, bound) = if input.has_calls() { ("call", 3.0) } else { ("text", 1.0) };
        let name = format!("fastest right peer / ours, {what} streamed: {}", input.name);
        bars.push(Bar::at_least(name, peer / ours.streamed_us(), bound));
    }
    bars
}

/// Our times for one input, to compare the sizes of a kind.
pub struct Figures {
    group: String,
    size: String,
    complete: f64,
    streamed: f64,
}

impl Figures {
    pub fn of(input: &Input, rows: &[Row]) -> Self {
        let ours = rows.first();
        let size = input.name.rsplit('_').next().unwrap_or_default().to_owned();
        Self {
            group: input.group.clone(),
            size,
            complete: ours.map_or(f64::NAN, Row::complete_us),
            streamed: ours.map_or(f64::NAN, Row::streamed_us),
        }
    }
}

/// The bars for the growth of our time from 4 KB to 64 KB.
pub fn of_growth(figures: &[Figures]) -> Vec<Bar> {
    let mut bars = Vec::new();
    // The two sets write sizes differently, `4K` and `4k`.
    for small in figures.iter().filter(|figures| figures.size.eq_ignore_ascii_case("4k")) {
        let size = small.size.replace('4', "64");
        let large = figures.iter().find(|large| large.group == small.group && large.size == size);
        let Some(large) = large else { continue };
        for (how, ratio) in [
            ("complete", large.complete / small.complete),
            ("streamed", large.streamed / small.streamed),
        ] {
            let (group, size) = (&small.group, &large.size);
            let name = format!("growth of ours from 4 KB, {how}: {group}_{size}");
            bars.push(Bar::at_most(name, ratio, 17.0));
        }
    }
    bars
}

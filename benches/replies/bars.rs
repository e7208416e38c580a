//! What must be reached, and whether it is.

use std::fmt;
use std::time::Duration;

use typed_prompty_benches::replies::{Answer, Input};

use crate::peers::Reading;

/// How one reader did with one input.
pub struct Row {
    pub name: &'static str,
    whole: Run,
    streamed: Run,
}

/// How it did whole, or streamed.
#[derive(Default)]
struct Run {
    median: Option<Duration>,
    /// Nothing where it was not tried; else what is wrong, if anything is.
    judged: Option<Judgement>,
    /// Whether arguments come before their call ends; nothing where there are none.
    streams_arguments: Option<bool>,
}

enum Judgement {
    Right,
    Wrong(String),
    NotRun(String),
}

impl Row {
    pub fn new(name: &'static str) -> Self {
        Self { name, whole: Run::default(), streamed: Run::default() }
    }

    fn run(&self, is_streamed: bool) -> &Run {
        if is_streamed { &self.streamed } else { &self.whole }
    }

    fn run_mut(&mut self, is_streamed: bool) -> &mut Run {
        if is_streamed { &mut self.streamed } else { &mut self.whole }
    }

    /// Compares what it read with what is expected.
    pub fn judge(&mut self, is_streamed: bool, reading: &Reading, expected: &Answer) {
        let run = self.run_mut(is_streamed);
        run.judged = Some(match reading {
            Err(error) => Judgement::NotRun(error.clone()),
            Ok(answer) => answer.fault(expected).map_or(Judgement::Right, Judgement::Wrong),
        });
        // At the call's end alone: in as many pieces as there are calls, or little more.
        let pieces = reading.as_ref().map_or(0, |answer| answer.argument_pieces);
        run.streams_arguments =
            (!expected.calls.is_empty()).then_some(pieces > 2 * expected.calls.len());
    }

    /// Whether there is anything to time.
    pub fn runs(&self, is_streamed: bool) -> bool {
        !matches!(self.run(is_streamed).judged, Some(Judgement::NotRun(_)))
    }

    pub fn set_median(&mut self, is_streamed: bool, median: Duration) {
        self.run_mut(is_streamed).median = Some(median);
    }

    pub fn whole_us(&self) -> f64 {
        self.whole.us()
    }

    pub fn streamed_us(&self) -> f64 {
        self.streamed.us()
    }

    /// What the table says of it.
    pub fn remark(&self) -> String {
        let of = |run: &Run| match &run.judged {
            None => "-".to_owned(),
            Some(Judgement::Right) => "right".to_owned(),
            Some(Judgement::Wrong(fault)) => format!("WRONG: {fault}"),
            Some(Judgement::NotRun(error)) => {
                format!("not run: {}", error.lines().next().unwrap_or_default())
            }
        };
        let (whole, streamed) = (of(&self.whole), of(&self.streamed));
        let both = if whole == streamed { whole } else { format!("{whole}; streamed {streamed}") };
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
        matches!(self.judged, Some(Judgement::Right))
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

/// The bars of one input: ours is right, and as fast as the peers that are.
pub fn of_input(input: &Input, rows: &[Row]) -> Vec<Bar> {
    let Some((ours, peers)) = rows.split_first() else { return vec![] };
    let mut bars = Vec::new();
    let faults = [&ours.whole, &ours.streamed].iter().filter(|run| !run.is_right()).count();
    if faults > 0 {
        bars.push(Bar::at_most(
            format!("wrong replies of ours: {} ({})", input.name, ours.remark()),
            faults as f64,
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
        let name = format!("fastest right peer / ours, whole: {}", input.name);
        bars.push(Bar::at_least(name, peer / ours.whole_us(), 1.0));
    }
    if let Some(peer) = fastest(true) {
        let (what, bound) = if input.has_calls() { ("call", 3.0) } else { ("text", 1.0) };
        let name = format!("fastest right peer / ours, {what} streamed: {}", input.name);
        bars.push(Bar::at_least(name, peer / ours.streamed_us(), bound));
    }
    bars
}

/// Ours with one input, to see how the sizes of a kind compare.
pub struct Figures {
    group: String,
    size: String,
    whole: f64,
    streamed: f64,
}

impl Figures {
    pub fn of(input: &Input, rows: &[Row]) -> Self {
        let ours = rows.first();
        let size = input.name.rsplit('_').next().unwrap_or_default().to_owned();
        Self {
            group: input.group.clone(),
            size,
            whole: ours.map_or(f64::NAN, Row::whole_us),
            streamed: ours.map_or(f64::NAN, Row::streamed_us),
        }
    }
}

/// How ours grows from 4 KB to 64 KB.
pub fn of_growth(figures: &[Figures]) -> Vec<Bar> {
    let mut bars = Vec::new();
    // The two sets write sizes differently, `4K` and `4k`.
    for small in figures.iter().filter(|figures| figures.size.eq_ignore_ascii_case("4k")) {
        let size = small.size.replace('4', "64");
        let large = figures.iter().find(|large| large.group == small.group && large.size == size);
        let Some(large) = large else { continue };
        for (how, ratio) in
            [("whole", large.whole / small.whole), ("streamed", large.streamed / small.streamed)]
        {
            let (group, size) = (&small.group, &large.size);
            let name = format!("growth of ours from 4 KB, {how}: {group}_{size}");
            bars.push(Bar::at_most(name, ratio, 17.0));
        }
    }
    bars
}

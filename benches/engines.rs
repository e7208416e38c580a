//! What each operation of a template takes, beside a plain loop that spends the same budget.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --features engines --bench engines
//!
//! The operations and their operands are those of `tests/operations`. The operands grow until the budget
//! does not admit them. An argument runs only the operations whose form holds that text. With
//! `PROMPTY_BENCH_STRICT` set, a bar that is missed is a failure.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use operations::{Case, Engine, Template, cases};
use prompty_core::ErrorKind;
use prompty_core::value::Map;
use prompty_core::work::count_paid;
use prompty_template::RenderLimits;

/// The bar: an operation may take so many times as long as the loop.
const MOST: f64 = 10.0;
/// What part of the default limits a render has. With all of them, the list would take hours.
const PART: u16 = 64;
/// What part of the budget must be spent at least. What costs less is held to a loop of that much: a
/// render takes some time before its first step.
const SMALLEST: u64 = 64;
/// How often each is timed. The shortest time counts: all that disturbs makes it longer.
const SAMPLES: usize = 3;
/// How often what misses the bar is timed again, before it is believed.
const SAMPLES_AGAIN: usize = 15;

fn main() -> ExitCode {
    let wanted = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let mut bars = Vec::new();
    for engine in [Engine::Chat, Engine::Prompts] {
        let rounds = Loop::calibrated(engine);
        println!("{engine:?}: a round of the loop pays {:.0} units", rounds.paid_a_round);
        for operation in engine.operations() {
            if wanted.as_ref().is_some_and(|wanted| !operation.form.contains(wanted.as_str())) {
                continue;
            }
            let ratios =
                cases(&operation).into_iter().flat_map(|case| ratios(engine, &case, &rounds));
            let slowest = ratios.max_by(|one, other| one.ratio.total_cmp(&other.ratio));
            if let Some(slowest) = slowest {
                let name = format!("{engine:?} {} / loop <= {MOST:.1}", operation.form);
                println!("bar: {name}: {:.2} {}", slowest.ratio, slowest.verdict());
                bars.push((name, slowest));
            }
        }
    }
    bars.sort_by(|(_, one), (_, other)| other.ratio.total_cmp(&one.ratio));
    println!("\nthe slowest:");
    for (name, slowest) in bars.iter().take(20) {
        println!("{:>6.2}  {name}  {}", slowest.ratio, slowest.shown);
    }
    let missed = bars.iter().filter(|(_, slowest)| !slowest.is_met()).count();
    println!("\nengines: {} operations, {missed} of them slower than {MOST:.0} loops", bars.len());
    if env::var_os("PROMPTY_BENCH_STRICT").is_some() && missed > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// How long an operation took beside the loop.
struct Measured {
    ratio: f64,
    /// The case, with what it paid and took.
    shown: String,
}

impl Measured {
    fn is_met(&self) -> bool {
        self.ratio <= MOST
    }

    fn verdict(&self) -> &'static str {
        if self.is_met() { "ok" } else { "MISSED" }
    }
}

fn limits() -> RenderLimits {
    let default = RenderLimits::default();
    let output = default.max_output / usize::from(PART);
    default.with_fuel(default.fuel / u64::from(PART)).with_max_output(output)
}

/// The units of work that a render may pay for steps.
fn budget() -> u64 {
    limits().fuel * 64
}

/// A plain loop, which spends what it is asked to.
struct Loop {
    engine: Engine,
    paid_a_round: f64,
}

impl Loop {
    /// Counts what a round pays.
    fn calibrated(engine: Engine) -> Self {
        let paid = |rounds| paid(&Self::rounds(engine, rounds), &Map::new());
        let (few, many) = (paid(100), paid(1_100));
        Self { engine, paid_a_round: many.saturating_sub(few) as f64 / 1_000.0 }
    }

    fn rounds(engine: Engine, rounds: u64) -> Template {
        // A range has a largest length.
        let (outer, inner) = (rounds / 50_000 + 1, rounds % 50_000);
        let text = format!(
            "{{% for j in range({outer}) %}}{{% for i in range({inner} if loop.last else 50000) %}}\
             {{% set x = i + 1 %}}{{% endfor %}}{{% endfor %}}"
        );
        let limits = RenderLimits::default().with_fuel(u64::MAX / 1_000).with_max_output(1 << 40);
        compiled(engine, &text, limits)
    }

    /// The loop that pays so much.
    fn spending(&self, paid: u64) -> Template {
        Self::rounds(self.engine, (paid as f64 / self.paid_a_round) as u64 + 1)
    }
}

/// The ratios of a case, for operands that grow until the budget does not admit them.
fn ratios(engine: Engine, case: &Case<'_>, rounds: &Loop) -> Vec<Measured> {
    let mut ratios = Vec::new();
    let mut size = 1 << 12;
    loop {
        let (text, inputs) = case.written(size);
        let template = compiled(engine, &text, limits());
        let (result, paid) = count_paid(|| template.render(&inputs));
        let looped = rounds.spending(paid.max(budget() / SMALLEST));
        let (mut taken, mut beside) = compare(&template, &inputs, &looped, SAMPLES);
        if taken.as_secs_f64() > beside.as_secs_f64() * MOST {
            (taken, beside) = compare(&template, &inputs, &looped, SAMPLES_AGAIN);
        }
        ratios.push(Measured {
            ratio: taken.as_secs_f64() / beside.as_secs_f64(),
            shown: format!("{case}, size {size}: paid {paid}, {taken:.0?} beside {beside:.0?}"),
        });
        let is_over = matches!(result, Err(error) if error.kind() == ErrorKind::Limit);
        if is_over || size > limits().max_output * 8 {
            return ratios;
        }
        size *= 8;
    }
}

/// The shortest times of a template and of a loop, which take turns.
fn compare(
    template: &Template,
    inputs: &Map,
    looped: &Template,
    samples: usize,
) -> (Duration, Duration) {
    let nothing = Map::new();
    let (mut taken, mut beside) = (Duration::MAX, Duration::MAX);
    for _ in 0..samples {
        taken = taken.min(time(template, inputs));
        beside = beside.min(time(looped, &nothing));
    }
    (taken, beside)
}

fn time(template: &Template, inputs: &Map) -> Duration {
    let begin = Instant::now();
    drop(black_box(template.render(inputs)));
    begin.elapsed()
}

fn paid(template: &Template, inputs: &Map) -> u64 {
    let (result, paid) = count_paid(|| template.render(inputs));
    result.expect("a plain loop succeeds");
    paid
}

fn compiled(engine: Engine, text: &str, limits: RenderLimits) -> Template {
    engine.compile(text, limits).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

//! Compares the time of each operation of a template with a plain loop that spends the same budget.
//!
//!     cargo bench --manifest-path benches/Cargo.toml --no-default-features --features engines --bench engines
//!
//! The operations and their operands come from `tests/operations`. The operands grow until the
//! budget is exceeded. An argument selects the operations whose form contains it. With
//! `PROMPTY_BENCH_STRICT` set, a missed bar is a failure.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use operations::{Case, Engine, Template, cases};
use prompty_core::ErrorKind;
use prompty_core::value::Map;
use prompty_core::work::count_paid;
use prompty_template::RenderLimits;

/// The bar: the maximum ratio of the time of an operation to the time of the loop.
const MAX_RATIO: f64 = 10.0;
/// The divisor of the default limits. With the full limits, the list would take hours.
const LIMIT_DIVISOR: u16 = 64;
/// The minimum part of the budget that the loop spends. A cheaper operation is compared with a loop
/// of this part, because a render takes some time before its first step.
const MIN_PART: u64 = 64;
/// The number of samples. The shortest time counts, because disturbances only make it longer.
const SAMPLES: usize = 3;
/// The number of samples of an operation that seems to miss the bar.
const RETRY_SAMPLES: usize = 15;

fn main() -> ExitCode {
    let filter = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let mut bars = Vec::new();
    for engine in [Engine::Chat, Engine::Prompts] {
        let rounds = PlainLoop::calibrate(engine);
        println!("{engine:?}: a round of the loop costs {:.0} units", rounds.paid_per_round);
        for operation in engine.operations() {
            if filter.as_ref().is_some_and(|filter| !operation.form.contains(filter.as_str())) {
                continue;
            }
            let ratios =
                cases(&operation).into_iter().flat_map(|case| ratios(engine, &case, &rounds));
            let slowest = ratios.max_by(|one, other| one.ratio.total_cmp(&other.ratio));
            if let Some(slowest) = slowest {
                let name = format!("{engine:?} {} / loop <= {MAX_RATIO:.1}", operation.form);
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
    println!(
        "\nengines: {} operations, {missed} of them slower than {MAX_RATIO:.0} loops",
        bars.len()
    );
    if env::var_os("PROMPTY_BENCH_STRICT").is_some() && missed > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The time of an operation, compared with the loop.
struct Measurement {
    ratio: f64,
    /// The case, with its budget and its time.
    shown: String,
}

impl Measurement {
    fn is_met(&self) -> bool {
        self.ratio <= MAX_RATIO
    }

    fn verdict(&self) -> &'static str {
        if self.is_met() { "ok" } else { "MISSED" }
    }
}

fn limits() -> RenderLimits {
    let default = RenderLimits::default();
    let output = default.max_output / usize::from(LIMIT_DIVISOR);
    default.with_fuel(default.fuel / u64::from(LIMIT_DIVISOR)).with_max_output(output)
}

/// The budget of a render for steps, in units of work.
fn budget() -> u64 {
    limits().fuel * 64
}

/// A plain loop that spends a given budget.
struct PlainLoop {
    engine: Engine,
    paid_per_round: f64,
}

impl PlainLoop {
    /// Counts the budget of one round.
    fn calibrate(engine: Engine) -> Self {
        let paid = |rounds| paid(&Self::rounds(engine, rounds), &Map::new());
        let (few, many) = (paid(100), paid(1_100));
        Self { engine, paid_per_round: many.saturating_sub(few) as f64 / 1_000.0 }
    }

    fn rounds(engine: Engine, rounds: u64) -> Template {
        // A range has a maximum length.
        let (outer, inner) = (rounds / 50_000 + 1, rounds % 50_000);
        let text = format!(
            "{{% for j in range({outer}) %}}{{% for i in range({inner} if loop.last else 50000) %}}\
             {{% set x = i + 1 %}}{{% endfor %}}{{% endfor %}}"
        );
        let limits = RenderLimits::default().with_fuel(u64::MAX / 1_000).with_max_output(1 << 40);
        compile(engine, &text, limits)
    }

    /// The loop that spends a budget.
    fn spending(&self, paid: u64) -> Template {
        Self::rounds(self.engine, (paid as f64 / self.paid_per_round) as u64 + 1)
    }
}

/// The ratios of a case, for growing operands until the budget is exceeded.
fn ratios(engine: Engine, case: &Case<'_>, rounds: &PlainLoop) -> Vec<Measurement> {
    let mut ratios = Vec::new();
    let mut size = 1 << 12;
    loop {
        let (text, inputs) = case.template(size);
        let template = compile(engine, &text, limits());
        let (result, paid) = count_paid(|| template.render(&inputs));
        let looped = rounds.spending(paid.max(budget() / MIN_PART));
        let (mut taken, mut loop_time) = compare(&template, &inputs, &looped, SAMPLES);
        if taken.as_secs_f64() > loop_time.as_secs_f64() * MAX_RATIO {
            (taken, loop_time) = compare(&template, &inputs, &looped, RETRY_SAMPLES);
        }
        ratios.push(Measurement {
            ratio: taken.as_secs_f64() / loop_time.as_secs_f64(),
            shown: format!("{case}, size {size}: paid {paid}, {taken:.0?}, loop {loop_time:.0?}"),
        });
        let is_exceeded = matches!(result, Err(error) if error.kind() == ErrorKind::Limit);
        if is_exceeded || size > limits().max_output * 8 {
            return ratios;
        }
        size *= 8;
    }
}

/// The shortest times of a template and of a loop, which run alternately.
fn compare(
    template: &Template,
    inputs: &Map,
    looped: &Template,
    samples: usize,
) -> (Duration, Duration) {
    let nothing = Map::new();
    let (mut taken, mut loop_time) = (Duration::MAX, Duration::MAX);
    for _ in 0..samples {
        taken = taken.min(time(template, inputs));
        loop_time = loop_time.min(time(looped, &nothing));
    }
    (taken, loop_time)
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

fn compile(engine: Engine, text: &str, limits: RenderLimits) -> Template {
    engine.compile(text, limits).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

//! Compares ours with the peers on replies of models, complete and streamed.
//!
//!     PROMPTY_BENCH=../shared/bench cargo bench --manifest-path benches/Cargo.toml --bench replies
//!
//! `PROMPTY_BENCH` names the folder with `peers-replies` and `replies`. Words after `--` select the
//! inputs whose names contain one of them; `--ours` leaves out the peers. With
//! `PROMPTY_BENCH_STRICT` set, a missed bar is a failure.

mod bars;
mod peers;

use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use bars::{Bar, Figures, Row};
use peers::{Reading, peers};
use typed_prompty::reply::Reply;
use typed_prompty_benches::replies::{
    Answer, Input, inputs, parser_for, stream, template_at, templates,
};

/// The number of samples of each reader; the median counts.
const SAMPLES: usize = 101;
/// The minimum time of a sample. Readings are combined until they take this time.
const SAMPLE: Duration = Duration::from_micros(150);
/// The maximum time of all samples of a reader; slow readers get fewer samples.
const LONGEST: Duration = Duration::from_millis(400);
/// The minimum number of samples, and the maximum time of one if there is to be more than one.
const FEWEST: usize = 5;
const SLOW: Duration = Duration::from_millis(200);
/// The time that a reader runs before it is measured.
const WARM_UP: Duration = Duration::from_millis(20);

/// Our name in tables.
const OURS: &str = "ours";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_chosen = |input: &Input| {
        words.is_empty() || words.iter().any(|word| input.name.contains(word.as_str()))
    };
    let only_ours = env::args().any(|word| word == "--ours");
    let mut bars = Vec::new();
    let mut figures = Vec::new();
    for input in inputs().iter().filter(|input| is_chosen(input)) {
        let rows = read(input, only_ours);
        print_table(input, &rows);
        bars.extend(bars::of_input(input, &rows));
        figures.push(Figures::of(input, &rows));
    }
    bars.extend(bars::of_growth(&figures));
    if words.is_empty() {
        bars.push(analysis());
    }
    bars.extend(allocations().into_iter().filter(|bar| {
        words.is_empty() || words.iter().any(|word| bar.name.contains(word.as_str()))
    }));
    println!();
    for bar in &bars {
        println!("{bar}");
    }
    let missed = bars.iter().filter(|bar| !bar.is_met()).count();
    println!("\n{} bars, {missed} missed", bars.len());
    if env::var_os("PROMPTY_BENCH_STRICT").is_some() && missed > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// One measured way to read an input.
struct Reader<'input> {
    row: usize,
    is_streamed: bool,
    read: Box<dyn Fn() -> Output + 'input>,
}

/// The result of a reader.
enum Output {
    Ours(Reply),
    Peer(Reading),
}

impl Output {
    fn reading(self) -> Reading {
        match self {
            Self::Ours(reply) => Ok(Answer::from(&reply)),
            Self::Peer(reading) => reading,
        }
    }
}

/// Reads an input in every way, and measures the time.
fn read(input: &Input, only_ours: bool) -> Vec<Row> {
    let chunks = input.chunks();
    let parser = parser_for(input);
    let peers = if only_ours { vec![] } else { peers(input, &chunks) };
    let mut rows = vec![Row::new(OURS)];
    let mut readers: Vec<Reader<'_>> = vec![
        Reader {
            row: 0,
            is_streamed: false,
            read: Box::new(|| Output::Ours(parser.parse(&input.text))),
        },
        Reader {
            row: 0,
            is_streamed: true,
            read: Box::new(|| Output::Ours(stream(&parser, &chunks))),
        },
    ];
    for peer in peers {
        let row = rows.len();
        rows.push(Row::new(peer.name));
        for (read, is_streamed) in [(peer.complete, false), (peer.streamed, true)] {
            if let Some(read) = read {
                let read = Box::new(move || Output::Peer(read()));
                readers.push(Reader { row, is_streamed, read });
            }
        }
    }
    for reader in &readers {
        let reading = (reader.read)().reading();
        if let Some(row) = rows.get_mut(reader.row) {
            row.judge(reader.is_streamed, &reading, &input.expected);
        }
    }
    readers.retain(|reader| rows.get(reader.row).is_some_and(|row| row.runs(reader.is_streamed)));
    for (reader, median) in readers.iter().zip(medians(&readers)) {
        if let Some(row) = rows.get_mut(reader.row) {
            row.set_median(reader.is_streamed, median);
        }
    }
    rows
}

/// The median time of one reading for each reader. The readers run alternately, so that
/// disturbances affect all of them.
fn medians(readers: &[Reader<'_>]) -> Vec<Duration> {
    let plans: Vec<(u32, usize)> = readers.iter().map(plan).collect();
    let mut samples = vec![Vec::with_capacity(SAMPLES); readers.len()];
    for turn in 0..SAMPLES {
        for ((reader, (batch, count)), samples) in readers.iter().zip(&plans).zip(&mut samples) {
            // Few samples are distributed over the turns.
            if turn * count / SAMPLES != (turn + 1) * count / SAMPLES {
                samples.push(time(reader, *batch) / *batch);
            }
        }
    }
    let median = |mut samples: Vec<Duration>| {
        samples.sort_unstable();
        samples.get(samples.len() / 2).copied().unwrap_or_default()
    };
    samples.into_iter().map(median).collect()
}

/// The number of readings in a sample, and the number of samples.
fn plan(reader: &Reader<'_>) -> (u32, usize) {
    let begin = Instant::now();
    let once = time(reader, 1);
    if once > SLOW {
        return (1, 1);
    }
    while begin.elapsed() < WARM_UP {
        time(reader, 1);
    }
    let mut batch = 1;
    let mut sample = time(reader, batch);
    while sample < SAMPLE {
        batch *= 2;
        sample = time(reader, batch);
    }
    let count = LONGEST.as_nanos() / sample.as_nanos().max(1);
    (batch, usize::try_from(count).unwrap_or(SAMPLES).clamp(FEWEST, SAMPLES))
}

/// The time of some readings, including the drop of their results.
fn time(reader: &Reader<'_>, calls: u32) -> Duration {
    let begin = Instant::now();
    for _ in 0..calls {
        drop(black_box((reader.read)()));
    }
    begin.elapsed()
}

fn print_table(input: &Input, rows: &[Row]) {
    println!(
        "\n{:<44} {:>11} {:>9} {:>13} {:>9}  result",
        input.to_string(),
        "complete us",
        "/ ours",
        "streamed us",
        "/ ours"
    );
    let ours = rows.first();
    for row in rows {
        let ratio =
            |figure: fn(&Row) -> f64| ours.map_or(f64::NAN, |ours| figure(row) / figure(ours));
        println!(
            "  {:<42} {:>11} {:>9} {:>13} {:>9}  {}",
            row.name,
            number(row.complete_us()),
            number(ratio(Row::complete_us)),
            number(row.streamed_us()),
            number(ratio(Row::streamed_us)),
            row.remark(),
        );
    }
    if let Some((complete, streamed)) = input.on_file {
        let of = |figure: f64, ours: Option<f64>| number(figure / ours.unwrap_or(f64::NAN));
        println!(
            "  {:<42} {:>11} {:>9} {:>13} {:>9}  measured elsewhere",
            format!("{}, on file", input.on_file_of),
            number(complete),
            of(complete, ours.map(Row::complete_us)),
            number(streamed),
            of(streamed, ours.map(Row::streamed_us)),
        );
    }
}

/// A figure with its significant digits.
fn number(figure: f64) -> String {
    match figure {
        _ if figure.is_nan() => "-".to_owned(),
        _ if figure < 100.0 => format!("{figure:.2}"),
        _ => format!("{figure:.0}"),
    }
}

/// The time of the analysis of a template, from its compiled text; the median over all templates.
fn analysis() -> Bar {
    println!("\n{:<44} {:>11}", "analysis of templates", "us");
    let mut all = Vec::new();
    for path in templates() {
        let template = template_at(&path);
        let mut samples = Vec::with_capacity(SAMPLES);
        for _ in 0..SAMPLES {
            let begin = Instant::now();
            drop(black_box(template.analyze()));
            samples.push(begin.elapsed());
        }
        samples.sort_unstable();
        let median = samples.get(SAMPLES / 2).copied().unwrap_or_default();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        println!("  {name:<42} {:>11.0}", median.as_nanos() as f64 / 1000.0);
        all.push(median);
    }
    all.sort_unstable();
    let median = all.get(all.len() / 2).copied().unwrap_or_default();
    Bar::at_most(
        "us for the analysis of a template, median".into(),
        median.as_nanos() as f64 / 1000.0,
        1000.0,
    )
}

/// Our allocations, counted by a separate program.
fn allocations() -> Vec<Bar> {
    let counted =
        Command::new(env!("CARGO_BIN_EXE_reply_allocations")).output().expect("the program runs");
    assert!(counted.status.success(), "{}", String::from_utf8_lossy(&counted.stderr));
    println!(
        "\n{:<24} {:>14} {:>16} {:>10} {:>18}",
        "allocations of ours", "complete reply", "streamed reply", "pushes", "of them allocating"
    );
    let mut bars = Vec::new();
    for line in String::from_utf8_lossy(&counted.stdout).lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, complete, streamed, pushes, allocating] = columns[..] else { continue };
        println!("{name:<24} {complete:>14} {streamed:>16} {pushes:>10} {allocating:>18}");
        if name.starts_with("content") || name.starts_with("reasoning") {
            bars.push(Bar::at_most(
                format!("allocating pushes of text, after the first quarter: {name}"),
                allocating.parse().unwrap_or(f64::NAN),
                0.0,
            ));
        }
    }
    bars
}

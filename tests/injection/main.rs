//! No input forges structure: with hostile inputs, a prompt has the same messages, roles, media and
//! attributes as with a neutral word in each of them.
//!
//! Random templates of all languages are rendered by their run-time engines, with threads, media,
//! partials and message tags. Compiled prompts and slots get the same inputs. `cargo test` makes a
//! few thousand renders. For many, in the release profile:
//!
//! ```text
//! PROMPTY_INJECTION_RENDERS=10000000 PROMPTY_INJECTION_SEED=1 \
//!     cargo test --release --all-features --test injection -- --nocapture
//! ```
//!
//! Another seed makes other templates and inputs. A failure prints the prompt and its inputs.
#![cfg(all(feature = "languages", feature = "macros", feature = "slots"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure, and the output is for people"
)]

mod compiled;
#[path = "../agreement/random.rs"]
mod random;
mod slots;
mod templates;
mod values;

use std::env;

use random::Random;
use templates::{LANGUAGES, TemplateLanguage};
use typed_prompty::{ContentPart, Definition, LoadOptions, Message, Pipeline};
use values::Values;

const RENDERS: usize = 4_000;
const SEED: u64 = 20_261_128;
/// The number of hostile renders of each random template.
const RENDERS_OF_TEMPLATE: usize = 40;
/// The maximum percentage of random templates that are invalid.
const MAX_INVALID_PERCENT: usize = 40;

fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    env::var(variable).ok()?.parse().ok()
}

fn renders() -> usize {
    number("PROMPTY_INJECTION_RENDERS").unwrap_or(RENDERS)
}

fn random() -> Random {
    Random::new(number("PROMPTY_INJECTION_SEED").unwrap_or(SEED))
}

/// What an input must not change: for each message its role, the kinds of its media, and the names
/// of its attributes.
fn structure(messages: &[Message]) -> Vec<String> {
    let describe = |message: &Message| {
        let media = message.content.iter().filter(|part| part.as_text().is_none());
        let kinds: Vec<&str> = media.map(kind).collect();
        let names: Vec<&str> = message.metadata.iter().map(|(name, _)| name).collect();
        format!("{} {kinds:?} {names:?}", message.role)
    };
    messages.iter().map(describe).collect()
}

fn kind(part: &ContentPart) -> &'static str {
    match part {
        ContentPart::Image(_) => "image",
        ContentPart::File(_) => "file",
        _ => "other",
    }
}

/// A random prompt that can be rendered, and its structure.
struct Prompt {
    text: String,
    pipeline: Pipeline,
    structure: Vec<String>,
    /// A render with another nonce, whose markers an attacker may have seen.
    other_render: String,
}

impl Prompt {
    /// `None` if the random template is invalid.
    fn new(language: &TemplateLanguage, random: &mut Random) -> Option<Self> {
        let text = language.prompt(random);
        let options = LoadOptions::new().with_templates("tests/injection/parts");
        let definition = Definition::from_text_with("t.prompty", text.as_str(), &options).ok()?;
        let pipeline = Pipeline::new(&definition).ok()?;
        let neutral = Values::neutral();
        let structure = structure(&pipeline.prepare(neutral.inputs()).ok()?);
        let other_render = pipeline.render(neutral.inputs()).ok()?.text().to_owned();
        Some(Self { text, pipeline, structure, other_render })
    }

    fn check(&self, values: &Values) {
        let found = self.pipeline.prepare(values.inputs()).unwrap_or_else(|error| {
            panic!("{error}\n{}\n{values:?}", self.text);
        });
        assert_eq!(structure(&found), self.structure, "{}\n{values:?}", self.text);
    }
}

#[test]
fn no_input_forges_structure_in_a_random_template() {
    let mut random = random();
    let (mut valid, mut invalid, mut messages) = (0, 0, 0);
    while valid * RENDERS_OF_TEMPLATE < renders() {
        let language = random.pick(LANGUAGES);
        let Some(prompt) = Prompt::new(language, &mut random) else {
            invalid += 1;
            continue;
        };
        valid += 1;
        messages += prompt.structure.len();
        for _ in 0..RENDERS_OF_TEMPLATE {
            prompt.check(&Values::hostile(&mut random, &prompt.other_render));
        }
    }
    println!("random templates: {valid}, invalid: {invalid}, messages of them: {messages}");
    assert!(invalid * 100 <= (valid + invalid) * MAX_INVALID_PERCENT, "{invalid} are invalid");
    assert!(messages > valid, "most templates have one message");
}

#[test]
fn no_input_forges_structure_in_a_compiled_prompt() {
    let mut random = random();
    let expected = compiled::PROMPTS.map(|prepare| structure(&prepare(&Values::neutral())));
    for _ in 0..renders() / 4 {
        let values = Values::hostile(&mut random, "");
        let number = random.below(compiled::PROMPTS.len());
        let found = structure(&compiled::PROMPTS[number](&values));
        assert_eq!(found, expected[number], "prompt {number}: {values:?}");
    }
}

#[test]
fn no_input_forges_a_block_of_slots() {
    let mut random = random();
    let (messages, titles) = slots::structure(&Values::neutral());
    for _ in 0..renders() / 4 {
        let values = Values::hostile(&mut random, "");
        let found = slots::structure(&values);
        assert_eq!(structure(&found.0), structure(&messages), "{values:?}");
        assert_eq!(found.1, titles, "{values:?}");
    }
}

//! A typed prompt and the same text in the pipeline give the same messages.
//!
//! Random templates and the reference cases become prompts of one program. It compares both forms
//! for several sets of inputs. Some of the templates are divided into several files, and are also
//! compared with the one file. `PROMPTY_AGREEMENT_SEED` chooses other templates, and
//! `PROMPTY_AGREEMENT_PROMPTS` sets their number.
//!
//! `cargo test --test engines agreement -- --nocapture`
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

mod cases;
mod fields;
mod handlebars;
mod mustache;
mod program;
mod random;
mod several_files;
mod templates;

use std::env;
use std::path::Path;

use fields::Field;
use program::{Prompt, Prompts};
use random::Random;
use several_files::{TemplateFiles, divide_template};
use typed_prompty::check::{AllowedCodes, CheckOptions, Input, Report, Use, check};
use typed_prompty::diagnostic::{Code, Severity};
use typed_prompty::{Definition, LoadOptions};

const SEED: u64 = 20_261_120;
const PROMPTS: usize = 400;
/// The kind of most templates.
const JINJA: &str = "jinja2";
/// The languages of the prompts; half of them are in the first.
const FORMATS: &[&str] = &[JINJA, JINJA, JINJA, "handlebars", "mustache", "semantic-kernel"];
/// The minimum percentage of prompts that are compiled to straight-line code.
const MIN_COMPILED_PERCENT: usize = 60;
/// The minimum percentage of prompts that consist of several files.
const MIN_DIVIDED_PERCENT: usize = 10;

#[test]
fn typed_prompts_give_the_same_messages_as_their_text() {
    let seed = number("PROMPTY_AGREEMENT_SEED").unwrap_or(SEED);
    let wanted = number("PROMPTY_AGREEMENT_PROMPTS").map_or(PROMPTS, |it| it.try_into().unwrap());
    println!("seed: {seed}");
    let mut random = Random::new(seed);
    let fields = fields::all();
    let mut prompts = Prompts::default();
    let (mut rejected, mut divided) = (0, 0);
    while prompts.count < wanted {
        match random_prompt(&mut random, &fields, prompts.count) {
            Some(prompt) => {
                divided += usize::from(prompt.one_file.is_some());
                prompts.add(&prompt);
            }
            None => rejected += 1,
        }
    }
    println!("templates that the checker rejects: {rejected}");
    println!("templates of several files: {divided}");
    assert!(divided * 100 >= wanted * MIN_DIVIDED_PERCENT, "{divided} of {wanted} are divided");
    match env::var_os("PROMPTY_CONFORMANCE") {
        Some(folder) => {
            let skipped = cases::add(&mut prompts, folder.as_ref());
            println!("prompts of reference cases: {}", prompts.count - wanted);
            println!("reference cases that cannot be typed prompts: {skipped}");
        }
        None => println!("PROMPTY_CONFORMANCE is not set: no reference case was compared"),
    }
    let (report, agree) = prompts.run();
    println!("{report}");
    assert!(agree, "the forms disagree, see above");
    let counted = |what: &str| {
        let line = report.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        line.trim().parse::<usize>().unwrap()
    };
    let (compiled, engine) =
        (counted("prompts compiled:"), counted("prompts rendered by the engine:"));
    let share = compiled * 100 / (compiled + engine);
    assert!(share >= MIN_COMPILED_PERCENT, "only {share} % of the prompts are compiled");
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|text| text.parse().unwrap())
}

/// Generates a random prompt; `None` if the checker rejects it.
fn random_prompt(random: &mut Random, fields: &[Field], number: usize) -> Option<Prompt> {
    let format = *random.pick(FORMATS);
    let template = match format {
        "handlebars" => handlebars::template(random, fields),
        "mustache" => mustache::template(random, fields),
        "semantic-kernel" => mustache::basic_template(random, fields),
        _ => templates::template(random, fields),
    };
    // Only front matter can select another template language.
    let has_front_matter = format != JINJA || random.chance(15);
    if !template.contains('\n') || template.trim_start().starts_with("---") {
        return None;
    }
    let all_types: Vec<Input> = fields.iter().map(|field| field.input_type(false)).collect();
    let template_only = Definition::from_text(in_format(format, &template)).ok()?;
    let used = used_inputs(&template_only, &all_types, fields::OPTIONS)?;
    let used: Vec<&Field> = fields.iter().filter(|it| used.iter().any(|n| n == it.name)).collect();
    let front_matter = match has_front_matter {
        true => front_matter(random, &used, format),
        false => String::new(),
    };
    let source = format!("{front_matter}{template}");
    // A default in the front matter changes the findings of the checker.
    let definition = Definition::from_text(&*source).ok()?;
    let is_defaulted = |field: &Field| {
        definition.inputs.iter().any(|it| it.name == field.name && it.default.is_some())
    };
    let types = used.iter().map(|field| field.input_type(is_defaulted(field)));
    let types: Vec<Input> = types.collect();
    used_inputs(&definition, &types, fields::OPTIONS)?;
    let files = if format == JINJA && random.chance(60) {
        divide_template(random, &template, number)
    } else {
        None
    };
    let files = files.filter(|files| {
        let main = format!("{front_matter}{}", files.main);
        write_and_check(&main, files, &types)
    });
    let (source, one_file) = match files {
        Some(files) => (format!("{front_matter}{}", files.main), Some(source)),
        None => (source, None),
    };
    let declared = used.iter().map(|it| format!("{}{}: {}", it.attribute(), it.name, it.rust));
    let given = used.iter().map(|it| format!("{}: {}", it.name, it.given));
    let given: Vec<_> = given.collect();
    let names: Vec<&str> = used.iter().map(|it| it.name).collect();
    let body = format!(
        "for (index, (set, inputs)) in sets.iter().enumerate() {{\n\
         check(index, NAME {{ {} }}, &only(inputs, &{names:?}));\n}}",
        given.join(", ")
    );
    Some(Prompt {
        source,
        one_file,
        fields: declared.collect(),
        body,
        allowed: allowed_lints(),
        items: String::new(),
    })
}

/// The inputs that a prompt uses. `None` if the checker rejects the prompt, or if rustc would
/// reject it: it uses one of the fields in `options` without a guard.
fn used_inputs(definition: &Definition, types: &[Input], options: &[&str]) -> Option<Vec<String>> {
    let checking =
        CheckOptions::new().with_allowed(Code::ALL.iter().copied()).with_inputs(types.to_vec());
    let report = check(definition, &checking).report;
    let is_error =
        |it: &Report| it.diagnostics.iter().any(|finding| finding.severity == Severity::Error);
    let needs = |(_, usage): &(String, Use)| needs_option(usage, options);
    if is_error(&report) || report.uses.inputs.iter().any(needs) {
        return None;
    }
    Some(report.variables.into_iter().map(|(name, _)| name).collect())
}

/// Writes the files of a template for the program, and returns whether the checker accepts them.
fn write_and_check(main: &str, files: &TemplateFiles, types: &[Input]) -> bool {
    let package = program::package();
    for (name, text) in &files.others {
        package.write(Path::new(program::TEMPLATES).join(name), text);
    }
    let options = LoadOptions::new().with_templates(package.folder().join(program::TEMPLATES));
    let found = match Definition::from_text_with("t", main, &options) {
        Ok(definition) => {
            used_inputs(&definition, types, fields::OPTIONS).ok_or(definition.instructions)
        }
        Err(error) => Err(format!("{error:#}")),
    };
    let rejection = found.as_ref().err().filter(|_| files.must_be_accepted);
    assert!(
        rejection.is_none(),
        "the checker accepts the one file, but not its parts: {main}\n{files:?}\n{rejection:?}"
    );
    found.is_ok()
}

fn needs_option(usage: &Use, options: &[&str]) -> bool {
    usage.item.as_ref().is_some_and(|item| needs_option(item, options))
        || usage.attributes.iter().any(|(name, attribute)| {
            let is_option = options.contains(&name.as_str());
            (is_option && attribute.unguarded.is_some()) || needs_option(attribute, options)
        })
}

/// A template with the front matter that names its language.
fn in_format(format: &str, template: &str) -> String {
    match format {
        "jinja2" => template.to_owned(),
        format => format!("---\ntemplate: {{format: {{kind: {format}}}}}\n---\n{template}"),
    }
}

/// Declares the inputs, some optional ones with defaults.
fn front_matter(random: &mut Random, used: &[&Field], format: &str) -> String {
    let mut text = format!("---\ntemplate: {{format: {{kind: {format}}}}}\ninputs:\n");
    for field in used {
        let default = match field.declared {
            "string" => "\"by default\\n\"",
            "integer" => "36",
            "float" => "1.0",
            "boolean" => "true",
            _ => "",
        };
        let mut property = format!("required: {}", !field.optional);
        if !field.declared.is_empty() {
            property.push_str(&format!(", kind: {}", field.declared));
        }
        if field.declared == "thread" && random.chance(50) {
            property.push_str(", roles: [system, user, assistant, tool]");
        }
        if field.optional && !default.is_empty() && random.chance(70) {
            property.push_str(&format!(", default: {default}"));
        }
        text.push_str(&format!("  {}: {{{property}}}\n", field.name));
    }
    if used.is_empty() {
        text = format!("---\nname: none\ntemplate: {{format: {{kind: {format}}}}}\n");
    }
    format!("{text}---\n")
}

/// All lints, for `allow`.
fn allowed_lints() -> String {
    let lints = Code::ALL.iter().filter(|code| AllowedCodes::can_allow(**code));
    lints.map(|code| code.name()).collect::<Vec<_>>().join(", ")
}

//! Runs the compile-time checks on prompts that no macro reads.
//!
//! `cargo run --example check -- [OPTION]... FILE...` prints the diagnostics of each prompt. The
//! exit code is 1 if one of them is an error. Files that a template includes, imports or extends
//! are read from the folder of the prompt.
//!
//! A file that ends in `.yaml`, `.yml` or `.json` is a prompt configuration of Semantic Kernel. Any
//! other file without front matter is a bare template: its inputs are the variables that it reads.
//! `--inputs` names a JSON file with example values, from which the types of the inputs are known.
//! `--filter` names a custom filter, and can be repeated. `--templates` names another folder for
//! the files of templates. `--trim-blocks` and `--lstrip-blocks` are the options of Jinja2.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::path::Path;
use std::process::ExitCode;

use typed_prompty::check::{self, CheckOptions, HostSignatures, Input, Report, ValueType};
use typed_prompty::diagnostic::{Severity, SourceText};
use typed_prompty::value::{Map, Value};
use typed_prompty::{Definition, LoadOptions};

const USAGE: &str = "usage: check [--inputs FILE] [--filter NAME]... [--templates FOLDER] \
                     [--trim-blocks] [--lstrip-blocks] FILE...";

/// The options of the command line.
#[derive(Default)]
struct Options {
    files: Vec<String>,
    /// Example values for the inputs of a bare template.
    inputs: Option<Map>,
    extensions: HostSignatures,
    /// The folder of a bare template's files, if it is not the folder of the template.
    templates: Option<String>,
    trim_blocks: bool,
    lstrip_blocks: bool,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let (mut errors, mut warnings) = (0, 0);
    for file in &options.files {
        let (source, report) = match check(file, &options) {
            Ok(checked) => checked,
            Err(message) => {
                eprintln!("error: {message}");
                errors += 1;
                continue;
            }
        };
        for finding in &report.diagnostics {
            eprintln!("{}", finding.render(&source));
            match finding.severity {
                Severity::Error => errors += 1,
                _ => warnings += 1,
            }
        }
    }
    eprintln!("{} files: {errors} errors, {warnings} warnings", options.files.len());
    if errors > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--inputs" => {
                let file = arguments.next().ok_or(USAGE)?;
                options.inputs = Some(inputs(&file)?);
            }
            "--filter" => options.extensions.filters.push(arguments.next().ok_or(USAGE)?),
            "--templates" => options.templates = Some(arguments.next().ok_or(USAGE)?),
            "--trim-blocks" => options.trim_blocks = true,
            "--lstrip-blocks" => options.lstrip_blocks = true,
            flag if flag.starts_with("--") => return Err(format!("unknown `{flag}`\n{USAGE}")),
            _ => options.files.push(argument),
        }
    }
    if options.files.is_empty() { Err(USAGE.to_owned()) } else { Ok(options) }
}

fn inputs(file: &str) -> Result<Map, String> {
    let value = Value::from_json(&read(file)?).map_err(|error| format!("`{file}`: {error}"))?;
    match value {
        Value::Object(inputs) => Ok(inputs),
        _ => Err(format!("expected a JSON object of inputs in `{file}`")),
    }
}

fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read `{file}`: {error}"))
}

fn check(file: &str, options: &Options) -> Result<(SourceText, Report), String> {
    let source = SourceText::new(file, read(file)?).normalised();
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let checking = CheckOptions::new().with_host(options.extensions.clone());
    if source.text().starts_with("---\n") || is_configuration(file) {
        let checked = check::check(source, &checking.with_folder(folder));
        return Ok((checked.source, checked.report));
    }
    let mut loading = LoadOptions::new().with_base_directory(folder);
    if let Some(templates) = &options.templates {
        loading = loading.with_templates(templates);
    }
    if options.trim_blocks {
        loading = loading.with_trim_blocks();
    }
    if options.lstrip_blocks {
        loading = loading.with_lstrip_blocks();
    }
    let definition = Definition::from_text_with(file, source.text(), &loading)
        .map_err(|error| format!("{error:#}"))?;
    let checking = match &options.inputs {
        Some(inputs) => checking.with_inputs(inputs.iter().map(input).collect()),
        None => checking.with_open_inputs(),
    };
    let report = check::check(&definition, &checking).report;
    let mut names: Vec<&str> = report.variables.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    eprintln!("{file}: a bare template with the inputs {}", names.join(", "));
    Ok((definition.source, report))
}

/// Whether a file is a prompt configuration of Semantic Kernel.
fn is_configuration(file: &str) -> bool {
    let end = Path::new(file).extension().and_then(|end| end.to_str()).unwrap_or_default();
    ["yaml", "yml", "json"].iter().any(|known| end.eq_ignore_ascii_case(known))
}

/// The input of a bare template, with the type of an example value.
fn input((name, value): (&str, &Value)) -> Input {
    let input = Input::new(name, value_type(value));
    if value.is_null() { input.optional() } else { input }
}

/// The type of an example value. The type of a list's items is that of the first item.
fn value_type(value: &Value) -> ValueType {
    match value {
        Value::Null => ValueType::Any,
        Value::Bool(_) => ValueType::Boolean,
        Value::Integer(_) => ValueType::Integer,
        Value::Float(_) => ValueType::Float,
        Value::String(_) => ValueType::String,
        Value::Array(items) => ValueType::list_of(items.first().map_or(ValueType::Any, value_type)),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| Input::new(name, value_type(value)));
            ValueType::Object(fields.collect())
        }
    }
}

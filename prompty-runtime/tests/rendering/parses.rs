//! How often a template is parsed from its text to a compiled pipeline.
//!
//! The tests count the bytes that the parsers read. Each template is much longer than the names of
//! its inputs, which are also parsed to see whether a template can use them.

use std::path::Path;

use prompty_check::check::{CheckOptions, check};
use prompty_check::definition::Definition;
use prompty_core::diagnostic::SourceText;
use prompty_core::work::count_parsed;
use prompty_runtime::render::{Pipeline, PipelineBuilder};

/// The length of each template and each file, without its last line.
const LENGTH: usize = 4000;

/// A thread that is written as a loop. It is parsed differently from other loops.
const LOOP: &str = "{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}\n";

/// A text of the template's length with the given end.
fn template(end: &str) -> String {
    let line = "Be brief, and say nothing twice.\n";
    format!("system:\n{}{end}", line.repeat(LENGTH / line.len()))
}

/// A prompt in a format, with inputs of the names that the templates here use.
fn prompt(format: &str, template: &str) -> String {
    let inputs = "inputs: {name: {kind: string, required: true}, history: {kind: array}}";
    format!("---\n{inputs}\ntemplate: {{format: {format}}}\n---\n{template}")
}

/// How often a function parses the bytes of a template.
fn times<T>(function: impl FnOnce() -> T) -> u64 {
    let (_, bytes) = count_parsed(function);
    (bytes + LENGTH as u64 / 2) / LENGTH as u64
}

/// How often a template is parsed to load and compile it, to load, check and compile it, and to
/// check its source.
fn times_of(format: &str, end: &str) -> [u64; 3] {
    let text = prompt(format, &template(end));
    let load = || Definition::from_text(text.as_str()).unwrap();
    let compiled = times(|| Pipeline::new(&load()).unwrap());
    let checked = times(|| {
        let definition = load();
        check(&definition, &CheckOptions::new());
        Pipeline::new(&definition).unwrap()
    });
    let source = SourceText::new("ask.prompty", text.as_str());
    let of_source = times(|| {
        check(source, &CheckOptions::new());
    });
    [compiled, checked, of_source]
}

#[test]
fn a_template_of_one_text_is_parsed_once() {
    for (format, end) in [
        ("jinja2", "{{ name }}"),
        ("jinja2", &format!("{LOOP}user:\n{{{{ name }}}}")),
        ("jinja2", "user:\n{% for m in history %}{{ m.role }}{{ m.content }}{% endfor %}"),
        ("jinja2", "{% raw %}{% include 'none' %}{% endraw %}{{ name }}"),
        ("{kind: jinja2, trim_blocks: true}", "{{ name }}"),
        ("jinja2, parser: message-tags", "{{ name }}"),
        ("mustache", "{{name}}"),
        ("handlebars", "{{name}}"),
        ("semantic-kernel", "{{$name}}"),
    ] {
        assert_eq!(times_of(format, end), [1, 1, 1], "{format}: {end}");
    }
}

#[test]
fn a_template_without_front_matter_is_parsed_once() {
    for end in ["{{ name }}", LOOP] {
        let text = template(end);
        let counted = times(|| PipelineBuilder::from_text("ask", &text).build().unwrap());
        assert_eq!(counted, 1, "{end}");
    }
}

/// Each of two files is parsed once, and so is the assembled text that the engine compiles.
#[test]
fn each_file_of_a_template_is_parsed_once() {
    let folder = std::env::temp_dir().join(format!("prompty-parses-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("part.txt", &template(LOOP));
    for (format, tag) in [("jinja2", "{% include 'part.txt' %}"), ("mustache", "{{> part.txt}}")] {
        write("ask.prompty", &prompt(format, &template(tag)));
        assert_eq!(times_of_files(&folder), [4, 4], "{format}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Like [`times_of`], for a prompt in a folder: loading and compiling it, and checking its source.
fn times_of_files(folder: &Path) -> [u64; 2] {
    let path = folder.join("ask.prompty");
    let compiled = times(|| Pipeline::new(&Definition::from_path(&path).unwrap()).unwrap());
    let source = SourceText::new("ask.prompty", std::fs::read_to_string(&path).unwrap());
    let checked = times(|| {
        check(source, &CheckOptions::new().with_folder(folder));
    });
    [compiled, checked]
}

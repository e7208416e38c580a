//! Counts the lines that a person wrote, without blank lines, comments and `use`. Lines with `///`
//! count, because they are descriptions for the model.

/// The number of lines of a file that a person had to write.
fn written(source: &str) -> usize {
    let mut in_use = false;
    let counts = |line: &&str| {
        let starts = line.starts_with("use ") || line.starts_with("pub use ");
        let uses = in_use || starts;
        in_use = uses && !line.ends_with(';');
        let comment = line.starts_with("//") && !line.starts_with("///");
        !(uses || comment || line.is_empty())
    };
    source.lines().map(str::trim).filter(counts).count()
}

#[test]
fn blanks_comments_and_uses_do_not_count() {
    let source =
        "//! A file.\n\nuse a::{\n    b,\n};\n/// Text.\nstruct A;\n\n// Why.\nfn b() {}\n";
    assert_eq!(written(source), 3);
}

#[test]
fn ours_takes_a_third_of_the_lines() {
    let by_hand = written(include_str!("with_async_openai.rs"));
    let ours = written(include_str!("with_typed_prompty.rs"));
    println!("async-openai's types: {by_hand} lines; typed-prompty: {ours} lines");
    assert!(ours * 3 <= by_hand, "{ours} lines are more than a third of {by_hand}");
}

//! Untrusted templates and inputs: depth, work, memory and output are bounded.

use super::*;

fn limit(text: &str, inputs: &Map) -> String {
    let failure = run(text, inputs, RenderLimits::default(), Undefined::Empty).unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Limit);
    failure.error.to_string()
}

#[test]
fn blocks_and_parentheses_nest_at_most_sixty_four_deep() {
    let nested = |depth: usize| "{{#each this.a}}".repeat(depth) + &"{{/each}}".repeat(depth);
    let blocks = |depth| nested(depth).replacen("this.a", "a", 1);
    assert!(parse(&blocks(64)).is_ok());
    let error = parse(&blocks(65)).unwrap_err();
    assert_eq!(error.message, "blocks are nested more than 64 levels deep");
    assert!(parse(&blocks(50_000)).is_err());
    let calls = |depth: usize| format!("{{{{{}a{}}}}}", "(f ".repeat(depth), ")".repeat(depth));
    assert!(parse(&calls(100)).is_err());
    assert!(parse(&calls(50_000)).is_err());
}

#[test]
fn a_chain_of_else_may_be_long() {
    let text = "{{#if a}}".to_owned() + &"{{else if a}}".repeat(20_000) + "{{else}}x{{/if}}";
    assert_eq!(render(&text, "{}"), "x");
}

#[test]
fn fuel_bounds_loops_that_write_nothing() {
    let text = "{{#each @root.l}}".repeat(60) + &"{{/each}}".repeat(60);
    let inputs = Map::from([("l", Value::from(vec![1; 10]))]);
    assert_eq!(limit(&text, &inputs), "the template takes more than 1000000 steps");
}

#[test]
fn fuel_bounds_the_reads_of_comparisons() {
    let text = "{{#each l}}{{#if (equals @root.a @root.b)}}{{/if}}{{/each}}";
    let big = "x".repeat(1_000_000);
    let list = Value::from(vec![1; 1_000]);
    let inputs = Map::from([
        ("l", list),
        ("a", Value::from(big.as_str())),
        ("b", Value::from(big.as_str())),
    ]);
    assert_eq!(limit(text, &inputs), "the template takes more than 1000000 steps");
}

#[test]
fn output_is_bounded_while_it_is_written() {
    let text = "{{#each l}}{{#each @root.l}}{{@root.big}}{{/each}}{{/each}}";
    let inputs =
        Map::from([("l", Value::from(vec![1; 50])), ("big", Value::from("<".repeat(100_000)))]);
    assert_eq!(limit(text, &inputs), "the rendered text is longer than 16777216 bytes");
    let limits = RenderLimits::default().with_max_output(2);
    let inputs = Map::from([("x", "ab")]);
    assert_eq!(run("{{x}}", &inputs, limits, Undefined::Empty).unwrap(), "ab");
    assert!(run("{{x}}.", &inputs, limits, Undefined::Empty).is_err());
}

#[test]
fn values_that_helpers_build_are_bounded_even_if_not_written() {
    let inputs = Map::from([("l", Value::from(vec![1; 100]))]);
    for call in ["concat (get 'a') (get 'a')", "array (get 'a') (get 'a')"] {
        let set = format!("{{{{set \"a\" ({call})}}}}");
        limit(&format!("{{{{set \"a\" \"xy\"}}}}{{{{#each l}}}}{set}{{{{/each}}}}"), &inputs);
    }
    let deep = "{{#each l}}{{set \"a\" (array (get 'a'))}}{{/each}}";
    assert_eq!(limit(deep, &inputs), "lists are nested more than 64 levels deep");
}

#[test]
fn a_hostile_comment_costs_no_more_than_its_length() {
    let text = "{{!--x--}}".repeat(20_000) + "{{!-";
    assert!(parse(&text).is_err());
    assert!(parse(&"{{!--".repeat(50_000)).is_err());
    assert!(parse(&"\\{{".repeat(50_000)).is_ok());
}

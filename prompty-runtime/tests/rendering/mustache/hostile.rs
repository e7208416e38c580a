//! Untrusted templates and inputs: depth, work and output are bounded.

use super::*;

fn limit(result: Result<String, RenderFailure>) -> String {
    let failure = result.unwrap_err();
    assert_eq!(failure.error.kind(), ErrorKind::Limit);
    failure.error.to_string()
}

#[test]
fn sections_nest_at_most_sixty_four_deep() {
    let nested = |depth: usize| "{{#a}}".repeat(depth) + &"{{/a}}".repeat(depth);
    assert!(parse(&nested(64)).is_ok());
    let error = parse(&nested(65)).unwrap_err();
    assert_eq!(error.message, "sections are nested more than 64 levels deep");
    assert_eq!(error.span.start, 64 * "{{#a}}".len());
    assert!(parse(&nested(100_000)).is_err());
}

#[test]
fn a_dotted_name_has_at_most_sixty_four_parts() {
    let name = |parts: usize| format!("{{{{{}}}}}", vec!["a"; parts].join("."));
    assert!(parse(&name(64)).is_ok());
    assert_eq!(parse(&name(65)).unwrap_err().message, "the name is too long");
    assert!(parse(&name(100_000)).is_err());
}

#[test]
fn fuel_bounds_loops_in_loops() {
    let text = "{{#l}}".repeat(60) + &"{{/l}}".repeat(60);
    let inputs = Map::from([("l", Value::from(vec![1; 10]))]);
    let message = limit(run(&text, &inputs, RenderLimits::default(), Undefined::Empty));
    assert_eq!(message, "the template takes more than 1000000 steps");
}

#[test]
fn output_is_bounded_while_it_is_written() {
    let text = "{{#l}}{{#l}}{{#l}}{{big}}{{/l}}{{/l}}{{/l}}";
    let big = "<".repeat(100_000);
    let inputs = Map::from([("l", Value::from(vec![1; 50])), ("big", Value::from(big))]);
    let message = limit(run(text, &inputs, RenderLimits::default(), Undefined::Empty));
    assert_eq!(message, "the rendered text is longer than 16777216 bytes");
}

#[test]
fn a_text_may_be_exactly_as_long_as_allowed() {
    let limits = RenderLimits::default().with_max_output(5);
    let inputs = Map::from([("x", "&")]);
    assert_eq!(run("{{x}}", &inputs, limits, Undefined::Empty).unwrap(), "&amp;");
    assert!(run("{{x}}.", &inputs, limits, Undefined::Empty).is_err());
}

#[test]
fn an_attribute_counts_with_its_encoded_length() {
    let limits = RenderLimits::default().with_max_output(60);
    let inputs = Map::from([("x", "a".repeat(30))]);
    let message = limit(run("user[a={{x}}]:", &inputs, limits, Undefined::Empty));
    assert_eq!(message, "the rendered text is longer than 60 bytes");
}

#[test]
fn the_depth_of_a_render_is_bounded() {
    let limits = RenderLimits::default().with_max_depth(2);
    let inputs = Map::from([("a", true)]);
    let text = |depth: usize| "{{#a}}".repeat(depth) + "x" + &"{{/a}}".repeat(depth);
    assert_eq!(run(&text(2), &inputs, limits, Undefined::Empty).unwrap(), "x");
    let message = limit(run(&text(3), &inputs, limits, Undefined::Empty));
    assert_eq!(message, "sections are nested more than 2 levels deep");
}

#[test]
fn the_steps_of_a_render_are_proportional_to_its_output() {
    let inputs = Map::from([("l", Value::from(vec!["x"; 10_000]))]);
    let limits = RenderLimits::default().with_fuel(3 * 10_000 + 10);
    let text = run("{{#l}}- {{.}}{{/l}}", &inputs, limits, Undefined::Empty).unwrap();
    assert_eq!(text.len(), 3 * 10_000);
}

/// Each of these takes minutes if a part of the work is quadratic.
#[test]
fn large_texts_take_linear_time() {
    let count = 300_000;
    let line = "  {{! c }}  \n";
    let texts = [
        "{{a}}".repeat(count),
        "{{#a}}{{/a}}".repeat(count),
        line.repeat(count),
        " ".repeat(count) + "{{!c}}" + &" ".repeat(count),
        "{{!c}} ".repeat(count),
        "{{=| |=}}|={{ }}=|".repeat(count),
        "user[a={{b}}]:\n".repeat(count / 10),
    ];
    let limits = RenderLimits::default();
    for text in texts {
        let template = compile(&text, limits, Undefined::Empty).unwrap();
        let scope = Scope { inputs: &Map::new(), rich: &[], nonce: "00ff" };
        assert!(template.render(scope).is_ok());
    }
    for text in ["{{".repeat(count), "{{#".repeat(count), "{{a".repeat(count)] {
        assert!(parse(&text).is_err());
    }
}

//! All probes of a template share one budget, however the template uses it.

use prompty_chat::{ChatTemplate, ProbeLimits};
use prompty_core::value::{Map, Value};
use prompty_core::work::count_paid;
use prompty_core::{Error, ErrorKind};

/// The cost of a step of the engine, in the units of the budget.
const STEP: u64 = 64;

/// A template that writes its messages and some more text.
fn template(extra: &str) -> ChatTemplate {
    let text = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}";
    ChatTemplate::from_text(&format!("{text}{extra}")).unwrap()
}

/// A loop of many rounds.
fn rounds(count: usize) -> String {
    format!("{{% for i in range({count}) %}}{{% endfor %}}")
}

#[track_caller]
fn assert_exceeded(result: Result<impl Sized, Error>, what: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error:#}");
    assert!(error.to_string().contains(what), "{error:#}");
    assert!(error.help().is_some(), "{error:#}");
}

/// The template with a higher limit of steps for its probes, so that the other limits apply first.
fn many_steps(template: &ChatTemplate) -> ChatTemplate {
    template.with_probe_limits(ProbeLimits::default().with_fuel(100_000_000))
}

#[test]
fn slow_probes_share_the_step_limit() {
    let template = template(&rounds(10_000).repeat(10));
    let nothing = Map::from([("messages", Vec::<Value>::new())]);
    let (rendered, one_render) = count_paid(|| template.render(&nothing, None));
    assert!(rendered.is_ok());
    let limits = ProbeLimits::default().with_fuel(3 * one_render / STEP);
    let (result, paid) = count_paid(|| template.with_probe_limits(limits).analyze());
    assert_exceeded(result, "steps");
    assert!(paid <= limits.fuel * STEP, "{paid} of {}", limits.fuel * STEP);
    assert!(paid > 2 * one_render, "{paid}");
    let ((), again) = count_paid(|| {
        let limited = template.with_probe_limits(limits);
        let _ = limited.capabilities();
        assert_exceeded(limited.analyze(), "steps");
        assert_exceeded(limited.format(), "steps");
        assert_exceeded(limited.stops(), "steps");
    });
    assert_eq!(again, paid, "the detection runs once");
}

#[test]
fn a_template_that_fails_without_many_variables_is_not_rendered_for_each_of_them() {
    let names = (0..5000).map(|index| format!("{{{{ v{index} + '' }}}}"));
    let template = template(&names.collect::<String>());
    let limits = ProbeLimits::default().with_renders(200);
    assert_exceeded(template.with_probe_limits(limits).analyze(), "200 probes");
}

#[test]
fn a_template_with_many_switches_of_thinking_is_not_rendered_for_each_of_them() {
    let names = (0..5000).map(|index| format!("{{% if think{index} %}}a{{% endif %}}"));
    assert_exceeded(many_steps(&template(&names.collect::<String>())).analyze(), "1000 probes");
}

#[test]
fn a_template_that_writes_much_is_not_rendered_until_memory_is_full() {
    let template = template("{{ 'x' * 9000000 }}");
    assert_exceeded(template.analyze(), "33554432 bytes");
}

#[test]
fn one_probe_that_exceeds_the_limits_of_a_render_ends_the_analysis() {
    let template = many_steps(&template(&rounds(100_000).repeat(80)));
    assert_exceeded(template.analyze(), "a probe of the template exceeds the limits of a render");
    assert!(!template.capabilities().string_content);
}

#[test]
fn an_ordinary_template_takes_a_small_part_of_the_budget() {
    let template = template("{% if add_generation_prompt %}<assistant>{% endif %}");
    let limits =
        ProbeLimits::default().with_fuel(100_000).with_renders(100).with_max_output(99_999);
    let limited = template.with_probe_limits(limits).analyze().unwrap();
    assert_eq!(limited.format(), template.analyze().unwrap().format());
}

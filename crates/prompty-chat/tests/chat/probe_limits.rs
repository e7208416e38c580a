//! All probes of a template share one budget, however the template spends it.

use prompty_chat::{ChatTemplate, ProbeLimits};
use prompty_core::value::{Map, Value};
use prompty_core::work::count_paid;
use prompty_core::{Error, ErrorKind};

/// What a step of the engine costs, in what renders pay.
const STEP: u64 = 64;

/// A template that writes its messages and does something beside that.
fn template(beside: &str) -> ChatTemplate {
    let text = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}";
    ChatTemplate::from_text(&format!("{text}{beside}")).unwrap()
}

/// A loop of many rounds.
fn rounds(count: usize) -> String {
    format!("{{% for i in range({count}) %}}{{% endfor %}}")
}

#[track_caller]
fn exceeded(result: Result<impl Sized, Error>, what: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error:#}");
    assert!(error.to_string().contains(what), "{error:#}");
    assert!(error.help().is_some(), "{error:#}");
}

/// The template with more steps for its probes than the other limits let them use.
fn many_steps(template: &ChatTemplate) -> ChatTemplate {
    template.with_probe_limits(ProbeLimits::default().with_fuel(100_000_000))
}

#[test]
fn a_template_that_is_slow_in_each_probe_takes_no_more_than_the_probes_may_together() {
    let template = template(&rounds(10_000).repeat(10));
    let nothing = Map::from([("messages", Vec::<Value>::new())]);
    let (rendered, one_render) = count_paid(|| template.render(&nothing, None));
    assert!(rendered.is_ok());
    let limits = ProbeLimits::default().with_fuel(3 * one_render / STEP);
    let (result, paid) = count_paid(|| template.with_probe_limits(limits).analyze());
    exceeded(result, "steps");
    assert!(paid <= limits.fuel * STEP, "{paid} of {}", limits.fuel * STEP);
    assert!(paid > 2 * one_render, "{paid}");
    let ((), again) = count_paid(|| {
        let limited = template.with_probe_limits(limits);
        let _ = limited.capabilities();
        exceeded(limited.analyze(), "steps");
        exceeded(limited.format(), "steps");
        exceeded(limited.stops(), "steps");
    });
    assert_eq!(again, paid, "what is found out, is found out once");
}

#[test]
fn a_template_that_fails_without_many_variables_is_not_rendered_for_each_of_them() {
    let names = (0..5000).map(|index| format!("{{{{ v{index} + '' }}}}"));
    let template = template(&names.collect::<String>());
    let limits = ProbeLimits::default().with_renders(200);
    exceeded(template.with_probe_limits(limits).analyze(), "200 probes");
}

#[test]
fn a_template_with_many_switches_of_thinking_is_not_rendered_for_each_of_them() {
    let names = (0..5000).map(|index| format!("{{% if think{index} %}}a{{% endif %}}"));
    exceeded(many_steps(&template(&names.collect::<String>())).analyze(), "1000 probes");
}

#[test]
fn a_template_that_writes_much_is_not_rendered_until_memory_is_full() {
    let template = template("{{ 'x' * 9000000 }}");
    exceeded(template.analyze(), "33554432 bytes");
}

#[test]
fn one_probe_that_exceeds_the_limits_of_a_render_ends_the_analysis() {
    let template = many_steps(&template(&rounds(100_000).repeat(80)));
    exceeded(template.analyze(), "a small conversation exceeds the limits of a render");
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

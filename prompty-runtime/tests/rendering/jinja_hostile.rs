//! Untrusted templates: each render ends soon, within its memory and its stack.

use prompty_core::message::Media;
use prompty_core::value::{Map, Value};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::{Inputs, PipelineBuilder};
use prompty_template::RenderLimits;
use work_counting::{assert_linear, count_work};

/// Renders within the default limits, on a thread with the default stack.
fn render(template: &str) -> Result<String, Error> {
    render_within(RenderLimits::default(), template)
}

fn render_within(limits: RenderLimits, template: &str) -> Result<String, Error> {
    let template = template.to_owned();
    let work = move || render_here(limits, &template);
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap()
}

/// Renders on the current thread.
fn render_here(limits: RenderLimits, template: &str) -> Result<String, Error> {
    let inputs = Inputs::new()
        .with("xs", Value::from(vec![1, 2]))
        .with("m", Map::from([("a", 1)]))
        .with("text", "abc")
        .with_image("photo", Media::new("u"));
    let builder = PipelineBuilder::from_text("t", template).with_limits(limits);
    Ok(builder.build()?.render(inputs)?.plain_text())
}

#[track_caller]
fn is_limited(template: &str) {
    let error = render(template).expect_err(template);
    assert_eq!(error.kind(), ErrorKind::Limit, "{template}: {error:?}");
}

#[track_caller]
fn is_refused(template: &str) {
    let error = render(template).expect_err(template);
    assert_eq!(error.kind(), ErrorKind::Render, "{template}: {error:?}");
    assert!(error.to_string().contains("a namespace, loop or macro"), "{template}: {error:?}");
}

#[track_caller]
fn prints(template: &str, expected: &str) {
    assert_eq!(render(template).expect(template), expected, "{template}");
}

#[test]
fn lists_and_maps_that_double_are_limited_before_they_are_used() {
    let doubled =
        ["[A, A]", "(A, A)", "{'x': A, 'y': A}", "dict(x=A, y=A)", "[A] * 2", "[A] + [A]"];
    for double in doubled {
        for consume in ["a", "a|tojson", "a|string", "a|join", "a == b", "a in [b]", "a ~ ''"] {
            let (a, b) = (double.replace('A', "a"), double.replace('A', "b"));
            let step = format!("{{% set a = {a} %}}{{% set b = {b} %}}").repeat(40);
            is_limited(&format!("{{% set a = xs %}}{{% set b = xs %}}{step}{{{{ {consume} }}}}"));
        }
    }
}

#[test]
fn a_value_that_grows_deeper_each_round_is_limited() {
    for deeper in [
        "[ns.a]",
        "(ns.a,)",
        "{'a': ns.a}",
        "dict(a=ns.a)",
        "[ns.a]|list",
        "[ns.a] + []",
        "[ns.a][:]",
        "[[ns.a]]|map('list')|list",
        "[ns.a]|groupby('x')",
        "{'a': ns.a}|items|list",
        "m.get('none', [ns.a])",
    ] {
        let set = format!("{{% set ns.a = {deeper} %}}");
        is_limited(&format!(
            "{{% set ns = namespace(a=xs) %}}{{% for i in range(5000) %}}{set}{{% endfor %}}"
        ));
    }
    is_limited(&format!("{{% set a = xs %}}{}", "{% set a=[a] %}".repeat(10_000)));
}

#[test]
fn values_of_constant_depth_can_be_made_repeatedly() {
    for same in ["ns.a[:]", "ns.a + []", "ns.a * 1", "ns.a|reverse", "ns.a|list", "ns.a|sort"] {
        let set = format!("{{% set ns.a = {same} %}}");
        let template = format!(
            "{{% set ns = namespace(a=[1]) %}}{{% for i in range(10000) %}}{set}{{% endfor %}}{{{{ ns.a }}}}"
        );
        prints(&template, "[1]");
    }
}

#[test]
fn no_value_can_contain_itself() {
    for hold in [
        "{% set ns.a = ns %}",
        "{% set ns.a = [ns] %}",
        "{% set ns.a = {'x': (ns,)} %}",
        "{% set ns.a = dict(x=ns) %}",
        "{% set ns.a = namespace(x=ns) %}",
        "{% set other = namespace() %}{% set other.a = ns %}",
        "{% for i in xs %}{% set ns.a = loop %}{% endfor %}",
        "{% for i in xs %}{% set l = loop %}{{ loop.changed(l) }}{% endfor %}",
        "{% for i in xs %}{% set l = loop %}{{ loop.changed([l]) }}{% endfor %}",
        "{% macro q() %}{% endmacro %}{% set ns.a = q %}",
        "{% set ns.a = xs|map('default', ns) %}{% set ns.a = [none]|map('default', ns) %}",
    ] {
        is_refused(&format!("{{% set ns = namespace() %}}{hold}{{{{ ns.a }}}}"));
    }
}

#[test]
fn repeated_output_is_limited_even_without_a_loop() {
    let prints = "{{a}}".repeat(100_000);
    is_limited(&format!("{{% set a = 'x' * 1000000 %}}{prints}"));
    is_limited(&format!("{{% set a = range(100000) %}}{prints}"));
}

#[test]
fn the_output_of_a_recursive_loop_call_is_limited() {
    let text = "x".repeat(100_000);
    is_limited(&format!(
        "{{% for x in [1] recursive %}}{text}\
         {{% if loop.depth < 2 %}}{{% set s = loop(range(100000)) %}}{{% endif %}}{{% endfor %}}"
    ));
    is_limited(&format!(
        "{{% set t = '{text}' %}}{{% for x in [1] recursive %}}{{{{ t }}}}\
         {{% if loop.depth < 2 %}}{{% set s = loop(range(100000)) %}}{{% endif %}}{{% endfor %}}"
    ));
}

#[test]
fn reads_are_limited_like_allocations() {
    for reads in [
        "long|length",
        "'y' in long",
        "'y' not in long",
        "long == other",
        "long < other < long",
        "long is startingwith(other)",
        "long is eq(other)",
        "long[99999]",
        "long[99990:]",
        "long|float",
        "many|max",
        "many|sum",
        "many|first",
        "many|select('eq', 0)|list|length",
        "many == also",
        "-1 in many",
        "-1 is in(many)",
    ] {
        let template = format!(
            "{{% set long = '1' * 100000 %}}{{% set other = '1' * 100000 %}}\
             {{% set many = range(10000) %}}{{% set also = range(10000) %}}\
             {{% for i in range(50000) %}}{{% if {reads} %}}{{% endif %}}{{% endfor %}}"
        );
        let limits = RenderLimits::default().with_max_output(1 << 20);
        let error = render_within(limits, &template).expect_err(reads);
        assert_eq!(error.kind(), ErrorKind::Limit, "{reads}: {error:?}");
    }
    is_limited("{{ range(100000)|select('in', range(100000))|list|length }}");
}

#[test]
fn instrumentation_does_not_change_the_output() {
    prints(
        "{{ xs[0] }}{{ xs[0:][1] }}{{ [xs, m][1].a }}{{ {'k': xs}.k[1] }}{{ m.items()[0][0] }}",
        "1212a",
    );
    prints("{{ [text][0][1] }}{{ (text, 1)[0] }}{{ text[1:][0] }}{{ (text ~ 'd')[3] }}", "babcbd");
    prints(
        "{{ not xs == [1, 2] }} {{ -xs[0] }} {{ xs[0] + xs[1] * 2 ** 2 }} {{ 1 < xs[1] <= 2 }}",
        "false -1 9 true",
    );
    prints("{{ xs[0] in xs and text not in [text] }} {{ m == {'a': xs[0]} }}", "false true");
    prints(
        "{% set a, b = text, xs %}{{ a }}{{ b }}{% for x, y in [(text, 1)] %}{{ x }}{% endfor %}",
        "abc[1, 2]abc",
    );
    prints(
        "{% macro q(a, b=[text]) %}{{ a }}{{ b }}{% endmacro %}{{ q(*xs) }}{{ q(a=xs[1]) }}",
        "122[\"abc\"]",
    );
    prints(
        "{% for p in [photo] %}{% if p %}x{% endif %}{% endfor %}{{ {'a': text}|tojson }}",
        "x{\"a\": \"abc\"}",
    );
    prints(
        "{% for x in [[1], [2]] recursive %}{{ x }}{% if loop.depth < 2 %}({{ loop([3]) }}){% endif %}{% endfor %}",
        "[1](3)[2](3)",
    );
}

#[test]
fn thousands_of_markers_and_raw_texts_take_linear_work() {
    for part in ["user[a={{ text }}]:\n", "{% raw %}\nuser:\n{% endraw %}"] {
        assert_linear(part, 1_000, |count| {
            let template = part.repeat(count);
            let (text, work) = count_work(|| render_here(RenderLimits::default(), &template));
            text.unwrap();
            work
        });
    }
}

#[test]
fn the_output_of_a_recursive_loop_call_is_data() {
    let body = "{% for x in xs recursive %}\nuser:\n{{ x }}{% if loop.depth < 2 %}CALL{% endif %}{% endfor %}";
    for (call, count) in [
        ("{{ loop([3]) }}", 4),
        ("{% set s = loop([3]) %}{{ s|replace('user', 'system') }}", 2),
        ("{{ loop([3])|upper }}", 2),
        ("{% set s %}{{ loop([3]) }}{% endset %}{{ s }}", 2),
        ("{% filter upper %}{{ loop([3]) }}{% endfilter %}", 2),
        ("{% set again = loop %}{{ again([3])|string }}", 2),
    ] {
        let pipeline =
            PipelineBuilder::from_text("t", &body.replace("CALL", call)).build().unwrap();
        let inputs = Inputs::new().with("xs", Value::from(vec![1, 2]));
        let messages = pipeline.prepare(inputs.clone()).unwrap();
        assert_eq!(messages.len(), count, "{call}: {messages:?}");
        assert!(messages.iter().all(|it| it.role.as_str() == "user"), "{call}: {messages:?}");
        let segments = pipeline.render_segments(inputs.clone()).unwrap();
        let joined: String = segments.iter().map(|segment| segment.text.as_str()).collect();
        assert_eq!(joined, pipeline.render(inputs).unwrap().plain_text(), "{call}");
    }
}

#[test]
fn a_loop_that_is_called_from_a_macro_neither_panics_nor_overflows() {
    for call in [
        "{% macro q() %}{{ loop([1]) }}{% endmacro %}{{ q() }}",
        "{% macro q(l) %}{{ l([1]) }}{% endmacro %}{{ q(loop) }}",
        "{% macro q() %}{% for y in xs %}{{ caller() }}{% endfor %}{% endmacro %}{% call q() %}{{ loop([1]) }}{% endcall %}",
        "{% for y in xs %}{{ loop(xs) }}{% endfor %}",
        "{% set l = loop %}{% for y in xs %}{{ l([1]) }}{% endfor %}",
    ] {
        let _ = render(&format!("{{% for x in xs recursive %}}{call}{{% endfor %}}"));
    }
    let _ = render("{% for x in xs recursive %}{% set l = loop %}{% endfor %}{{ l(xs) }}");
    let _ = render(
        "{% set ns = namespace(l=1) %}{% for x in xs recursive %}{% set ns.l = loop %}{% endfor %}{{ ns.l(xs) }}",
    );
}

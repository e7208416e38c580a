//! The parts of its inputs that a template uses.

use prompty_check::check::Use;

use super::report;

/// A use in short: `w` fully read, `t` tested, `c` counted, `[...]` items, `{...}` attributes.
fn short(usage: &Use) -> String {
    let mut text = String::new();
    if usage.read_fully {
        text.push('w');
    }
    if usage.tested {
        text.push('t');
    }
    if usage.counted {
        text.push('c');
    }
    if let Some(item) = &usage.item {
        text.push_str(&format!("[{}]", short(item)));
    }
    if !usage.attributes.is_empty() {
        let parts: Vec<String> = usage
            .attributes
            .iter()
            .map(|(name, usage)| format!("{name}:{}", short(usage)))
            .collect();
        text.push_str(&format!("{{{}}}", parts.join(",")));
    }
    text
}

fn uses(template: &str) -> String {
    let uses = report(template).uses;
    let parts: Vec<String> =
        uses.inputs.iter().map(|(name, usage)| format!("{name}:{}", short(usage))).collect();
    parts.join(" ")
}

#[test]
fn printing_filtering_and_comparing_read_the_complete_value() {
    assert_eq!(
        uses("{{ name }}{{ words | length }}{% if age > 3 %}{% endif %}"),
        "name:w age:w words:c"
    );
}

#[test]
fn a_filter_by_attribute_reads_only_that_attribute() {
    let text = r#"{{ passages | sort(attribute="score") | map(attribute="title") | join(", ") }}"#;
    assert_eq!(uses(text), "passages:[{score:w,title:w}]");
    let text = r#"{{ passages | join(", ", attribute="author.name") }}"#;
    assert_eq!(uses(text), "passages:[{author:{name:w}}]");
    let text = r#"{{ (passages | first).title }}{{ passages | selectattr("score") | length }}"#;
    assert_eq!(uses(text), "passages:c[{title:w,score:w}]");
    assert_eq!(uses("{{ passages | sort }}"), "passages:w");
}

#[test]
fn a_loop_reads_only_the_used_attributes() {
    let text = "{% for p in passages %}{{ p.title | upper }}{% endfor %}";
    assert_eq!(uses(text), "passages:[{title:w}]");
    let text = "{% for p in passages %}{% for t in p.tags %}{{ t }}{% endfor %}{% endfor %}";
    assert_eq!(uses(text), "passages:[{tags:[w]}]");
}

#[test]
fn uses_are_merged_through_aliases_and_guards() {
    let text = "{% set q = passages %}{% for p in q if p.score %}{% with t = p %}{{ t.title }}{% endwith %}{% endfor %}{% if passages %}x{% endif %}";
    assert_eq!(
        uses(text),
        "passages:t[{title:w,score:t}]".replace("title:w,score:t", "score:t,title:w")
    );
    assert_eq!(uses("{{ (nickname or name) | upper }}"), "name:w nickname:wt");
    assert_eq!(uses("{{ nickname | default(name) }}"), "name:w nickname:wt");
    let text = "{% set x = passage if premium else foreign %}{{ x.title }}";
    assert_eq!(uses(text), "premium:t passage:{title:w} foreign:{title:w}");
}

#[test]
fn an_untracked_value_is_fully_read() {
    for text in [
        "{{ passage[name] }}",
        "{% for k in passage %}{{ k }}{% endfor %}",
        "{% set x = [passage] %}",
        "{% macro m(p) %}{{ p.title }}{% endmacro %}{{ m(passage) }}",
        "{% for p in [passage] %}{{ p.title }}{% endfor %}",
        "{% set ns = namespace(p=passage) %}{{ ns.p.title }}",
        "{{ passage }}",
    ] {
        let uses = report(text).uses;
        assert!(uses.get("passage").unwrap().read_fully, "{text}");
    }
}

#[test]
fn constant_indexes_read_items_and_constant_names_read_attributes() {
    assert_eq!(
        uses("{{ passages[0].title }}{{ passage['score'] }}"),
        "passages:[{title:w}] passage:{score:w}"
    );
    assert_eq!(uses("{% for w in words %}{{ loop.previtem }}{% endfor %}"), "words:[w]");
}

#[test]
fn an_unread_alias_counts_as_a_use() {
    assert_eq!(uses("{% set x = name %}"), "name:");
}

#[test]
fn a_value_beyond_the_depth_limit_is_fully_read() {
    let text = format!("{{{{ anything{} }}}}", ".a".repeat(60));
    let uses = report(&text).uses;
    let mut usage = uses.get("anything").unwrap();
    while let Some(inner) = usage.attribute("a") {
        usage = inner;
    }
    assert!(usage.read_fully);
}

#[test]
fn every_place_of_an_input_is_listed() {
    let text = "{{ name }}{% for p in passages %}{{ p.title }}{{ name }}{% endfor %}";
    let variables = report(text).variables;
    let found: Vec<_> = variables.iter().map(|(name, span)| (name.as_str(), span.start)).collect();
    assert_eq!(found, [("name", 3), ("passages", 22), ("name", 49)]);
}

#[test]
fn attributes_have_the_place_of_their_first_use() {
    let uses = report("{{ passage.title }}{{ passage.title }}").uses;
    let title = uses.get("passage").unwrap().attribute("title").unwrap();
    assert_eq!(title.span.map(|span| (span.start, span.end)), Some((11, 16)));
}

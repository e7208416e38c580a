//! Values: the types that filters, loops, operators and attributes accept.

use super::{accepts, finding, findings, help};

#[test]
fn a_loop_needs_a_list() {
    assert_eq!(
        finding("{% for a in name %}{{ a }}{% endfor %}"),
        "wrong_value `name`: `name` is a string, but a loop needs a list"
    );
    assert!(finding("{% for a in age %}{% endfor %}").contains("is an integer"));
    assert_eq!(help("{% for a in age %}{% endfor %}"), "count with `range(age)`");
    accepts("{% for a in passage %}{{ a }}{% endfor %}{% for a in range(3) %}{{ a }}{% endfor %}");
}

#[test]
fn filters_fit_their_values() {
    assert_eq!(
        finding("{{ words | upper }}"),
        "wrong_value `upper`: `upper` does not accept a list"
    );
    assert!(help("{{ words | upper }}").contains("words | join(\", \") | upper"));
    assert_eq!(finding("{{ name | join }}"), "wrong_value `join`: `join` does not accept a string");
    assert!(finding("{{ age | length }}").contains("`length` does not accept an integer"));
    assert!(finding("{{ name | abs }}").contains("`abs` does not accept a string"));
    assert!(finding("{{ words | items }}").contains("`items` does not accept a list"));
    accepts("{{ age | upper }}{{ words | length }}{{ passage | length }}{{ name | first }}");
}

#[test]
fn the_type_follows_through_filters() {
    assert!(
        finding("{{ words | join(',') | first | join }}")
            .contains("`join` does not accept a string")
    );
    assert!(finding("{{ name | split | upper }}").contains("`upper` does not accept a list"));
    assert!(finding("{{ (words | length) | join }}").contains("does not accept an integer"));
    assert!(
        finding("{{ words | map('length') | first | join }}")
            .contains("does not accept an integer")
    );
    assert!(
        finding("{{ words | map('length') | map('join') }}")
            .contains("`join` does not accept an integer")
    );
    accepts("{% for k, v in passage | items %}{{ k | upper }}: {{ v }}{% endfor %}");
    accepts(
        "{% for g in passages | groupby('title') %}{{ g.grouper }}{% for p in g.list %}{{ p.title }}{% endfor %}{% endfor %}",
    );
}

#[test]
fn arguments_of_filters_are_checked() {
    assert!(finding("{{ name | upper(1) }}").contains("filter `upper` takes no arguments"));
    assert!(finding("{{ name | replace('a') }}").contains("takes 2 arguments, but the call has 1"));
    let named = findings("{{ name | replace(a='b') }}").concat();
    assert!(named.contains("takes 2 arguments, but the call has 1"), "{named}");
    assert!(finding("{{ words | join(sep=', ') }}").contains("unknown argument `sep` of `join`"));
    assert!(finding("{{ words | map }}").contains("needs the name of a filter"));
    assert!(finding("{{ range() }}").contains("function `range` takes 1 to 3 arguments"));
    assert!(finding("{{ age is divisibleby }}").contains("test `divisibleby` takes 1 argument"));
    assert!(finding("{{ age is divisibleby(0) }}").contains("division by zero"));
    assert!(finding("{% for w in words %}{{ loop.cycle() }}{% endfor %}").contains("loop.cycle"));
    assert!(
        finding("{% for i in range(0, 5, 0) %}{% endfor %}").contains("the step of `range` is 0")
    );
}

#[test]
fn a_range_with_a_step_is_counted() {
    for arguments in ["100001", "0, 100001", "0, 300003, 3", "5, 200008, 2"] {
        let text = format!("{{% for i in range({arguments}) %}}{{% endfor %}}");
        assert!(finding(&text).contains("`range` has more than 100000 numbers"), "{arguments}");
    }
    for arguments in ["100000", "0, 300000, 3", "3, 2, 1", "1, 200001, 2"] {
        let text = format!("{{% for i in range({arguments}) %}}{{% endfor %}}");
        assert_eq!(findings(&text), [""; 0], "{arguments}");
    }
}

#[test]
fn strings_numbers_and_lists_have_no_attributes() {
    assert_eq!(
        finding("{{ name.first }}"),
        "wrong_value `first`: `name` is a string and has no attributes"
    );
    assert_eq!(help("{{ words.length }}"), "write `words | length`");
    assert!(help("{{ passages.title }}").contains("{% for item in passages %}"));
    assert!(finding("{{ passages['title'] }}").contains("is a list and has no named items"));
    assert!(finding("{{ age[0] }}").contains("is an integer and has no items"));
}

#[test]
fn arithmetic_needs_numbers() {
    accepts(
        "{{ age + 1 }}{{ -age }}{{ score / 2 }}{{ name + 'x' }}{{ '-' * 20 }}{{ words + words }}",
    );
    assert!(finding("{{ name + age }}").contains("cannot apply `+` to a string and an integer"));
    assert!(help("{{ name + age }}").contains("join strings with `~`"));
    assert!(finding("{{ name * score }}").contains("cannot apply `*` to"));
    assert!(finding("{{ -name }}").contains("needs a number"));
    assert!(finding("{{ age // 0 }}").contains("division by zero"));
    accepts("{{ name ~ age ~ words }}");
}

#[test]
fn a_choice_is_compared_with_its_values() {
    accepts(
        "{% if tone == 'formal' %}x{% endif %}{% if tone in ['formal', 'casual'] %}y{% endif %}",
    );
    assert_eq!(
        finding("{% if tone == 'formel' %}x{% endif %}"),
        "wrong_value `'formel'`: `formel` is not a value of `tone`"
    );
    assert_eq!(help("{% if tone == 'formel' %}{% endif %}"), "a similar value exists: `formal`");
    assert_eq!(help("{% if 'x' != tone %}{% endif %}"), "available values: `formal`, `casual`");
    assert!(finding("{% if tone in ['formal', 'x'] %}{% endif %}").contains("`x` is not a value"));
    assert!(finding("{% if tone is eq('x') %}{% endif %}").contains("`x` is not a value"));
}

#[test]
fn values_of_different_types_are_not_compared() {
    assert!(finding("{% if age == '5' %}{% endif %}").contains("compared with a string"));
    assert!(finding("{% if name > 5 %}{% endif %}").contains("compared with an integer"));
    accepts(
        "{% if age >= 5.5 %}{% endif %}{% if 1 < age < 10 %}{% endif %}{% if anything == 1 %}{% endif %}",
    );
}

#[test]
fn in_searches_strings_lists_and_maps() {
    accepts("{% if 'a' in name and 'b' in words and 'title' in passage %}x{% endif %}");
    assert!(finding("{% if 1 in age %}{% endif %}").contains("`in` cannot search `age`"));
    assert!(finding("{% if name is in(age) %}{% endif %}").contains("`in` cannot search"));
}

#[test]
fn only_values_with_parts_can_be_unpacked() {
    assert!(finding("{% for a, b in passages %}{% endfor %}").contains("cannot unpack"));
    assert!(finding("{% for a, b, c in passage | items %}{% endfor %}").contains("3 names"));
    assert!(help("{% for k, v in passage %}{% endfor %}").contains("map | items"));
}

#[test]
fn only_strings_and_lists_can_be_sliced() {
    accepts("{{ name[1:3] }}{{ words[:2] | join }}");
    assert!(finding("{{ age[1:] }}").contains("cannot be sliced"));
    assert!(finding("{{ name[::0] }}").contains("the step of a slice is 0"));
    accepts("{{ name[::-1] }}");
    assert!(finding("{{ name[0:9:-1] }}").contains("a slice with bounds has a negative step"));
    assert!(finding("{{ name['a':] }}").contains("needs a number"));
}

#[test]
fn threads_and_media_can_only_be_printed_and_tested() {
    accepts("{{ history }}{{ picture }}{% for w in words %}{{ picture }}{% endfor %}");
    for text in [
        "{{ history | upper }}",
        "{{ picture | default('') }}",
        "{% for m in history %}{% endfor %}",
        "{{ history.length }}",
        "{{ history[0] }}",
        "{{ 'a' ~ picture }}",
        "{% set p = picture %}",
        "{% with p = picture %}{% endwith %}",
        "{% if picture == 'a' %}{% endif %}",
        "{{ range(picture) }}",
        "{{ [picture] }}",
        "{{ picture if premium else '' }}",
        "{{ premium and picture }}",
        "{{ picture or 'none' }}",
        "{{ (picture or 'none') | upper }}",
        "{% filter upper %}{{ picture }}{% endfilter %}",
        "{% set p %}{{ picture }}{% endset %}",
        "{% macro m() %}{{ picture }}{% endmacro %}{{ m() }}",
        "{% macro m(p) %}{{ p }}{% endmacro %}{{ m(picture) }}",
    ] {
        let found = findings(text);
        assert!(found[0].starts_with("misplaced_rich"), "{text}: {found:?}");
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
    accepts("{% if picture is defined %}{{ picture }}{% endif %}");
    accepts("{% if picture %}{{ picture }}{% elif history and not premium %}a{% endif %}");
    accepts("{{ 'a' if history or premium else 'b' }}");
}

#[test]
fn values_of_undeclared_types_have_no_findings() {
    accepts(
        "{{ anything.a.b | upper }}{% for x in anything %}{{ x.y + 1 }}{% endfor %}{{ foreign.total * 2 }}",
    );
}

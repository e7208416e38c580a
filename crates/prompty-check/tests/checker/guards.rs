//! Guards: where an optional value is known to be present.

use super::{accepts, finding, findings};

#[test]
fn an_optional_input_needs_a_guard_or_a_default() {
    assert_eq!(
        finding("{{ nickname }}"),
        "unguarded_optional `nickname`: `nickname` may be missing"
    );
    for text in [
        "{{ nickname | upper }}",
        "{{ nickname ~ 'x' }}",
        "{{ limit + 1 }}",
        "{% if nickname == 'x' %}{% endif %}",
        "{{ passage.note }}",
        "{% for p in passages %}{{ p.note }}{% endfor %}",
        "{% for i in range(limit) %}{% endfor %}",
        "{% set n = nickname %}{{ n }}",
    ] {
        assert!(finding(text).starts_with("unguarded_optional"), "{text}");
    }
}

#[test]
fn each_form_of_guard_counts() {
    for text in [
        "{% if nickname %}{{ nickname }}{% endif %}",
        "{% if not nickname %}-{% else %}{{ nickname }}{% endif %}",
        "{% if nickname is defined %}{{ nickname }}{% endif %}",
        "{% if nickname is not none %}{{ nickname }}{% endif %}",
        "{% if nickname is undefined %}-{% else %}{{ nickname }}{% endif %}",
        "{% if nickname is none %}-{% else %}{{ nickname }}{% endif %}",
        "{% if nickname != none %}{{ nickname }}{% endif %}",
        "{% if nickname == none %}-{% else %}{{ nickname }}{% endif %}",
        "{% if nickname is string %}{{ nickname }}{% endif %}",
        "{% if premium and nickname %}{{ nickname }}{% endif %}",
        "{% if nickname and nickname == 'x' %}{{ nickname }}{% endif %}",
        "{% if not nickname or nickname == 'x' %}a{% else %}{{ nickname }}{% endif %}",
        "{% if nickname or limit %}{{ nickname or 'x' }}{% endif %}",
        "{% if premium %}a{% elif nickname %}{{ nickname }}{% endif %}",
        "{% if not nickname %}a{% elif premium %}{{ nickname }}{% else %}{{ nickname }}{% endif %}",
        "{{ nickname if nickname else 'you' }}",
        "{{ 'you' if not nickname else nickname }}",
        "{{ nickname | default('you') }}",
        "{{ nickname | d('you', true) | upper }}",
        "{{ nickname or 'you' }}",
        "{% if nickname | default('') %}{{ nickname }}{% endif %}",
        "{% set n = nickname %}{% if n %}{{ nickname }}{% endif %}",
        "{% set n = nickname %}{% if nickname %}{{ n }}{% endif %}",
        "{% if not nickname %}{% set nickname = 'you' %}{% endif %}{{ nickname }}",
        "{% if passage.note %}{{ passage.note }}{% endif %}",
        "{% if passage['note'] %}{{ passage.note }}{% endif %}",
        "{% for p in passages %}{% if p.note %}{{ p.note }}{% endif %}{% endfor %}",
        "{% for p in passages if p.note %}{{ p.note }}{% endfor %}",
        "{% for e in extras %}{{ e }}{% endfor %}",
        "{% if extras %}{{ extras | join }}{% endif %}",
    ] {
        accepts(text);
    }
}

#[test]
fn a_guard_ends_with_its_block() {
    for text in [
        "{% if nickname %}{% endif %}{{ nickname }}",
        "{% if nickname %}{% else %}{{ nickname }}{% endif %}",
        "{% if nickname or premium %}{{ nickname }}{% endif %}",
        "{% if not (nickname and limit) %}a{% else %}b{% endif %}{{ nickname }}",
        "{% if nickname %}{{ limit }}{% endif %}",
        "{% for p in passages %}{% if p.note %}{% for q in passages %}{{ q.note }}{% endfor %}{% endif %}{% endfor %}",
        "{% if passages[0].note %}{{ passages[1].note }}{% endif %}",
        "{{ nickname if premium else 'x' }}",
        "{{ nickname | default(limit) }}",
    ] {
        assert!(findings(text).iter().any(|it| it.starts_with("unguarded_optional")), "{text}");
    }
}

#[test]
fn arithmetic_needs_a_guard_for_a_value_that_may_be_missing() {
    accepts("{{ words | first }}{{ 'x' if premium }}");
    assert!(finding("{{ [1, 2] | first + 1 }}").starts_with("unguarded_optional"));
    accepts("{% set n = [1, 2] | first %}{% if n %}{{ n + 1 }}{% endif %}");
}

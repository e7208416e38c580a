//! Tests which lines look like role markers in the output, and which are text.

use super::{RolePlace, RoleWriter, role_lines};
use crate::jinja::{Dialect, parse};
use prompty_core::work::count_steps;

/// Returns the source of the roles in such lines, with the lists of their loops.
fn find_roles(text: &str) -> Vec<(String, Option<String>)> {
    find_declared_roles(text, &|_, _| false)
}

fn find_declared_roles(
    text: &str,
    role_fields: &dyn Fn(&str, &str) -> bool,
) -> Vec<(String, Option<String>)> {
    let template = parse(text, &Dialect::PROMPT).unwrap_or_default();
    let lines = role_lines(text, &template, role_fields).into_iter();
    lines
        .map(|line| {
            let written = line.span.text_in(text).unwrap_or("a wrong span").trim().to_owned();
            (written, line.list)
        })
        .collect()
}

fn roles(text: &str) -> Vec<String> {
    find_roles(text).into_iter().map(|(role, _)| role).collect()
}

fn in_loop(body: &str) -> String {
    format!("user:\nHi\n{{% for m in items %}}\n{body}\n{{{{ m.text }}}}\n{{% endfor %}}\n")
}

#[test]
fn a_role_alone_on_its_line_is_found_with_any_tags_in_the_line() {
    for (line, role) in [
        ("{{ m.role }}:", "{{ m.role }}"),
        (" # {{ m.role }} : ", "{{ m.role }}"),
        ("{% set role = m.role %}{{ role }}:", "{{ role }}"),
        ("{{ m.role }}:{% if m.x %}", "{{ m.role }}"),
        ("{% if m.x %}{{ m.role }}{% endif %}:", "{{ m.role }}"),
        ("{# a turn #}{{ m.role }}: {# of it #}", "{{ m.role }}"),
        ("{{ m.role }}{{ ':' }}", "{{ m.role }}"),
        ("{{ m.role ~ ':' }}", "{{ m.role ~ ':' }}"),
        ("{{ m.role }}[name={{ m.name }}]:", "{{ m.role }}"),
        ("{{ '%s:'|format(m.role) }}", "{{ '%s:'|format(m.role) }}"),
        ("{{ '{}:'.format(m.role) }}", "{{ '{}:'.format(m.role) }}"),
        ("{{ '%s%s' % (m.role, ':') }}", "{{ '%s%s' % (m.role, ':') }}"),
        ("{{ [m.role, ':']|join }}", "{{ [m.role, ':']|join }}"),
    ] {
        let line = if line.ends_with("m.x %}") {
            format!("{line}\n{{% endif %}}")
        } else {
            line.to_owned()
        };
        assert_eq!(
            find_roles(&in_loop(&line)),
            [(role.to_owned(), Some("items".to_owned()))],
            "{line}"
        );
    }
}

#[test]
fn a_role_in_a_namespace_or_a_list_of_roles_is_found() {
    for line in [
        "{% set turn = namespace(who=m.role) %}{{ turn.who }}:",
        "{% set turn.who = 'user' %}{{ turn.who }}:",
        "{% for who in [m.role] %}{{ who }}:{% endfor %}",
        "{% for who in items | map(attribute='role') | unique %}{{ who }}:{% endfor %}",
    ] {
        assert_eq!(roles(&in_loop(line)).len(), 1, "{line}");
    }
    for line in [
        "{% set turn = namespace(who=m.name) %}{{ turn.who }}:",
        "{% set turn = namespace(who='user') %}{{ turn.name }}:",
        "{% for who in items | map(attribute='name') %}{{ who }}:{% endfor %}",
    ] {
        assert_eq!(roles(&in_loop(line)), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn a_line_has_the_name_of_its_list_if_it_can_be_an_input() {
    for (list, name) in [
        ("history", Some("history")),
        ("history[-5:]", Some("history")),
        ("history | reverse", Some("history")),
        ("range(2)", None),
        ("user.history", None),
        ("group", None),
    ] {
        let text = format!(
            "{{% for group in groups %}}{{% for m in {list} %}}\n{{{{ m.role }}}}:\n{{% endfor %}}{{% endfor %}}"
        );
        let lists: Vec<_> = find_roles(&text).into_iter().map(|(_, list)| list).collect();
        assert_eq!(lists, [name.map(str::to_owned)], "{list}");
    }
}

#[test]
fn a_role_that_tags_assemble_is_found() {
    let line = "{% if m.mine %}user{% else %}assistant{% endif %}:";
    assert_eq!(roles(&in_loop(line)), ["user", "assistant"]);
    let line = "{% if m.mine %}user:{% else %}assistant:{% endif %}";
    assert_eq!(roles(&in_loop(line)), ["user:", "assistant:"]);
    let text = in_loop(line);
    let template = parse(&text, &Dialect::PROMPT).unwrap_or_default();
    let lines = role_lines(&text, &template, &|_, _| false);
    assert!(lines.iter().all(|line| line.writer == RoleWriter::Text));
}

#[test]
fn a_role_is_recognised_by_its_expression() {
    for (before, role) in [
        ("", "m['role'] | lower"),
        ("", "m.get('role')"),
        ("", "m.role.value"),
        ("", "'user' if m.mine else 'assistant'"),
        ("", "{'a': 'user', 'b': 'assistant'}[m.kind]"),
        ("", "loop.cycle('user', 'assistant')"),
        ("", "m.kind | default('user')"),
        ("", "m.kind | replace('ai', 'assistant')"),
        ("{% set r = m.role %}", "r"),
        ("{% set r, c = m.role, m.text %}", "r"),
        ("{% set r %}{% if m.mine %}user{% else %}assistant{% endif %}{% endset %}", "r"),
        ("{% set kinds = ['user', 'assistant'] %}", "kinds[loop.index0 % 2]"),
        (
            "{% macro who(m) %}{% if m.mine %}user{% else %}assistant{% endif %}{% endmacro %}",
            "who(m)",
        ),
        ("{% if m.kind == 'user' %}Q{% endif %}\n", "m.kind"),
        ("{% if m.kind in ['user', 'assistant'] %}Q{% endif %}\n", "m.kind | title"),
    ] {
        let text = in_loop(&format!("{before}\n{{{{ {role} }}}}:"));
        assert_eq!(roles(&text), [format!("{{{{ {role} }}}}")], "{text}");
    }
}

#[test]
fn an_author_part_is_a_role_only_in_a_conversation() {
    let text = |item: &str, list: &str, part: &str| {
        format!(
            "{{% for {item} in {list} %}}\n{{{{ {item}.{part} }}}}:\n{{{{ {item}.text }}}}\n{{% endfor %}}"
        )
    };
    for (item, list) in [
        ("m", "chat_history"),
        ("m", "previous_messages[-3:]"),
        ("turn", "items"),
        ("m", "user.history"),
    ] {
        for part in ["author", "from", "type", "get('type')"] {
            assert_eq!(roles(&text(item, list, part)).len(), 1, "{item} {list} {part}");
        }
    }
    let pairs = |list| {
        format!("{{% for who, said in {list} %}}\n{{{{ who }}}}:\n{{{{ said }}}}\n{{% endfor %}}")
    };
    assert_eq!((roles(&pairs("history")).len(), roles(&pairs("quotes")).len()), (1, 0));
    for part in ["m[0]", "m.name"] {
        let text = format!("{{% for m in history %}}\n{{{{ {part} }}}}:\nx\n{{% endfor %}}");
        assert_eq!((roles(&text).len(), roles(&text.replace("history", "rows")).len()), (1, 0));
    }
    for (first, is_who) in [("r", true), ("s", true), ("time", false), ("i", false), ("q", false)] {
        let text = pairs("history").replace("who", first);
        assert_eq!(roles(&text).len(), usize::from(is_who), "{first}");
    }
    for list in ["documents", "purchase_history", "error_messages", "comments"] {
        for part in ["author", "from", "type", "title"] {
            assert!(roles(&text("it", list, part)).is_empty(), "{list} {part}");
        }
    }
    assert_eq!(
        roles("{% for speaker, text in pairs %}\n{{ speaker }}:\n{{ text }}\n{% endfor %}").len(),
        1
    );
}

#[test]
fn groups_by_role_begin_with_a_role() {
    let groups = |target: &str, role: &str, part: &str| {
        roles(&format!(
            "{{% for {target} in items | groupby('{part}') %}}\n{{{{ {role} }}}}:\n{{% endfor %}}"
        ))
    };
    for (target, role) in [("g", "g.grouper"), ("g", "g[0]"), ("who, said", "who")] {
        assert_eq!(groups(target, role, "role").len(), 1, "{role}");
        assert!(groups(target, role, "city").is_empty(), "{role}");
    }
}

#[test]
fn a_part_that_is_declared_to_contain_roles_is_a_role() {
    let text = "{% for m in items %}\n{{ m.kind }}:\n{{ m.text }}\n{% endfor %}";
    let declares = |list: &str, part: &str| (list, part) == ("items", "kind");
    assert_eq!(find_declared_roles(text, &declares).len(), 1);
    assert!(find_roles(text).is_empty());
    let other = text.replace("m.kind", "m.title");
    assert!(find_declared_roles(&other, &declares).is_empty());
}

#[test]
fn a_macro_writes_its_lines_where_it_is_called() {
    let turn = "{% macro turn(who, text) %}\n{{ who }}:\n{{ text }}\n{% endmacro %}";
    let call = "{% for m in items %}{{ turn(m.role, m.text) }}{% endfor %}";
    assert_eq!(find_roles(&format!("{turn}{call}")), [("{{ who }}".to_owned(), None)]);
    let inline = "{% macro who(m) %}{{ m.role }}:{% endmacro %}";
    let one_line = "{% for m in items %}{{ who(m) }} {{ m.text }}\n{% endfor %}";
    assert!(find_roles(&format!("{inline}{one_line}")).is_empty());
    let two_lines = "{% for m in items %}{{ who(m) }}\n{{ m.text }}\n{% endfor %}";
    assert_eq!(roles(&format!("{inline}{two_lines}")).len(), 1);
    assert!(find_roles(turn).is_empty(), "it is never called");
    let recursive = "{% macro a() %}{{ a() }}{{ role }}:\n{% endmacro %}{{ a() }}";
    assert!(roles(recursive).len() <= 1);
}

#[test]
fn captured_or_filtered_text_has_no_role_lines() {
    let turns = in_loop("{{ m.role }}:");
    for text in [
        format!("{{% set t %}}{turns}{{% endset %}}{{{{ t }}}}"),
        format!("{{% filter trim %}}{turns}{{% endfilter %}}"),
        format!(
            "{{% macro box() %}}{{{{ caller() }}}}{{% endmacro %}}{{% call box() %}}{turns}{{% endcall %}}"
        ),
        format!("{{% macro all() %}}{turns}{{% endmacro %}}{{{{ all() | trim }}}}"),
        format!("{{% macro all() %}}{turns}{{% endmacro %}}{{% set t = all() %}}{{{{ t }}}}"),
    ] {
        assert!(find_roles(&text).is_empty(), "{text}");
    }
}

#[test]
fn a_transcript_a_heading_and_a_marker_are_not_role_lines() {
    for line in [
        "{{ m.role }}: {{ m.text }}",
        "- {{ m.role }}:",
        "{{ m.role }}: {% if m.x %}yes{% else %}no{% endif %}",
        "The {{ m.role }}:",
        "{{ 'The ' ~ m.role }}:",
        "{{ 'The %s:'|format(m.role) }}",
        "{{ '%s: %s'|format(m.role, m.text) }}",
        "{{ [m.role, m.text]|join(':') }}",
        "{{ m.title }}:",
        "Name: {{ m.role }}:",
        "{{ m.role }}",
        "{{ 'user:' }}",
        "user:",
        "user[name={{ m.role }}]:",
        "{% if m.mine -%}\nuser:\n{%- endif %}",
    ] {
        assert_eq!(roles(&in_loop(line)), [""; 0], "{line}");
    }
}

#[test]
fn a_line_outside_of_loops_has_the_place_template() {
    for text in [
        "{{ m.role }}:\n{{ m.content }}",
        "{% for m in items %}{{ m.text }}{% else %}\n{{ role }}:\n{% endfor %}",
    ] {
        let template = parse(text, &Dialect::PROMPT).unwrap_or_default();
        let lines = role_lines(text, &template, &|_, _| false);
        assert_eq!(lines.first().map(|line| line.place), Some(RolePlace::Template), "{text}");
    }
}

#[test]
fn the_work_is_proportional_to_the_length_of_the_template() {
    let work = |text: &str| {
        let template = parse(text, &Dialect::PROMPT).unwrap_or_default();
        assert!(!template.nodes.is_empty());
        let (lines, steps) = count_steps(|| role_lines(text, &template, &|_, _| false));
        steps + u64::try_from(lines.len()).unwrap_or_default()
    };
    for unit in [
        "{% for m in items %}{{ m.role }}:\n{% endfor %}",
        "{% macro a(x) %}{{ x }}:\n{% endmacro %}{{ a(role) }}",
        "{{ role }}{% if x %}user{% endif %}",
        "user:\n",
    ] {
        let (one, four) = (work(&unit.repeat(400)), work(&unit.repeat(1600)));
        assert!(four <= 5 * one, "{unit}: {one} and {four}");
    }
}

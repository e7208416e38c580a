//! Complete reports, as users see them.

use prompty_check::check::{CheckOptions, check};
use prompty_core::diagnostic::SourceText;

fn rendered(text: &str) -> String {
    let source = SourceText::new("prompts/support.prompty", text);
    let checked = check(source, &CheckOptions::new());
    let reports: Vec<String> =
        checked.report.diagnostics.iter().map(|finding| finding.render(&checked.source)).collect();
    reports.join("\n")
}

#[test]
fn all_mistakes_of_a_prompt_are_reported_at_once() {
    let text = "---
name: support
inputs:
  question: {kind: string, required: true}
  passages:
    kind: array
    required: true
    items:
      kind: object
      properties:
        title: {kind: string, required: true}
        text: {kind: string, required: true}
  nickname: {kind: string}
  history: {kind: thread}
---
sytem:
You help {{ nickname }}.
{% for p in passges %}
{{ p.titel | uper }}
{% endfor %}
{% for p in passages %}{{ p.titel | join }}{% endfor %}
{{ history | length }}
{{ question -}}
user:
{{ question
";
    insta::assert_snapshot!(rendered(text), @r"
    error: `{{` is never closed
      --> prompts/support.prompty:25:1
       |
    25 | {{ question
       | ^^
       |
       = help: close it with `}}`
    ");
    let text = text.replace("{{ question\n", "{{ question }}\n");
    insta::assert_snapshot!(rendered(&text), @r#"
    error: `sytem:` is not a role marker
      --> prompts/support.prompty:16:1
       |
    16 | sytem:
       | ^^^^^^ is text
       |
       = help: a role with a similar name exists: `system`
       = help: if it is meant as text, write `{{ "sytem:" }}`

    error: `nickname` may be missing
      --> prompts/support.prompty:17:13
       |
    17 | You help {{ nickname }}.
       |             ^^^^^^^^ printed with no guard and no default
       |
       = help: guard it with `{% if nickname %}`, or write `nickname | default("")`
       = help: or make it required, or give it a default

    error: unknown input `passges`
      --> prompts/support.prompty:18:13
       |
    18 | {% for p in passges %}
       |             ^^^^^^^ not an input of this prompt
       |
       = help: an input with a similar name exists: `passages`

    error: unknown filter `uper`
      --> prompts/support.prompty:19:14
       |
    19 | {{ p.titel | uper }}
       |              ^^^^ no such filter
       |
       = help: a filter with a similar name exists: `upper`

    error: unknown attribute `titel`
      --> prompts/support.prompty:21:29
       |
    21 | {% for p in passages %}{{ p.titel | join }}{% endfor %}
       |                             ^^^^^ not an attribute of `p`
       |
       = help: an attribute with a similar name exists: `title`

    error: a thread cannot be filtered
      --> prompts/support.prompty:22:4
       |
    22 | {{ history | length }}
       |    ^^^^^^^ `history` is a thread, not a string
       |
       = help: write it on its own line, between two messages: `{{ history }}`

    error: white-space control removes the line break before `user:`
      --> prompts/support.prompty:24:1
       |
    24 | user:
       | ^^^^^ the output has no line with only this marker
       |
       = help: remove the `-` at the end of the tag before it
    "#);
}

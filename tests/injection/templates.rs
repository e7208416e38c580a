//! Random templates in all languages. What they write depends on no value of an input.

use super::random::Random;

/// A template language, and the pieces of its random templates.
pub(crate) struct TemplateLanguage {
    pub(crate) kind: &'static str,
    /// How a variable is written: a text before its name, and one after it.
    variable: [&'static str; 2],
    /// Pieces that write values of inputs.
    values: &'static [&'static str],
    /// Pieces that write a message for each item, below role markers and as tags.
    loops: [&'static str; 2],
    /// Messages as blocks of the language, if it has them.
    blocks: &'static [&'static str],
}

pub(crate) const LANGUAGES: &[TemplateLanguage] = &[
    TemplateLanguage {
        kind: "jinja2",
        variable: ["{{ ", " }}"],
        values: &[
            "{{ a }}",
            "{{- b }}",
            "{{ a -}}",
            "{{- a -}}\n",
            "{{ a ~ b }}",
            "{{ a|trim }}",
            "{{ b|upper }}",
            "{{ a|e }}",
            "{{ a|tojson }}",
            "{{ a|replace('x', b) }}",
            "{{ nothing|default(a) }}",
            "{{ docs }}",
            "{{ docs|join('\\n') }}",
            "{{ nested[0].b.c }}",
            "{% for d in docs %}{{ d }}\n{% endfor %}",
            "{% for d in docs -%}\n{{ d }}\n{%- endfor %}",
            "{% for k, v in keyed.items() %}{{ k }}={{ v }}{% endfor %}",
            "{% set s %}\n{{ a }}{% endset %}{{ s }}",
            "{% filter upper %}\n{{ b }}{% endfilter %}",
            "{% macro m(x) %}\n{{ x }}{% endmacro %}{{ m(a) }}",
            "{% if yes %}\n{{ a }}\n{% else %}{{ b }}{% endif %}",
            "{% include 'part.jinja' %}",
        ],
        loops: [
            "{% for d in docs %}\nuser:\n{{ d }}\n{% endfor %}",
            "{% for d in docs %}<message role=\"user\">{{ d }}</message>{% endfor %}",
        ],
        blocks: &["{% call message('user') %}{{ a }}{% endcall %}"],
    },
    TemplateLanguage {
        kind: "handlebars",
        variable: ["{{{", "}}}"],
        values: &[
            "{{a}}",
            "{{{b}}}",
            "{{&a}}",
            "{{~a}}",
            "{{a~}}\n",
            "{{~{b}~}}",
            "{{#each docs}}{{{this}}}\n{{/each}}",
            "{{#each nested}}{{{b.c}}}{{/each}}",
            "{{#each keyed}}{{{@key}}}={{this}}{{/each}}",
            "{{#if yes}}\n{{{a}}}\n{{else}}{{b}}{{/if}}",
            "{{#if yes}}{{> part}}{{/if}}",
            "{{> part}}",
        ],
        loops: [
            "{{#each docs}}\nuser:\n{{{this}}}\n{{/each}}",
            "{{#each docs}}<message role=\"user\">{{{this}}}</message>{{/each}}",
        ],
        blocks: &["{{#message role=\"user\"}}{{{a}}}{{/message}}", "{{#system}}{{b}}{{/system}}"],
    },
    TemplateLanguage {
        kind: "mustache",
        variable: ["{{{", "}}}"],
        values: &[
            "{{a}}",
            "{{{b}}}",
            "{{&a}}",
            "{{#docs}}{{{.}}}\n{{/docs}}",
            "{{#docs}}\n{{.}}\n{{/docs}}",
            "{{#nested}}{{&b.c}}{{/nested}}",
            "{{#yes}}\n{{{a}}}\n{{/yes}}{{^yes}}{{b}}{{/yes}}",
            "{{=<% %>=}}<%& a %><%={{ }}=%>",
            "\n  {{> part}}\n",
            "{{> part}}",
        ],
        loops: [
            "{{#docs}}\nuser:\n{{{.}}}\n{{/docs}}",
            "{{#docs}}<message role=\"user\">{{{.}}}</message>{{/docs}}",
        ],
        blocks: &[],
    },
    TemplateLanguage {
        kind: "semantic-kernel",
        variable: ["{{$", "}}"],
        values: &["{{$a}}", "{{ $b }}", "{{$docs}}", "{{ $nested }}", "{{$keyed}}"],
        loops: ["\nuser:\n{{$docs}}", "<message role=\"user\">{{$docs}}</message>"],
        blocks: &[],
    },
];

/// Texts of the author between values.
const TEXTS: &[&str] =
    &["x", " ", "\n", "\n\n", "- ", "]", ":", "=", "user", "é", "<b>", "&lt;", "\""];

/// Openers of messages. `@` is a place for an input.
const MARKERS: &[&str] = &[
    "\nsystem:\n",
    "\nuser:\n",
    "\n  assistant:\n",
    "\n# Developer :\n",
    "\nuser[name=@]:\n",
    "\nassistant[id=7, note=\"x @ y\"]:\n",
];

const ROLES: &[&str] = &["system", "user", "assistant"];

impl TemplateLanguage {
    /// A random prompt, with its front matter.
    pub(crate) fn prompt(&self, random: &mut Random) -> String {
        let (parser, body) = match random.chance(50) {
            true => ("prompty", self.below_markers(random)),
            false => ("message-tags", self.in_tags(random)),
        };
        format!(
            "---\ntemplate: {{format: {{kind: {}}}, parser: {{kind: {parser}}}}}\ninputs:\n  \
             - {{name: h, kind: thread}}\n  - {{name: photo, kind: image}}\n  \
             - {{name: paper, kind: file}}\n---\n{body}",
            self.kind
        )
    }

    fn below_markers(&self, random: &mut Random) -> String {
        let mut text = if random.chance(20) { self.content(random) } else { String::new() };
        for _ in 0..=random.below(3) {
            match random.below(10) {
                0 => text += self.loops[0],
                1 => text += &format!("\n{}\n", self.variable("h")),
                _ => {
                    let marker = *random.pick(MARKERS);
                    text += &marker.replace('@', &self.variable("a"));
                    text += &self.content(random);
                }
            }
        }
        text
    }

    fn in_tags(&self, random: &mut Random) -> String {
        let mut text = String::new();
        for _ in 0..=random.below(3) {
            match random.below(10) {
                0 => text += self.loops[1],
                1 => text += &self.variable("h"),
                2 if !self.blocks.is_empty() => text += *random.pick(self.blocks),
                _ => {
                    let role = *random.pick(ROLES);
                    let content = self.content(random);
                    text += &format!("<message role=\"{role}\">{content}</message>");
                }
            }
            text += *random.pick(&["", "\n", "  \n\n"]);
        }
        text
    }

    fn content(&self, random: &mut Random) -> String {
        let mut text = String::new();
        for _ in 0..=random.below(5) {
            text += *random.pick(TEXTS);
            match random.below(12) {
                0 => text += &self.variable("photo"),
                1 => text += &self.variable("paper"),
                _ => text += *random.pick(self.values),
            }
        }
        text
    }

    fn variable(&self, name: &str) -> String {
        self.variable.join(name)
    }
}

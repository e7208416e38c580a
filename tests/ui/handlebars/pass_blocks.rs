//! Blocks, helpers, comments and role lines.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { names: &[&str], polite: bool, nickname: Option<&str>, count: u32 },
    "
system:
{{! a comment }}
{{#if polite}}
Be polite to {{#if nickname}}{{nickname}}{{else}}the user{{/if}}.
{{/if}}
user:
{{#each names as |name|}}{{@index}} {{name}} of {{../count}}{{#unless @last}}, {{/unless}}{{else}}nobody{{/each}}
{{add count 1}} {{#if (equals count 2)}}two{{/if}}
"
);

#[test]
fn main() {}

//! Calls of  that do not close what they open, and blocks with a wrong role.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str },
    "
{{ message('system') }}
Be brief.
{{ message('user') }}
{{ question }}
{{ message('user') }}
{% call message('bot') %}Why?{% endcall %}
"
);

fn main() {}

//! A message that is opened in a branch, and closed behind it.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str, polite: bool },
    "
{% if polite %}
<message role=\"system\">
{% endif %}
{{ question }}
</message>
"
);

fn main() {}

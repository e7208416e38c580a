//! Tags, calls and blocks mark messages.

use typed_prompty::prompt;

use typed_prompty::Message;

prompt!(
    #[prompt(parser = "message-tags")]
    Tags { question: &str, history: &[Message] },
    "
<message role=\"system\">Use <b>short</b> words &amp; be brief.</message>
{{ history }}
<message role=\"user\" name=\"{{ question }}\">
  <text>{{ question }}</text><image>https://example.com/{{ question }}</image>
</message>
"
);

prompt!(
    #[prompt(parser = "message-tags")]
    Calls { question: &str },
    "
{{ message('system') }}
Be brief.
{{ message('system') }}
{% call message('user', name=question) %}{{ question }}{% endcall %}
{% call assistant() %}Hm.{% endcall %}
"
);

prompt!(
    #[prompt(format = "mustache", parser = "message-tags")]
    Sections { questions: &[&str] },
    "{{#questions}}<message role=\"user\">{{.}}</message>{{/questions}}"
);

prompt!(
    #[prompt(format = "semantic-kernel", parser = "message-tags")]
    Kernel { question: &str },
    "{{message role='user'}}{{$question}}{{message role='user'}}"
);

#[test]
fn main() {}

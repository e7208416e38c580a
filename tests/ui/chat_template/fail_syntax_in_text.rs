//! A mistake in a text is shown in the program.

use typed_prompty::chat_template;

chat_template!(
    Local,
    source = "
{% for m in messages %}
<{{ m.role }}>{{ m.content }}
{% endfr %}
"
);

fn main() {}

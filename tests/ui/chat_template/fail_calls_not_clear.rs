//! A template from which it does not become clear how calls are written.

use typed_prompty::chat_template;

chat_template!(
    Local,
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls or [] %}
{{ c.function.arguments.zqkeyaqz }} {{ c.function.name }}{% endfor %}</>{% endfor %}"
);

fn main() {}

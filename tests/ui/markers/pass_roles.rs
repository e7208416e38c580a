//! Markers as they should be, in blocks of their own too.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str, formal: bool },
    "
{% if formal %}
system:
Be formal.
{% endif %}

user[name=\"Ada\"]:
I am {{ name }}.

assistant:
Hello.

  User:  
Bye.
"
);

#[test]
fn main() {}

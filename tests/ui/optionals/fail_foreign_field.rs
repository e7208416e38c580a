//! A field of a struct that the checker does not know is an `Option`, and nothing guards it.

use typed_prompty::prompt;

pub struct User {
    pub email: Option<String>,
    pub next: Option<u32>,
}

prompt!(Ask { user: &User }, "
user:
Mail: {{ user.email }}
{% if user.email %}Again: {{ user.email | upper }}{% endif %}
");

prompt!(Count { user: &User, users: &[User] }, "
user:
Next: {{ user.next + 1 }}
{% for user in users %}{{ user.email | title }}{% endfor %}
");

fn main() {}

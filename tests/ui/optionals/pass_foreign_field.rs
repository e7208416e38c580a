//! What guards a field that is an `Option`, or stands in for it.

use typed_prompty::prompt;

pub struct User {
    pub email: Option<String>,
    pub next: Option<u32>,
    pub tags: Vec<Option<String>>,
}

prompt!(
    Ask { user: &User, users: &[User] },
    r#"
user:
{% if user.email %}{{ user.email | upper }}{% endif %} {{ user.email or "-" }}
{{ user.email | default("none") | upper }} {% if user.email is not none %}{{ user.email }}{% endif %}
{% for user in users if user.email %}{{ user.email }}{% endfor %}
{% set mail = user.email | default("none") %}{{ mail }}
{% if not user.email %}no{% else %}{{ user.email }}{% endif %} {{ user.email | tojson }}
"#
);

prompt!(
    Count { user: &User },
    r#"
user:
{{ user.next + 1 if user.next else 0 }} {{ (user.next | default(0)) * 2 }}
{% for tag in user.tags %}{{ tag or "" }}{% endfor %} {{ user.tags | length }}
"#
);

#[test]
fn main() {}

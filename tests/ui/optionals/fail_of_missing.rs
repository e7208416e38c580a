//! A field of a foreign struct that is an `Option`, whose own field is read with no guard.

use typed_prompty::prompt;

pub struct User {
    pub address: Option<Address>,
    pub homes: Vec<Option<Address>>,
}

pub struct Address {
    pub city: String,
}

prompt!(Ask { user: &User }, "
user:
{% if user.address %}{{ user.address.city }}{% endif %} {{ user.address.city or 'none' }}
{{ user.address.city }}
");

prompt!(Filtered { user: &User }, "
user:
{{ user.address.city | title }}
");

prompt!(Looped { user: &User }, "
user:
{% for home in user.homes %}{{ home.city }}{% endfor %}
");

fn main() {}

//! Fuel that is no number, and fuel that is given twice.

use typed_prompty::chat_template;

chat_template!(pub Text, source = "{% for m in messages %}{{ m.content }}{% endfor %}", probe_fuel = "many");

chat_template!(
    pub Twice,
    source = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}",
    probe_fuel = 1_000_000,
    probe_fuel = 2_000_000
);

fn main() {}

//! Whatever is `Display` can be written, without an implementation of ours.

use std::fmt::{self, Display};
use std::net::IpAddr;
use std::num::NonZeroU32;

use typed_prompty::{Prompt, ToValue, prompt};

pub enum Tone {
    Formal,
}

impl Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("formal")
    }
}

pub struct Order {
    pub from: IpAddr,
    pub seen: Option<IpAddr>,
    pub all: Vec<IpAddr>,
}

#[derive(ToValue)]
pub struct Row {
    from: IpAddr,
    seen: Option<IpAddr>,
}

prompt!(
    #[prompt(compiled)]
    Ask { tone: Tone, order: &Order, any: Box<dyn Display>, lent: &dyn Display, at: Option<IpAddr>, count: NonZeroU32 },
    r#"
system:
{{ tone }} {{ tone | upper }} {{ tone ~ "!" }} {% if tone == "formal" %}yes{% endif %}
{{ order.from }} {% if order.seen %}{{ order.seen }}{% endif %} {{ order.all | join(", ") }}
{{ any }} {{ lent }} {{ at | default("nowhere") }} {% if count > 3 %}{{ count }}{% endif %}
{{ order.all | tojson }} {% for from in order.all %}{{ from }}{% endfor %}
"#
);

prompt!(ByEngine { tone: Tone, order: &Order, at: Option<IpAddr>, rows: &[Row] }, r#"
system:
{{ tone | title }} {{ order.from }} {{ order.all | sort | join(", ") }} {{ at | default("nowhere") }}
{{ rows }}
"#);

prompt!(Generic<T: Display> { value: T, list: Vec<T> }, "
user:
{{ value }}{% for value in list %}{{ value }}{% endfor %}
");

prompt!(Short { tone: Tone, price: f64 }, system: "Be {tone}.", user: "{price} {tone:>9}");

#[test]
fn main() {
    let order = Order { from: [1, 1, 1, 1].into(), seen: None, all: vec![[2, 2, 2, 2].into()] };
    let rows = [Row { from: order.from, seen: None }];
    let asked = Ask {
        tone: Tone::Formal,
        order: &order,
        any: Box::new(1),
        lent: &"x",
        at: None,
        count: NonZeroU32::MAX,
    };
    assert_eq!(
        asked.messages().unwrap()[0].text(),
        "formal FORMAL formal! yes\n1.1.1.1  2.2.2.2\n1 x nowhere 4294967295\n[\"2.2.2.2\"] 2.2.2.2"
    );
    let by_engine = ByEngine { tone: Tone::Formal, order: &order, at: None, rows: &rows };
    assert_eq!(
        by_engine.messages().unwrap()[0].text(),
        "Formal 1.1.1.1 2.2.2.2 nowhere\n[{\"from\": \"1.1.1.1\", \"seen\": null}]"
    );
    assert_eq!(Generic { value: 1, list: vec![2] }.messages().unwrap()[0].text(), "12");
    let short = Short { tone: Tone::Formal, price: 2.0 }.messages().unwrap();
    assert_eq!((short[0].text(), short[1].text()), ("Be formal.".into(), "2 formal".into()));
}

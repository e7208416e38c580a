//! Maps with any keys: numbers, identifiers, and enums of the program.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;

use typed_prompty::{Prompt, ToValue, prompt};

#[derive(ToValue, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Low,
    High,
}

pub struct Passage {
    pub title: &'static str,
}

pub struct Report {
    pub pages: HashMap<u32, &'static str>,
    pub seen: BTreeMap<Ipv4Addr, bool>,
}

prompt!(
    #[prompt(compiled)]
    Compiled {
        x: BTreeMap<u32, String>,
        levels: &BTreeMap<Level, u8>,
        hosts: BTreeMap<Ipv4Addr, Ipv4Addr>,
        passages: &HashMap<u32, Passage>,
        report: &Report,
    },
    "
user:
{{ x }} {{ x | tojson }} {% for k, v in x | items %}{{ k }}={{ v }};{% endfor %}{% for k in x %}{{ k }}{% endfor %}
{{ levels }} {{ hosts }} {% for host, to in hosts.items() %}{{ host }}>{{ to }}{% endfor %}
{% for id, passage in passages | items %}{{ id }} {{ passage.title }};{% endfor %}
{{ report.pages }} {{ report.seen }} {{ report.seen | tojson }} {{ report.pages | length }}
"
);

prompt!(ByEngine { x: BTreeMap<u32, String>, hosts: BTreeMap<Ipv4Addr, Ipv4Addr>, report: &Report }, r#"
user:
{{ x }} {{ x | tojson }} {% for k, v in x | items %}{{ k | string | title }}={{ v }};{% endfor %}
{{ x[1] }}{{ x["10"] }} {{ hosts }} {{ report.pages }} {{ report.seen | tojson }}
"#);

prompt!(Short { x: BTreeMap<u32, String> }, user: "{x}");

#[test]
fn main() {
    let x = BTreeMap::from([(1, "a".to_owned()), (10, "b".to_owned())]);
    let levels = BTreeMap::from([(Level::Low, 1), (Level::High, 2)]);
    let (local, any) = (Ipv4Addr::LOCALHOST, Ipv4Addr::UNSPECIFIED);
    let hosts = BTreeMap::from([(local, any)]);
    let passages = HashMap::from([(10, Passage { title: "T" }), (9, Passage { title: "S" })]);
    let report = Report {
        pages: HashMap::from([(10, "end"), (9, "start")]),
        seen: BTreeMap::from([(local, true)]),
    };
    let compiled = Compiled::new(x.clone(), &levels, hosts.clone(), &passages, &report);
    assert_eq!(
        compiled.messages().unwrap()[0].text(),
        "{\"1\": \"a\", \"10\": \"b\"} {\"1\": \"a\", \"10\": \"b\"} 1=a;10=b;110\n\
         {\"Low\": 1, \"High\": 2} {\"127.0.0.1\": \"0.0.0.0\"} 127.0.0.1>0.0.0.0\n\
         9 S;10 T;\n\
         {\"9\": \"start\", \"10\": \"end\"} {\"127.0.0.1\": true} {\"127.0.0.1\": true} 2"
    );
    let by_engine = ByEngine::new(x.clone(), hosts, &report);
    assert_eq!(
        by_engine.messages().unwrap()[0].text(),
        "{\"1\": \"a\", \"10\": \"b\"} {\"1\": \"a\", \"10\": \"b\"} 1=a;10=b;\n\
         ab {\"127.0.0.1\": \"0.0.0.0\"} {\"9\": \"start\", \"10\": \"end\"} {\"127.0.0.1\": true}"
    );
    assert_eq!(Short::new(x).messages().unwrap()[0].text(), "{\"1\": \"a\", \"10\": \"b\"}");
}

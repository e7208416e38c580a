//! Nothing of a value is lost when it prints as JSON: the text is the value's form in serde.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::Ipv4Addr;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;
use typed_prompty::{Prompt, ToValue, prompt};

/// A struct that implements nothing of ours, with the attributes of serde that change its form.
#[derive(Debug, Clone, Serialize)]
struct Foreign {
    #[serde(rename = "renamed")]
    ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(flatten)]
    more: BTreeMap<String, (i64, bool)>,
    kind: Kind,
}

#[derive(Debug, Clone, Serialize)]
enum Kind {
    Plain,
    Pair(u8, char),
    Keyed { by_number: BTreeMap<u32, Option<i8>> },
}

/// A struct with our derive.
#[derive(Debug, Clone, Serialize, ToValue)]
struct Own {
    by_number: BTreeMap<i16, f64>,
    items: Vec<Option<String>>,
}

prompt!(
    #[prompt(compiled)]
    Compiled {
        numbers: BTreeMap<u32, Vec<f64>>,
        flags: HashMap<bool, String>,
        rows: Vec<BTreeMap<char, Option<i64>>>,
        hosts: &BTreeMap<Ipv4Addr, Ipv4Addr>,
        pair: (String, BTreeMap<u8, u8>),
        sets: VecDeque<BTreeSet<i8>>,
        data: Json,
        own: Vec<Own>,
        foreign: Foreign,
        all: Vec<Option<Foreign>>,
        by_host: HashMap<Ipv4Addr, Foreign>,
    },
    "
user:
{{ numbers }}
{{ flags }}
{{ rows }}
{{ hosts }}
{{ pair }}
{{ sets }}
{{ data | tojson }}
{{ own }}
{{ foreign }}
{{ all }}
{{ by_host }}
"
);

prompt!(
    ByEngine {
        numbers: BTreeMap<u32, Vec<f64>>,
        flags: HashMap<bool, String>,
        rows: Vec<BTreeMap<char, Option<i64>>>,
        hosts: &BTreeMap<Ipv4Addr, Ipv4Addr>,
        pair: (String, BTreeMap<u8, u8>),
        sets: VecDeque<BTreeSet<i8>>,
        data: Json,
        own: Vec<Own>,
        foreign: Foreign,
        all: Vec<Option<Foreign>>,
        by_host: HashMap<Ipv4Addr, Foreign>,
    },
    "
user:
{{ numbers }}
{{ flags }}
{{ rows }}
{{ hosts }}
{{ pair }}
{{ sets }}
{{ data | tojson }}
{{ own }}
{{ foreign }}
{{ all }}
{{ by_host }}{{ \"\".upper() }}
"
);

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>().prop_filter("JSON has no others", |it| it.is_finite()), Just(1.0)]
}

fn data() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        float().prop_map(Json::from),
        any::<String>().prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let map = btree_map(any::<String>(), inner.clone(), 0..4);
        let map = map.prop_map(|map| Json::Object(map.into_iter().collect()));
        prop_oneof![vec(inner, 0..4).prop_map(Json::Array), map]
    })
}

fn foreign() -> impl Strategy<Value = Foreign> {
    let kind = prop_oneof![
        Just(Kind::Plain),
        any::<(u8, char)>().prop_map(|(first, second)| Kind::Pair(first, second)),
        any::<BTreeMap<u32, Option<i8>>>().prop_map(|by_number| Kind::Keyed { by_number }),
    ];
    let more = btree_map("[a-d]", any::<(i64, bool)>(), 0..4);
    (float(), any::<Option<String>>(), more, kind).prop_map(|(ratio, note, more, kind)| Foreign {
        ratio,
        note,
        more,
        kind,
    })
}

fn own() -> impl Strategy<Value = Own> {
    (btree_map(any::<i16>(), float(), 0..4), vec(any::<Option<String>>(), 0..4))
        .prop_map(|(by_number, items)| Own { by_number, items })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_value_prints_with_all_that_its_serde_form_contains(
        numbers in btree_map(any::<u32>(), vec(float(), 0..3), 0..3),
        flags in any::<HashMap<bool, String>>(),
        rows in vec(btree_map(any::<char>(), any::<Option<i64>>(), 0..3), 0..3),
        hosts in btree_map(any::<Ipv4Addr>(), any::<Ipv4Addr>(), 0..3),
        pair in any::<(String, BTreeMap<u8, u8>)>(),
        sets in vec(any::<BTreeSet<i8>>(), 0..3),
        data in data(),
        own in vec(own(), 0..3),
        foreign in foreign(),
        all in vec(proptest::option::of(foreign()), 0..3),
        by_host in proptest::collection::hash_map(any::<Ipv4Addr>(), foreign(), 0..3),
    ) {
        let sets = VecDeque::from(sets);
        let forms = [
            serde_json::to_value(&numbers),
            serde_json::to_value(&flags),
            serde_json::to_value(&rows),
            serde_json::to_value(&hosts),
            serde_json::to_value(&pair),
            serde_json::to_value(&sets),
            serde_json::to_value(&data),
            serde_json::to_value(&own),
            serde_json::to_value(&foreign),
            serde_json::to_value(&all),
            serde_json::to_value(&by_host),
        ];
        let compiled = Compiled {
            numbers: numbers.clone(),
            flags: flags.clone(),
            rows: rows.clone(),
            hosts: &hosts,
            pair: pair.clone(),
            sets: sets.clone(),
            data: data.clone(),
            own: own.clone(),
            foreign: foreign.clone(),
            all: all.clone(),
            by_host: by_host.clone(),
        };
        let hosts = &hosts;
        let by_engine =
            ByEngine { numbers, flags, rows, hosts, pair, sets, data, own, foreign, all, by_host };
        let text = compiled.messages().unwrap()[0].text();
        prop_assert_eq!(&text, &by_engine.messages().unwrap()[0].text());
        let lines: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(lines.len(), forms.len(), "{}", text);
        for (line, form) in lines.iter().zip(forms) {
            let printed: Json = serde_json::from_str(line).unwrap();
            prop_assert_eq!(printed, form.unwrap());
        }
    }
}

use prompty_core::value::Value;
use std::io::{BufRead, stdin};
fn main() {
    let class = std::env::args().nth(1).unwrap_or_default();
    let (mut ok, mut all, mut other, mut all_other) = (0, 0, 0, 0);
    for line in stdin().lock().lines() {
        let case: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        if !case["schema"].is_null() { continue }
        let text = case["text"].as_str().unwrap();
        let found = prompty_model::output::any_value(text);
        let got = found.as_ref().map(|it| it.value.clone());
        let got_json = got.as_ref().map(json);
        let want = case.get("expected");
        let good = match (want, &got_json) { (Some(w), Some(g)) => same(w, g), (None, None) => true, _ => false };
        let agreed = case["class"] == "agreed";
        if agreed { all += 1; ok += usize::from(good) } else { all_other += 1; other += usize::from(good) }
        if !good && (agreed || class == "all") {
            println!("{} {:?}\n   want {}\n   got  {} {:?}", case["class"], text, want.map(|it| it.to_string()).unwrap_or("ERROR".into()), got_json.map(|it| it.to_string()).unwrap_or_default(), found.map(|it| it.repairs.iter().map(|it| it.kind()).collect::<Vec<_>>()));
        }
    }
    println!("agreed {ok} of {all}, policy {other} of {all_other}");
}
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(it) => (*it).into(),
        Value::Integer(it) => (*it as f64).into(),
        Value::Float(it) if it.is_nan() => serde_json::json!({"$float": "nan"}),
        Value::Float(it) if it.is_infinite() => serde_json::json!({"$float": if *it > 0.0 {"inf"} else {"-inf"}}),
        Value::Float(it) => (*it).into(),
        Value::String(it) => (&**it).into(),
        Value::Array(it) => it.iter().map(json).collect::<Vec<_>>().into(),
        Value::Object(it) => serde_json::Value::Object(it.iter().map(|(k, v)| (k.to_owned(), json(v))).collect()),
    }
}
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value as V;
    match (a, b) {
        (V::Number(a), V::Number(b)) => a.as_f64() == b.as_f64(),
        (V::Array(a), V::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (V::Object(a), V::Object(b)) => a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w))),
        _ => a == b,
    }
}

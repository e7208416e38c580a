use prompty_core::schema::Schema;
use prompty_core::value::{Map, Value};
use prompty_model::output::{Leniency, try_any, try_read};
/// A property that is not required and absent is null in the cases.
fn nulls(value: &Value, schema: Option<&Value>) -> Value {
    match schema {
        Some(s) => with_nulls(value, Schema::from_value(s), 0),
        None => value.clone(),
    }
}
fn with_nulls(value: &Value, schema: Schema<'_>, depth: usize) -> Value {
    if depth > 30 {
        return value.clone();
    }
    let schema = schema.resolved();
    let Some(keywords) = schema.keywords() else { return value.clone() };
    let parts: Vec<&Value> = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|k| keywords.map().get(k)?.as_array())
        .flatten()
        .collect();
    if !parts.is_empty() {
        if let Value::Object(map) = value {
            for part in parts {
                let part = schema.part(part).resolved();
                if let Some(k) = part.keywords()
                    && let Some(p) = k.properties()
                    && map.keys().all(|it| p.contains_key(it))
                    && k.required().unwrap_or_default().iter().all(|it| map.contains_key(it))
                {
                    return with_nulls(value, part, depth + 1);
                }
            }
        }
        return value.clone();
    }
    match value {
        Value::Object(map) => {
            let mut all = Map::new();
            for (key, value) in map.iter() {
                all.insert(
                    key,
                    match keywords.properties().and_then(|it| it.get(key)) {
                        Some(p) => with_nulls(value, schema.part(p), depth + 1),
                        None => match keywords.additional_properties() {
                            Some(p) => with_nulls(value, schema.part(p), depth + 1),
                            None => value.clone(),
                        },
                    },
                );
            }
            if let Some(p) = keywords.properties() {
                for name in p.keys() {
                    if !all.contains_key(name) {
                        all.insert(name, Value::Null);
                    }
                }
            }
            Value::Object(all)
        }
        Value::Array(items) => Value::from(
            items
                .iter()
                .map(|it| match keywords.items().and_then(|it| it.rest) {
                    Some((_, p)) => with_nulls(it, schema.part(p), depth + 1),
                    None => it.clone(),
                })
                .collect::<Vec<_>>(),
        ),
        _ => value.clone(),
    }
}
use std::io::{BufRead, stdin};
fn main() {
    let class = std::env::args().nth(1).unwrap_or_default();
    let (mut ok, mut all, mut other, mut all_other) = (0, 0, 0, 0);
    for line in stdin().lock().lines() {
        let case: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let step = match std::env::args().nth(2).as_deref() {
            Some("generous") => Leniency::Generous,
            Some("exact") => Leniency::Exact,
            _ => Leniency::Plain,
        };
        if case["done"] == false {
            continue;
        }
        let text = case["text"].as_str().unwrap();
        let schema = case.get("schema").map(|it| Value::from_json(&it.to_string()).unwrap());
        let mut why = String::new();
        let found = match &schema {
            None => try_any(text),
            Some(schema) => match try_read(text, schema, step) {
                Ok(it) => Some(it),
                Err(e) => {
                    why = e;
                    None
                }
            },
        };
        let got = found.as_ref().map(|it| nulls(&it.0, schema.as_ref()));
        let got_json = got.as_ref().map(json);
        let want = case.get("expected");
        let good = match (want, &got_json) {
            (Some(w), Some(g)) => same(w, g),
            (None, None) => true,
            _ => false,
        };
        let agreed = case["class"] == "agreed";
        if agreed {
            all += 1;
            ok += usize::from(good)
        } else {
            all_other += 1;
            other += usize::from(good)
        }
        if !good && (agreed || class == "all") {
            println!(
                "{} {:?}\n   want {}\n   got  {} {:?}",
                case["class"],
                text,
                want.map(|it| it.to_string()).unwrap_or("ERROR".into()),
                got_json.map(|it| it.to_string()).unwrap_or_default(),
                found.map(|it| it.1.iter().map(|it| it.kind()).collect::<Vec<_>>())
            );
            if !why.is_empty() {
                println!("   why {}", why.chars().take(200).collect::<String>())
            }
            if let Some(s) = &schema {
                println!("   schema {}", s.to_json().chars().take(600).collect::<String>())
            }
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
        Value::Float(it) if it.is_infinite() => {
            serde_json::json!({"$float": if *it > 0.0 {"inf"} else {"-inf"}})
        }
        Value::Float(it) => (*it).into(),
        Value::String(it) => (&**it).into(),
        Value::Array(it) => it.iter().map(json).collect::<Vec<_>>().into(),
        Value::Object(it) => {
            serde_json::Value::Object(it.iter().map(|(k, v)| (k.to_owned(), json(v))).collect())
        }
    }
}
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value as V;
    match (a, b) {
        (V::Number(a), V::Number(b)) => a.as_f64() == b.as_f64(),
        (V::Array(a), V::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (V::Object(a), V::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

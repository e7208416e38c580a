//! Reads the replies of the benchmark from the folder in `PROMPTY_BENCH`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value as Json;

use super::{Answer, Input, Writing};

/// The peers that cannot run here: one is not on crates.io, and one reads tokens instead of text.
const ON_FILE: [&str; 2] = ["vllm-parser (0.33.0 rust)", "openai-harmony 0.0.8"];

/// All replies: those of `peers-replies`, and the cases of `replies`.
///
/// # Panics
///
/// Panics if `PROMPTY_BENCH` is not set to a folder that contains both.
pub fn inputs() -> Vec<Input> {
    let folder = folder();
    let mut inputs = read_peer_replies(&folder.join("peers-replies"));
    inputs.extend(read_cases(&folder.join("replies")));
    inputs
}

/// The folder of both sets. A relative path starts at the root of the repository.
fn folder() -> PathBuf {
    let named = env::var_os("PROMPTY_BENCH").filter(|named| !named.is_empty());
    let named = named.expect("PROMPTY_BENCH names the folder with `peers-replies` and `replies`");
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(named)
}

/// The template files of both sets.
///
/// # Panics
///
/// Panics in the same cases as [`inputs`].
pub fn templates() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for set in ["peers-replies", "replies"] {
        let folder = folder().join(set).join("templates");
        let entries = fs::read_dir(&folder);
        let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        files.extend(entries.map(|entry| entry.expect("a folder can be listed").path()));
    }
    files.sort();
    files
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_json(path: &Path) -> Json {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text(json: &Json, key: &str) -> String {
    json[key].as_str().unwrap_or_default().to_owned()
}

/// Reads the replies of `peers-replies`. Their texts themselves contain the expected result.
fn read_peer_replies(folder: &Path) -> Vec<Input> {
    let tools = read_json(&folder.join("tools.json")).as_array().cloned().unwrap_or_default();
    let messages = read_json(&folder.join("messages.json"));
    let figures = peers_figures(&folder.join("results.tsv"));
    let calls = "templates/tool_chat_template_hermes.jinja";
    let tags = "templates/tool_chat_template_qwen3coder.jinja";
    let thoughts = "../replies/templates/Qwen-Qwen3-0.6B.jinja";
    let headers = "../replies/templates/openai-gpt-oss-120b.jinja";
    let sizes = &["4K", "16K", "64K"];
    let kinds: [(&str, &[&str], Writing, &str); 6] = [
        ("hermes", &["300B", "4K", "16K", "64K"], Writing::JsonCalls, calls),
        ("qwen3coder", sizes, Writing::TaggedCalls, tags),
        ("reasoning", sizes, Writing::Text, thoughts),
        ("mixed", sizes, Writing::JsonCalls, thoughts),
        ("harmony_think_final", &["16K"], Writing::Headers, headers),
        ("harmony_call", &["16K"], Writing::Headers, headers),
    ];
    let mut inputs = Vec::new();
    for (group, sizes, writing, template) in kinds {
        for size in sizes {
            let name = format!("{group}_{size}");
            let text = read(&folder.join(&name).with_extension("txt"));
            let expected = match writing {
                Writing::Headers => expected_from_messages(&text),
                _ => expected_from_tags(&text),
            };
            inputs.push(Input {
                on_file_of: ON_FILE[usize::from(writing == Writing::Headers)],
                on_file: figures.get(&name).copied(),
                name,
                group: group.to_owned(),
                writing,
                text,
                tools: tools.clone(),
                messages: messages.clone(),
                template: folder.join(template),
                expected,
            });
        }
    }
    inputs
}

/// The expected result of a reply whose reasoning and calls are in tags, read by simple string
/// search.
fn expected_from_tags(text: &str) -> Answer {
    let mut answer = Answer::default();
    let mut rest = text;
    if let Some((thoughts, after)) =
        rest.strip_prefix("<think>\n").and_then(|rest| rest.split_once("\n</think>"))
    {
        answer.reasoning = thoughts.to_owned();
        rest = after;
    }
    while let Some((content, call)) = rest.split_once("<tool_call>\n") {
        answer.content.push_str(content.trim());
        let (call, after) = call.split_once("\n</tool_call>").expect("a call has an end");
        answer.calls.push(if call.starts_with('{') { json_call(call) } else { tagged_call(call) });
        rest = after;
    }
    answer.content.push_str(rest.trim());
    answer
}

fn json_call(call: &str) -> (String, String) {
    let call: Json = serde_json::from_str(call).expect("a call is JSON");
    (text(&call, "name"), call["arguments"].to_string())
}

/// Reads a call whose arguments are all strings.
fn tagged_call(call: &str) -> (String, String) {
    let inside = call.strip_prefix("<function=").and_then(|call| call.strip_suffix("</function>"));
    let (name, mut rest) = inside.and_then(|it| it.split_once(">\n")).expect("a call has a name");
    let mut arguments = serde_json::Map::new();
    while let Some(after) = rest.strip_prefix("<parameter=") {
        let (key, after) = after.split_once(">\n").expect("a key ends");
        let (value, after) = after.split_once("\n</parameter>\n").expect("a value ends");
        arguments.insert(key.to_owned(), value.into());
        rest = after;
    }
    (name.to_owned(), Json::Object(arguments).to_string())
}

/// The expected result of a sequence of messages, read by simple string search.
fn expected_from_messages(text: &str) -> Answer {
    let mut answer = Answer::default();
    for message in text.split("<|start|>assistant") {
        let Some((header, body)) = message.split_once("<|message|>") else { continue };
        let body = body.split("<|").next().unwrap_or_default();
        if let Some((_, recipient)) = header.split_once("to=functions.") {
            let name = recipient.split([' ', '<']).next().unwrap_or_default();
            answer.calls.push((name.to_owned(), body.to_owned()));
        } else if header.contains("analysis") {
            answer.reasoning.push_str(body);
        } else {
            answer.content.push_str(body);
        }
    }
    answer
}

/// The recorded medians by input, for complete and streamed replies.
fn peers_figures(path: &Path) -> HashMap<String, (f64, f64)> {
    let mut figures: HashMap<String, (f64, f64)> = HashMap::new();
    for line in read(path).lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        if let [_, peer, input, mode, median, ..] = columns[..]
            && ON_FILE.contains(&peer)
        {
            let median = median.parse().expect("a number");
            let figure = figures.entry(input.to_owned()).or_insert((f64::NAN, f64::NAN));
            if mode.starts_with("whole") { figure.0 = median } else { figure.1 = median }
        }
    }
    figures
}

/// Reads the cases of `replies`, with the expected result of each and the recorded figures of the
/// reference.
fn read_cases(folder: &Path) -> Vec<Input> {
    let expected: HashMap<String, Answer> = lines(&folder.join("expected.jsonl"))
        .map(|line| {
            let call = |call: &Json| (text(call, "name"), text(call, "arguments"));
            let answer = Answer {
                reasoning: text(&line, "reasoning_content"),
                content: text(&line, "content"),
                calls: line["tool_calls"]
                    .as_array()
                    .map_or(vec![], |it| it.iter().map(call).collect()),
                argument_pieces: 0,
            };
            (text(&line, "name"), answer)
        })
        .collect();
    let mut figures: HashMap<String, (f64, f64)> = HashMap::new();
    for line in lines(&folder.join("llamacpp_results.jsonl")) {
        let figure = figures.entry(text(&line, "name")).or_insert((f64::NAN, f64::NAN));
        match line["section"].as_str() {
            Some("full") => figure.0 = line["ns"].as_f64().unwrap_or(f64::NAN) / 1000.0,
            Some("stream") => figure.1 = line["ms"].as_f64().unwrap_or(f64::NAN) * 1000.0,
            _ => {}
        }
    }
    let manifest = read_json(&folder.join("manifest.json"));
    let cases = manifest["cases"].as_array().expect("the manifest has cases");
    let input = |case: &Json| {
        let name = text(case, "name");
        let tools = case["tools"].as_str().map(|path| read_json(&folder.join(path)));
        Input {
            writing: writing_from_case(case),
            group: text(case, "group"),
            text: read(&folder.join(text(case, "reply"))),
            tools: tools.as_ref().and_then(Json::as_array).cloned().unwrap_or_default(),
            messages: case["messages"].clone(),
            template: folder.join(text(case, "template")),
            expected: expected.get(&name).expect("each case has an expected reply").clone(),
            on_file_of: "llama.cpp",
            on_file: figures.get(&name).copied(),
            name,
        }
    };
    cases.iter().map(input).collect()
}

fn lines(path: &Path) -> impl Iterator<Item = Json> {
    let text = read(path);
    let lines: Vec<Json> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    lines.into_iter()
}

fn writing_from_case(case: &Json) -> Writing {
    match (case["group"].as_str(), case["name"].as_str()) {
        (Some("content" | "content_tools" | "reasoning"), _) => Writing::Text,
        (Some("json_native" | "json_native_many"), _) | (_, Some("json_native_small")) => {
            Writing::JsonCalls
        }
        (Some("qwen3_coder"), _) => Writing::TaggedCalls,
        (Some("gpt_oss"), _) => Writing::Headers,
        _ => Writing::Other,
    }
}

//! Semantic Kernel's basic language: its blocks, its tokens, and what it renders.

use prompty_runtime::render::PipelineBuilder;
use prompty_template::semantic_kernel::parse;
use prompty_template::tree::{Argument, Expr, ExprKind, NodeKind};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome};
use crate::kernel;

/// A complete template, or the text between braces, as a list of blocks.
pub(crate) fn tokenizer(case: &Case<'_>) -> Outcome {
    if let Some(skipped) = kernel::skipped_python_case(case) {
        return skipped;
    }
    let template = case.json["template"].as_str().unwrap();
    let expected = &case.json["expect"];
    let (text, is_code) = match case.json["tokenizer"].as_str() {
        Some("code") => (format!("{{{{{template}}}}}"), true),
        _ => (template.to_owned(), false),
    };
    let found = blocks(&text);
    // .NET rejects this in the next step, or no template can contain it: its quotation mark turns
    // the rest of the template into text.
    if !expected["expect_error"].is_null() || !expected["then_invalid"].is_null() {
        return match found {
            Err(_) => Outcome::Passed,
            Ok(blocks) if is_code && all_text(&blocks) => Outcome::Passed,
            Ok(blocks) => Outcome::Failed(format!("expected an error, got {blocks:?}")),
        };
    }
    let found = match found {
        Ok(blocks) if is_code => tokens_of_block(blocks),
        Ok(blocks) => blocks,
        Err(error) => return Outcome::Failed(error),
    };
    let expected = join_texts(expected["blocks"].as_array().unwrap());
    same(&Value::from(found), &Value::from(expected))
}

/// A single block, put into a template.
pub(crate) fn block(case: &Case<'_>) -> Outcome {
    if let Some(skipped) = kernel::skipped_python_case(case) {
        return skipped;
    }
    let content = case.json["content"].as_str().unwrap();
    let kind = case.json["block_kind"].as_str().unwrap();
    let text = match kind {
        // In a call, after something that is not a named argument.
        "named_arg" => format!("{{{{f {content}}}}}"),
        "value" => format!("{{{{{}}}}}", escape_value(content)),
        _ => format!("{{{{{content}}}}}"),
    };
    let found = blocks(&text).map(tokens_of_block);
    let expected = &case.json["expect"];
    if expected["valid"] == false {
        return match found {
            Err(_) => Outcome::Passed,
            Ok(blocks) if all_text(&blocks) => Outcome::Passed,
            Ok(blocks) => Outcome::Failed(format!("expected an error, got {blocks:?}")),
        };
    }
    let found = match found {
        Ok(mut blocks) if kind == "named_arg" => blocks.split_off(1),
        Ok(blocks) => blocks,
        Err(error) => return Outcome::Failed(error),
    };
    // An empty block has no tokens.
    let is_empty = content.trim().is_empty();
    let expected = if is_empty { json!([]) } else { json!([expected["block"]]) };
    same(&Value::from(found), &expected)
}

/// The content of a value block is already unescaped, so it is escaped again.
fn escape_value(content: &str) -> String {
    let trimmed = content.trim();
    let mark = trimmed.chars().next().unwrap();
    let inner = trimmed.strip_prefix(mark).unwrap();
    match inner.strip_suffix(mark) {
        Some(inner) => {
            let inner = inner.replace('\\', "\\\\").replace(mark, &format!("\\{mark}"));
            format!("{mark}{inner}{mark}")
        }
        None => content.to_owned(),
    }
}

fn same(found: &Value, expected: &Value) -> Outcome {
    if found == expected {
        return Outcome::Passed;
    }
    Outcome::Failed(format!("expected {expected}, got {found}"))
}

fn all_text(blocks: &[Value]) -> bool {
    blocks.iter().all(|block| block["type"] == "text")
}

/// Joins adjacent text blocks, and removes empty ones.
fn join_texts(blocks: &[Value]) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for block in blocks {
        match joined.last_mut() {
            Some(last) if last["type"] == "text" && block["type"] == "text" => {
                let text = [&*last, block].map(|it| it["content"].as_str().unwrap()).concat();
                last["content"] = text.into();
            }
            _ => joined.push(block.clone()),
        }
    }
    joined.retain(|block| !(block["type"] == "text" && block["content"] == ""));
    joined
}

/// The tokens of the only block of a template, or no tokens if the block is empty.
fn tokens_of_block(blocks: Vec<Value>) -> Vec<Value> {
    match blocks.as_slice() {
        [code] if code["type"] == "code" => code["tokens"].as_array().unwrap().clone(),
        [text] if text["type"] == "text" => Vec::new(),
        _ => blocks,
    }
}

/// The blocks of a template, as the cases write them.
fn blocks(text: &str) -> Result<Vec<Value>, String> {
    let tree = parse(text).map_err(|error| error.message)?;
    let written = |expr: &Expr| text.get(expr.span.start..expr.span.end).unwrap();
    let blocks = tree.nodes.iter().map(|node| match &node.kind {
        NodeKind::Text(text) => json!({"type": "text", "content": text}),
        NodeKind::Output(expr) => match &expr.kind {
            ExprKind::Function(call) => {
                let function = call.name.text.as_str();
                let (plugin, own) = function.split_once('.').unwrap_or(("", function));
                let plugin = if plugin.is_empty() { Value::Null } else { plugin.into() };
                let id = json!({
                    "type": "function_id", "content": function, "plugin": plugin, "function": own,
                });
                let mut tokens = vec![id];
                tokens.extend(call.arguments.iter().map(|argument| match argument {
                    Argument::Named(name, value) => named(&name.text, value, written(value)),
                    other => operand(other.expr(), written(other.expr())),
                }));
                json!({"type": "code", "content": written(expr), "tokens": tokens})
            }
            _ => operand(expr, written(expr)),
        },
        other => panic!("{other:?}"),
    });
    Ok(blocks.collect())
}

fn named(name: &str, value: &Expr, written: &str) -> Value {
    let inner = operand(value, written);
    let content = format!("{name}={}", inner["content"].as_str().unwrap());
    let mut block = json!({"type": "named_arg", "content": content, "name": name});
    match inner["type"].as_str() {
        Some("variable") => block["variable"] = inner["name"].clone(),
        _ => block["value"] = inner["value"].clone(),
    }
    block
}

fn operand(expr: &Expr, written: &str) -> Value {
    match &expr.kind {
        ExprKind::Variable(name) => {
            json!({"type": "variable", "content": format!("${name}"), "name": name})
        }
        ExprKind::Literal(value) => {
            let mark = written.get(..1).unwrap();
            json!({"type": "value", "content": format!("{mark}{value}{mark}"), "value": value.as_str()})
        }
        other => panic!("{other:?}"),
    }
}

/// The text that a template renders to.
pub(crate) fn render(case: &Case<'_>) -> Outcome {
    if let Some(skipped) = kernel::skipped_python_case(case) {
        return skipped;
    }
    let template = case.json["template"].as_str().unwrap();
    let inputs: prompty_core::value::Map =
        serde_json::from_value(case.json["variables"].clone()).unwrap_or_default();
    let rendered = PipelineBuilder::from_text("case", template)
        .with_format("semantic-kernel")
        .with_registry(&kernel::registry(case))
        .build()
        .and_then(|pipeline| pipeline.render(inputs));
    let expected = &case.json["expect"];
    match (rendered, expected["rendered"].as_str()) {
        (Err(_), None) => Outcome::Passed,
        (Ok(rendered), Some(text)) if rendered.plain_text() == kernel::decode_entities(text) => {
            Outcome::Passed
        }
        (found, _) => Outcome::Failed(format!("expected {expected}, got {found:?}")),
    }
}

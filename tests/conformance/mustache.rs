//! The cases of the Mustache specification: the core must pass, and the optional modules must be
//! rejected. They run without a prompt, since a prompt would change each line end to `\n`.

use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, SourceText};
use prompty_core::value::Map;
use prompty_runtime::engine::{
    Engine, EngineOptions, Extensions, Marks, ParsedTemplate, Scope, StepEngine, Undefined,
};
use prompty_template::assembly::{Reason, Refusal, TemplateFile};
use prompty_template::mustache::Mustache;
use prompty_template::mustache::assembly::assemble;
use prompty_template::{Boundaries, Language, RenderLimits};
use serde_json::{Value, json};

use crate::frame::{Case, Outcome, Rule};

const LAMBDA: Rule = Rule::named("an input is a value, not a function");
const DYNAMIC_NAME: Rule = Rule::named("partial names must be known before rendering");
const INHERITANCE: Rule = Rule::named("blocks and parents are not supported");
const MISSING_PARTIAL: Rule = Rule::named("a named partial must exist");

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let expected = case.json["expected"].as_str().unwrap();
    match (case.json["module"].as_str().unwrap_or_default(), render(case.json)) {
        ("lambdas", _) => Outcome::Skipped(LAMBDA),
        ("dynamic-names", Err(RenderFailure::Partials(Code::UnsupportedConstruct, _))) => {
            Outcome::Skipped(DYNAMIC_NAME)
        }
        ("inheritance", Err(RenderFailure::Template(message)))
            if message.contains("is not a valid name") =>
        {
            Outcome::Skipped(INHERITANCE)
        }
        (_, Err(RenderFailure::Partials(Code::MissingFile, _))) => {
            Outcome::Skipped(MISSING_PARTIAL)
        }
        (_, Err(RenderFailure::Partials(_, message) | RenderFailure::Template(message))) => {
            Outcome::Failed(message)
        }
        (_, Ok(text)) if text == expected => Outcome::Passed,
        (_, Ok(text)) => Outcome::Failed(format!("expected {expected:?}, got {text:?}")),
    }
}

/// Why a case does not render.
enum RenderFailure {
    /// Its partials cannot be inserted.
    Partials(Code, String),
    /// Its template is invalid, or the render fails.
    Template(String),
}

impl From<&Diagnostic> for RenderFailure {
    fn from(finding: &Diagnostic) -> Self {
        match finding.code {
            Code::TemplateSyntax => Self::Template(finding.message.clone()),
            code => Self::Partials(code, finding.message.clone()),
        }
    }
}

fn render(case: &Value) -> Result<String, RenderFailure> {
    // Inputs have names. Data without a name becomes the only item of a section around the
    // template.
    let template = case["template"].as_str().unwrap();
    let (template, inputs) = match case["data"].is_object() {
        true => (template.to_owned(), case["data"].clone()),
        false => (format!("{{{{#data}}}}{template}{{{{/data}}}}"), json!({"data": [case["data"]]})),
    };
    let inputs: Map = serde_json::from_value(inputs).unwrap();
    let source = SourceText::new("case", template);
    let body = SourceSpan::new(0, source.text().len());
    let assembled = assemble(&source, body, &mut |name| partial(case, name));
    if let Some(finding) = assembled.findings.first() {
        return Err(finding.into());
    }
    let text = assembled.source.text();
    let tree = Mustache.parse(text).map_err(|error| RenderFailure::Template(error.message))?;
    let marks = Marks::Boundaries(Boundaries::from_role_lines(text, &tree));
    let template = ParsedTemplate { text, tree: tree.into(), marks };
    let (limits, extensions) = (RenderLimits::default(), Extensions::new());
    let options = EngineOptions { extensions: &extensions, limits, undefined: Undefined::Empty };
    let compiled = StepEngine::default()
        .compile(&template, &options)
        .map_err(|error| RenderFailure::Template(error.message))?;
    let scope = Scope { inputs: &inputs, rich: &[], nonce: "00ff" };
    compiled.render(scope).map_err(|failure| RenderFailure::Template(failure.error.to_string()))
}

fn partial(case: &Value, name: &str) -> Result<TemplateFile, Refusal> {
    let text = name.strip_suffix(".mustache").and_then(|name| case["partials"][name].as_str());
    let Some(text) = text else {
        let (message, help) = (format!("unknown partial `{name}`"), String::new());
        return Err(Refusal::Missing(Reason { message, help }));
    };
    Ok(TemplateFile { source: SourceText::new(name, text), body: SourceSpan::new(0, text.len()) })
}

//! The states of one small prompt on its way through the compiler, as `DESIGN.md` shows them.

use std::fmt::Write as _;

use prompty_template::tree::{ExprKind, Node, NodeKind};
use quote::quote;

use super::{errors, pretty, prompt};
use crate::check;
use crate::declared_struct::DeclaredStruct;
use crate::errors::Errors;
use crate::expand::CheckedPrompt;
use crate::expand::compiled;
use crate::parse::invocation::{PromptForm, PromptInvocation};
use crate::source::{self, Lookup};

const TEMPLATE: &str = "system:\nBe brief.\nuser:\nHello, {{ name }}!";

#[test]
fn the_compile_path() {
    let tokens = quote!([::typed_prompty] Greet { name: &str }, #TEMPLATE);
    let mut shown = String::new();
    let mut errors = Errors::default();

    let invocation: PromptInvocation = syn::parse2(tokens).unwrap();
    let PromptForm::Declared { head, fields, source } = invocation.form else { panic!() };
    let (_, prompt) = DeclaredStruct::new(head, fields, &mut errors);
    let input = &prompt.inputs[0].input;
    let _ = writeln!(
        shown,
        "Prompt       {} {{ {}: {}, {:?} }}",
        prompt.ident,
        input.name,
        input.value_type.name(),
        input.presence()
    );

    let Some(Lookup::Found(mut source)) = errors.keep(source::from_literal(&source)) else {
        panic!()
    };
    let _ = writeln!(shown, "Source       {:?}", source.text.text());

    let (definition, mut findings) = check::read_front_matter(&mut source);
    let mut definition = definition.unwrap();
    let is_complete = check::assemble(
        &mut source,
        &mut definition,
        &prompt.options,
        &mut findings.diagnostics,
        &mut errors,
    );
    let settings = &definition.template;
    let _ = writeln!(shown, "Definition   {}, parser {}", settings.format, settings.parser);

    let signature = check::signature(&prompt.ident, &prompt.inputs, &definition);
    let checked =
        check::check_template(definition, is_complete, findings, &prompt.options, &signature);
    let report = &checked.report;
    for node in &report.template.as_ref().unwrap().nodes {
        let _ = writeln!(shown, "Node         {}", line(node, TEMPLATE));
    }
    for marker in &report.markers {
        let place = marker.span;
        let _ = writeln!(shown, "Marker       {} at {}..{}", marker.role, place.start, place.end);
    }
    for (name, _) in &report.uses.inputs {
        let _ = writeln!(shown, "Use          {name}");
    }
    let _ = writeln!(shown, "Diagnostics  {}", report.diagnostics.len());

    let facade = &quote!(typed_prompty);
    let known = CheckedPrompt { facade, prompt: &prompt, source: &source, checked: &checked };
    let code = compiled::compile(known).unwrap().messages;
    shown.push_str(&shortened(&pretty(&quote!(fn messages() { #code }))));
    insta::assert_snapshot!(shown);
}

/// A node in one line: its construct and its text.
fn line(node: &Node, text: &str) -> String {
    let written = text.get(node.span.start..node.span.end).unwrap();
    match &node.kind {
        NodeKind::Text(_) => format!("Text {written:?}"),
        NodeKind::Output(expression) => match &expression.kind {
            ExprKind::Variable(name) => format!("Output Variable({name:?})"),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Generated code without paths and attributes, which say nothing about the prompt.
fn shortened(code: &str) -> String {
    let lines = code.lines().filter(|line| !line.contains("#[allow"));
    let lines = lines.map(|line| line.replace("typed_prompty::__private::", ""));
    lines.map(|line| line.replace("typed_prompty::", "") + "\n").collect()
}

#[test]
fn the_compile_path_of_a_mistake() {
    let template = TEMPLATE.replace("name", "nam");
    let expansion = prompt(quote!(Greet { name: &str }, #template));
    insta::assert_snapshot!(errors(expansion).join("\n"));
}

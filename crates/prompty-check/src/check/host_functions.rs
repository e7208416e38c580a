//! Calls of the host's functions, whose parameters may be known.

use std::collections::HashSet;

use super::checker::Checker;
use super::types::{Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_template::host_functions::{NamedFunction, misused, resolve, unknown_help};
use prompty_template::tree::{Argument, Call, ExprKind, Name};

impl Checker<'_> {
    /// The whole name of the host's function that a template calls by this name.
    pub(super) fn host_function(&self, called: &str) -> Option<&str> {
        let names = self.extensions.functions.iter().map(String::as_str);
        names.into_iter().find(|name| self.language.function_name(name) == called)
    }

    /// Says what is wrong with the arguments of a call, if anything is.
    pub(super) fn host_arguments(&mut self, function: &str, call: &Call) {
        let parameters = self.extensions.parameters(function);
        let Some(wrong) = misused(&call.name.text, parameters, call) else { return };
        let mut diagnostic = Diagnostic::new(Code::WrongArguments, wrong.message);
        diagnostic.help.extend(wrong.help);
        self.report(diagnostic, wrong.span);
    }

    /// A call in a language of plugins. A parameter that is not given is an input of that name.
    pub(super) fn plugin_function(&mut self, call: &Call) -> Value {
        let extensions = self.extensions;
        let called = call.name.text.as_str();
        let names: Vec<&str> = extensions.functions.iter().map(String::as_str).collect();
        let mut parameters = None;
        match resolve(called, &names) {
            NamedFunction::Known(name) => {
                self.host_arguments(name, call);
                parameters = extensions.parameters(name);
            }
            NamedFunction::Unknown => self.unknown_plugin_function(call, &names),
            NamedFunction::Several(first, second) => {
                let message = format!("`{called}` is a function of several plugins");
                let diagnostic = Diagnostic::new(Code::UnknownFunction, message)
                    .with_help(format!("write `{first}` or `{second}`"));
                self.report(diagnostic, call.name.span);
            }
        }
        let given = self.plugin_arguments(call, parameters.unwrap_or_default());
        match parameters {
            Some(parameters) => {
                let names = parameters.iter().map(String::as_str);
                self.read_inputs(names.filter(|name| !given.contains(name)), call.name.span);
            }
            None => self.read_all_inputs(call.name.span),
        }
        Value::any()
    }

    /// The arguments from left to right: each sees those before it. Gives their names.
    fn plugin_arguments<'c>(
        &mut self,
        call: &'c Call,
        parameters: &'c [String],
    ) -> HashSet<&'c str> {
        let mut given = HashSet::new();
        let mut unnamed = parameters.iter().map(String::as_str);
        for argument in &call.arguments {
            let expr = argument.expr();
            let is_given = match &expr.kind {
                ExprKind::Variable(name) => given.contains(name.as_str()),
                _ => false,
            };
            if !is_given {
                self.whole(expr, "an argument");
            }
            given.extend(match argument {
                Argument::Named(name, _) => Some(name.text.as_str()),
                _ => unnamed.next(),
            });
        }
        given
    }

    fn unknown_plugin_function(&mut self, call: &Call, names: &[&str]) {
        let name = call.name.text.as_str();
        let help = if self.is_input(name) {
            format!("`{name}` is an input: write `{}`", self.language.output(name))
        } else {
            unknown_help(name, names)
        };
        let message = format!("unknown function `{name}`");
        let label = "no such function";
        self.report_with_help(Code::UnknownFunction, message, label, [help], call.name.span);
    }

    /// A call without arguments.
    pub(super) fn bare_call(&mut self, called: &str, span: TemplateSpan) -> Value {
        let name = Name::new(called, span);
        self.function(&Call::new(name, Vec::new()), false)
    }

    /// Notes the inputs that a function sees beside the arguments of its call.
    pub(super) fn read_as_arguments(&mut self, function: &str, call: &Call) {
        let extensions = self.extensions;
        let Some(parameters) = extensions.parameters(function) else {
            self.read_all_inputs(call.name.span);
            return;
        };
        let is_named = |argument: &&Argument| matches!(argument, Argument::Named(..));
        let positional = call.arguments.iter().filter(|it| !is_named(it)).count();
        let named = call.arguments.iter().filter_map(|argument| match argument {
            Argument::Named(name, _) => Some(name.text.as_str()),
            _ => None,
        });
        let mut given: HashSet<&str> = named.collect();
        given.extend(parameters.iter().take(positional).map(String::as_str));
        let names = parameters.iter().map(String::as_str);
        self.read_inputs(names.filter(|name| !given.contains(name)), call.name.span);
    }

    /// A function may read all inputs.
    fn read_all_inputs(&mut self, span: TemplateSpan) {
        if !self.reads_all_inputs {
            self.reads_all_inputs = true;
            let signature = self.signature;
            self.read_inputs(signature.inputs.iter().map(|input| input.name.as_str()), span);
        }
    }

    /// A function reads these inputs, if they are there. Threads and media are no arguments.
    fn read_inputs<'n>(&mut self, names: impl Iterator<Item = &'n str>, span: TemplateSpan) {
        self.uses.here = Some(span.in_source(self.body));
        for name in names {
            if self.input_kind(name).is_some_and(|kind| !matches!(kind, Type::Rich(_))) {
                let sources = self.uses.root(name, span.in_source(self.body));
                self.uses.whole(&sources);
            }
        }
    }
}

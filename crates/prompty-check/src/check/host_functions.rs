//! Calls of the host's functions. Their parameters may be known.

use std::collections::HashSet;

use super::checker::Checker;
use super::types::{Type, Value};
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_template::host_functions::{
    FunctionLookup, find_argument_error, resolve, unknown_help,
};
use prompty_template::tree::{Argument, Call, ExprKind, Name};

impl Checker<'_> {
    /// The full name of the host's function that a template calls by this name.
    pub(super) fn host_function(&self, called: &str) -> Option<&str> {
        let names = self.extensions.functions.iter().map(String::as_str);
        names.into_iter().find(|name| self.language.function_name(name) == called)
    }

    /// Reports wrong arguments of a call.
    pub(super) fn check_host_arguments(&mut self, function: &str, call: &Call) {
        let parameters = self.extensions.parameters(function);
        let Some(wrong) = find_argument_error(&call.name.text, parameters, call) else { return };
        let mut diagnostic = Diagnostic::new(Code::WrongArguments, wrong.message);
        diagnostic.help.extend(wrong.help);
        self.report(diagnostic, wrong.span);
    }

    /// A call in a language with plugins. A missing argument is read from the input of that name.
    pub(super) fn plugin_function(&mut self, call: &Call) -> Value {
        let extensions = self.extensions;
        let called = call.name.text.as_str();
        let names: Vec<&str> = extensions.functions.iter().map(String::as_str).collect();
        let mut parameters = None;
        match resolve(called, &names) {
            FunctionLookup::Known(name) => {
                self.check_host_arguments(name, call);
                parameters = extensions.parameters(name);
            }
            FunctionLookup::Unknown => self.report_unknown_plugin_function(call, &names),
            FunctionLookup::Ambiguous(first, second) => {
                let message = format!("several plugins have a function `{called}`");
                let diagnostic = Diagnostic::new(Code::UnknownFunction, message)
                    .with_help(format!("write `{first}` or `{second}`"));
                self.report(diagnostic, call.name.span);
            }
        }
        let given = self.plugin_arguments(call, parameters.unwrap_or_default());
        self.read_other_inputs(parameters, &given, call.name.span);
        Value::any()
    }

    /// Reads the arguments from left to right, and returns their names. Each may use earlier names.
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
                self.read_fully(expr, "an argument");
            }
            given.extend(match argument {
                Argument::Named(name, _) => Some(name.text.as_str()),
                _ => unnamed.next(),
            });
        }
        given
    }

    fn report_unknown_plugin_function(&mut self, call: &Call, names: &[&str]) {
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

    /// The value of a call without arguments.
    pub(super) fn bare_call(&mut self, called: &str, span: TemplateSpan) -> Value {
        let name = Name::new(called, span);
        self.function(&Call::new(name, Vec::new()), false)
    }

    /// Records the inputs that a function reads in addition to its arguments.
    pub(super) fn read_as_arguments(&mut self, function: &str, call: &Call) {
        let parameters = self.extensions.parameters(function);
        let is_named = |argument: &&Argument| matches!(argument, Argument::Named(..));
        let positional = call.arguments.iter().filter(|it| !is_named(it)).count();
        let named = call.arguments.iter().filter_map(|argument| match argument {
            Argument::Named(name, _) => Some(name.text.as_str()),
            _ => None,
        });
        let unnamed = parameters.unwrap_or_default().iter().take(positional).map(String::as_str);
        let given: HashSet<&str> = named.chain(unnamed).collect();
        self.read_other_inputs(parameters, &given, call.name.span);
    }

    /// Records that a function reads the parameters without an argument. A function whose
    /// parameters are unknown may read all inputs.
    fn read_other_inputs(
        &mut self,
        parameters: Option<&[String]>,
        given: &HashSet<&str>,
        span: TemplateSpan,
    ) {
        if let Some(parameters) = parameters {
            let names = parameters.iter().map(String::as_str);
            self.read_inputs(names.filter(|name| !given.contains(name)), span);
        } else if !std::mem::replace(&mut self.reads_all_inputs, true) {
            let signature = self.signature;
            self.read_inputs(signature.inputs.iter().map(|input| input.name.as_str()), span);
        }
    }

    /// Records that a function reads these inputs, if they exist. It cannot read threads and media.
    fn read_inputs<'n>(&mut self, names: impl Iterator<Item = &'n str>, span: TemplateSpan) {
        self.uses.here = Some(span.in_source(self.body));
        for name in names {
            if self.input_kind(name).is_some_and(|kind| !matches!(kind, Type::Rich(_))) {
                let sources = self.uses.root(name, span.in_source(self.body));
                self.uses.mark_read(&sources);
            }
        }
    }
}

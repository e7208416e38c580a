//! The output of a prompt, and the variable `output_requirement`, which describes it.
//!
//! The name is the same in all template languages. An output must be described to the model: by
//! this variable, or by a schema in the request. Only the program knows whether it sends a schema,
//! so it declares this with `output_schema`. With `outputs` in the front matter the schema is
//! always sent, as the format defines.
//!
//! The text is a value and not a part of the template. It contains doc comments, and a line of
//! these that looks like a role marker must not begin a message.

use super::checker::Checker;
use super::signature::OutputInstruction;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_template::OUTPUT_REQUIREMENT;
use prompty_template::tree::{Expr, ExprKind};

/// The finding about an input that is named `output_requirement`.
#[doc(hidden)]
pub fn reserved_name_finding() -> Diagnostic {
    let message =
        format!("an input of a prompt with an output cannot be called `{OUTPUT_REQUIREMENT}`");
    Diagnostic::new(Code::Declaration, message)
        .with_label("the template uses this name to describe the output")
        .with_help("rename it, or remove it: the template can use the name without a declaration")
}

/// The finding about an output that is not described. `written` is the tag with the variable.
#[doc(hidden)]
pub fn missing_requirement_finding(written: &str) -> Diagnostic {
    Diagnostic::new(Code::OutputNotDescribed, "the prompt does not describe its output")
        .with_help(format!("add `{written}` to the prompt"))
        .with_help(
            "or, if the request contains the JSON schema of the output, declare it: \
             `#[prompt(output_schema)]`",
        )
}

impl Checker<'_> {
    /// Checks how the prompt describes its output.
    pub(super) fn check_output_requirement(&mut self) {
        if self.signature.output == OutputInstruction::Nothing {
            return;
        }
        let taken = self.signature.inputs.iter().find(|input| input.name == OUTPUT_REQUIREMENT);
        if let Some(input) = taken {
            let mut finding = reserved_name_finding();
            finding.span = input.name_span;
            self.diagnostics.push(finding);
        } else if self.signature.output == OutputInstruction::InText
            && !self.uses.has(OUTPUT_REQUIREMENT)
        {
            self.diagnostics
                .push(missing_requirement_finding(&self.language.unescaped(OUTPUT_REQUIREMENT)));
        }
    }

    /// Reports that the description of the output is escaped as HTML.
    pub(super) fn check_escaped_output(&mut self, value: &Expr, written: TemplateSpan) {
        let ExprKind::Variable(name) = &value.kind else { return };
        if name != OUTPUT_REQUIREMENT || !self.has_output_variable() {
            return;
        }
        let message = format!("`{OUTPUT_REQUIREMENT}` is escaped as HTML");
        let label = "the model gets `&quot;` instead of each quotation mark";
        let help = format!("write `{}`", self.language.unescaped(OUTPUT_REQUIREMENT));
        self.report_with_help(Code::OutputNotDescribed, message, label, [help], written);
    }

    /// Whether `output_requirement` is the variable and not an input.
    fn has_output_variable(&self) -> bool {
        self.signature.output != OutputInstruction::Nothing
            && self.signature.inputs.iter().all(|input| input.name != OUTPUT_REQUIREMENT)
    }

    /// The help for an unknown name that is, or resembles, `output_requirement`.
    pub(super) fn help_for_output(&self, name: &str) -> Option<String> {
        match self.signature.output {
            OutputInstruction::Nothing if name == OUTPUT_REQUIREMENT => Some(
                "declare an output: its type, `#[prompt(output = Answer)]`, or \
                 `outputs` in the front matter"
                    .to_owned(),
            ),
            OutputInstruction::Nothing => None,
            _ if !self.suggests() => None,
            _ => suggest(name, &[OUTPUT_REQUIREMENT])
                .map(|similar| format!("to describe the output, write `{similar}`")),
        }
    }
}

//! The output of a prompt: the variable that says what is asked of the answer, and whether anything says it.

use super::checker::Checker;
use super::signature::AskedOutput;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_template::OUTPUT_REQUIREMENT;
use prompty_template::tree::{Expr, ExprKind};

/// What is said of an input that has the name of the variable.
#[doc(hidden)]
pub fn reserved_name() -> Diagnostic {
    let message =
        format!("no input of a prompt with an output can be called `{OUTPUT_REQUIREMENT}`");
    Diagnostic::new(Code::Declaration, message)
        .with_label("in the template it is what the prompt says of its output")
        .with_help("remove it, and the template may still write it; or give it another name")
}

/// What is said of an output that nothing tells the model. `written` is how the prompt writes the variable.
#[doc(hidden)]
pub fn untold_output(written: &str) -> Diagnostic {
    Diagnostic::new(Code::UntoldOutput, "nothing tells the model what to answer with")
        .with_help(format!("write `{written}` into the prompt, where the model is to read it"))
        .with_help(
            "or, if you send the JSON schema of the output with the request, say so: \
             `#[prompt(output_schema)]`",
        )
}

impl Checker<'_> {
    /// Says what is wrong about the output of the prompt.
    pub(super) fn asked_output(&mut self) {
        if self.signature.output == AskedOutput::Nothing {
            return;
        }
        let taken = self.signature.inputs.iter().find(|input| input.name == OUTPUT_REQUIREMENT);
        if let Some(input) = taken {
            let mut finding = reserved_name();
            finding.span = input.name_span;
            self.diagnostics.push(finding);
        } else if self.signature.output == AskedOutput::InText && !self.uses.has(OUTPUT_REQUIREMENT)
        {
            self.diagnostics.push(untold_output(&self.language.unescaped(OUTPUT_REQUIREMENT)));
        }
    }

    /// Says that the text about the output is escaped as if it were for HTML: the model would read `&quot;`.
    pub(super) fn escaped_output(&mut self, value: &Expr, written: TemplateSpan) {
        let ExprKind::Variable(name) = &value.kind else { return };
        if name != OUTPUT_REQUIREMENT || !self.has_output_variable() {
            return;
        }
        let message = format!("`{OUTPUT_REQUIREMENT}` is escaped as HTML");
        let label = "the model reads `&quot;` for each quotation mark of it";
        let help = format!("write `{}`", self.language.unescaped(OUTPUT_REQUIREMENT));
        self.report_with_help(Code::UntoldOutput, message, label, [help], written);
    }

    /// Whether the name of the variable is not that of an input.
    fn has_output_variable(&self) -> bool {
        self.signature.output != AskedOutput::Nothing
            && self.signature.inputs.iter().all(|input| input.name != OUTPUT_REQUIREMENT)
    }

    /// What to say of an unknown name that is, or nearly is, the one of the requirement.
    pub(super) fn help_for_output(&self, name: &str) -> Option<String> {
        match self.signature.output {
            AskedOutput::Nothing if name == OUTPUT_REQUIREMENT => Some(
                "this prompt has no output: name its type, `#[prompt(output = Answer)]`, or declare \
                 `outputs` in the front matter"
                    .to_owned(),
            ),
            AskedOutput::Nothing => None,
            _ if !self.suggests() => None,
            _ => suggest(name, &[OUTPUT_REQUIREMENT])
                .map(|similar| format!("what the prompt says of its output is `{similar}`")),
        }
    }
}

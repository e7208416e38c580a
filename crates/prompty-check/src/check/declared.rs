//! Checks a prompt whose declarations may be wrong themselves: what only follows from a broken
//! declaration is not told.

use super::definition::check_definition;
use super::signature::{Allowed, HostSignatures, Signature};
use super::{Report, TemplateRules, sort};
use crate::definition::{Definition, Doubts, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic, Severity};

/// The findings about a front matter, and what they leave unknown.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Declared {
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// What they leave unknown.
    pub doubts: Doubts,
}

/// As [`check_definition`], with the findings about the front matter.
///
/// An error of the template that is gone once nothing is assumed of what is in doubt follows from a
/// finding about the front matter. Then that finding is told alone; if it was only a warning, it is the
/// error.
#[doc(hidden)]
pub fn check_declared(
    definition: &Definition,
    declared: Declared,
    signature: &Signature,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Report {
    let Declared { mut diagnostics, doubts } = declared;
    diagnostics.retain(|finding| !allowed.contains(finding.code));
    let rules = TemplateRules { signature, extensions, allowed };
    let mut report = check_definition(definition, rules);
    if !doubts.is_empty() && errors(&report.diagnostics) > 0 {
        let certain = check_certain(definition, &doubts, rules);
        if errors(&certain.diagnostics) < errors(&report.diagnostics)
            && tell_causes(&mut diagnostics, &doubts)
        {
            report = certain;
        }
    }
    report.diagnostics.extend(diagnostics);
    sort(&mut report.diagnostics);
    report
}

impl Declared {
    /// What there is to say where the template cannot be read, and so is not checked.
    #[doc(hidden)]
    #[must_use]
    pub fn into_report(self, allowed: &Allowed) -> Report {
        let mut report = Report { diagnostics: self.diagnostics, ..Report::default() };
        report.diagnostics.retain(|finding| !allowed.contains(finding.code));
        sort(&mut report.diagnostics);
        report
    }
}

fn errors(findings: &[Diagnostic]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Checks with no assumption about what is in doubt.
fn check_certain(definition: &Definition, doubts: &Doubts, rules: TemplateRules<'_>) -> Report {
    let mut signature = rules.signature.clone();
    signature.open |= doubts.any_input;
    // What Rust declares has no place in the source, and is certain.
    let declared_here = signature.inputs.iter_mut().filter(|input| input.name_span.is_some());
    for input in declared_here.filter(|input| doubts.inputs.contains(&input.name)) {
        input.value_type = ValueType::Any;
        input.required = true;
    }
    let mut report = check_definition(definition, TemplateRules { signature: &signature, ..rules });
    if doubts.template {
        let about_options = |code| matches!(code, Code::UnknownFormat | Code::UnknownParser);
        report.diagnostics.retain(|finding| about_options(finding.code));
    }
    report
}

/// Makes errors of the warnings that are the causes of others; whether any finding is an error then.
fn tell_causes(findings: &mut [Diagnostic], doubts: &Doubts) -> bool {
    let is_cause = |finding: &Diagnostic| {
        finding.code == Code::UnknownKey
            && finding.span.is_some_and(|span| doubts.misread.contains(&span))
    };
    let causes = findings.iter_mut().filter(|finding| is_cause(finding));
    causes.for_each(|finding| finding.severity = Severity::Error);
    errors(findings) > 0
}

//! Checks a prompt whose front matter has findings. Template errors that follow from a broken
//! declaration are not reported.

use super::definition::check_definition;
use super::signature::{AllowedCodes, HostSignatures, Signature};
use super::{Report, TemplateRules, sort};
use crate::definition::{Definition, Doubts, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic, Severity};

/// The findings about a front matter, and the declarations that they make uncertain.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrontMatterFindings {
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The declarations that the findings make uncertain.
    pub doubts: Doubts,
}

/// Like [`check_definition`], with the findings about the front matter.
///
/// The template is checked again without the uncertain declarations. Template errors that disappear
/// then follow from a finding about the front matter, so only that finding is reported. If it was a
/// warning, it becomes an error.
#[doc(hidden)]
pub fn check_with_front_matter(
    definition: &Definition,
    declared: FrontMatterFindings,
    signature: &Signature,
    extensions: &HostSignatures,
    allowed: &AllowedCodes,
) -> Report {
    let FrontMatterFindings { mut diagnostics, doubts } = declared;
    diagnostics.retain(|finding| !allowed.contains(finding.code));
    let rules = TemplateRules { signature, extensions, allowed };
    let mut report = check_definition(definition, rules);
    if !doubts.is_empty() && errors(&report.diagnostics) > 0 {
        let certain = check_certain(definition, &doubts, rules);
        if errors(&certain.diagnostics) < errors(&report.diagnostics)
            && promote_causes(&mut diagnostics, &doubts)
        {
            report = certain;
        }
    }
    report.diagnostics.extend(diagnostics);
    sort(&mut report.diagnostics);
    report
}

impl FrontMatterFindings {
    /// The report for a template that cannot be read and is therefore not checked.
    #[doc(hidden)]
    #[must_use]
    pub fn into_report(self, allowed: &AllowedCodes) -> Report {
        let mut report = Report { diagnostics: self.diagnostics, ..Report::default() };
        report.diagnostics.retain(|finding| !allowed.contains(finding.code));
        sort(&mut report.diagnostics);
        report
    }
}

fn errors(findings: &[Diagnostic]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Checks the template without the uncertain declarations.
fn check_certain(definition: &Definition, doubts: &Doubts, rules: TemplateRules<'_>) -> Report {
    let mut signature = rules.signature.clone();
    signature.open |= doubts.any_input;
    // Rust declarations are certain. They have no place in the source.
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

/// Turns warnings that cause template errors into errors. Returns whether any finding is an error.
fn promote_causes(findings: &mut [Diagnostic], doubts: &Doubts) -> bool {
    let is_cause = |finding: &Diagnostic| {
        finding.code == Code::UnknownKey
            && finding.span.is_some_and(|span| doubts.misread.contains(&span))
    };
    let causes = findings.iter_mut().filter(|finding| is_cause(finding));
    causes.for_each(|finding| finding.severity = Severity::Error);
    errors(findings) > 0
}

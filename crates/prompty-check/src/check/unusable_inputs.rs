//! Inputs whose names a template cannot use. The finding is at the declaration, and findings that
//! follow from it are suppressed.

use super::signature::Signature;
use crate::definition::{Input, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::Language;
use prompty_template::jinja::Jinja2;

/// Whether a Jinja template can use an input with this name.
#[doc(hidden)]
pub fn is_variable_name(name: &str) -> bool {
    Jinja2.is_variable(name)
}

/// The inputs of a signature that its template cannot use.
pub(super) struct UnusableInputs<'s> {
    inputs: Vec<&'s Input>,
}

impl<'s> UnusableInputs<'s> {
    /// Finds the unusable names among inputs that the source declares. An input that is used
    /// elsewhere needs no variable.
    pub(super) fn of(signature: &'s Signature, language: &dyn Language) -> Self {
        let is_unusable = |input: &&Input| {
            let is_declared_here = input.name_span.is_some() && !signature.is_bound(input);
            is_declared_here && !input.name.is_empty() && !language.is_variable(&input.name)
        };
        Self { inputs: signature.inputs.iter().filter(is_unusable).collect() }
    }

    /// A signature in which these names, and the words in them, are neither unused nor unknown.
    pub(super) fn accepting_signature(&self, signature: &Signature) -> Option<Signature> {
        if self.inputs.is_empty() {
            return None;
        }
        let mut signature = signature.clone();
        for input in &self.inputs {
            signature.bound.insert(input.name.clone());
            for part in input.name.split(|it: char| !it.is_alphanumeric() && it != '_') {
                if !part.is_empty() && signature.inputs.iter().all(|it| it.name != part) {
                    signature.bound.insert(part.to_owned());
                    signature.inputs.push(Input::new(part, ValueType::Any));
                }
            }
        }
        Some(signature)
    }

    /// Whether a finding in the text follows from one of these names. For example, the parser stops
    /// at a tag that contains a keyword.
    pub(super) fn is_cause_of(&self, finding: &Diagnostic, source: &str) -> bool {
        let Some(span) = finding.span.filter(|_| finding.code == Code::TemplateSyntax) else {
            return false;
        };
        let Some(before) = source.get(..span.start) else { return false };
        let tag = before.rfind(['{', '\n']).map_or(0, |open| open + 1);
        let Some(words) = source.get(tag..span.end) else { return false };
        let mut words = words.split(|it: char| !it.is_alphanumeric() && it != '_');
        words.any(|word| self.inputs.iter().any(|input| input.name == word))
    }

    /// The findings at the declarations.
    pub(super) fn findings(&self) -> impl Iterator<Item = Diagnostic> {
        self.inputs.iter().map(|input| {
            let name = &input.name;
            let message = format!("`{name}` is not a valid variable name in a template");
            let mut finding = Diagnostic::new(Code::Declaration, message);
            finding.span = input.name_span;
            let plain = plain_name(name);
            finding.with_label(why_unusable(name)).with_help(format!(
                "give it another name, such as `{plain}`, here and in the template"
            ))
        })
    }
}

/// The reason why a name is not a valid variable, for messages.
#[doc(hidden)]
pub fn why_unusable(name: &str) -> &'static str {
    match is_word(name) {
        true => "it is a keyword of templates",
        false => {
            "a name has letters (a to z, A to Z), digits and `_`, and does not begin with a digit"
        }
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        && !name.starts_with(|it: char| it.is_ascii_digit())
}

/// A similar name that a template can use.
#[doc(hidden)]
pub fn plain_name(name: &str) -> String {
    if is_word(name) {
        return format!("{name}_");
    }
    let letter = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
    let plain: String = name.chars().take(64).map(letter).collect();
    let plain = plain.trim_matches('_');
    match plain.chars().next() {
        None => "value".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{plain}"),
        Some(_) if !is_variable_name(plain) => format!("{plain}_"),
        Some(_) => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_variable_name, plain_name};

    #[test]
    fn keywords_and_other_characters_are_not_variables() {
        for name in ["city", "_x", "loop", "for", "block", "nonexistent"] {
            assert!(is_variable_name(name), "{name}");
        }
        for name in ["not", "true", "None", "user-name", "a.b", "a b", "2nd", "größe", ""] {
            assert!(!is_variable_name(name), "{name}");
        }
    }

    #[test]
    fn the_suggested_name_is_a_valid_variable() {
        let names = ["not", "user-name", "2nd", "größe", "?", "first name", "a.b"];
        let plain = names.map(plain_name);
        assert_eq!(plain, ["not_", "user_name", "_2nd", "gr__e", "value", "first_name", "a_b"]);
        assert!(plain.iter().all(|name| is_variable_name(name)));
    }
}

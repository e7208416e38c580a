//! Names of inputs that no template can use: a finding stands where they are declared, and what
//! follows from them is not told.

use super::signature::Signature;
use crate::definition::{Input, ValueType};
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::Language;
use prompty_template::jinja::Jinja2;

/// Whether a template of Jinja can use an input of this name.
#[doc(hidden)]
pub fn is_variable_name(name: &str) -> bool {
    Jinja2.is_variable(name)
}

/// The inputs of a signature that its template cannot use.
pub(super) struct Unusable<'s> {
    inputs: Vec<&'s Input>,
}

impl<'s> Unusable<'s> {
    /// Looks at the inputs that the same source declares. What else uses an input needs no variable.
    pub(super) fn of(signature: &'s Signature, language: &dyn Language) -> Self {
        let is_unusable = |input: &&Input| {
            let is_declared_here = input.name_span.is_some() && !signature.is_bound(input);
            is_declared_here && !input.name.is_empty() && !language.is_variable(&input.name)
        };
        Self { inputs: signature.inputs.iter().filter(is_unusable).collect() }
    }

    /// The signature for a check that says nothing of these names: neither that they are unused, nor
    /// that their parts are unknown.
    pub(super) fn tolerated(&self, signature: &Signature) -> Option<Signature> {
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

    /// Whether a finding in the text follows from one of these names: the parser stops in a tag that
    /// holds a key word.
    pub(super) fn causes(&self, finding: &Diagnostic, source: &str) -> bool {
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
            let message = format!("`{name}` cannot be a variable of a template");
            let mut finding = Diagnostic::new(Code::Declaration, message);
            finding.span = input.name_span;
            let plain = plain_name(name);
            finding.with_label(why_unusable(name)).with_help(format!(
                "give it another name, such as `{plain}`, here and in the template"
            ))
        })
    }
}

/// Why a name is no variable, as a message says it.
#[doc(hidden)]
pub fn why_unusable(name: &str) -> &'static str {
    match is_word(name) {
        true => "it is a key word of templates",
        false => "a name has the letters a to z, digits and `_`, and begins with no digit",
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        && !name.starts_with(|it: char| it.is_ascii_digit())
}

/// A name like this one that a template can use.
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
    fn key_words_and_other_signs_are_no_variables() {
        for name in ["city", "_x", "loop", "for", "block", "nonexistent"] {
            assert!(is_variable_name(name), "{name}");
        }
        for name in ["not", "true", "None", "user-name", "a.b", "a b", "2nd", "größe", ""] {
            assert!(!is_variable_name(name), "{name}");
        }
    }

    #[test]
    fn another_name_is_one_that_a_template_can_use() {
        let names = ["not", "user-name", "2nd", "größe", "?", "first name", "a.b"];
        let plain = names.map(plain_name);
        assert_eq!(plain, ["not_", "user_name", "_2nd", "gr__e", "value", "first_name", "a_b"]);
        assert!(plain.iter().all(|name| is_variable_name(name)));
    }
}

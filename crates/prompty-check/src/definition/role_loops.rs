//! Declares lists as threads if a template loops over them only to write messages.

use super::assembler::Assembler;
use super::{Definition, Input, ValueType};
use prompty_core::message::RichKind;
use prompty_template::jinja::role_loops::{LoopInput, may_have_loops, threads_of};

/// Declares lists as threads if the template uses them like threads: `{% for m in history %}` with
/// `{{ m.role }}:` and `{{ m.content }}` in it.
pub(super) fn declare_threads(definition: &mut Definition) {
    let template = &definition.template;
    let is_jinja = Assembler::of_format(&template.format) == Some(Assembler::Jinja);
    // Such a loop may have another meaning with another parser.
    if !is_jinja || template.parser != "prompty" {
        return;
    }
    let declared = |name: &str| {
        let declared = definition.inputs.iter().find(|input| input.name == name);
        declared.map_or(LoopInput::Undeclared, |input| LoopInput::from(&input.value_type))
    };
    let text = &definition.instructions;
    let parsed = may_have_loops(text).then(|| definition.parse_template(text)).flatten();
    let Some(Ok(tree)) = parsed else { return };
    for found in threads_of(text, &tree, declared) {
        let inputs = definition.inputs.iter_mut();
        for input in inputs.filter(|input| input.name == found.input.text) {
            input.declare_thread();
        }
    }
}

impl Input {
    /// Changes the type of the input to a thread.
    #[doc(hidden)]
    pub fn declare_thread(&mut self) {
        self.value_type = self.value_type.with_non_null(ValueType::Rich(RichKind::Thread));
    }
}

impl From<&ValueType> for LoopInput {
    fn from(value_type: &ValueType) -> Self {
        match value_type.non_null() {
            ValueType::Rich(RichKind::Thread) => Self::Thread,
            ValueType::Array(_) | ValueType::Any => Self::List,
            _ => Self::Other,
        }
    }
}

//! Declares as threads the lists over which a template loops only to write messages.

use super::assembler::Assembler;
use super::{Definition, Input, ValueType};
use prompty_core::message::RichKind;
use prompty_template::jinja::role_loops::{DeclaredAs, may_have_loops, threads_of};

/// Makes threads of the lists that the template uses like threads: `{% for m in history %}` with
/// `{{ m.role }}:` and `{{ m.content }}` in it.
pub(super) fn declare_threads(definition: &mut Definition) {
    let template = &definition.template;
    // Another parser may mean something else by such a loop.
    let has_loops = Assembler::of_format(&template.format) == Some(Assembler::Jinja);
    if !has_loops || template.parser != "prompty" {
        return;
    }
    let declared = |name: &str| {
        let declared = definition.inputs.iter().find(|input| input.name == name);
        declared.map_or(DeclaredAs::Nothing, |input| DeclaredAs::from(&input.value_type))
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
    /// Makes the input a thread.
    #[doc(hidden)]
    pub fn declare_thread(&mut self) {
        self.value_type = self.value_type.with_non_null(ValueType::Rich(RichKind::Thread));
    }
}

impl From<&ValueType> for DeclaredAs {
    fn from(value_type: &ValueType) -> Self {
        match value_type.non_null() {
            ValueType::Rich(RichKind::Thread) => Self::Thread,
            ValueType::Array(_) | ValueType::Any => Self::List,
            _ => Self::Other,
        }
    }
}

//! Declares as threads the lists over which a template loops only to write messages.

use super::assembler::Assembler;
use super::{Definition, Kind};
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
        declared.map_or(DeclaredAs::Nothing, |input| DeclaredAs::from(&input.kind))
    };
    let text = &definition.instructions;
    let parsed = may_have_loops(text).then(|| definition.parse_template(text)).flatten();
    let Some(Ok(tree)) = parsed else { return };
    for found in threads_of(text, &tree, declared) {
        let inputs = definition.inputs.iter_mut();
        for input in inputs.filter(|input| input.name == found.input.text) {
            input.kind = Kind::Rich(RichKind::Thread);
        }
    }
}

impl From<&Kind> for DeclaredAs {
    fn from(kind: &Kind) -> Self {
        match kind {
            Kind::Rich(RichKind::Thread) => Self::Thread,
            Kind::Array(_) | Kind::Any => Self::List,
            _ => Self::Other,
        }
    }
}

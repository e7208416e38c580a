//! Declares as threads the lists over which a template loops only to write messages.

use super::{Definition, Kind, is_jinja};
use prompty_core::jinja::role_loops::loops_of;

/// Makes threads of the lists that the template uses like threads: `{% for m in history %}` with
/// `{{ m.role }}:` and `{{ m.content }}` in it.
pub(super) fn declare_threads(definition: &mut Definition) {
    let template = &definition.template;
    // Another parser may mean something else by such a loop.
    if !is_jinja(&template.format) || template.parser != "prompty" {
        return;
    }
    for found in loops_of(&definition.instructions).into_iter().filter(|found| found.is_only_use) {
        let inputs = definition.inputs.iter_mut();
        for input in inputs.filter(|input| input.name == found.input.text) {
            if matches!(input.kind, Kind::Array(_) | Kind::Any) {
                input.kind = Kind::Thread;
            }
        }
    }
}

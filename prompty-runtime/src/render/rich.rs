//! Gives rich inputs their placeholders (§5.3).

use crate::nonce::{Nonce, Rich};
use crate::template::RichInput;

/// The rich inputs as the template sees them, and as the parser finds them again.
pub(super) fn name(
    given: Vec<(String, Rich)>,
    nonce: &Nonce,
) -> (Vec<RichInput>, Vec<(String, Rich)>) {
    let names = given.iter().map(|(name, rich)| RichInput {
        name: name.clone(),
        placeholder: nonce.placeholder(name),
        present: !rich.is_empty(),
    });
    let names: Vec<RichInput> = names.collect();
    let rich = given.into_iter().zip(&names);
    let rich = rich.map(|((_, rich), name)| (name.placeholder.clone(), rich)).collect();
    (names, rich)
}

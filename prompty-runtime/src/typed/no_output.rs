//! The message for a prompt whose outputs are declared while the feature `output` is off.

/// What the methods require that read replies to a prompt, if the feature `output` is off. No type
/// implements it.
#[diagnostic::on_unimplemented(
    message = "the methods that read replies are not enabled",
    label = "reads the outputs of the prompt",
    note = "enable the feature `output` of `typed-prompty`"
)]
pub trait OutputFeature {
    /// The result of any method. Its type is not known, so rustc reports nothing about its use.
    fn result<T>() -> T;
}

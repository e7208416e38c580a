//! The syntax of role markers (§6.2).
use super::Nonce;
pub(super) fn without_nonce(text: &str, _nonce: &Nonce) -> String {
    text.to_owned()
}

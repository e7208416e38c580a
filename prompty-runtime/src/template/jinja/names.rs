//! Names that only an instrumented template holds. All of them begin with what is reserved.

pub(super) const TEMPLATE: &str = "prompt";
pub(super) const NONCE: &str = "__prompty_nonce";
pub(super) const CHARGE: &str = "__prompty_charge";
pub(super) const TEXT: &str = "__prompty_text";
pub(super) const CONTAINER: &str = "__prompty_container";
pub(super) const OR_NONE: &str = "__prompty_or_none";
pub(super) const BOUNDED: &str = "__prompty_bounded";
pub(super) const READ: &str = "__prompty_read";
pub(super) const READ_TEXT: &str = "__prompty_read_text";
pub(super) const KEPT: &str = "__prompty_kept";
pub(super) const CAUGHT: &str = "__prompty_caught";
pub(super) const ATTRIBUTE: &str = "__prompty_attribute";

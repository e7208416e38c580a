//! Names that `instrument` inserts into templates. They begin with a reserved prefix, so they are
//! not those of an author. Without another comment, a name is that of a filter, such as `TEXT` in
//! `(a)|__prompty_text`; the module `operators` explains these.

/// The name of the template in the engine's environment.
pub(super) const TEMPLATE: &str = "prompt";
/// The variable with the nonce of the render.
pub(super) const NONCE: &str = "__prompty_nonce";
pub(super) const CHARGE: &str = "__prompty_charge";
pub(super) const TEXT: &str = "__prompty_text";
pub(super) const ADDEND: &str = "__prompty_addend";
pub(super) const FACTOR: &str = "__prompty_factor";
pub(super) const TIMES: &str = "__prompty_times";
pub(super) const NEEDLE: &str = "__prompty_needle";
pub(super) const CONTAINER: &str = "__prompty_container";
pub(super) const OR_NONE: &str = "__prompty_or_none";
pub(super) const BOUNDED: &str = "__prompty_bounded";
pub(super) const MEASURED: &str = "__prompty_measured";
pub(super) const READ: &str = "__prompty_read";
pub(super) const INDEX_SUBJECT: &str = "__prompty_index_subject";
pub(super) const SLICE_SUBJECT: &str = "__prompty_slice_subject";
pub(super) const REVERSED: &str = "__prompty_reversed";
pub(super) const ARGUMENT: &str = "__prompty_argument";
pub(super) const SPREAD_LIST: &str = "__prompty_spread_list";
pub(super) const SPREAD_MAP: &str = "__prompty_spread_map";
pub(super) const UNPACK_SUBJECT: &str = "__prompty_unpack_subject";
pub(super) const STORED: &str = "__prompty_stored";
pub(super) const RETURNED: &str = "__prompty_returned";
pub(super) const ATTRIBUTE: &str = "__prompty_attribute";
/// The prefix of functions that write opening message tags. The name that the author calls
/// follows: `message`, or a role.
pub(super) const OPENING: &str = "__prompty_opening_";
/// The same for closing message tags.
pub(super) const CLOSING: &str = "__prompty_closing_";
/// The function that an empty `call` block calls. It writes nothing.
pub(super) const NOTHING: &str = "__prompty_nothing";

//! JSON for one provider, such as a tool that the provider runs itself. It may contain secrets: the
//! headers of a remote server, or its key.

use std::fmt;
use std::ops::Deref;

use prompty_core::trace::redact;
use prompty_core::value::Value;

/// JSON for one provider. `Debug` does not show the values of entries whose names indicate a secret.
#[derive(Clone)]
pub(super) struct ProviderJson(pub(super) Value);

impl fmt::Debug for ProviderJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        redact(&self.0).fmt(f)
    }
}

impl Deref for ProviderJson {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

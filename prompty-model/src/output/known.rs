//! What the readers of a type share is made once for each type, and kept: a service asks for the same few types
//! again and again.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::typed::Shared;

static KNOWN: LazyLock<RwLock<HashMap<TypeId, Arc<Shared>>>> = LazyLock::new(RwLock::default);

/// What the readers of a type share.
pub(super) fn shared<T: 'static>(make: fn() -> Shared) -> Arc<Shared> {
    let id = TypeId::of::<T>();
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&id).map(Arc::clone);
    known.unwrap_or_else(|| {
        // It is made without the lock: what makes a schema may ask for another one.
        let made = Arc::new(make());
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(id).or_insert(made))
    })
}

//! Implements a trait for pointers to the types that have the trait.

/// Implements a trait for `&T`, `Box<T>`, `Rc<T>`, `Arc<T>` and `Cow<T>`, with the same items.
macro_rules! for_pointers {
    ($trait:ident $items:tt) => {
        for_pointers! {
            $trait $items
            [?Sized] &T;
            [?Sized] Box<T>;
            [?Sized] std::rc::Rc<T>;
            [?Sized] std::sync::Arc<T>;
            [ToOwned + ?Sized] std::borrow::Cow<'_, T>;
        }
    };
    ($trait:ident $items:tt $([$($bounds:tt)*] $pointer:ty;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: $trait + $($bounds)*> $trait for $pointer $items
    )+};
}

pub(super) use for_pointers;

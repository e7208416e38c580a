//! The truth of values in blocks of Handlebars, if only rustc knows their types. Rust's method
//! lookup takes the first trait here that fits the value, as explained in [`super::tiers`].

use super::place::Place;
use super::tiers::tiers;
use super::truth::{BlockTruth, Truth};

tiers! {
    block_truth {
        /// A type that can be a condition.
        TruthOfBlock: [T: Truth + ?Sized] &&&&Place<'a, T> => BlockTruth, |it| it.in_block();
        /// An `Option` of a type that cannot be a condition.
        PresenceOfBlock: [T] &&Place<'a, Option<T>> => BlockTruth,
            |it| BlockTruth::of_bool(it.is_some());
        /// Any other type, such as a struct.
        PlainBlock: [T: ?Sized] Place<'a, T> => BlockTruth, |_| BlockTruth::of_bool(true);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::tiers::*;
    use super::*;
    use prompty_core::value::Value;

    macro_rules! truth {
        ($value:expr) => {{
            let BlockTruth { holds, is_entered } = (&&&&&Place(&$value)).block_truth();
            (holds, is_entered)
        }};
    }

    #[test]
    fn with_accepts_zero_and_a_map_is_always_true() {
        struct AnyStruct;
        assert_eq!(truth!(0), (false, true));
        assert_eq!(truth!(f64::NAN), (false, true));
        assert_eq!(truth!(Some(0.5)), (true, true));
        assert_eq!(truth!(None::<i32>), (false, false));
        assert_eq!(truth!(""), (false, false));
        assert_eq!(truth!(BTreeMap::<String, i32>::new()), (true, true));
        assert_eq!(truth!(Some(&BTreeMap::<String, i32>::new())), (true, true));
        assert_eq!(truth!(Value::Object(Default::default())), (true, true));
        assert_eq!(truth!(AnyStruct), (true, true));
        assert_eq!(truth!(None::<AnyStruct>), (false, false));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn data_is_tested_by_its_kind() {
        use serde_json::json;
        assert_eq!(truth!(json!({})), (true, true));
        assert_eq!(truth!(json!(0)), (false, true));
        assert_eq!(truth!(Some(&json!([]))), (false, false));
    }
}

//! Shapes of Rust types, and the macro that defines a shape.

use prompty_core::schema::shape::Shape;
use prompty_core::value::Value;
use schemars::JsonSchema;

use crate::type_cache::TypeCache;
use crate::type_schema::{self, TypeSchema};

/// The shape of a Rust type. Doc comments are the descriptions.
///
/// If a shape cannot express its schema (see [`Shape::from_schema`]), the model is shown the schema
/// itself, and the shape accepts any value.
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; }
/// use typed_prompty::output::shape_of;
///
/// assert_eq!(shape_of::<(String, Vec<bool>)>().inline().requirement(), "<tuple[str, list[bool]]>");
/// ```
pub fn shape_of<T: HasSchema>() -> Shape {
    static OF_TYPES: TypeCache<Shape> = TypeCache::new();

    OF_TYPES.get::<T>(|| {
        let schema = Value::Object(T::type_schema().schema);
        Shape::from_schema(&schema).unwrap_or_else(|_| Shape::words(schema.to_json()))
    })
}

/// A type that has a shape. Every type with a JSON schema implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON schema",
    label = "does not implement `JsonSchema`",
    note = "add `#[derive(schemars::JsonSchema)]` to it and to its field types",
    note = "if it has it already, its `schemars` has another version: `typed-prompty` needs `schemars = \"1\"`",
    note = "or write a shape instead: `{{ key: String }}`"
)]
pub trait HasSchema {
    #[doc(hidden)]
    fn type_schema() -> TypeSchema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> HasSchema for T {
    fn type_schema() -> TypeSchema {
        type_schema::value_schema::<T>()
    }
}

/// Items that the macro uses. They are not part of the public interface.
#[doc(hidden)]
pub mod schema {
    use super::Shape;

    pub use prompty_core::diagnostic::fail_build;
    pub use prompty_core::text::are_same;

    /// A shape with a description.
    pub fn described(shape: Shape, description: &str) -> Shape {
        shape.with_description(description)
    }
}

/// Defines a shape in place.
///
/// | syntax | meaning |
/// |---|---|
/// | `{ key: …, "other key": … }` | an object; `key?: …` is optional |
/// | `[…]` | an array |
/// | `(…, "description")` | a shape with a description |
/// | `"a" \| "b"` | one of these strings |
/// | `"words"` | any value that the words describe |
/// | a type | the [shape of the type](fn@crate::output::shape_of), which implements `schemars::JsonSchema` |
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; pub use prompty_output::schema; }
/// use typed_prompty::output::Output;
/// use typed_prompty::schema;
///
/// let shape = schema!({
///     title: (String, "at most ten words"),
///     tags: ([String], "lower case"),
///     mood: "calm" | "angry",
///     author?: { name: String, born: Option<i32> },
/// });
/// assert_eq!(shape.requirement(), r#"{
///   "title": <str>, // at most ten words
///   "tags": [
///     <str>,
///     ...
///   ], // lower case
///   "mood": <Literal[calm, angry]>,
///   "author": {
///     "name": <str>,
///     "born": <int | NoneType>
///   } | <NoneType>
/// }"#);
///
/// let reply = r#"{"title": "On prompts", "tags": ["rust"], "mood": "calm"}"#;
/// assert_eq!(Output::from_shape(shape).parse(reply)?.value.get("mood").unwrap().as_str(), Some("calm"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[macro_export]
macro_rules! schema {
    // Keys of an object, one after another.
    (@keys $fields:tt) => {};
    (@keys $fields:tt $key:literal $($rest:tt)*) => {
        $crate::schema!(@presence $fields ($key) $($rest)*)
    };
    (@keys $fields:tt $key:ident $($rest:tt)*) => {
        $crate::schema!(@presence $fields (::core::stringify!($key)) $($rest)*)
    };
    (@keys $fields:tt $($other:tt)*) => {
        ::core::compile_error!(
            "expected a key: a name or a string\n  = help: write `title: String`"
        )
    };
    (@presence $fields:tt ($key:expr) ? : $($rest:tt)*) => {
        $crate::schema!(@value $fields ($key) optional $($rest)*)
    };
    (@presence $fields:tt ($key:expr) : $($rest:tt)*) => {
        $crate::schema!(@value $fields ($key) required $($rest)*)
    };
    (@presence $fields:tt ($key:expr) $($rest:tt)*) => {
        $crate::schema!(@value $fields ($key) required)
    };
    (@value $fields:tt ($key:expr) $presence:ident) => {
        ::core::compile_error!(::core::concat!(
            "the key `",
            $key,
            "` has no type\n  = help: write `",
            $key,
            ": String`, or another type or shape instead of `String`",
        ))
    };
    (@value ($fields:ident [$($seen:tt)*]) ($key:expr) $presence:ident $($first:literal)|+ $(, $($rest:tt)*)?) => {
        $fields.push(($key, $crate::schema!($($first)|+).$presence()));
        $crate::schema!(@once [$($seen)*] ($key));
        $crate::schema!(@keys ($fields [$($seen)* ($key)]) $($($rest)*)?)
    };
    (@value ($fields:ident [$($seen:tt)*]) ($key:expr) $presence:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $fields.push(($key, $crate::schema!({ $($inner)* }).$presence()));
        $crate::schema!(@once [$($seen)*] ($key));
        $crate::schema!(@keys ($fields [$($seen)* ($key)]) $($($rest)*)?)
    };
    (@value ($fields:ident [$($seen:tt)*]) ($key:expr) $presence:ident [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $fields.push(($key, $crate::schema!([ $($inner)* ]).$presence()));
        $crate::schema!(@once [$($seen)*] ($key));
        $crate::schema!(@keys ($fields [$($seen)* ($key)]) $($($rest)*)?)
    };
    (@value ($fields:ident [$($seen:tt)*]) ($key:expr) $presence:ident ( $($inner:tt)* ) $(, $($rest:tt)*)?) => {
        $fields.push(($key, $crate::schema!(( $($inner)* )).$presence()));
        $crate::schema!(@once [$($seen)*] ($key));
        $crate::schema!(@keys ($fields [$($seen)* ($key)]) $($($rest)*)?)
    };
    (@value ($fields:ident [$($seen:tt)*]) ($key:expr) $presence:ident $type:ty $(, $($rest:tt)*)?) => {
        $fields.push(($key, $crate::output::shape_of::<$type>().$presence()));
        $crate::schema!(@once [$($seen)*] ($key));
        $crate::schema!(@keys ($fields [$($seen)* ($key)]) $($($rest)*)?)
    };
    (@value $fields:tt ($key:expr) $presence:ident $($other:tt)*) => {
        ::core::compile_error!(::core::concat!(
            "expected a comma after the value of the key `",
            $key,
            "`\n  = help: write `",
            $key,
            ": …,`",
        ))
    };

    // A key must differ from all keys before it.
    (@once [$(($seen:expr))*] ($key:expr)) => {
        const _: () = {
            $(if $crate::output::schema::are_same($seen, $key) {
                $crate::output::schema::fail_build(::core::concat!(
                    "the key `",
                    $key,
                    "` is specified twice in one object\n  = help: remove one of them, or rename it",
                ));
            })*
        };
    };

    // A shape: the value of a key, the item of an array, or the outermost shape.
    () => {
        ::core::compile_error!(
            "the shape is empty\n  = help: write `{ key: Type }`, `[Type]` or a type"
        )
    };
    ([]) => {
        ::core::compile_error!(
            "the items of the array have no type\n  = help: write `[String]`, or another type or shape instead of `String`"
        )
    };
    ({ $($keys:tt)* }) => {{
        let mut fields: ::std::vec::Vec<(&'static str, $crate::output::generated::Shape)> =
            ::std::vec::Vec::new();
        $crate::schema!(@keys (fields []) $($keys)*);
        $crate::output::generated::Shape::object(fields)
    }};
    ([ $($item:tt)+ ]) => { $crate::output::generated::Shape::list_of($crate::schema!($($item)+)) };
    (({ $($inner:tt)* }, $description:literal $(,)?)) => {
        $crate::output::schema::described($crate::schema!({ $($inner)* }), $description)
    };
    (([ $($inner:tt)* ], $description:literal $(,)?)) => {
        $crate::output::schema::described($crate::schema!([ $($inner)* ]), $description)
    };
    (($($first:literal)|+, $description:literal $(,)?)) => {
        $crate::output::schema::described($crate::schema!($($first)|+), $description)
    };
    (($type:ty, $description:literal $(,)?)) => {
        $crate::output::schema::described($crate::output::shape_of::<$type>(), $description)
    };
    ($words:literal) => { $crate::output::generated::Shape::words($words) };
    ($($value:literal)|+) => { $crate::output::generated::Shape::literals([$($value),+]) };
    ($type:ty) => { $crate::output::shape_of::<$type>() };
    (($($other:tt)*)) => {
        ::core::compile_error!(
            "expected a type or a shape and its description in parentheses\n  = help: write `(String, \"the description\")`"
        )
    };
}

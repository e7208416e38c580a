//! Shapes of Rust types, and the macro that writes a shape down.

use prompty_core::schema::shape::Shape;
use prompty_core::value::Value;
use schemars::JsonSchema;

use crate::per_type::PerType;
use crate::type_schema::{self, TypeSchema};

/// The shape of a Rust type. Doc comments are the descriptions.
///
/// Where its schema says what no shape can say (see [`Shape::from_schema`]), the model is shown the schema
/// itself, and any value follows the shape.
///
/// ```
/// # mod typed_prompty { pub use prompty_output::output; }
/// use typed_prompty::output::shape_of;
///
/// assert_eq!(shape_of::<(String, Vec<bool>)>().inline().requirement(), "<tuple[str, list[bool]]>");
/// ```
pub fn shape_of<T: HasSchema>() -> Shape {
    static OF_TYPES: PerType<Shape> = PerType::new();

    OF_TYPES.get::<T>(|| {
        let schema = Value::Object(T::type_schema().schema);
        Shape::from_schema(&schema).unwrap_or_else(|_| Shape::words(schema.to_json()))
    })
}

/// A type of which a shape can be made. Every type with a JSON schema implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON schema",
    label = "nothing says how the model writes it",
    note = "add `#[derive(schemars::JsonSchema)]` to it and to what it holds",
    note = "or write its shape here: `{{ key: String }}`"
)]
pub trait HasSchema {
    #[doc(hidden)]
    fn type_schema() -> TypeSchema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> HasSchema for T {
    fn type_schema() -> TypeSchema {
        type_schema::values::<T>()
    }
}

/// What the macro writes. It is no part of the public interface.
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

/// A shape that is written down where it is used.
///
/// | written | what it is |
/// |---|---|
/// | `{ key: …, "other key": … }` | an object; `key?: …` may be missing |
/// | `[…]` | a list |
/// | `(…, "description")` | the same with a description |
/// | `"a" \| "b"` | one of these texts |
/// | `"words"` | any value; the words say which |
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
///     author?: { name: String, born: Option<u16> },
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
            "expected a key: a name or a text in quotes\n  = help: write `title: String`"
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
            "` says nothing of its value\n  = help: write `",
            $key,
            ": String`, or another type or shape in place of `String`",
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
            "what stands under the key `",
            $key,
            "` has no comma behind it\n  = help: write `",
            $key,
            ": …,`",
        ))
    };

    // A key must be none of those in front of it.
    (@once [$(($seen:expr))*] ($key:expr)) => {
        const _: () = {
            $(if $crate::output::schema::are_same($seen, $key) {
                $crate::output::schema::fail_build(::core::concat!(
                    "the key `",
                    $key,
                    "` stands twice in one object\n  = help: remove one of them, or give it another name",
                ));
            })*
        };
    };

    // What stands under a key, in a list, or alone.
    () => {
        ::core::compile_error!(
            "the shape is empty\n  = help: write `{ key: Type }`, `[Type]` or a type"
        )
    };
    ([]) => {
        ::core::compile_error!(
            "nothing is said of the items of the list\n  = help: write `[String]`, or another type or shape in place of `String`"
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
            "parentheses hold a type or a shape, and its description in quotes\n  = help: write `(String, \"what it is\")`"
        )
    };
}

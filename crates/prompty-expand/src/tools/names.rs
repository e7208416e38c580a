//! Names of tools, and of the types of their arguments.

use proc_macro2::Span;
use prompty_core::message::ToolSpec;
use syn::{Ident, LitStr};

use crate::errors::Errors;
use crate::type_names::join_capitalized;

/// The name of a tool, from the attribute or from the Rust name. It is an error if providers do not
/// accept it.
pub(crate) fn tool_name(
    given: Option<&LitStr>,
    default_name: String,
    at: Span,
    errors: &mut Errors,
) -> String {
    let name = given.map_or(default_name, LitStr::value);
    if ToolSpec::is_name(&name) {
        return name;
    }
    let span = given.map_or(at, LitStr::span);
    let message = format!("`{name}` is not a valid name of a tool");
    let help = match given {
        Some(_) => "use 1 to 64 ASCII letters, digits, `_` and `-`",
        None => {
            "set a name of 1 to 64 ASCII letters, digits, `_` and `-` with `#[tool(name = \"…\")]`"
        }
    };
    errors.add(span, &message, help);
    name
}

/// Converts `GetWeather` into `get_weather`.
pub(crate) fn snake_case(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| characters.get(index));
        let after = characters.get(index + 1);
        // A word begins after a lower-case letter, and at the last of several capitals: `HTTPGet`
        // becomes `http_get`.
        let begins = character.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if begins {
            out.push('_');
        }
        out.extend(character.to_lowercase());
    }
    out
}

/// The name of the type of a function's arguments: `GetWeatherArguments` for `get_weather`.
pub(crate) fn arguments_type_name(function: &str) -> String {
    let name = camel_case(function);
    let starts_with_letter = !name.starts_with(char::is_numeric);
    format!("{}{name}Arguments", if starts_with_letter { "" } else { "_" })
}

/// Converts `get_weather` into `GetWeather`.
fn camel_case(name: &str) -> String {
    join_capitalized(name.split('_'))
}

/// An identifier without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    syn::ext::IdentExt::unraw(ident).to_string()
}

#[cfg(test)]
mod tests {
    use super::{arguments_type_name, camel_case, snake_case};

    #[test]
    fn names_are_split_into_words() {
        let pairs = [
            ("Weather", "weather"),
            ("GetWeather", "get_weather"),
            ("HTTPGet", "http_get"),
            ("Get2Pages", "get2_pages"),
            ("X", "x"),
            ("already_small", "already_small"),
        ];
        for (name, expected) in pairs {
            assert_eq!(snake_case(name), expected);
        }
        assert_eq!(camel_case("get_weather"), "GetWeather");
        assert_eq!(camel_case("_get__x"), "GetX");
        assert_eq!(arguments_type_name("_2_pages"), "_2PagesArguments");
        assert_eq!(arguments_type_name("__"), "Arguments");
    }
}

//! How serde names fields in JSON.

/// serde's `rename_all` rules, as they apply to fields.
#[derive(Clone, Copy, Default)]
pub(super) enum RenameRule {
    #[default]
    Unchanged,
    Upper,
    Pascal,
    Camel,
    Kebab,
    UpperKebab,
}

impl RenameRule {
    /// The rule with a name such as `camelCase`. Fields in snake case do not change in lower case.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" | "snake_case" => Self::Unchanged,
            "UPPERCASE" | "SCREAMING_SNAKE_CASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::UpperKebab,
            _ => return None,
        })
    }

    /// The name of a field in JSON.
    pub(super) fn name(self, field: &str) -> String {
        match self {
            Self::Unchanged => field.to_owned(),
            Self::Upper => field.to_ascii_uppercase(),
            Self::Pascal => pascal(field),
            Self::Camel => {
                let name = pascal(field);
                let mut characters = name.chars();
                let first = characters.next().map(|it| it.to_ascii_lowercase());
                first.into_iter().chain(characters).collect()
            }
            Self::Kebab => field.replace('_', "-"),
            Self::UpperKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(field: &str) -> String {
    let mut name = String::new();
    let mut is_first = true;
    for character in field.chars() {
        if character == '_' {
            is_first = true;
            continue;
        }
        name.push(if is_first { character.to_ascii_uppercase() } else { character });
        is_first = false;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::RenameRule;

    #[test]
    fn fields_are_named_as_serde_names_them() {
        let pairs = [
            ("lowercase", "a_long_name"),
            ("UPPERCASE", "A_LONG_NAME"),
            ("PascalCase", "ALongName"),
            ("camelCase", "aLongName"),
            ("snake_case", "a_long_name"),
            ("SCREAMING_SNAKE_CASE", "A_LONG_NAME"),
            ("kebab-case", "a-long-name"),
            ("SCREAMING-KEBAB-CASE", "A-LONG-NAME"),
        ];
        for (rule, expected) in pairs {
            let name = RenameRule::from_name(rule).map(|it| it.name("a_long_name"));
            assert_eq!(name.as_deref(), Some(expected));
        }
    }
}

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
                let mut name = pascal(field);
                name.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
                name
            }
            Self::Kebab => field.replace('_', "-"),
            Self::UpperKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(field: &str) -> String {
    let mut words: Vec<String> = field.split('_').map(str::to_owned).collect();
    words.iter_mut().filter_map(|word| word.get_mut(..1)).for_each(str::make_ascii_uppercase);
    words.concat()
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

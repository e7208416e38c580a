//! Lines that resemble a role marker. Their author may have meant a marker, but they are text.

use std::ops::Range;

use prompty_core::diagnostic::Severity;
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::message::Role;
use prompty_template::role_markers::syntax::match_line;

/// The maximum length of a line that is checked. Longer lines are prose.
const LONGEST: usize = 120;

/// A finding about a line that resembles a marker.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AlmostMarker {
    pub(super) range: Range<usize>,
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: Vec<String>,
}

/// The finding about a line without tags, if the line resembles a marker.
pub(super) fn almost_marker(line: &str) -> Option<AlmostMarker> {
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed.len() > LONGEST {
        return None;
    }
    let start = line.len() - line.trim_start().len();
    let range = start..start + trimmed.len();
    let message = format!("`{}` is not a role marker", visible(trimmed));
    let found = |severity, help: Vec<String>| Some(AlmostMarker { range, severity, message, help });
    // A Cyrillic `е` in `user:`.
    if let Some((plain, culprit)) = lookalike(trimmed) {
        let help = format!("write `{plain}`: this line has {culprit}");
        return found(Severity::Error, vec![help]);
    }
    // `**user:**`
    if let Some(role) = decorated_role(trimmed) {
        return found(Severity::Warning, vec![format!("write `{role}:` or `# {role}:`")]);
    }
    // `user[name=Bob:`
    if let Some(attributes) = broken_attributes(trimmed) {
        return found(attributes.severity, vec![attributes.help]);
    }
    let word = trimmed.strip_suffix(':')?.trim_end();
    let word = word.strip_prefix('#').map_or(word, str::trim_start);
    if !word.chars().all(char::is_alphabetic) {
        return None;
    }
    // `human:`
    let lower = word.to_lowercase();
    if let Some(help) = other_role_help(&lower) {
        return found(Severity::Warning, vec![help]);
    }
    // `asistant:`
    let role = nearest_role(&lower)?;
    let help = vec![
        format!("a role with a similar name exists: `{role}`"),
        format!("if it is meant as text, write `{{{{ \"{trimmed}\" }}}}`"),
    ];
    found(Severity::Error, help)
}

/// The roles, in the form of a help text.
pub(super) fn roles() -> String {
    Role::OF_MARKERS.map(|role| format!("`{role}`")).join(", ")
}

/// The help for the name of a role in another format, with the role that it probably means, or for
/// a word of prose that is similar to a role.
fn other_role_help(word: &str) -> Option<String> {
    let advice = match word {
        "tool" | "function" => "; pass tool results with a `kind: thread` input",
        "human" | "operator" => "; write `user:`",
        "ai" | "bot" | "model" | "gpt" | "llm" => "; write `assistant:`",
        "users" | "use" | "used" | "uses" | "usage" => "",
        "systems" | "assistants" | "assistance" | "developers" => "",
        _ => return None,
    };
    Some(format!("available roles: {}{advice}", roles()))
}

/// The role that is most similar to a word, if the word differs by at most two edits.
fn nearest_role(word: &str) -> Option<String> {
    if word.chars().count() < 3 {
        return None;
    }
    let names = Role::OF_MARKERS.map(|role| role.to_string());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = suggest(word, &names)?;
    let edits = prompty_core::diagnostic::suggest::distance(word, &found);
    let most = if found.len() <= 4 { 1 } else { 2 };
    (edits > 0 && edits <= most).then_some(found)
}

/// A finding about the attributes of a line that names a role.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BrokenAttributes {
    pub(super) severity: Severity,
    pub(super) help: String,
}

/// The finding about the attributes of a line such as `user[a=b:`, `user [a=b]:` or `user(a=b):`.
pub(super) fn broken_attributes(line: &str) -> Option<BrokenAttributes> {
    let line = line.trim();
    if line.len() > LONGEST || match_line(line).is_some() {
        return None;
    }
    let (name, rest) = line.split_once(['[', '(', '{'])?;
    let name = name.strip_prefix('#').map_or(name, str::trim_start);
    let role = role_named(name.trim_end())?;
    let found = |severity, help: String| Some(BrokenAttributes { severity, help });
    // `user[a=b]`
    let Some(word) = line.strip_suffix(':').map(str::trim_end) else {
        // A line without the colon may be meant as text.
        let complete = format!("{line}:");
        match_line(&complete)?;
        return found(Severity::Warning, format!("end the line with a colon: `{complete}`"));
    };
    // `user(a=b):`
    let is_square = line.as_bytes().get(line.len() - rest.len() - 1) == Some(&b'[');
    if !is_square {
        let inside = rest.trim_end_matches(':').trim_end().trim_end_matches([')', '}']);
        let complete = format!("{}[{inside}]:", name.trim_end());
        match_line(&complete)?;
        return found(
            Severity::Error,
            format!("write attributes in square brackets: `{complete}`"),
        );
    }
    // `user[a=b:`
    let closed = format!("{word}]:");
    if !rest.contains(']') && match_line(&closed).is_some() {
        return found(Severity::Error, format!("close the bracket before the colon: `{closed}`"));
    }
    // `user[0] and more:` is text.
    if rest.contains(']') && !word.ends_with(']') {
        return None;
    }
    // `user [a=b]:`
    let help =
        format!("write `{role}[name=value]:` without spaces around the brackets, or `{role}:`");
    found(Severity::Error, help)
}

/// The role of a line such as `## user:`, `**user:**` or `> user:`.
fn decorated_role(line: &str) -> Option<Role> {
    let is_decoration =
        |character: char| "#>*_-+`\"'<=|()~".contains(character) || character.is_whitespace();
    // `broken_attributes` reports lines with brackets, and a plain marker is valid.
    if line.contains('[') || match_line(line).is_some() {
        return None;
    }
    let inner = line.trim_matches(is_decoration);
    let inner =
        inner.strip_suffix(':').map_or(inner, |inner| inner.trim_end_matches(is_decoration));
    line.contains(':').then(|| role_named(inner)).flatten()
}

/// The role with this name, in any letter case.
pub(super) fn role_named(name: &str) -> Option<Role> {
    Role::OF_MARKERS.into_iter().find(|role| role.as_str().eq_ignore_ascii_case(name))
}

/// The marker that a line looks like, and the character that differs: an invisible character, or a
/// character of another script.
fn lookalike(line: &str) -> Option<(String, String)> {
    if line.is_ascii() {
        return None;
    }
    let mut culprit = None;
    let mut plain = String::new();
    for character in line.chars() {
        match imitated_letter(character) {
            Some(letter) => plain.extend(letter),
            None => {
                plain.push(character);
                continue;
            }
        }
        culprit.get_or_insert(character);
    }
    let culprit = culprit?;
    match_line(&plain)?;
    let name = match culprit {
        '\u{feff}' => "a byte order mark".to_owned(),
        other if imitated_letter(other) == Some(None) => {
            format!("an invisible character (U+{:04X})", u32::from(other))
        }
        other => format!("`{other}` (U+{:04X}), a similar character", u32::from(other)),
    };
    Some((plain.trim().to_owned(), name))
}

/// The letter of a role, or the colon, that a character looks like; `Some(None)` if it is
/// invisible. `None` for all other characters, and for these letters and the colon themselves.
///
/// A Cyrillic `а` gives `Some(Some('a'))`, a zero-width space `Some(None)`, and a Latin `a` `None`.
fn imitated_letter(character: char) -> Option<Option<char>> {
    if is_invisible(character) {
        return Some(None);
    }
    // The full-width letters have the order of ASCII.
    if let 'Ａ'..='Ｚ' | 'ａ'..='ｚ' = character {
        return Some(char::from_u32(u32::from(character) - 0xfee0));
    }
    Some(Some(match character {
        'а' | 'ɑ' | 'α' | 'А' | 'Α' => 'a',
        'ԁ' => 'd',
        'е' | 'ε' | 'Е' | 'Ε' => 'e',
        'і' | 'ı' | 'ι' | 'І' | 'Ι' => 'i',
        'ⅼ' | 'ӏ' => 'l',
        'м' | 'М' | 'Μ' => 'm',
        'ո' | 'η' => 'n',
        'о' | 'ο' | 'О' | 'Ο' => 'o',
        'р' | 'ρ' | 'Р' | 'Ρ' => 'p',
        'г' | 'ꭇ' => 'r',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'τ' | 'Т' | 'Τ' => 't',
        'υ' | 'ս' => 'u',
        'ѵ' | 'ν' => 'v',
        'у' | 'γ' | 'У' | 'Υ' => 'y',
        '：' | '﹕' | '︰' | '∶' | 'ː' | '꞉' => ':',
        _ => return None,
    }))
}

/// Whether a character cannot be seen in a line, but is not white space. `char::escape_debug`
/// writes such characters as `\u{200b}`, except two kinds. The blank pattern of Braille is named
/// here. The fillers of Hangul are letters, so a role that contains one is reported as misspelt.
fn is_invisible(character: char) -> bool {
    let is_escaped = || character.escape_debug().nth(1).is_some_and(|it| it == 'u');
    !character.is_whitespace() && (character == '\u{2800}' || is_escaped())
}

/// The line without its invisible characters.
fn visible(line: &str) -> String {
    line.chars().filter(|character| imitated_letter(*character) != Some(None)).collect()
}

#[cfg(test)]
mod tests {
    use super::{AlmostMarker, Severity, almost_marker};

    fn severity(line: &str) -> Option<Severity> {
        almost_marker(line).map(|AlmostMarker { severity, .. }| severity)
    }

    #[test]
    fn a_misspelt_role_alone_on_a_line_is_an_error() {
        for line in
            ["sytem:", "asistant:", "usr:", "uesr:", "# Assitant :", "develper:", "assistent:"]
        {
            assert_eq!(severity(line), Some(Severity::Error), "{line}");
        }
    }

    #[test]
    fn words_of_prose_and_roles_of_other_formats_are_warnings() {
        for line in ["users:", "Use:", "tool:", "Human:", "AI:", "## user:", "**User:**", "> user:"]
        {
            assert_eq!(severity(line), Some(Severity::Warning), "{line}");
        }
    }

    #[test]
    fn invalid_brackets_are_errors() {
        for line in ["user[]:", "user [x=1]:", "user[ name=x]:", "System[a]:"] {
            assert_eq!(severity(line), Some(Severity::Error), "{line}");
        }
    }

    #[test]
    fn a_missing_bracket_or_colon_gets_the_correct_marker_as_help() {
        for (line, meant) in [
            ("user[name=\"Bob\":", "`user[name=\"Bob\"]:`"),
            ("# User[name=Bob :", "`# User[name=Bob]:`"),
            ("user[name=\"Bob\"]", "`user[name=\"Bob\"]:`"),
            ("user(name=\"Bob\"):", "`user[name=\"Bob\"]:`"),
            ("user {id=7}:", "`user[id=7]:`"),
        ] {
            assert!(almost_marker(line).unwrap().help[0].ends_with(meant), "{line}");
        }
        for line in ["user[0]", "user(name)", "user[name=x] is text", "user (the one above):"] {
            assert_eq!(almost_marker(line), None, "{line}");
        }
    }

    #[test]
    fn characters_of_other_scripts_and_invisible_characters_are_errors() {
        for line in ["us\u{435}r:", "us\u{200b}er:", "user\u{ff1a}", "\u{feff}user:", "ｕｓｅｒ:"]
        {
            assert_eq!(severity(line), Some(Severity::Error), "{line}");
        }
        assert!(almost_marker("us\u{435}r:").unwrap().help[0].contains("U+0435"));
    }

    #[test]
    fn an_invisible_character_in_a_marker_is_an_error() {
        for code in [
            0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x200b, 0x2066, 0x2800, 0x3164,
            0xfe0f, 0xffa0, 0xfff9, 0x1d173, 0xe0041, 0xe0100,
        ] {
            let line = format!("us{}er:", char::from_u32(code).unwrap());
            assert_eq!(severity(&line), Some(Severity::Error), "U+{code:04X}");
        }
    }

    #[test]
    fn prose_gets_no_finding() {
        for line in [
            "",
            "Answer:",
            "Note:",
            "Rules:",
            "The user:",
            "Summary of the user:",
            "step:",
            "item:",
            "Über uns:",
            "- item",
            "user",
            "system prompt:",
            "Ответ:",
            "list[str]:",
        ] {
            assert_eq!(almost_marker(line), None, "{line}");
        }
    }
}

//! Converts structural tags into a grammar, as the documentation of xgrammar defines them.
//!
//! Free text never contains its excluded words, even at its end. The end of a tag is
//! excluded from free text directly inside of the tag. A dispatch applies to the first pattern
//! after the start of free text. A schema admits the texts that its given grammar admits.

use serde_json::Value;

use crate::gbnf::{Gbnf, Symbol, class};

impl Gbnf {
    /// The grammar of a structural tag, with GBNF for the schemas in it.
    ///
    /// # Errors
    /// Returns an error if it is not a structural tag, or if xgrammar would refuse it.
    pub fn from_structural_tag(
        tag: &Value,
        schema: &dyn Fn(&Value) -> String,
    ) -> Result<Self, String> {
        let mut reader = TagReader { rules: Vec::new(), schema };
        let FormatFields { kind, mut fields } = FormatFields::from_format(tag)?;
        if kind != "structural_tag" {
            return Err(format!("expected a structural tag, found {kind}"));
        }
        let format = fields.take("format")?;
        fields.end()?;
        let root = reader.format(format, &[])?;
        Ok(Self { rules: reader.rules, root })
    }
}

struct TagReader<'s> {
    rules: Vec<Vec<Vec<Symbol>>>,
    schema: &'s dyn Fn(&Value) -> String,
}

/// The type and the fields of a format. Each field is taken once.
struct FormatFields<'v> {
    kind: &'v str,
    fields: UnreadFields<'v>,
}

struct UnreadFields<'v>(Vec<(&'v str, &'v Value)>);

impl<'v> FormatFields<'v> {
    fn from_format(format: &'v Value) -> Result<Self, String> {
        let map = format
            .as_object()
            .ok_or_else(|| format!("expected an object as a format, found {format}"))?;
        let mut fields =
            UnreadFields(map.iter().map(|(key, value)| (key.as_str(), value)).collect());
        let kind = fields.take("type")?.as_str().ok_or("expected a string as `type`")?;
        Ok(Self { kind, fields })
    }
}

impl<'v> UnreadFields<'v> {
    fn find(&mut self, key: &str) -> Option<&'v Value> {
        let at = self.0.iter().position(|(other, _)| *other == key)?;
        Some(self.0.remove(at).1)
    }

    fn take(&mut self, key: &str) -> Result<&'v Value, String> {
        self.find(key).ok_or_else(|| format!("missing field `{key}`"))
    }

    fn text(&mut self, key: &str) -> Result<&'v str, String> {
        self.take(key)?.as_str().ok_or_else(|| format!("expected a string as `{key}`"))
    }

    fn list(&mut self, key: &str) -> Result<&'v [Value], String> {
        let list =
            self.take(key)?.as_array().ok_or_else(|| format!("expected an array as `{key}`"))?;
        match list.is_empty() {
            true => Err(format!("`{key}` is empty")),
            false => Ok(list),
        }
    }

    fn texts(&mut self, key: &str) -> Result<Vec<&'v str>, String> {
        let Some(list) = self.find(key) else { return Ok(Vec::new()) };
        let texts = list.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        texts.ok_or_else(|| format!("expected an array of strings as `{key}`"))
    }

    fn count(&mut self, key: &str) -> Result<i64, String> {
        self.take(key)?.as_i64().ok_or_else(|| format!("expected an integer as `{key}`"))
    }

    fn end(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("unknown field `{key}`")),
        }
    }
}

impl TagReader<'_> {
    fn rule(&mut self, alternatives: Vec<Vec<Symbol>>) -> usize {
        self.rules.push(alternatives);
        self.rules.len() - 1
    }

    /// The rule of a format inside of tags with these ends.
    fn format(&mut self, format: &Value, ends: &[&str]) -> Result<usize, String> {
        let FormatFields { kind, mut fields } = FormatFields::from_format(format)?;
        let rule = match kind {
            "const_string" => {
                let text = fields.text("value")?;
                if text.is_empty() {
                    return Err("the `const_string` is empty".to_owned());
                }
                self.rule(vec![characters_of(text)])
            }
            "grammar" => self.grammar(fields.text("grammar")?)?,
            "json_schema" => {
                let grammar = (self.schema)(fields.take("json_schema")?);
                self.grammar(&grammar)?
            }
            "any_text" => {
                let mut excluded = fields.texts("excludes")?;
                excluded.extend(ends);
                self.free_text(&excluded, &[])
            }
            "sequence" => {
                let elements = fields.list("elements")?;
                let symbols = self.formats(elements, ends)?;
                self.rule(vec![symbols])
            }
            "or" => {
                let elements = fields.list("elements")?;
                let alternatives = self.formats(elements, ends)?;
                self.rule(alternatives.into_iter().map(|it| vec![it]).collect())
            }
            "optional" => self.repeated(&mut fields, ends, 0, Some(1))?,
            "star" => self.repeated(&mut fields, ends, 0, None)?,
            "plus" => self.repeated(&mut fields, ends, 1, None)?,
            "repeat" => {
                let min = usize::try_from(fields.count("min")?).map_err(|_| "invalid `min`")?;
                let max = usize::try_from(fields.count("max")?).ok();
                self.repeated(&mut fields, ends, min, max)?
            }
            "tag" => {
                let (begin, content) = self.tag(fields)?;
                let symbols = characters_of(begin).into_iter().chain(content).collect();
                return Ok(self.rule(vec![symbols]));
            }
            "dispatch" => self.dispatch(&mut fields, ends)?,
            other => return Err(format!("unknown format `{other}`")),
        };
        fields.end()?;
        Ok(rule)
    }

    fn formats(&mut self, formats: &[Value], ends: &[&str]) -> Result<Vec<Symbol>, String> {
        formats.iter().map(|format| self.format(format, ends).map(Symbol::Rule)).collect()
    }

    fn repeated(
        &mut self,
        fields: &mut UnreadFields<'_>,
        ends: &[&str],
        min: usize,
        max: Option<usize>,
    ) -> Result<usize, String> {
        let of = Symbol::Rule(self.format(fields.take("content")?, ends)?);
        let mut symbols = vec![of.clone(); min];
        match max {
            None => {
                let more = self.rules.len();
                symbols.push(Symbol::Rule(more));
                self.rule(vec![vec![of, Symbol::Rule(more)], Vec::new()]);
            }
            Some(max) => {
                for _ in min..max {
                    symbols.push(Symbol::Rule(self.rule(vec![vec![of.clone()], Vec::new()])));
                }
            }
        }
        Ok(self.rule(vec![symbols]))
    }

    /// The beginning of a tag, and the symbols after it.
    fn tag<'v>(&mut self, mut fields: UnreadFields<'v>) -> Result<(&'v str, Vec<Symbol>), String> {
        let (begin, end) = (fields.text("begin")?, fields.text("end")?);
        let ends: Vec<&str> = [end].into_iter().filter(|end| !end.is_empty()).collect();
        let content = fields.take("content")?;
        if end.is_empty() && is_unlimited(content) && !excludes(content) {
            return Err("a tag with unlimited content needs an `end`".to_owned());
        }
        let content = self.format(content, &ends)?;
        fields.end()?;
        Ok((begin, [Symbol::Rule(content)].into_iter().chain(characters_of(end)).collect()))
    }

    fn dispatch(&mut self, fields: &mut UnreadFields<'_>, ends: &[&str]) -> Result<usize, String> {
        let again = fields.find("loop").is_none_or(|again| again != &Value::Bool(false));
        let excluded = fields.texts("excludes")?;
        // After a pattern follows its format, and then more text if the dispatch repeats.
        let further = self.rule(vec![Vec::new()]);
        let mut followed = Vec::new();
        for rule in fields.list("rules")? {
            let Some([Value::String(pattern), format]) = rule.as_array().map(Vec::as_slice) else {
                return Err(format!("expected a pattern and a format, found {rule}"));
            };
            let symbols = vec![Symbol::Rule(self.format(format, ends)?), Symbol::Rule(further)];
            followed.push((pattern.as_str(), self.rule(vec![symbols])));
        }
        let text = self.free_text(&excluded, &followed);
        if again {
            self.rules[further] = vec![vec![Symbol::Rule(text)]];
        }
        Ok(text)
    }

    fn grammar(&mut self, text: &str) -> Result<usize, String> {
        check_common_syntax(text)?;
        let grammar = Gbnf::parse(text)?;
        let first = self.rules.len();
        for mut rule in grammar.rules {
            for symbol in rule.iter_mut().flatten() {
                if let Symbol::Rule(id) = symbol {
                    *id += first;
                }
            }
            self.rules.push(rule);
        }
        Ok(first + grammar.root)
    }

    /// A rule for text without the excluded words. There is one rule for each prefix of a word,
    /// which the text may end with. After the first of the `followed` words, its rule follows.
    fn free_text(&mut self, excluded: &[&str], followed: &[(&str, usize)]) -> usize {
        let words = excluded.iter().chain(followed.iter().map(|(word, _)| word));
        let words: Vec<Vec<char>> = words.map(|word| word.chars().collect()).collect();
        let mut prefixes: Vec<Vec<char>> = vec![Vec::new()];
        for word in &words {
            prefixes.extend((1..word.len()).map(|length| word[..length].to_vec()));
        }
        prefixes.sort();
        prefixes.dedup();
        let mut alphabet: Vec<char> = words.iter().flatten().copied().collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        let first = self.rules.len();
        for state in &prefixes {
            let others = alphabet.iter().map(|known| (*known, *known)).collect();
            let others = Symbol::Class { ranges: others, negated: true };
            let mut alternatives = vec![Vec::new(), vec![others, Symbol::Rule(first)]];
            for &next in &alphabet {
                let mut text = state.clone();
                text.push(next);
                let rest = match words.iter().position(|word| text.ends_with(word)) {
                    Some(at) if at < excluded.len() => continue,
                    Some(at) => followed[at - excluded.len()].1,
                    None => {
                        let end = (0..=text.len())
                            .find_map(|at| prefixes.binary_search(&text[at..].to_vec()).ok());
                        first + end.unwrap()
                    }
                };
                alternatives.push(vec![class(next, next), Symbol::Rule(rest)]);
            }
            self.rules.push(alternatives);
        }
        first
    }
}

/// Refuses syntax that xgrammar reads differently from llama.cpp: it does not support `.`, and
/// reads all hexadecimal digits after `\x`.
fn check_common_syntax(grammar: &str) -> Result<(), String> {
    let mut end = None;
    let mut characters = grammar.chars();
    while let Some(next) = characters.next() {
        match (next, end) {
            ('\\', _) if characters.next() == Some('x') => {
                return Err(format!("unsupported `\\x` in\n{grammar}"));
            }
            ('\\', _) => {}
            ('"', None) => end = Some('"'),
            ('[', None) => end = Some(']'),
            ('.', None) => return Err(format!("unsupported `.` in\n{grammar}")),
            _ if end == Some(next) => end = None,
            _ => {}
        }
    }
    Ok(())
}

/// Whether xgrammar treats a format as one without an end.
fn is_unlimited(format: &Value) -> bool {
    let content = || is_unlimited(&format["content"]);
    match format["type"].as_str() {
        Some("any_text" | "dispatch" | "star" | "plus") => true,
        Some("sequence" | "or") => {
            let mut elements = format["elements"].as_array().into_iter().flatten();
            elements.any(|element| is_unlimited(element) && !excludes(element))
        }
        Some("optional") => content(),
        Some("repeat") => format["max"] == -1 || format["max"] != 0 && content(),
        _ => false,
    }
}

fn excludes(format: &Value) -> bool {
    format["excludes"].as_array().is_some_and(|excluded| !excluded.is_empty())
}

fn characters_of(text: &str) -> Vec<Symbol> {
    text.chars().map(|character| class(character, character)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(format: &Value) -> Result<Gbnf, String> {
        let tag = json!({"type": "structural_tag", "format": format});
        Gbnf::from_structural_tag(&tag, &|_| "root ::= \"{}\"".to_owned())
    }

    #[test]
    fn free_text_ends_at_the_end_of_its_tag() {
        let tag = json!({"type": "tag", "begin": "<a>", "content":
            {"type": "any_text", "excludes": ["bb"]}, "end": "</a>"});
        let rules = read(&tag).unwrap();
        assert!(rules.admits("<a>b</b</a>"));
        assert!(!rules.admits("<a>bb</a>"));
        assert!(!rules.admits("<a></a></a>"));
        assert!(!rules.admits("<a>"));
    }

    #[test]
    fn the_format_of_a_dispatch_follows_its_pattern() {
        let dispatch = |more: Value| {
            let tag = json!({"type": "tag", "begin": "x>", "content": {"type": "json_schema",
                "json_schema": {}}, "end": "</f>"});
            let mut dispatch = json!({"type": "dispatch", "rules": [["<f=", tag]]});
            dispatch.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            read(&dispatch).unwrap()
        };
        let free = dispatch(json!({}));
        assert!(free.admits("a <f=x>{}</f> b <f=x>{}</f>"));
        assert!(!free.admits("a <f=y>{}</f>"));
        assert!(!free.admits("<<f=y>{}</f>") && free.admits("<<f=x>{}</f>"));
        let one = dispatch(json!({"loop": false, "excludes": ["!"]}));
        assert!(one.admits("a <f=x>{}</f>") && one.admits("a") && one.admits("a <f"));
        assert!(!one.admits("a <f=x>{}</f> b") && !one.admits("a!"));
    }

    #[test]
    fn an_invalid_structural_tag_is_refused() {
        for wrong in [
            json!({"type": "const_string", "value": ""}),
            json!({"type": "any_text", "exclude": []}),
            json!({"type": "sequence", "elements": []}),
            json!({"type": "text"}),
            json!({"type": "dispatch", "rules": []}),
            json!({"type": "grammar", "grammar": "root ::= ."}),
            json!({"type": "grammar", "grammar": "root ::= [\\x2D0]"}),
            json!({"type": "tag", "begin": "a", "end": "", "content":
                {"type": "star", "content": {"type": "const_string", "value": "b"}}}),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}

//! Reads structural tags by what xgrammar documents of them, into the rules of one grammar.
//!
//! Free text that leaves words out is text that holds none of them, wherever it ends; a tag's end is
//! left out of free text right inside of it. What is dispatched on is the first that is found from
//! the start of free text on. A schema admits what the given grammar of it admits.

use serde_json::Value;

use crate::gbnf::{Gbnf, Symbol, class};

impl Gbnf {
    /// The grammar of a structural tag, with GBNF for the schemas in it.
    ///
    /// # Errors
    /// Where it is none, or where xgrammar would refuse it.
    pub fn from_structural_tag(
        tag: &Value,
        schema: &dyn Fn(&Value) -> String,
    ) -> Result<Self, String> {
        let mut reader = Reader { rules: Vec::new(), schema };
        let Fields { kind, mut fields } = Fields::from_format(tag)?;
        if kind != "structural_tag" {
            return Err(format!("{kind} is no structural tag"));
        }
        let format = fields.take("format")?;
        fields.end()?;
        let root = reader.format(format, &[])?;
        Ok(Self { rules: reader.rules, root })
    }
}

struct Reader<'s> {
    rules: Vec<Vec<Vec<Symbol>>>,
    schema: &'s dyn Fn(&Value) -> String,
}

/// The fields of a format, each to be taken once.
struct Fields<'v> {
    kind: &'v str,
    fields: Left<'v>,
}

struct Left<'v>(Vec<(&'v str, &'v Value)>);

impl<'v> Fields<'v> {
    fn from_format(format: &'v Value) -> Result<Self, String> {
        let map = format.as_object().ok_or_else(|| format!("{format} is no format"))?;
        let mut fields = Left(map.iter().map(|(key, value)| (key.as_str(), value)).collect());
        let kind = fields.take("type")?.as_str().ok_or("a type is a text")?;
        Ok(Self { kind, fields })
    }
}

impl<'v> Left<'v> {
    fn find(&mut self, key: &str) -> Option<&'v Value> {
        let at = self.0.iter().position(|(other, _)| *other == key)?;
        Some(self.0.remove(at).1)
    }

    fn take(&mut self, key: &str) -> Result<&'v Value, String> {
        self.find(key).ok_or_else(|| format!("there is no `{key}`"))
    }

    fn text(&mut self, key: &str) -> Result<&'v str, String> {
        self.take(key)?.as_str().ok_or_else(|| format!("`{key}` is no text"))
    }

    fn list(&mut self, key: &str) -> Result<&'v [Value], String> {
        let list = self.take(key)?.as_array().ok_or_else(|| format!("`{key}` is no list"))?;
        match list.is_empty() {
            true => Err(format!("`{key}` is empty")),
            false => Ok(list),
        }
    }

    fn texts(&mut self, key: &str) -> Result<Vec<&'v str>, String> {
        let Some(list) = self.find(key) else { return Ok(Vec::new()) };
        let texts = list.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        texts.ok_or_else(|| format!("`{key}` is no list of texts"))
    }

    fn count(&mut self, key: &str) -> Result<i64, String> {
        self.take(key)?.as_i64().ok_or_else(|| format!("`{key}` is no number"))
    }

    fn end(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("`{key}` is not known")),
        }
    }
}

impl Reader<'_> {
    fn rule(&mut self, alternatives: Vec<Vec<Symbol>>) -> usize {
        self.rules.push(alternatives);
        self.rules.len() - 1
    }

    /// The rule of a format inside of tags that end with these.
    fn format(&mut self, format: &Value, ends: &[&str]) -> Result<usize, String> {
        let Fields { kind, mut fields } = Fields::from_format(format)?;
        let rule = match kind {
            "const_string" => {
                let text = fields.text("value")?;
                if text.is_empty() {
                    return Err("an empty `const_string`".to_owned());
                }
                self.rule(vec![spelled(text)])
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
                let row = self.formats(elements, ends)?;
                self.rule(vec![row])
            }
            "or" => {
                let elements = fields.list("elements")?;
                let ways = self.formats(elements, ends)?;
                self.rule(ways.into_iter().map(|way| vec![way]).collect())
            }
            "optional" => self.repeated(&mut fields, ends, 0, Some(1))?,
            "star" => self.repeated(&mut fields, ends, 0, None)?,
            "plus" => self.repeated(&mut fields, ends, 1, None)?,
            "repeat" => {
                let least = usize::try_from(fields.count("min")?).map_err(|_| "a wrong `min`")?;
                let most = usize::try_from(fields.count("max")?).ok();
                self.repeated(&mut fields, ends, least, most)?
            }
            "tag" => {
                let (begin, content) = self.tag(fields)?;
                let row = spelled(begin).into_iter().chain(content).collect();
                return Ok(self.rule(vec![row]));
            }
            "dispatch" => self.dispatch(&mut fields, ends)?,
            other => return Err(format!("there is no format `{other}`")),
        };
        fields.end()?;
        Ok(rule)
    }

    fn formats(&mut self, formats: &[Value], ends: &[&str]) -> Result<Vec<Symbol>, String> {
        formats.iter().map(|format| self.format(format, ends).map(Symbol::Rule)).collect()
    }

    fn repeated(
        &mut self,
        fields: &mut Left<'_>,
        ends: &[&str],
        least: usize,
        most: Option<usize>,
    ) -> Result<usize, String> {
        let of = Symbol::Rule(self.format(fields.take("content")?, ends)?);
        let mut row = vec![of.clone(); least];
        match most {
            None => {
                let more = self.rules.len();
                row.push(Symbol::Rule(more));
                self.rule(vec![vec![of, Symbol::Rule(more)], Vec::new()]);
            }
            Some(most) => {
                for _ in least..most {
                    row.push(Symbol::Rule(self.rule(vec![vec![of.clone()], Vec::new()])));
                }
            }
        }
        Ok(self.rule(vec![row]))
    }

    /// What a tag begins with, and what stands behind that.
    fn tag<'v>(&mut self, mut fields: Left<'v>) -> Result<(&'v str, Vec<Symbol>), String> {
        let (begin, end) = (fields.text("begin")?, fields.text("end")?);
        let ends: Vec<&str> = [end].into_iter().filter(|end| !end.is_empty()).collect();
        let content = fields.take("content")?;
        if end.is_empty() && is_unlimited(content) && !excludes(content) {
            return Err("a tag without an end, of what has none of its own".to_owned());
        }
        let content = self.format(content, &ends)?;
        fields.end()?;
        Ok((begin, [Symbol::Rule(content)].into_iter().chain(spelled(end)).collect()))
    }

    fn dispatch(&mut self, fields: &mut Left<'_>, ends: &[&str]) -> Result<usize, String> {
        let again = fields.find("loop").is_none_or(|again| again != &Value::Bool(false));
        let excluded = fields.texts("excludes")?;
        // What follows a pattern: what it leads to, then perhaps more.
        let further = self.rule(vec![Vec::new()]);
        let mut followed = Vec::new();
        for rule in fields.list("rules")? {
            let Some([Value::String(pattern), format]) = rule.as_array().map(Vec::as_slice) else {
                return Err(format!("{rule} is no pattern with what follows it"));
            };
            let row = vec![Symbol::Rule(self.format(format, ends)?), Symbol::Rule(further)];
            followed.push((pattern.as_str(), self.rule(vec![row])));
        }
        let text = self.free_text(&excluded, &followed);
        if again {
            self.rules[further] = vec![vec![Symbol::Rule(text)]];
        }
        Ok(text)
    }

    fn grammar(&mut self, text: &str) -> Result<usize, String> {
        understood(text)?;
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

    /// Any text that holds none of these words: a rule for each beginning of one that it may end
    /// with. Behind the first of some others, a rule follows.
    fn free_text(&mut self, excluded: &[&str], followed: &[(&str, usize)]) -> usize {
        let words = excluded.iter().chain(followed.iter().map(|(word, _)| word));
        let words: Vec<Vec<char>> = words.map(|word| word.chars().collect()).collect();
        let mut begun: Vec<Vec<char>> = vec![Vec::new()];
        for word in &words {
            begun.extend((1..word.len()).map(|length| word[..length].to_vec()));
        }
        begun.sort();
        begun.dedup();
        let mut alphabet: Vec<char> = words.iter().flatten().copied().collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        let first = self.rules.len();
        for state in &begun {
            let others = alphabet.iter().map(|known| (*known, *known)).collect();
            let others = Symbol::Class { ranges: others, negated: true };
            let mut ways = vec![Vec::new(), vec![others, Symbol::Rule(first)]];
            for &next in &alphabet {
                let mut text = state.clone();
                text.push(next);
                let rest = match words.iter().position(|word| text.ends_with(word)) {
                    Some(at) if at < excluded.len() => continue,
                    Some(at) => followed[at - excluded.len()].1,
                    None => {
                        let end = (0..=text.len())
                            .find_map(|at| begun.binary_search(&text[at..].to_vec()).ok());
                        first + end.unwrap()
                    }
                };
                ways.push(vec![class(next, next), Symbol::Rule(rest)]);
            }
            self.rules.push(ways);
        }
        first
    }
}

/// Refuses what xgrammar does not read as llama.cpp does: it knows no `.`, and takes all hexadecimal
/// digits behind `\x`.
fn understood(grammar: &str) -> Result<(), String> {
    let mut end = None;
    let mut characters = grammar.chars();
    while let Some(next) = characters.next() {
        match (next, end) {
            ('\\', _) if characters.next() == Some('x') => {
                return Err(format!("`\\x` in\n{grammar}"));
            }
            ('\\', _) => {}
            ('"', None) => end = Some('"'),
            ('[', None) => end = Some(']'),
            ('.', None) => return Err(format!("`.` in\n{grammar}")),
            _ if end == Some(next) => end = None,
            _ => {}
        }
    }
    Ok(())
}

/// Whether xgrammar takes a format for one that does not say where it ends.
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

fn spelled(text: &str) -> Vec<Symbol> {
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

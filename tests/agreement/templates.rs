//! Generates random templates: the Prompty subset, and some constructs outside it.

use super::fields::{Field, Kind};
use super::random::Random;

/// The maximum depth of nested expressions and blocks.
const DEPTH: usize = 3;

pub(crate) const WORDS: &[&str] = &[
    "Hello",
    "x:",
    "user",
    "# ",
    "é",
    "a b",
    "[1]",
    "system: no marker",
    "—",
    "user[a=b]",
    ", ",
    "ß",
    "]:",
    "'",
    "\"",
    "{",
    "}",
    "%",
    "1.0",
    "tool:",
    "> user:",
    "```",
    "\\n",
];
pub(crate) const BLANKS: &[&str] =
    &[" ", "  ", "\t", "\n", "\n\n", " \n", "\n ", "\r\n", "\n\n\n", "\n\t"];
pub(crate) const MARKERS: &[&str] = &[
    "user:",
    "system:",
    "assistant:",
    "developer:",
    "user:",
    "assistant:",
    "  User :",
    "# SYSTEM:",
    "\tassistant: ",
    "user:\r",
    "user[id=7]:",
    "user[name=\"a, b\", ok=true]:",
    "assistant[score=1.0, x=1.5, y=-0.0]:",
    "system[a=]:",
    "user[a=b]]:",
    "# user[nonce=0123456789abcdef]:",
];
const TEXTS: &[&str] = &["x", "", "Ada", " ", "ß", "Σ", "note", "\\n", "user:", "1", "true", "a b"];
const NUMBERS: &[&str] =
    &["0", "1", "2", "-1", "36", "1.0", "0.5", "9007199254740993", "9223372036854775807", "1e3"];

/// Generates one template.
pub(crate) struct Generator<'a> {
    random: &'a mut Random,
    /// The names in scope, with their paths.
    known: Vec<(String, Kind)>,
    /// The number of open loops.
    loops: usize,
    names: usize,
}

/// Generates the text of a template.
pub(crate) fn template(random: &mut Random, fields: &[Field]) -> String {
    let known = fields.iter().map(|field| (field.name.to_owned(), field.kind.clone()));
    let mut known: Vec<_> = known.collect();
    for _ in 0..3 {
        // Adds the attributes of inputs, and the attributes of these attributes.
        for (path, kind) in known.clone() {
            for (name, kind) in kind.attributes() {
                let path = format!("{path}.{name}");
                if known.iter().all(|(known, _)| *known != path) {
                    known.push((path, kind));
                }
            }
        }
    }
    let mut generator = Generator { random, known, loops: 0, names: 0 };
    let mut text = String::new();
    if generator.random.chance(70) {
        let first = ["system:\n", "user:\n", "\nuser:\n", "# System:\n"];
        text.push_str(&generator.one(&first));
    }
    let pieces = 2 + generator.random.below(7);
    for _ in 0..pieces {
        text.push_str(&generator.piece(DEPTH));
    }
    text
}

impl Generator<'_> {
    fn one(&mut self, of: &[&str]) -> String {
        (*self.random.pick(of)).to_owned()
    }

    /// The opening bracket of a tag, sometimes with white-space control.
    fn open(&mut self, bracket: &str) -> String {
        format!("{bracket}{} ", if self.random.chance(12) { "-" } else { "" })
    }

    fn close(&mut self, bracket: &str) -> String {
        format!(" {}{bracket}", if self.random.chance(12) { "-" } else { "" })
    }

    fn tag(&mut self, inner: &str) -> String {
        format!("{}{inner}{}", self.open("{%"), self.close("%}"))
    }

    fn output(&mut self, inner: &str) -> String {
        format!("{}{inner}{}", self.open("{{"), self.close("}}"))
    }

    fn body(&mut self, depth: usize) -> String {
        let pieces = 1 + self.random.below(3);
        (0..pieces).map(|_| self.piece(depth)).collect()
    }

    /// A piece of a template.
    fn piece(&mut self, depth: usize) -> String {
        let blocks = depth > 0;
        match self.random.below(100) {
            0..12 => self.one(WORDS),
            12..26 => self.one(BLANKS),
            26..36 => self.marker(),
            36..66 => {
                let value = self.value(depth);
                self.output(&value)
            }
            66..78 if blocks => self.branches(depth - 1),
            78..90 if blocks => self.for_loop(depth - 1),
            90..92 => {
                let comment =
                    if self.random.chance(50) { "{# user: #}" } else { "{#- c\nuser:\n-#}" };
                comment.to_owned()
            }
            92..93 => {
                let inner = self.one(&["{{ x }}", "\nuser:\n", " {% if %} ", "a"]);
                format!("{}{inner}{}", self.tag("raw"), self.tag("endraw"))
            }
            93..96 => {
                let name = self.one(&["history", "earlier", "photo", "recording", "paper"]);
                self.output(&name)
            }
            96..98 => self.set_tag(depth),
            98..99 if blocks => self.with_block(depth - 1),
            _ => format!("{}{}", self.one(WORDS), self.one(BLANKS)),
        }
    }

    fn marker(&mut self) -> String {
        let before = if self.random.chance(90) { "\n" } else { "" };
        let after = if self.random.chance(90) { "\n" } else { "" };
        let marker = if self.random.chance(10) {
            let (first, second) = (self.value(1), self.value(1));
            let open = self.one(&["user[name=", "assistant[id=7, x=\"a ", "user[a=b, c="]);
            let quote = if open.contains('"') { " b\"" } else { "" };
            let more = if self.random.chance(40) {
                format!(", more={{{{ {second} }}}}")
            } else {
                String::new()
            };
            format!("{open}{{{{ {first} }}}}{quote}{more}]:")
        } else {
            self.one(MARKERS)
        };
        if self.random.chance(12) {
            // White-space control removes the line breaks on both sides.
            let (left, right) = (self.path(Kind::is_scalar), self.path(Kind::is_scalar));
            return format!("{{{{ {left} -}}}}\n{marker}\n{{{{- {right} }}}}");
        }
        format!("{before}{marker}{after}")
    }

    fn branches(&mut self, depth: usize) -> String {
        let condition = self.condition(depth + 1);
        let mut text = self.tag(&format!("if {condition}"));
        text.push_str(&self.body(depth));
        while self.random.chance(25) {
            let condition = self.condition(depth + 1);
            text.push_str(&self.tag(&format!("elif {condition}")));
            text.push_str(&self.body(depth));
        }
        if self.random.chance(40) {
            text.push_str(&self.tag("else"));
            text.push_str(&self.body(depth));
        }
        text + &self.tag("endif")
    }

    fn for_loop(&mut self, depth: usize) -> String {
        let (list, item) = self.loop_source();
        let name = if self.random.chance(15) {
            // The name shadows an input.
            self.one(&["name", "count", "words", "user", "note"])
        } else {
            self.fresh_name()
        };
        let before = self.known.clone();
        self.known.retain(|(path, _)| *path != name && !path.starts_with(&format!("{name}.")));
        let mut header = format!("for {name} in {list}");
        self.add_to_scope(&name, &item);
        if let Kind::Map(value) = &item {
            // This is `map.items()`, which returns pairs.
            let (key, entry) = (self.fresh_name(), self.fresh_name());
            header = format!("for {key}, {entry} in {list}.items()");
            self.known = before.clone();
            self.add_to_scope(&key, &Kind::Text);
            self.add_to_scope(&entry, value);
        }
        if self.random.chance(20) {
            let loops = std::mem::take(&mut self.loops);
            let condition = self.condition(1);
            self.loops = loops;
            header.push_str(&format!(" if {condition}"));
        }
        self.loops += 1;
        let mut text = self.tag(&header);
        text.push_str(&self.body(depth));
        self.loops -= 1;
        self.known = before;
        if self.random.chance(25) {
            text.push_str(&self.tag("else"));
            text.push_str(&self.body(depth));
        }
        text + &self.tag("endfor")
    }

    /// A value to loop over, and the kind of its items. A map gives its entries.
    fn loop_source(&mut self) -> (String, Kind) {
        let lists = self.known.iter().filter_map(|(path, kind)| match kind {
            Kind::List(item) => Some((path.clone(), (**item).clone())),
            Kind::Map(_) if path.starts_with("labels") => Some((path.clone(), Kind::Text)),
            Kind::Map(_) => Some((path.clone(), kind.clone())),
            _ => None,
        });
        let lists: Vec<_> = lists.collect();
        self.random.pick(&lists).clone()
    }

    fn fresh_name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn add_to_scope(&mut self, path: &str, kind: &Kind) {
        // The innermost names are used most often.
        for _ in 0..4 {
            self.known.push((path.to_owned(), kind.clone()));
        }
        for (name, kind) in kind.attributes() {
            let path = format!("{path}.{name}");
            for (name, kind) in kind.attributes() {
                self.known.push((format!("{path}.{name}"), kind));
            }
            self.known.push((path, kind));
        }
    }

    fn set_tag(&mut self, depth: usize) -> String {
        let (value, kind) = if self.random.chance(50) {
            self.random.pick(&self.known).clone()
        } else {
            (self.value(depth), Kind::Text)
        };
        let name = if self.random.chance(20) { "name".to_owned() } else { self.fresh_name() };
        let text = self.tag(&format!("set {name} = {value}"));
        if self.random.chance(80) {
            self.add_to_scope(&name, &kind);
        }
        text
    }

    fn with_block(&mut self, depth: usize) -> String {
        let (value, kind) = self.random.pick(&self.known).clone();
        let before = self.known.clone();
        let name = self.fresh_name();
        let mut text = self.tag(&format!("with {name} = {value}"));
        self.add_to_scope(&name, &kind);
        text.push_str(&self.body(depth));
        self.known = before;
        text + &self.tag("endwith")
    }

    /// A value for a condition. A struct that is never missing is not allowed in one.
    fn condition_value(&mut self) -> String {
        let is_always = |path: &str, kind: &Kind| *kind == Kind::User && path != "owner";
        let paths: Vec<_> = self.known.iter().filter(|(it, kind)| !is_always(it, kind)).collect();
        self.random.pick(&paths).0.clone()
    }

    fn path(&mut self, fits: impl Fn(&Kind) -> bool) -> String {
        let paths: Vec<_> = self.known.iter().filter(|(_, kind)| fits(kind)).collect();
        self.random.pick(&paths).0.clone()
    }

    /// An expression that prints.
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.path(Kind::is_scalar);
        }
        match self.random.below(100) {
            0..44 => self.path(Kind::is_scalar),
            44..50 => self.path(|kind| *kind != Kind::Rich),
            50..56 => self.literal(),
            56..76 => self.filtered(depth - 1),
            76..81 => format!("{} ~ {}", self.operand(depth - 1), self.operand(depth - 1)),
            81..86 => {
                let (value, condition) = (self.operand(depth - 1), self.condition(depth - 1));
                match self.random.chance(80) {
                    true => format!("{value} if {condition} else {}", self.operand(depth - 1)),
                    false => format!("{value} if {condition}"),
                }
            }
            86..90 => self.condition(depth - 1),
            90..96 if self.loops > 0 => self.counter(),
            96..99 => {
                let list = self.path(|kind| matches!(kind, Kind::List(item) if item.is_scalar()));
                format!("{list}[{}]", self.random.below(3))
            }
            99 => format!("{} + 1", self.path(|kind| *kind == Kind::Integer)),
            _ => self.path(Kind::is_scalar),
        }
    }

    /// An operand of an operator.
    fn operand(&mut self, depth: usize) -> String {
        let value = self.value(depth);
        let plain = |character: char| character.is_alphanumeric() || "._'".contains(character);
        if value.chars().all(plain) { value } else { format!("({value})") }
    }

    fn literal(&mut self) -> String {
        match self.random.below(4) {
            0 => self.one(NUMBERS),
            1 => self.one(&["true", "false", "none"]),
            _ => self.text(),
        }
    }

    fn text(&mut self) -> String {
        let text = self.one(TEXTS);
        if self.random.chance(50) { format!("'{text}'") } else { format!("\"{text}\"") }
    }

    fn counter(&mut self) -> String {
        self.one(&[
            "loop.index",
            "loop.index0",
            "loop.first",
            "loop.last",
            "loop.length",
            "loop.revindex",
            "loop.revindex0",
        ])
    }

    fn filtered(&mut self, depth: usize) -> String {
        let value = match self.random.below(10) {
            0..2 => {
                let list = self.path(|kind| matches!(kind, Kind::List(_)));
                // Joining lists in data of other crates is not compiled yet.
                let filters: &[&str] = match list.contains(".data.") {
                    true => &["length", "count"],
                    false => &["join", "join(', ')", "join(name)", "length", "count"],
                };
                let filter = self.one(filters);
                format!("{list} | {filter}")
            }
            2 => {
                let sized = |kind: &Kind| matches!(kind, Kind::List(_) | Kind::Map(_) | Kind::Text);
                format!("{} | length", self.path(sized))
            }
            3 => {
                let list = self.path(|kind| matches!(kind, Kind::List(_) | Kind::Text));
                let filter = self.one(&["first", "last"]);
                format!("{list} | {filter}")
            }
            _ => self.operand(depth),
        };
        if depth > 0 && self.random.chance(15) { value } else { self.more_filters(value, depth) }
    }

    fn more_filters(&mut self, mut value: String, depth: usize) -> String {
        loop {
            let filter = match self.random.below(20) {
                0..4 => "upper".to_owned(),
                4..8 => "lower".to_owned(),
                8..12 => "trim".to_owned(),
                12..15 => format!("default({})", self.value(depth.min(1))),
                15 => "default".to_owned(),
                16 => "string".to_owned(),
                17 => "replace('a', \"b\")".to_owned(),
                18 => "tojson".to_owned(),
                _ => format!("d({})", self.literal()),
            };
            value = format!("{value} | {filter}");
            if self.random.chance(65) {
                return value;
            }
        }
    }

    /// An expression in a condition.
    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.condition_value();
        }
        match self.random.below(100) {
            0..28 => self.condition_value(),
            28..54 => self.comparison(depth - 1),
            54..62 => self.containment(depth - 1),
            62..76 => self.type_test(),
            76..84 => {
                let operator = self.one(&["and", "or"]);
                format!("{} {operator} {}", self.term(depth - 1), self.term(depth - 1))
            }
            84..90 => format!("not {}", self.term(depth - 1)),
            90..94 if self.loops > 0 => self.counter(),
            94..97 => self.filtered(depth - 1),
            97..98 => self.literal(),
            98..100 => self.one(&["history", "earlier", "photo", "recording", "paper"]),
            _ => self.condition_value(),
        }
    }

    fn term(&mut self, depth: usize) -> String {
        let condition = self.condition(depth);
        if condition.contains(' ') { format!("({condition})") } else { condition }
    }

    fn comparison(&mut self, depth: usize) -> String {
        let operator = self.one(&["==", "!=", "<", "<=", ">", ">="]);
        // Most operands have the same kind, since the checker rejects the others if it knows their
        // kinds.
        let (left, right) = match self.random.below(10) {
            0..3 => {
                let left = self.path(Kind::is_number);
                let right = if self.random.chance(60) {
                    self.one(NUMBERS)
                } else {
                    self.path(Kind::is_number)
                };
                (left, right)
            }
            3..6 => {
                let left = self.path(|kind| *kind == Kind::Text);
                let right = if self.random.chance(60) {
                    self.text()
                } else {
                    self.path(|kind| *kind == Kind::Text)
                };
                (left, right)
            }
            6 => (self.path(|_| true), self.path(|_| true)),
            7 if self.loops > 0 => (self.counter(), self.operand(depth)),
            8 => (self.path(Kind::is_scalar), self.literal()),
            _ => (self.operand(depth), self.operand(depth)),
        };
        if self.random.chance(5) {
            return format!("{left} {operator} {right} < 5");
        }
        format!("{left} {operator} {right}")
    }

    fn containment(&mut self, depth: usize) -> String {
        let operator = self.one(&["in", "not in"]);
        let left = if self.random.chance(50) { self.literal() } else { self.operand(depth) };
        let right =
            self.path(|kind| matches!(kind, Kind::List(_) | Kind::Map(_) | Kind::Text | Kind::Any));
        format!("{left} {operator} {right}")
    }

    fn type_test(&mut self) -> String {
        let operator = self.one(&["is", "is", "is not"]);
        let test = self.one(&[
            "defined",
            "defined",
            "undefined",
            "none",
            "none",
            "string",
            "number",
            "odd",
            "even",
        ]);
        let path = self.path(|kind| match &*test {
            "odd" | "even" => kind.is_number(),
            _ => *kind != Kind::Rich && *kind != Kind::User,
        });
        format!("{path} {operator} {test}")
    }
}

//! Generates random templates in Handlebars.

use super::fields::{Field, Kind};
use super::random::Random;
use super::templates::{BLANKS, MARKERS, WORDS};

/// The maximum depth of blocks.
const DEPTH: usize = 3;

/// Generates the text of a template.
pub(crate) fn template(random: &mut Random, fields: &[Field]) -> String {
    let inputs = fields.iter().map(|field| (field.name.to_owned(), field.kind.clone())).collect();
    let mut generator = Generator { random, inputs, blocks: Vec::new(), names: 0 };
    let first = ["system:\n", "user:\n", "\nuser:\n", "# System:\n", ""];
    let mut text = (*generator.random.pick(&first)).to_owned();
    for _ in 0..2 + generator.random.below(7) {
        text.push_str(&generator.piece(DEPTH));
    }
    text
}

/// An open block. Names in its body are looked up in `value`.
struct Block {
    value: Kind,
    /// Whether the block is a loop, which defines `@index` and similar names.
    is_loop: bool,
    /// The names after `as`.
    parameters: Vec<(String, Kind)>,
}

struct Generator<'a> {
    random: &'a mut Random,
    inputs: Vec<(String, Kind)>,
    blocks: Vec<Block>,
    names: usize,
}

impl Generator<'_> {
    fn piece(&mut self, depth: usize) -> String {
        match self.random.below(100) {
            0..12 => self.random.pick::<&str>(WORDS).replace(['{', '}'], ""),
            12..24 => (*self.random.pick::<&str>(BLANKS)).to_owned(),
            24..32 => format!("\n{}\n", self.random.pick::<&str>(MARKERS)),
            32..35 => {
                let (name, _) = self.name();
                format!("\nuser[name={{{{{name}}}}}, x=a{{{{{name}}}}}]:\n")
            }
            35..37 => "{{! user:\n }}".to_owned(),
            37..39 if self.blocks.is_empty() => {
                let (name, kind) = self.name();
                self.names += 1;
                let set = format!("set_{}", self.names);
                self.inputs.push((set.clone(), kind));
                format!("{{{{set '{set}' {name}}}}}")
            }
            39..62 => self.output(),
            62..78 if depth > 0 => self.branches(depth - 1),
            78..96 if depth > 0 => self.block(depth - 1),
            _ => "\n".to_owned(),
        }
    }

    fn body(&mut self, depth: usize) -> String {
        let pieces = 1 + self.random.below(3);
        (0..pieces).map(|_| self.piece(depth)).collect()
    }

    fn output(&mut self) -> String {
        let (name, kind) = self.name();
        match self.random.below(20) {
            0..2 => format!("{{{{{{{name}}}}}}}"),
            2..4 => format!("{{{{~{name}~}}}}"),
            4 => format!("{{{{concat {name} ', ' {}}}}}", self.name().0),
            5 => format!("{{{{{}}}}}", self.condition().trim_matches(['(', ')'])),
            6 if matches!(kind, Kind::Integer) => format!("{{{{add {name} 1}}}}"),
            7 => match self.input() {
                (name, Kind::List(_) | Kind::Text) => format!("{{{{{name}.length}}}}"),
                (name, _) => format!("{{{{{name}}}}}"),
            },
            8 if matches!(kind, Kind::List(_)) => format!("{{{{{name}.[0]}}}}"),
            _ => format!("{{{{{name}}}}}"),
        }
    }

    /// A name that is in scope, sometimes with an attribute.
    fn name(&mut self) -> (String, Kind) {
        let (name, kind) = self.base_name();
        let attributes = kind.attributes();
        if attributes.is_empty() || self.random.chance(15) {
            return (name, kind);
        }
        let (attribute, kind) = self.random.pick(&attributes).clone();
        match name.strip_suffix("this") {
            Some(before) if self.random.chance(50) => (format!("{before}{attribute}"), kind),
            _ => (format!("{name}.{attribute}"), kind),
        }
    }

    fn base_name(&mut self) -> (String, Kind) {
        let depth = self.blocks.len();
        let parameters: Vec<_> = self.blocks.iter().flat_map(|it| it.parameters.clone()).collect();
        let loops = self.blocks.iter().filter(|it| it.is_loop).count();
        match self.random.below(10) {
            0 if loops > 0 => {
                let up = "../".repeat(self.random.below(loops));
                let data = *self.random.pick(&["index", "key", "first", "last"]);
                (format!("@{up}{data}"), Kind::Any)
            }
            1 if !parameters.is_empty() => self.random.pick(&parameters).clone(),
            2..4 if depth > 0 => {
                let (name, kind) = self.random.pick(&self.inputs).clone();
                match self.random.chance(50) {
                    true => (format!("@root.{name}"), kind),
                    false => (format!("{}{name}", "../".repeat(depth)), kind),
                }
            }
            4 if depth > 1 => {
                let up = 1 + self.random.below(depth - 1);
                let value = self.blocks[depth - 1 - up].value.clone();
                (format!("{}this", "../".repeat(up)), value)
            }
            _ => match self.blocks.last() {
                Some(block) => ("this".to_owned(), block.value.clone()),
                None => self.random.pick(&self.inputs).clone(),
            },
        }
    }

    /// An input by its own name. The template knows its type.
    fn input(&mut self) -> (String, Kind) {
        let (name, kind) = self.random.pick(&self.inputs).clone();
        match self.blocks.is_empty() {
            true => (name, kind),
            false => (format!("@root.{name}"), kind),
        }
    }

    /// A name that can be a condition. A struct cannot be one.
    fn name_for_condition(&mut self) -> (String, Kind) {
        loop {
            let (name, kind) = self.name();
            if !matches!(kind, Kind::User | Kind::Home) {
                return (name, kind);
            }
        }
    }

    fn condition(&mut self) -> String {
        let (name, kind) = self.name_for_condition();
        match self.random.below(10) {
            0 => format!("(or {name} {})", self.name_for_condition().0),
            1 if kind == Kind::Integer => format!("(equals {name} 1)"),
            2 if kind == Kind::Integer => format!("(lessThan {name} 36)"),
            1..4 => format!("(equals {name} 'x')"),
            4 => format!("(equals {name} {})", self.name().0),
            _ => name,
        }
    }

    fn branches(&mut self, depth: usize) -> String {
        let line = if self.random.chance(40) { "\n" } else { "" };
        let keyword = *self.random.pick(&["if", "if", "unless"]);
        let zero = if self.random.chance(5) { " includeZero=true" } else { "" };
        let mut text = format!("{line}{{{{#{keyword} {}{zero}}}}}{line}", self.condition());
        text.push_str(&self.body(depth));
        while self.random.chance(20) {
            let condition = self.condition();
            text.push_str(&format!("{line}{{{{else if {condition}}}}}{line}{}", self.body(depth)));
        }
        if self.random.chance(40) {
            text.push_str(&format!("{line}{{{{else}}}}{line}{}", self.body(depth)));
        }
        format!("{text}{line}{{{{/{keyword}}}}}{line}")
    }

    fn block(&mut self, depth: usize) -> String {
        let line = if self.random.chance(40) { "\n" } else { "" };
        // The type of an input must determine what a section does.
        let is_section = self.random.chance(30);
        let (name, kind) = if is_section { self.input() } else { self.name() };
        // The engine receives the fields of a struct. It only knows whether an `Option` is present.
        let is_struct = matches!(kind, Kind::User | Kind::Home) && !name.ends_with("owner");
        let (name, kind) = if is_struct { self.name_for_condition() } else { (name, kind) };
        let is_section = is_section && !is_struct;
        let (keyword, value, is_loop) = match kind {
            Kind::List(item) if is_section => ("", *item, true),
            Kind::Boolean | Kind::Text | Kind::Integer if is_section => ("", kind, false),
            Kind::List(item) => ("each", *item, true),
            // The engine sees a map in a struct as a list of its keys.
            Kind::Map(item) if !name.contains("marks") => ("each", *item, true),
            kind => ("with", kind, false),
        };
        let mut parameters = Vec::new();
        if keyword == "with" && self.random.chance(20) {
            parameters.push((self.parameter(), value.clone()));
        } else if keyword == "each" && self.random.chance(30) {
            parameters.push((self.parameter(), value.clone()));
            parameters.push((self.parameter(), Kind::Any));
        }
        let names: Vec<_> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        let as_clause =
            if names.is_empty() { String::new() } else { format!(" as |{}|", names.join(" ")) };
        let (open, close) = match keyword {
            "" => (name.clone(), name),
            keyword => (format!("{keyword} {name}{as_clause}"), keyword.to_owned()),
        };
        self.blocks.push(Block { value, is_loop, parameters });
        let body = self.body(depth);
        self.blocks.pop();
        let otherwise = match self.random.chance(30) {
            true => format!("{line}{{{{else}}}}{line}{}", self.body(depth)),
            false => String::new(),
        };
        format!("{line}{{{{#{open}}}}}{line}{body}{otherwise}{line}{{{{/{close}}}}}{line}")
    }

    fn parameter(&mut self) -> String {
        self.names += 1;
        format!("name_{}", self.names)
    }
}

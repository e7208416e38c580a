//! Generates random templates in Mustache and in the basic language of Semantic Kernel.

use super::fields::{Field, Kind};
use super::random::Random;
use super::templates::{BLANKS, MARKERS, WORDS};

/// The maximum depth of sections.
const DEPTH: usize = 3;

/// Generates the text of a Mustache template.
pub(crate) fn template(random: &mut Random, fields: &[Field]) -> String {
    let known = fields.iter().map(|field| (field.name.to_owned(), field.kind.clone())).collect();
    let mut generator = Generator { random, known };
    let mut text = first(generator.random);
    for _ in 0..2 + generator.random.below(7) {
        text.push_str(&generator.piece(DEPTH));
    }
    text
}

/// Generates the text of a template in the basic language.
pub(crate) fn basic_template(random: &mut Random, fields: &[Field]) -> String {
    let mut text = first(random);
    let is_printed_alike = |field: &&Field| field.kind.is_scalar() && field.kind != Kind::Boolean;
    let alike: Vec<&Field> = fields.iter().filter(is_printed_alike).collect();
    for _ in 0..2 + random.below(7) {
        let piece = match random.below(100) {
            0..15 => plain(random.pick::<&str>(WORDS)),
            15..35 => (*random.pick::<&str>(BLANKS)).to_owned(),
            35..45 => format!("\n{}\n", random.pick::<&str>(MARKERS)),
            45..50 => "\nuser[name={{$name}}]:\n".to_owned(),
            50..55 => "{{ 'a \"text\"' }}".to_owned(),
            55..58 => format!("{{{{${}}}}}", random.pick(fields).name),
            _ => format!("{{{{${}}}}}", random.pick(&alike).name),
        };
        text.push_str(&piece);
    }
    text
}

fn first(random: &mut Random) -> String {
    (*random.pick(&["system:\n", "user:\n", "\nuser:\n", "# System:\n", ""])).to_owned()
}

/// A word without braces, which could open or close a tag.
fn plain(word: &str) -> String {
    word.replace(['{', '}'], "")
}

struct Generator<'a> {
    random: &'a mut Random,
    /// The names that can be used, with their kinds.
    known: Vec<(String, Kind)>,
}

impl Generator<'_> {
    fn piece(&mut self, depth: usize) -> String {
        match self.random.below(100) {
            0..14 => plain(self.random.pick::<&str>(WORDS)),
            14..28 => (*self.random.pick::<&str>(BLANKS)).to_owned(),
            28..36 => format!("\n{}\n", self.random.pick::<&str>(MARKERS)),
            36..39 => {
                let (name, _) = self.name();
                format!("\nuser[name={{{{{name}}}}}, x=a{{{{&{name}}}}}]:\n")
            }
            39..42 => "{{! user:\n }}".to_owned(),
            42..70 => self.output(),
            70..95 if depth > 0 => self.section(depth - 1),
            95..97 => "{{=<% %>=}}<%name%><%={{ }}=%>".to_owned(),
            _ => "\n".to_owned(),
        }
    }

    fn output(&mut self) -> String {
        let (name, _) = self.name();
        match self.random.below(3) {
            0 => format!("{{{{{{{name}}}}}}}"),
            1 => format!("{{{{& {name} }}}}"),
            _ => format!("{{{{{name}}}}}"),
        }
    }

    /// A name, sometimes with an attribute.
    fn name(&mut self) -> (String, Kind) {
        let (name, kind) = self.random.pick(&self.known).clone();
        let attributes = kind.attributes();
        if attributes.is_empty() || self.random.chance(20) {
            return (name, kind);
        }
        let (attribute, kind) = self.random.pick(&attributes).clone();
        (format!("{name}.{attribute}"), kind)
    }

    fn section(&mut self, depth: usize) -> String {
        let (name, kind) = self.name();
        let line = if self.random.chance(50) { "\n" } else { "" };
        let is_inverted = self.random.chance(25);
        let outside = self.known.len();
        if !is_inverted {
            let item = match kind {
                Kind::List(item) => *item,
                kind => kind,
            };
            let fields = item.attributes();
            self.known.extend(fields.into_iter().map(|(name, kind)| (name.to_owned(), kind)));
            // Most names in a section are the item itself or the name of the section.
            for _ in 0..4 {
                self.known.push((".".to_owned(), item.clone()));
                self.known.push((name.clone(), Kind::Any));
            }
        }
        let pieces = 1 + self.random.below(3);
        let body: String = (0..pieces).map(|_| self.piece(depth)).collect();
        self.known.truncate(outside);
        let sign = if is_inverted { '^' } else { '#' };
        format!("{line}{{{{{sign}{name}}}}}{line}{body}{line}{{{{/{name}}}}}{line}")
    }
}

//! A regular expression as steps, and whether it is found in a text: all ways are followed at once, so the
//! work is bounded by the text's length times the number of steps, whatever the text is.

use std::collections::HashMap;

use super::{CharacterClass, Kind, Node};

/// The most steps of a program: counts are written out.
const MOST_STEPS: usize = 20_000;

/// What a `.` does not stand for.
const LINE_BREAKS: &str = "\n\r\u{2028}\u{2029}";

/// A regular expression that can be looked for.
///
/// ```
/// use prompty_core::regular_expression::{Dialect, Program, parse};
///
/// let tree = parse("^[a-z]+$", Dialect::EcmaScript).unwrap();
/// let program = Program::new(&tree).unwrap();
/// let free = &mut |_: usize| Ok::<(), ()>(());
/// assert_eq!(program.is_found_in("abc", free), Ok(true));
/// assert_eq!(program.is_found_in("ab1", free), Ok(false));
/// ```
#[derive(Debug)]
pub struct Program {
    steps: Vec<Step>,
    /// The classes of characters, each once, however often it is repeated.
    classes: Vec<CharacterClass>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Reads one character of a class, by the class's index.
    Read(usize),
    /// Goes on at the start of the text alone.
    Start,
    /// Goes on at the end of the text alone.
    End,
    /// Goes on at the next step and at another one.
    Fork(usize),
    /// Goes on at another step.
    Jump(usize),
}

impl Program {
    /// The steps of a regular expression; nothing where they would be too many.
    pub fn new(of: &Node) -> Option<Self> {
        let mut writer = Writer { steps: Vec::new(), classes: Vec::new(), known: HashMap::new() };
        writer.node(of)?;
        Some(Self { steps: writer.steps, classes: writer.classes })
    }

    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no steps, so that it is found in every text.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether the expression is found somewhere in a text. `pay` is told how many steps were taken.
    ///
    /// # Errors
    ///
    /// Those of `pay`.
    pub fn is_found_in<E>(
        &self,
        text: &str,
        pay: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut run = Run {
            program: self,
            added: vec![usize::MAX; self.steps.len()],
            waiting: Vec::new(),
            reading: Vec::new(),
            next: Vec::new(),
        };
        pay(self.steps.len())?;
        let mut characters = text.char_indices();
        loop {
            let (at, character) = match characters.next() {
                Some((at, character)) => (at, Some(character)),
                None => (text.len(), None),
            };
            std::mem::swap(&mut run.reading, &mut run.next);
            // What was reached by reading is followed first, and a new search begins at each character.
            let reached = std::mem::take(&mut run.reading);
            let mut taken = 0;
            for step in reached.into_iter().chain([0]) {
                match run.follow(step, at, character.is_none()) {
                    Followed::Found => return Ok(true),
                    Followed::Steps(steps) => taken += steps,
                }
            }
            pay(taken)?;
            let Some(character) = character else { return Ok(false) };
            run.read(character);
        }
    }
}

/// The ways through a program that are followed at one place of a text.
struct Run<'p> {
    program: &'p Program,
    /// For each step the place at which it was reached last.
    added: Vec<usize>,
    /// Steps that are still to be followed.
    waiting: Vec<usize>,
    /// Classes that wait for the next character, by their steps.
    reading: Vec<usize>,
    /// The steps behind those that have read it.
    next: Vec<usize>,
}

enum Followed {
    /// The expression is found.
    Found,
    /// So many steps were taken.
    Steps(usize),
}

impl Run<'_> {
    /// Follows all ways from a step up to those that read a character.
    fn follow(&mut self, step: usize, at: usize, is_end: bool) -> Followed {
        let mut taken = 0;
        self.waiting.push(step);
        while let Some(step) = self.waiting.pop() {
            taken += 1;
            let (Some(kind), Some(added)) =
                (self.program.steps.get(step), self.added.get_mut(step))
            else {
                return Followed::Found;
            };
            if *added == at {
                continue;
            }
            *added = at;
            match *kind {
                Step::Read(_) => self.reading.push(step),
                Step::Start if at == 0 => self.waiting.push(step + 1),
                Step::End if is_end => self.waiting.push(step + 1),
                Step::Start | Step::End => {}
                Step::Fork(other) => self.waiting.extend([other, step + 1]),
                Step::Jump(other) => self.waiting.push(other),
            }
        }
        Followed::Steps(taken)
    }

    /// Reads a character with all classes that wait for one.
    fn read(&mut self, character: char) {
        for &step in &self.reading {
            let class = match self.program.steps.get(step) {
                Some(Step::Read(class)) => self.program.classes.get(*class),
                _ => None,
            };
            if class.is_some_and(|class| class.contains(character)) {
                self.next.push(step + 1);
            }
        }
        self.reading.clear();
    }
}

/// Writes the steps of an expression; nothing where they are too many.
struct Writer {
    steps: Vec<Step>,
    classes: Vec<CharacterClass>,
    /// Classes by the addresses of their nodes: a part that is repeated has its class once.
    known: HashMap<usize, usize>,
}

impl Writer {
    fn node(&mut self, node: &Node) -> Option<()> {
        match &node.kind {
            Kind::Class(class) => self.class(node, || class.clone()),
            Kind::Any => {
                self.class(node, || CharacterClass::from_characters(LINE_BREAKS).negated())
            }
            Kind::Start => self.step(Step::Start).map(|_| ()),
            Kind::End => self.step(Step::End).map(|_| ()),
            Kind::Sequence(parts) => parts.iter().try_for_each(|part| self.node(part)),
            Kind::Choice(ways) => self.choice(ways),
            Kind::Repeat { of, at_least, at_most, .. } => self.repeat(of, *at_least, *at_most),
            Kind::Group { of, .. } => self.node(of),
        }
    }

    fn step(&mut self, step: Step) -> Option<usize> {
        let at = self.steps.len();
        if at == MOST_STEPS {
            return None;
        }
        self.steps.push(step);
        Some(at)
    }

    fn class(&mut self, node: &Node, class: impl FnOnce() -> CharacterClass) -> Option<()> {
        let index = *self.known.entry(std::ptr::from_ref(node).addr()).or_insert_with(|| {
            self.classes.push(class());
            self.classes.len() - 1
        });
        self.step(Step::Read(index)).map(|_| ())
    }

    /// Lets a step that was written before go on at the end of what is written.
    fn lead_here(&mut self, from: usize) {
        let here = self.steps.len();
        if let Some(Step::Fork(other) | Step::Jump(other)) = self.steps.get_mut(from) {
            *other = here;
        }
    }

    fn choice(&mut self, ways: &[Node]) -> Option<()> {
        let Some((last, others)) = ways.split_last() else { return Some(()) };
        let mut jumps = Vec::new();
        for way in others {
            let fork = self.step(Step::Fork(0))?;
            self.node(way)?;
            jumps.push(self.step(Step::Jump(0))?);
            self.lead_here(fork);
        }
        self.node(last)?;
        jumps.into_iter().for_each(|jump| self.lead_here(jump));
        Some(())
    }

    fn repeat(&mut self, of: &Node, at_least: u32, at_most: Option<u32>) -> Option<()> {
        for _ in 0..at_least {
            let before = self.steps.len();
            self.node(of)?;
            if self.steps.len() == before {
                // Nothing is nothing, however often.
                return Some(());
            }
        }
        let Some(at_most) = at_most else {
            let fork = self.step(Step::Fork(0))?;
            self.node(of)?;
            self.step(Step::Jump(fork))?;
            self.lead_here(fork);
            return Some(());
        };
        let mut forks = Vec::new();
        for _ in at_least..at_most {
            forks.push(self.step(Step::Fork(0))?);
            let before = self.steps.len();
            self.node(of)?;
            if self.steps.len() == before {
                break;
            }
        }
        forks.into_iter().for_each(|fork| self.lead_here(fork));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Program;
    use crate::regular_expression::{Dialect, parse};

    fn is_found(pattern: &str, text: &str) -> bool {
        let program = Program::new(&parse(pattern, Dialect::EcmaScript).unwrap()).unwrap();
        program.is_found_in(text, &mut |_| Ok::<(), ()>(())).unwrap()
    }

    #[test]
    fn an_expression_is_found_anywhere_unless_it_has_anchors() {
        for (pattern, found, missing) in [
            ("b+", "abbc", "ac"),
            ("^b", "ba", "ab"),
            ("b$", "ab", "ba"),
            ("^(?:ab|c){2}$", "abc", "ab"),
            ("^a{2,3}$", "aaa", "aaaa"),
            ("^a|b$", "ax", "xa"),
            ("^.$", "é", "\n"),
            ("[^a]", "ab", "aa"),
            ("^(a?b)*c?$", "abbab", "aab"),
            ("a^b|c", "c", "ab"),
        ] {
            assert!(is_found(pattern, found), "{pattern} in {found}");
            assert!(!is_found(pattern, missing), "{pattern} in {missing}");
        }
        for nothing in ["", "()*", "(){0,3}", "^$|x*"] {
            assert!(is_found(nothing, "any"), "{nothing}");
        }
    }

    #[test]
    fn counts_of_counts_are_no_program_where_they_would_be_too_many_steps() {
        let program = |pattern| Program::new(&parse(pattern, Dialect::EcmaScript).unwrap());
        assert!(program("a{20000}").is_some());
        assert!(program("(a{1000}){1000}").is_none());
        assert!(program("((){100000}){100000}").is_some_and(|program| program.is_empty()));
    }

    #[test]
    fn a_text_is_looked_at_in_steps_that_grow_with_its_length() {
        let program = Program::new(&parse("^(a|a?)*b$", Dialect::EcmaScript).unwrap()).unwrap();
        let steps = |length: usize| {
            let mut all = 0;
            let paid = program.is_found_in(&"a".repeat(length), &mut |steps| {
                all += steps;
                Ok::<(), ()>(())
            });
            assert_eq!(paid, Ok(false));
            all
        };
        let (short, long) = (steps(1000), steps(2000));
        assert!(long < short * 21 / 10, "{short} {long}");
    }
}

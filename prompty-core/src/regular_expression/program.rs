//! Compiles a regular expression to instructions and searches texts with them. All alternatives are
//! followed at once, so the work is at most the text's length times the number of instructions.
//!
//! The expression `ab*|c` has these instructions. It matches when its end, 7, is reached:
//!
//! ```text
//! 0: Fork(6)    the branch `ab*`, or `c` at 6
//! 1: Read(a)
//! 2: Fork(5)    another `b`, or the end of the repetition
//! 3: Read(b)
//! 4: Jump(2)
//! 5: Jump(7)    the end of the first branch
//! 6: Read(c)
//! ```

use std::collections::HashMap;

use super::{CharacterClass, Node, NodeKind};

/// The maximum number of instructions. Counted repetitions are expanded.
const MAX_INSTRUCTIONS: usize = 20_000;

/// The characters that `.` does not match.
const LINE_BREAKS: &str = "\n\r\u{2028}\u{2029}";

/// A compiled regular expression.
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
#[derive(Debug, Default)]
pub struct Program {
    instructions: Vec<Instruction>,
    /// The character classes, each stored once even if it is repeated.
    classes: Vec<CharacterClass>,
}

/// A step of a search. Unless it says otherwise, the search continues at the next instruction.
#[derive(Debug, Clone, Copy)]
enum Instruction {
    /// Reads a character of the class with this index.
    Read(usize),
    /// Continues only at the start of the text.
    Start,
    /// Continues only at the end of the text.
    End,
    /// Continues at the next instruction and at another one.
    Fork(usize),
    /// Continues at another instruction.
    Jump(usize),
}

impl Program {
    /// Compiles a regular expression; `None` if it needs too many instructions.
    pub fn new(of: &Node) -> Option<Self> {
        let mut compiler = ProgramCompiler::default();
        compiler.compile_node(of)?;
        Some(compiler.program)
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether there are no instructions. The expression then matches every text.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// Whether the expression matches somewhere in a text. `pay` receives the executed steps.
    ///
    /// # Errors
    ///
    /// Returns an error if `pay` does.
    pub fn is_found_in<E>(
        &self,
        text: &str,
        pay: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut search = PatternSearch {
            program: self,
            last_offsets: vec![usize::MAX; self.instructions.len()],
            waiting: Vec::new(),
            reading: Vec::new(),
            next: Vec::new(),
        };
        pay(self.instructions.len())?;
        let mut characters = text.char_indices();
        loop {
            let (at, character) = match characters.next() {
                Some((at, character)) => (at, Some(character)),
                None => (text.len(), None),
            };
            // Continue the previous matches, then start a new one at instruction 0.
            let reached = std::mem::take(&mut search.next);
            let mut steps_taken = 0;
            for instruction in reached.into_iter().chain([0]) {
                match search.follow(instruction, at, character.is_none()) {
                    Some(steps) => steps_taken += steps,
                    None => return Ok(true),
                }
            }
            pay(steps_taken)?;
            let Some(character) = character else { return Ok(false) };
            search.read(character);
        }
    }
}

/// The state of a search at one offset of a text. Instructions are stored as their indices.
struct PatternSearch<'p> {
    program: &'p Program,
    /// For each instruction, the offset at which it was reached last.
    last_offsets: Vec<usize>,
    /// Instructions that still have to be followed.
    waiting: Vec<usize>,
    /// `Read` instructions that wait for the next character.
    reading: Vec<usize>,
    /// The instructions after those that have read it.
    next: Vec<usize>,
}

impl PatternSearch<'_> {
    /// Follows all alternatives from an instruction to the next `Read` instructions. Returns the
    /// number of steps that were taken; `None` if the expression matches.
    fn follow(&mut self, instruction: usize, at: usize, is_end: bool) -> Option<usize> {
        let mut steps_taken = 0;
        self.waiting.push(instruction);
        while let Some(index) = self.waiting.pop() {
            steps_taken += 1;
            // The index after the last instruction is the end of the expression.
            let instruction = self.program.instructions.get(index)?;
            let last_offset = self.last_offsets.get_mut(index)?;
            // Reached before at this offset, for example by a loop around an empty expression.
            if *last_offset == at {
                continue;
            }
            *last_offset = at;
            match *instruction {
                Instruction::Read(_) => self.reading.push(index),
                Instruction::Start if at == 0 => self.waiting.push(index + 1),
                Instruction::End if is_end => self.waiting.push(index + 1),
                Instruction::Start | Instruction::End => {}
                Instruction::Fork(other) => self.waiting.extend([other, index + 1]),
                Instruction::Jump(other) => self.waiting.push(other),
            }
        }
        Some(steps_taken)
    }

    /// Passes a character to all waiting `Read` instructions.
    fn read(&mut self, character: char) {
        for &index in &self.reading {
            let class = match self.program.instructions.get(index) {
                Some(Instruction::Read(class)) => self.program.classes.get(*class),
                _ => None,
            };
            if class.is_some_and(|class| class.contains(character)) {
                self.next.push(index + 1);
            }
        }
        self.reading.clear();
    }
}

/// Compiles an expression. Its methods return `None` if there are too many instructions.
#[derive(Default)]
struct ProgramCompiler {
    program: Program,
    /// Indices of classes by the addresses of their nodes, so that a repeated class is stored once.
    class_indices: HashMap<usize, usize>,
}

impl ProgramCompiler {
    /// Appends the instructions of an expression.
    fn compile_node(&mut self, node: &Node) -> Option<()> {
        match &node.kind {
            NodeKind::Class(class) => self.compile_class(node, || class.clone()),
            NodeKind::Any => {
                self.compile_class(node, || CharacterClass::from_characters(LINE_BREAKS).negated())
            }
            NodeKind::Start => self.push(Instruction::Start).map(|_| ()),
            NodeKind::End => self.push(Instruction::End).map(|_| ()),
            NodeKind::Sequence(parts) => parts.iter().try_for_each(|part| self.compile_node(part)),
            NodeKind::Choice(branches) => self.compile_choice(branches),
            NodeKind::Repeat { of, at_least, at_most, .. } => {
                self.compile_repeat(of, *at_least, *at_most)
            }
            NodeKind::Group { of, .. } => self.compile_node(of),
        }
    }

    fn push(&mut self, instruction: Instruction) -> Option<usize> {
        let at = self.program.len();
        if at == MAX_INSTRUCTIONS {
            return None;
        }
        self.program.instructions.push(instruction);
        Some(at)
    }

    fn compile_class(&mut self, node: &Node, class: impl FnOnce() -> CharacterClass) -> Option<()> {
        let index =
            *self.class_indices.entry(std::ptr::from_ref(node).addr()).or_insert_with(|| {
                self.program.classes.push(class());
                self.program.classes.len() - 1
            });
        self.push(Instruction::Read(index)).map(|_| ())
    }

    /// Sets the target of an earlier `Fork` or `Jump` to the next instruction that is pushed.
    fn set_target_here(&mut self, from: usize) {
        let here = self.program.len();
        if let Some(Instruction::Fork(other) | Instruction::Jump(other)) =
            self.program.instructions.get_mut(from)
        {
            *other = here;
        }
    }

    /// `a|b|c`: before each branch but the last a fork to the next one, after it a jump to the end.
    fn compile_choice(&mut self, branches: &[Node]) -> Option<()> {
        let Some((last, others)) = branches.split_last() else { return Some(()) };
        let mut jumps = Vec::new();
        for branch in others {
            let fork = self.push(Instruction::Fork(0))?;
            self.compile_node(branch)?;
            jumps.push(self.push(Instruction::Jump(0))?);
            self.set_target_here(fork);
        }
        self.compile_node(last)?;
        jumps.into_iter().for_each(|jump| self.set_target_here(jump));
        Some(())
    }

    /// `a{2,}` becomes `aa` and a loop, and `a{2,4}` becomes `aa(a(a)?)?`.
    fn compile_repeat(&mut self, of: &Node, at_least: u32, at_most: Option<u32>) -> Option<()> {
        for _ in 0..at_least {
            let before = self.program.len();
            self.compile_node(of)?;
            if self.program.len() == before {
                // Repeating an empty expression has no effect.
                return Some(());
            }
        }
        let Some(at_most) = at_most else {
            let fork = self.push(Instruction::Fork(0))?;
            self.compile_node(of)?;
            self.push(Instruction::Jump(fork))?;
            self.set_target_here(fork);
            return Some(());
        };
        let mut forks = Vec::new();
        for _ in at_least..at_most {
            forks.push(self.push(Instruction::Fork(0))?);
            let before = self.program.len();
            self.compile_node(of)?;
            if self.program.len() == before {
                break;
            }
        }
        forks.into_iter().for_each(|fork| self.set_target_here(fork));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Program;
    use crate::regular_expression::{Dialect, parse};

    fn matches(pattern: &str, text: &str) -> bool {
        let program = Program::new(&parse(pattern, Dialect::EcmaScript).unwrap()).unwrap();
        program.is_found_in(text, &mut |_| Ok::<(), ()>(())).unwrap()
    }

    #[test]
    fn an_expression_without_anchors_matches_anywhere() {
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
            assert!(matches(pattern, found), "{pattern} in {found}");
            assert!(!matches(pattern, missing), "{pattern} in {missing}");
        }
        for nothing in ["", "()*", "(){0,3}", "^$|x*"] {
            assert!(matches(nothing, "any"), "{nothing}");
        }
    }

    #[test]
    fn nested_counts_with_too_many_instructions_are_not_compiled() {
        let program = |pattern| Program::new(&parse(pattern, Dialect::EcmaScript).unwrap());
        assert!(program("a{20000}").is_some());
        assert!(program("(a{1000}){1000}").is_none());
        assert!(program("((){100000}){100000}").is_some_and(|program| program.is_empty()));
    }

    #[test]
    fn a_search_takes_linear_time() {
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

//! Draws random texts from a grammar.

use crate::gbnf::{Gbnf, Symbol};

/// A generator of pseudo-random numbers.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Makes a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

impl Gbnf {
    /// Draws a text that the grammar matches. After `length` characters it ends as soon as
    /// possible. If `plain` is set, it prefers letters, digits and blanks.
    pub fn sample(&self, dice: &mut Dice, length: usize, plain: bool) -> String {
        let costs = self.costs();
        let mut text = String::new();
        let mut count = 0;
        let mut pending = vec![Symbol::Rule(self.root)];
        while let Some(symbol) = pending.pop() {
            match &symbol {
                Symbol::Class { ranges, negated } => {
                    count += 1;
                    text.push(draw(ranges, *negated, &symbol, dice, plain));
                }
                &Symbol::Rule(rule) => {
                    let alternatives = &self.rules[rule];
                    let chosen = if count < length {
                        let possible: Vec<_> = (0..alternatives.len())
                            .filter(|&at| cost(&alternatives[at], &costs) < u64::MAX)
                            .collect();
                        possible[dice.below(possible.len())]
                    } else {
                        let all = 0..alternatives.len();
                        all.min_by_key(|&at| cost(&alternatives[at], &costs)).unwrap()
                    };
                    pending.extend(alternatives[chosen].iter().rev().cloned());
                }
            }
        }
        text
    }

    /// The minimum number of steps to the end of each rule.
    fn costs(&self) -> Vec<u64> {
        let mut costs = vec![u64::MAX; self.rules.len()];
        loop {
            let mut changed = false;
            for (at, rule) in self.rules.iter().enumerate() {
                let best =
                    rule.iter().map(|symbols| cost(symbols, &costs)).min().unwrap_or(u64::MAX);
                let best = best.saturating_add(1);
                if best < costs[at] {
                    costs[at] = best;
                    changed = true;
                }
            }
            if !changed {
                return costs;
            }
        }
    }
}

fn cost(symbols: &[Symbol], costs: &[u64]) -> u64 {
    symbols.iter().fold(0, |all: u64, symbol| {
        all.saturating_add(match symbol {
            Symbol::Class { .. } => 1,
            Symbol::Rule(rule) => costs[*rule],
        })
    })
}

fn draw(
    ranges: &[(char, char)],
    negated: bool,
    symbol: &Symbol,
    dice: &mut Dice,
    plain: bool,
) -> char {
    const PLAIN: &str = "abcdefgxyzABZ0123456789 ";
    const UNUSUAL: &str =
        "\"\\/[]{}<>|:,.-_'`\n\r\t\u{0}\u{1f}\u{7f}\u{80}äß€\u{2028}\u{fffd}😀\u{10ffff}";
    if !negated && ranges.len() == 1 && ranges[0].0 == ranges[0].1 {
        return ranges[0].0;
    }
    let from = if plain || dice.below(3) > 0 { PLAIN } else { UNUSUAL };
    let offered: Vec<char> = from.chars().filter(|&offered| symbol.admits(offered)).collect();
    if !offered.is_empty() && dice.below(8) > 0 {
        return offered[dice.below(offered.len())];
    }
    if !negated {
        let (first, last) = ranges[dice.below(ranges.len())];
        return [first, last][dice.below(2)];
    }
    let any = (' '..='\u{10ffff}').chain('\0'..' ');
    offered.first().copied().or_else(|| any.into_iter().find(|&any| symbol.admits(any))).unwrap()
}

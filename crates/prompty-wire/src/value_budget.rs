//! Limits the memory of the JSON that is kept as values: parts and fields that only the provider
//! understands.
//!
//! A [`Value`] needs many times the memory of its text: `[0,0]` has two bytes for each item, and an
//! item takes at least 32. So the memory of a value is estimated from its text before it is read.
//! An answer may keep values whose estimates are a few times its length in total. What exceeds this
//! is an error, because it can neither be kept nor be dropped.
//!
//! | in the text | estimated bytes | for |
//! |---|---|---|
//! | `{` | 150 | an object and its first entry |
//! | `[` | 168 | an array and its first items |
//! | `:` | 56 | the other half of an entry, and its key |
//! | `,` | 96 | an item or an entry, while its array or object grows |
//! | `"` | 8 | a string |

use prompty_core::value::Value;
use prompty_core::work::add_steps;

/// The estimated memory of values for each byte of an answer.
const PER_BYTE: usize = 5;

/// The estimated memory of values that an answer may have in addition.
const CONSTANT: usize = 12 << 20;

/// The memory of a part without its value: in the reply, in its order, and in an event.
const PART: usize = 400;

/// The memory of the values that one answer keeps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ValueBudget {
    /// The number of bytes of the answer so far.
    received: usize,
    /// The estimated memory of its values.
    used: usize,
    problem: Option<ValueProblem>,
}

/// Why a value could not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueProblem {
    /// The values need more memory than the budget.
    TooMany,
    /// It is nested too deeply, or has a number that is too large.
    Unreadable,
}

impl ValueBudget {
    /// Adds the bytes of an event, or of a complete answer.
    pub(super) fn receive(&mut self, bytes: usize) {
        self.received = self.received.saturating_add(bytes);
    }

    /// The number of bytes of the answer so far.
    pub(super) fn received(&self) -> usize {
        self.received
    }

    /// Pays for JSON that is kept as a value. Returns whether the budget allows it. If it does not,
    /// the answer is an error.
    pub(super) fn pay(&mut self, json: &str) -> bool {
        let used = self.used.saturating_add(estimated_memory(json));
        let is_allowed = used <= self.received.saturating_mul(PER_BYTE).saturating_add(CONSTANT);
        match is_allowed {
            true => self.used = used,
            false => self.problem = Some(ValueProblem::TooMany),
        }
        is_allowed
    }

    /// Pays for a part that is kept, in addition to its value.
    pub(super) fn pay_part(&mut self, json: &str) -> bool {
        self.used = self.used.saturating_add(PART);
        self.pay(json)
    }

    /// Reads JSON that is kept as a value. If the value cannot be kept, the answer is an error.
    pub(super) fn read(&mut self, json: &str) -> Option<Value> {
        if !self.pay(json) {
            return None;
        }
        let value = Value::from_json(json).ok();
        if value.is_none() {
            self.problem = Some(ValueProblem::Unreadable);
        }
        value
    }

    /// Why a part or a field could not be kept.
    pub(super) fn problem(&self) -> Option<ValueProblem> {
        self.problem
    }
}

/// Reads JSON of a provider. `None` if it is not JSON, or has so many small values that they need
/// much more memory than the text.
pub(super) fn bounded_value(json: &str) -> Option<Value> {
    let mut budget = ValueBudget::default();
    budget.receive(json.len());
    budget.read(json)
}

/// The estimated memory of the value of a JSON text.
fn estimated_memory(json: &str) -> usize {
    add_steps(json.len());
    let (mut in_string, mut is_escaped) = (false, false);
    let cost = |byte: u8| match byte {
        _ if is_escaped => {
            is_escaped = false;
            0
        }
        b'\\' => {
            is_escaped = in_string;
            0
        }
        b'"' => {
            in_string = !in_string;
            8
        }
        _ if in_string => 0,
        b'{' => 150,
        b'[' => 168,
        b':' => 56,
        b',' => 96,
        _ => 0,
    };
    json.bytes().map(cost).sum::<usize>().saturating_add(json.len())
}

//! Arithmetic and comparisons with Python's rules.

use std::cmp::Ordering;

use super::budget::{ITEM_COST, Meter};
use super::fault::Fault;
use super::format;
use super::heap::ItemList;
use super::run::Run;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::work::add_steps;
use prompty_template::tree::BinaryOperator;

impl Run<'_> {
    /// The result of an arithmetic operator. Integers and floats are tried first. Then lists,
    /// tuples and strings can be joined with `+` and repeated with `*`, and `%` formats a string.
    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: &Val,
        right: &Val,
    ) -> Outcome {
        if let (Some(left), Some(right)) = (left.as_integer(), right.as_integer()) {
            return integers(operator, left, right);
        }
        if let (Some(left), Some(right)) = (left.as_float(), right.as_float()) {
            return floats(operator, left, right);
        }
        match (operator, left, right) {
            (BinaryOperator::Add, Val::List(a), Val::List(b))
            | (BinaryOperator::Add, Val::Tuple(a), Val::Tuple(b)) => {
                let mut items = ItemList::default();
                for id in [*a, *b] {
                    items.extend(self.heap.list(id).paid_slice(&self.meter)?, &self.meter)?;
                }
                self.list_like(left, items)
            }
            (BinaryOperator::Multiply, value, count) | (BinaryOperator::Multiply, count, value)
                if count.as_integer().is_some() =>
            {
                self.repeat_value(value, count.as_integer().unwrap_or_default())
            }
            _ => match (operator, left.as_text(), right.as_text()) {
                (BinaryOperator::Add, Some(a), Some(b)) => {
                    let mut text = self.writer();
                    text.push(a.read(&self.meter)?)?;
                    text.push(b.read(&self.meter)?)?;
                    text.finish().map(Val::String)
                }
                (BinaryOperator::Remainder, Some(text), _) => {
                    let text = text.read(&self.meter)?;
                    format::percent(self, text, right)
                }
                _ => Err(Fault::render(format!(
                    "cannot apply `{}` to values of type {} and {}",
                    operator.as_str(),
                    left.type_name(),
                    right.type_name()
                ))),
            },
        }
    }

    /// A tuple if `value` is one, otherwise a list.
    pub(super) fn list_like(&mut self, value: &Val, items: ItemList) -> Outcome {
        if matches!(value, Val::Tuple(_)) { self.tuple(items) } else { self.list(items) }
    }

    fn repeat_value(&mut self, value: &Val, count: i128) -> Outcome {
        let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
        match value {
            Val::String(text) | Val::Safe(text) => {
                let text = text.read(&self.meter)?;
                Text::repeated(text, count, &self.meter).map(Val::String)
            }
            Val::List(id) | Val::Tuple(id) => {
                let once = self.heap.list(*id).paid_slice(&self.meter)?;
                let mut items = ItemList::default();
                items.extend_repeated(once, count, &self.meter)?;
                self.list_like(value, items)
            }
            _ => Err(Fault::wrong_type(value, "cannot be repeated")),
        }
    }

    /// The result of a comparison.
    pub(super) fn compare(
        &mut self,
        operator: BinaryOperator,
        left: &Val,
        right: &Val,
    ) -> Outcome<bool> {
        let holds = match operator {
            BinaryOperator::Equal => return self.is_equal(left, right, 0),
            BinaryOperator::NotEqual => return Ok(!self.is_equal(left, right, 0)?),
            BinaryOperator::In => return self.contains(right, left),
            BinaryOperator::NotIn => return Ok(!self.contains(right, left)?),
            BinaryOperator::Less => Ordering::is_lt,
            BinaryOperator::LessOrEqual => Ordering::is_le,
            BinaryOperator::Greater => Ordering::is_gt,
            BinaryOperator::GreaterOrEqual => Ordering::is_ge,
            _ => return Err(unknown(operator)),
        };
        Ok(self.order(left, right, operator.as_str(), 0)?.is_some_and(holds))
    }

    /// `left == right`. `depth` is the number of lists and maps around both.
    pub(super) fn is_equal(&self, left: &Val, right: &Val, depth: usize) -> Outcome<bool> {
        if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
            return left.equals(right, &self.meter);
        }
        self.meter.pay_items(1)?;
        add_steps(ITEM_COST);
        if let (Some(left), Some(right)) = (left.as_integer(), right.as_integer()) {
            return Ok(left == right);
        }
        #[expect(clippy::float_cmp, reason = "`==` in a template is that of Python")]
        if let (Some(left), Some(right)) = (left.as_float(), right.as_float()) {
            return Ok(left == right);
        }
        self.pay_nested_value(depth, "the compared values are")?;
        match (left, right) {
            (Val::Undefined, Val::Undefined) | (Val::None, Val::None) => Ok(true),
            (Val::List(a), Val::List(b)) | (Val::Tuple(a), Val::Tuple(b)) => {
                self.are_equal(self.heap.list(*a), self.heap.list(*b), depth + 1)
            }
            (Val::Dict(a), Val::Dict(b)) => {
                let (a, b) = (self.heap.dict(*a), self.heap.dict(*b));
                if a.len() != b.len() {
                    return Ok(false);
                }
                for entry in a.iter_paid(&self.meter) {
                    let (name, value) = entry?;
                    let position = self.position_of(b, name)?;
                    let Some((_, other)) = position.and_then(|position| b.entry(position)) else {
                        return Ok(false);
                    };
                    if !self.is_equal(value, other, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => is_same(left, right, &self.meter),
        }
    }

    /// Whether lists have equal items.
    pub(super) fn are_equal(&self, a: &ItemList, b: &ItemList, depth: usize) -> Outcome<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (a, b) in a.iter_paid(&self.meter).zip(b.iter_paid(&self.meter)) {
            if !self.is_equal(a?, b?, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The order of two values; `None` if one is `nan`. An error names the operator.
    pub(super) fn order(
        &self,
        left: &Val,
        right: &Val,
        operator: &str,
        depth: usize,
    ) -> Outcome<Option<Ordering>> {
        self.meter.pay_items(1)?;
        add_steps(ITEM_COST);
        if let (Some(left), Some(right)) = (left.as_integer(), right.as_integer()) {
            return Ok(Some(left.cmp(&right)));
        }
        if let (Some(left), Some(right)) = (left.as_float(), right.as_float()) {
            return Ok(left.partial_cmp(&right));
        }
        if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
            return left.order(right, &self.meter).map(Some);
        }
        self.pay_nested_value(depth, "the compared values are")?;
        match (left, right) {
            (Val::List(a), Val::List(b)) | (Val::Tuple(a), Val::Tuple(b)) => {
                let (left, right) = (self.heap.list(*a), self.heap.list(*b));
                for (a, b) in left.iter_paid(&self.meter).zip(right.iter_paid(&self.meter)) {
                    let (a, b) = (a?, b?);
                    if !self.is_equal(a, b, depth + 1)? {
                        return self.order(a, b, operator, depth + 1);
                    }
                }
                Ok(Some(left.len().cmp(&right.len())))
            }
            _ => Err(Fault::render(format!(
                "`{operator}` cannot compare values of type {} and {}",
                left.type_name(),
                right.type_name()
            ))),
        }
    }

    /// `item in container`
    pub(super) fn contains(&mut self, container: &Val, item: &Val) -> Outcome<bool> {
        match container {
            Val::Undefined => Ok(false),
            Val::String(text) | Val::Safe(text) => {
                let text = text.read(&self.meter)?;
                match item.as_text() {
                    Some(part) => Ok(text.contains(part.read(&self.meter)?)),
                    None => Err(Fault::unexpected("`in` expects a string to search for", item)),
                }
            }
            Val::List(id) | Val::Tuple(id) => {
                for found in self.heap.list(*id).iter_paid(&self.meter) {
                    if self.is_equal(found?, item, 0)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Val::Dict(id) => Ok(self.position_of(self.heap.dict(*id), item)?.is_some()),
            _ => {
                let kind = container.type_name();
                Err(Fault::render(format!("`in` cannot search a value of type {kind}")))
            }
        }
    }
}

/// Whether two values are identical.
pub(super) fn is_same(left: &Val, right: &Val, meter: &Meter) -> Outcome<bool> {
    Ok(match (left, right) {
        (Val::None, Val::None) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Integer(a), Val::Integer(b)) => a == b,
        (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
        (Val::Function(a), Val::Function(b)) => a == b,
        (Val::List(a), Val::List(b))
        | (Val::Tuple(a), Val::Tuple(b))
        | (Val::Dict(a), Val::Dict(b))
        | (Val::Namespace(a), Val::Namespace(b))
        | (Val::Macro(a), Val::Macro(b))
        | (Val::Loop(a), Val::Loop(b))
        | (Val::Cycler(a), Val::Cycler(b))
        | (Val::Joiner(a), Val::Joiner(b)) => a == b,
        _ => match (left.as_text(), right.as_text()) {
            (Some(left), Some(right)) => left.equals(right, meter)?,
            _ => false,
        },
    })
}

#[expect(clippy::cast_precision_loss, reason = "as Python divides")]
fn integers(operator: BinaryOperator, left: i128, right: i128) -> Outcome {
    let number = match operator {
        BinaryOperator::Add => left.checked_add(right),
        BinaryOperator::Subtract => left.checked_sub(right),
        BinaryOperator::Multiply => left.checked_mul(right),
        BinaryOperator::Divide if right != 0 => return Ok(Val::Float(left as f64 / right as f64)),
        // Python rounds down, and Rust towards zero.
        BinaryOperator::FloorDivide if right != 0 => left.checked_div(right).map(|quotient| {
            let is_below = left.wrapping_rem(right) != 0 && (left < 0) != (right < 0);
            quotient - i128::from(is_below)
        }),
        BinaryOperator::Remainder if right != 0 => left
            .checked_rem(right)
            .map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }),
        BinaryOperator::Power => match u32::try_from(right) {
            Ok(exponent) => left.checked_pow(exponent),
            Err(_) if right < 0 => return floats(operator, left as f64, right as f64),
            Err(_) if matches!(left, 0 | 1) => Some(left),
            Err(_) => None,
        },
        BinaryOperator::Divide | BinaryOperator::FloorDivide | BinaryOperator::Remainder => {
            return Err(Fault::render("division by zero"));
        }
        _ => return Err(unknown(operator)),
    };
    number.map(Val::Integer).ok_or_else(|| Fault::limit("this number is too large"))
}

fn floats(operator: BinaryOperator, left: f64, right: f64) -> Outcome {
    let is_division = matches!(
        operator,
        BinaryOperator::Divide | BinaryOperator::FloorDivide | BinaryOperator::Remainder
    );
    if is_division && right == 0.0 {
        return Err(Fault::render("division by zero"));
    }
    Ok(Val::Float(match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide => left / right,
        BinaryOperator::FloorDivide => (left / right).floor(),
        BinaryOperator::Remainder => {
            let rest = left % right;
            if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest }
        }
        BinaryOperator::Power => left.powf(right),
        _ => return Err(unknown(operator)),
    }))
}

fn unknown(operator: BinaryOperator) -> Fault {
    Fault::render(format!("`{}` is not available in a chat template", operator.as_str()))
}

//! Format strings: `"%s" | format(x)` and `"{}".format(x)`. If the string is a constant, its
//! placeholders are known, and each needs a value.

use super::call_arguments::constant_text;
use super::checker::Checker;
use super::operands::fits;
use super::types::Value;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::builtins::Operand;
use prompty_template::jinja::format::{
    BracePiece, BracePlace, Field, FieldRoot, FormatError, PercentPiece, brace_pieces,
    percent_pieces,
};
use prompty_template::tree::{Argument, Call, Expr};

/// A placeholder of a format string.
struct Placeholder<'t> {
    /// The index or the name of its value.
    root: FieldRoot<'t>,
    /// Whether it accepts only numbers.
    wants_number: bool,
}

impl Checker<'_> {
    /// Checks the values of the filter `format`.
    pub(super) fn percent_values(&mut self, input: Option<&Expr>, call: &Call, values: &[Value]) {
        let Some(text) = input.and_then(constant_text) else { return };
        // The index of the next value without a name.
        let mut next = 0;
        let mut places = Vec::new();
        for piece in percent_pieces(text) {
            match piece {
                PercentPiece::Text(_) => {}
                PercentPiece::Error(wrong) => {
                    return self.report_invalid_format_string(&wrong, input);
                }
                PercentPiece::Place { name, spec } => {
                    let root = name.map_or_else(
                        || {
                            next += 1;
                            FieldRoot::Index(next - 1)
                        },
                        FieldRoot::Name,
                    );
                    places.push(Placeholder { root, wants_number: spec.wants_number() });
                }
            }
        }
        self.check_placed_values(&places, call, values);
        let given = positional(call).count();
        if given > next {
            self.report_value_count(call, next, given);
        }
    }

    /// Checks the values of the method `format`.
    pub(super) fn brace_values(&mut self, owner: &Expr, call: &Call, values: &[Value]) {
        let Some(text) = constant_text(owner) else { return };
        let mut places = Vec::new();
        for piece in brace_pieces(text) {
            match piece {
                BracePiece::Text(_) => {}
                BracePiece::Error(wrong) => {
                    return self.report_invalid_format_string(&wrong, Some(owner));
                }
                BracePiece::Place(place) => match brace_places(&place) {
                    Ok(found) => places.extend(found),
                    Err(wrong) => return self.report_invalid_format_string(&wrong, Some(owner)),
                },
            }
        }
        self.check_placed_values(&places, call, values);
    }

    /// Reports a format string that is invalid for all values.
    fn report_invalid_format_string(&mut self, wrong: &FormatError, text: Option<&Expr>) {
        let Some(text) = text else { return };
        let label = "invalid format string";
        let message = wrong.to_string();
        self.report_with_help(Code::WrongValue, message, label, [wrong.help()], text.span);
    }

    /// Reports placeholders without a value, or with a value of the wrong type.
    fn check_placed_values(&mut self, places: &[Placeholder<'_>], call: &Call, values: &[Value]) {
        if call.arguments.iter().any(Argument::is_spread) {
            return;
        }
        for place in places {
            let index = match place.root {
                FieldRoot::Index(index) => positional(call).nth(index),
                FieldRoot::Name(name) => call.arguments.iter().position(
                    |argument| matches!(argument, Argument::Named(given, _) if given.text == name),
                ),
            };
            match (index, place.root) {
                (Some(index), _) => {
                    if let (Some(argument), Some(value)) =
                        (call.arguments.get(index), values.get(index))
                    {
                        self.check_placed_value(place, argument, value);
                    }
                }
                (None, FieldRoot::Name(name)) => {
                    let message = format!("`format` has no value for the placeholder `{name}`");
                    let help = format!("add it by name: `format({name}=...)`");
                    let diagnostic = Diagnostic::new(Code::WrongArguments, message).with_help(help);
                    self.report(diagnostic, call.name.span);
                }
                (None, FieldRoot::Index(_)) => {
                    let is_numbered =
                        |place: &&Placeholder<'_>| matches!(place.root, FieldRoot::Index(_));
                    let count = places.iter().filter(is_numbered).count();
                    self.report_value_count(call, count, positional(call).count());
                    return;
                }
            }
        }
    }

    /// Reports a value that is not a number, if the placeholder needs one.
    fn check_placed_value(&mut self, place: &Placeholder<'_>, argument: &Argument, value: &Value) {
        if !place.wants_number || fits(Operand::Number, &value.kind) {
            return;
        }
        let message = format!("expected a number, found {}", value.kind.description());
        let help = "write `%s` or `{}`, which accept any value";
        let span = argument.expr().span;
        self.report_with_help(Code::WrongValue, message, "not a number", [help], span);
    }

    /// Reports that there are more or fewer values than placeholders.
    fn report_value_count(&mut self, call: &Call, places: usize, values: usize) {
        let plural = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        let (places, values) =
            (plural(places, "placeholder", "placeholders"), plural(values, "value", "values"));
        let message = format!("the string has {places}, but `format` has {values}");
        let help = "pass one value for each placeholder, in order";
        self.report(Diagnostic::new(Code::WrongArguments, message).with_help(help), call.name.span);
    }
}

/// The placeholder, and the nested placeholders in its format specification: `{:{width}}` has both.
fn brace_places<'t>(place: &BracePlace<'t>) -> Result<Vec<Placeholder<'t>>, FormatError> {
    let inner: Vec<&Field<'t>> = place.spec.places().collect();
    for field in inner.iter().copied().chain([&place.field]) {
        field.path.into_iter().try_for_each(|step| step.map(|_| ()))?;
    }
    let is_unmodified = place.field.path.count() == 0 && place.conversion.is_none();
    // A nested placeholder makes the specification unknown until the string is formatted.
    let wants_number = inner.is_empty() && place.spec.parse(&[])?.wants_number();
    let outer = Placeholder { root: place.field.root, wants_number: is_unmodified && wants_number };
    let inner =
        inner.into_iter().map(|field| Placeholder { root: field.root, wants_number: false });
    Ok(std::iter::once(outer).chain(inner).collect())
}

/// The indices of the arguments without a name.
fn positional(call: &Call) -> impl Iterator<Item = usize> {
    let arguments = call.arguments.iter().enumerate();
    arguments
        .filter(|(_, argument)| matches!(argument, Argument::Positional(_)))
        .map(|(index, _)| index)
}

//! Texts with places for values: `"%s" | format(x)` and `"{}".format(x)`. Where the text is known, so are
//! its places, and each must get its value.

use super::checker::Checker;
use super::filters::fits;
use super::types::Value;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::builtins::Takes;
use prompty_template::jinja::format::{
    BracePiece, BracePlace, Field, PercentPiece, Root, Wrong, brace_pieces, percent_pieces,
};
use prompty_template::tree::{Argument, Call, Expr, ExprKind};

/// A place of a text.
struct Place<'t> {
    root: Root<'t>,
    /// Whether only a number can stand in it.
    wants_number: bool,
}

impl Checker<'_> {
    /// The values of the filter `format`.
    pub(super) fn percent_values(&mut self, input: Option<&Expr>, call: &Call, values: &[Value]) {
        let Some(text) = input.and_then(literal) else { return };
        let mut next = 0;
        let mut places = Vec::new();
        for piece in percent_pieces(text) {
            match piece {
                PercentPiece::Text(_) => {}
                PercentPiece::Wrong(wrong) => return self.wrong_text(&wrong, input),
                PercentPiece::Place { name, spec } => {
                    let root = name.map_or_else(
                        || {
                            next += 1;
                            Root::Index(next - 1)
                        },
                        Root::Name,
                    );
                    places.push(Place { root, wants_number: spec.wants_number() });
                }
            }
        }
        self.placed_values(&places, call, values);
        let given = positional(call).count();
        if given > next {
            self.count_of_values(call, next, given);
        }
    }

    /// The values of the method `format`.
    pub(super) fn brace_values(&mut self, owner: &Expr, call: &Call, values: &[Value]) {
        let Some(text) = literal(owner) else { return };
        let mut places = Vec::new();
        for piece in brace_pieces(text) {
            match piece {
                BracePiece::Text(_) => {}
                BracePiece::Wrong(wrong) => return self.wrong_text(&wrong, Some(owner)),
                BracePiece::Place(place) => match brace_places(&place) {
                    Ok(found) => places.extend(found),
                    Err(wrong) => return self.wrong_text(&wrong, Some(owner)),
                },
            }
        }
        self.placed_values(&places, call, values);
    }

    /// Says that the text cannot be filled, whatever the values are.
    fn wrong_text(&mut self, wrong: &Wrong, text: Option<&Expr>) {
        let Some(text) = text else { return };
        let label = "this text cannot be filled";
        let message = wrong.to_string();
        self.report_with_help(Code::WrongValue, message, label, [wrong.help()], text.span);
    }

    /// Says which places get no value, or one that cannot stand there.
    fn placed_values(&mut self, places: &[Place<'_>], call: &Call, values: &[Value]) {
        if call.arguments.iter().any(Argument::is_spread) {
            return;
        }
        for place in places {
            let argument = match place.root {
                Root::Index(index) => positional(call).nth(index),
                Root::Name(name) => call.arguments.iter().position(
                    |argument| matches!(argument, Argument::Named(given, _) if given.text == name),
                ),
            };
            let Some(argument) = argument else {
                match place.root {
                    Root::Index(_) => {
                        let by_number =
                            places.iter().filter(|it| matches!(it.root, Root::Index(_)));
                        self.count_of_values(call, by_number.count(), positional(call).count());
                        return;
                    }
                    Root::Name(name) => {
                        let message = format!("`format` gets no value for the place `{name}`");
                        let help = format!("give it by name: `format({name}=...)`");
                        let diagnostic =
                            Diagnostic::new(Code::WrongArguments, message).with_help(help);
                        self.report(diagnostic, call.name.span);
                        continue;
                    }
                }
            };
            let (Some(argument), Some(value)) =
                (call.arguments.get(argument), values.get(argument))
            else {
                continue;
            };
            if place.wants_number && !fits(Takes::Number, &value.kind) {
                let kind = value.kind.description();
                let message = format!("{kind} stands in the place of a number");
                let label = "no number";
                let help = "write `%s` or `{}` in the text, which take any value";
                self.report_with_help(
                    Code::WrongValue,
                    message,
                    label,
                    [help],
                    argument.expr().span,
                );
            }
        }
    }

    fn count_of_values(&mut self, call: &Call, places: usize, values: usize) {
        let plural = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        let (places, values) =
            (plural(places, "place", "places"), plural(values, "value", "values"));
        let message = format!("the text has {places}, and `format` gets {values}");
        let help = "each place of the text gets one value, in their order";
        self.report(Diagnostic::new(Code::WrongArguments, message).with_help(help), call.name.span);
    }
}

/// The place, and the places in what it says of the value's form.
fn brace_places<'t>(place: &BracePlace<'t>) -> Result<Vec<Place<'t>>, Wrong> {
    let inner: Vec<&Field<'t>> = place.form.places().collect();
    for field in inner.iter().copied().chain([&place.field]) {
        field.path.into_iter().try_for_each(|step| step.map(|_| ()))?;
    }
    let is_whole = place.field.path.count() == 0 && place.conversion.is_none();
    // What a value says is known when the text is filled.
    let wants_number = inner.is_empty() && place.form.spec(&[])?.wants_number();
    let outer = Place { root: place.field.root, wants_number: is_whole && wants_number };
    let inner = inner.into_iter().map(|field| Place { root: field.root, wants_number: false });
    Ok(std::iter::once(outer).chain(inner).collect())
}

/// The places of the arguments without a name, among all arguments.
fn positional(call: &Call) -> impl Iterator<Item = usize> {
    let arguments = call.arguments.iter().enumerate();
    arguments
        .filter(|(_, argument)| matches!(argument, Argument::Positional(_)))
        .map(|(index, _)| index)
}

fn literal(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(value) => value.as_str(),
        _ => None,
    }
}

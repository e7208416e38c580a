//! The arguments of filters and tests: their number and names, and names that they contain.

use super::call_arguments::{constant_text, named, positional};
use super::checker::{Checker, listed};
use super::result_types::path_type;
use super::types::Type;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_template::builtins::{self, Builtin, NamedArguments};
use prompty_template::host_functions::argument_count;
use prompty_template::tree::{Argument, Call, Expr, Name};

impl Checker<'_> {
    /// Reports too few, too many or unknown arguments.
    pub(super) fn check_arity(&mut self, builtin: &Builtin, call: &Call, what: &str) {
        if call.arguments.iter().any(Argument::is_spread) {
            return;
        }
        let mut positional = 0;
        for argument in &call.arguments {
            let Argument::Named(name, _) = argument else {
                positional += 1;
                continue;
            };
            if builtin.named.allows(&name.text) {
                continue;
            }
            let message = format!("unknown argument `{}` of `{}`", name.text, builtin.name);
            let label = format!("not an argument of this {what}");
            let diagnostic = Diagnostic::new(Code::WrongArguments, message).with_label(label);
            let names = match builtin.named {
                NamedArguments::Only(names) => names,
                _ => &[],
            };
            let diagnostic = match names {
                [] => diagnostic.with_help("pass the arguments by position"),
                names => {
                    diagnostic.with_help(format!("available named arguments: {}", listed(names)))
                }
            };
            self.report(diagnostic, name.span);
        }
        let all = call.arguments.len();
        if positional > builtin.most || all < builtin.least {
            let given = if positional > builtin.most { positional } else { all };
            let message = format!(
                "{what} `{}` takes {}, but the call has {given}",
                builtin.name,
                argument_count(builtin.least, builtin.most)
            );
            let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                .with_help(format!("`{}`: {}", builtin.name, builtin.summary));
            self.report(diagnostic, call.name.span);
        }
    }

    /// Checks arguments that contain names of attributes, filters and tests:
    ///
    /// - a filter for each item, in `map("upper")`;
    /// - a test for each item, in `select("odd")`;
    /// - an attribute, and a test of it, in `selectattr("age", "odd")`;
    /// - an attribute by position, in `groupby("author.name")` and `join(", ", "name")`;
    /// - an attribute by name, in `map(attribute="name")`, for any of these filters.
    pub(super) fn attribute_arguments(&mut self, filter: &Builtin, item: &Type, call: &Call) {
        let attribute = named(call, "attribute");
        match filter.name {
            "map" if attribute.is_some() => {}
            "map" => match positional(call, 0) {
                Some(expr) => self.filter_name(item, expr),
                None if call.arguments.is_empty() => {
                    let message = "filter `map` needs the name of a filter or an attribute";
                    let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                        .with_help("write `map(attribute=\"name\")` or `map(\"upper\")`");
                    self.report(diagnostic, call.name.span);
                }
                None => {}
            },
            "select" | "reject" => self.test_name(item, call, 0),
            "selectattr" | "rejectattr" => {
                let tested = positional(call, 0);
                self.attribute_path(item, tested);
                let kind = tested.map_or(Type::Any, |path| path_type(item, path));
                self.test_name(&kind, call, 1);
            }
            "groupby" if attribute.is_none() && call.arguments.is_empty() => {
                let message = "filter `groupby` needs the attribute to group by";
                let diagnostic = Diagnostic::new(Code::WrongArguments, message);
                self.report(diagnostic.with_help("write `groupby(\"name\")`"), call.name.span);
            }
            "groupby" | "sum" => self.attribute_path(item, positional(call, 0)),
            "join" => self.attribute_path(item, positional(call, 1)),
            _ => {}
        }
        self.attribute_path(item, attribute);
    }

    /// Checks an argument such as `attribute="author.name"`, or several paths separated by commas.
    fn attribute_path(&mut self, item: &Type, path: Option<&Expr>) {
        let Some((expr, paths)) = path.and_then(|path| Some((path, constant_text(path)?))) else {
            return;
        };
        for path in paths.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let mut kind = item.clone();
            for name in path.split('.') {
                match self.attribute_step(&kind, name, expr) {
                    Some(next) => kind = next,
                    None => break,
                }
            }
        }
    }

    /// The type of an attribute in a path. `None` if it is unknown, or after a finding.
    fn attribute_step(&mut self, kind: &Type, name: &str, path: &Expr) -> Option<Type> {
        let diagnostic = match kind {
            Type::Any | Type::Never | Type::Group(_) | Type::Namespace | Type::Dict => return None,
            Type::Object(object) => {
                let field = object.fields.get(name);
                if field.is_some() || object.open {
                    return field.cloned();
                }
                let known: Vec<&str> = object.names.iter().map(String::as_str).collect();
                self.unknown_finding(Code::UnknownAttribute, "attribute", name, &known)
                    .with_label("not an attribute of the items")
            }
            Type::Optional(_) => Diagnostic::new(
                Code::WrongValue,
                format!("an item may be missing, so it has no attribute `{name}`"),
            )
            .with_label("some items are missing")
            .with_help("remove the missing items first with `| select`"),
            other => {
                let found = other.description();
                Diagnostic::new(Code::WrongValue, format!("{found} has no attribute `{name}`"))
                    .with_label(format!("each item is {found}"))
                    .with_help("use the items themselves, without an attribute")
            }
        };
        self.report(diagnostic, path.span);
        None
    }

    /// Checks an argument that names a filter for each item.
    fn filter_name(&mut self, item: &Type, expr: &Expr) {
        let Some(name) = constant_text(expr) else { return };
        if self.extensions.filters.iter().any(|filter| filter == name) {
            return;
        }
        match builtins::filter(name) {
            None => self.report_unknown_filter(&Name::new(name, expr.span)),
            Some(filter) => self.check_items(filter, item, expr),
        }
    }

    /// Checks an argument that names a test for each item. `place` is its position.
    fn test_name(&mut self, item: &Type, call: &Call, place: usize) {
        let Some(expr) = positional(call, place) else { return };
        let Some(name) = constant_text(expr) else { return };
        if self.extensions.tests.iter().any(|test| test == name) {
            return;
        }
        let Some(test) = builtins::find_test(name) else {
            self.report_unknown_test(&Name::new(name, expr.span));
            return;
        };
        self.check_items(test, item, expr);
        let given = call.arguments.len() - place - 1;
        if given < test.least || given > test.most {
            let message = format!(
                "test `{name}` takes {}, but the call has {given}",
                argument_count(test.least, test.most)
            );
            let diagnostic = Diagnostic::new(Code::WrongArguments, message)
                .with_help(format!("`{name}`: {}", test.summary));
            self.report(diagnostic, expr.span);
        }
    }
}

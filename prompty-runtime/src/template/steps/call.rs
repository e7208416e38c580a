//! Calls of the host's functions: compiled, and with their arguments read.

use std::sync::Arc;

use super::compile::Path;
use super::engine::{Found, Run, undefined};
use crate::template::functions::{
    Arguments, HostFunction, NamedFunction, misused, resolve, unknown_help,
};
use crate::template::{Extensions, RenderFailure, Undefined};
use prompty_core::diagnostic::Span;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::jinja::SyntaxError;
use prompty_core::jinja::tree::{self, Argument, Expr, ExprKind};
use prompty_core::value::Value;

/// A call of a function of the host.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The function's whole name.
    pub(super) name: Arc<str>,
    pub(super) function: HostFunction,
    /// The arguments from left to right; one without a name has none here either.
    arguments: Vec<(Option<Arc<str>>, Operand)>,
    pub(super) span: Span,
    /// Whether it stands in the attributes of a marker.
    pub(super) is_attribute: bool,
}

#[derive(Debug, Clone)]
enum Operand {
    Path(Path),
    Constant(Value),
}

/// Makes a call ready to run.
///
/// # Errors
///
/// A function that the host does not have, and arguments that it does not take.
pub(super) fn compile_call(
    call: &tree::Call,
    span: Span,
    is_attribute: bool,
    extensions: &Extensions,
) -> Result<Call, SyntaxError> {
    let called = &call.name.text;
    let place = call.name.span;
    let names: Vec<&str> = extensions.function_names().collect();
    let name = match resolve(called, &names) {
        NamedFunction::Known(name) => name,
        NamedFunction::Unknown => {
            let error = SyntaxError::new(place, format!("unknown function `{called}`"));
            return Err(error.with_help(unknown_help(called, &names)));
        }
        NamedFunction::Several(first, second) => {
            let message = format!("`{called}` is a function of several plugins");
            let help = format!("write `{first}` or `{second}`");
            return Err(SyntaxError::new(place, message).with_help(help));
        }
    };
    let Some(function) = extensions.function(name) else {
        return Err(SyntaxError::new(place, format!("unknown function `{called}`")));
    };
    let parameters = function.parameters();
    if let Some(wrong) = misused(called, parameters, call) {
        return Err(wrong);
    }
    let mut unnamed = parameters.unwrap_or_default().iter().map(Arc::clone);
    let arguments = call.arguments.iter().map(|argument| {
        let name = match argument {
            Argument::Named(name, _) => Some(name.text.as_str().into()),
            _ => unnamed.next(),
        };
        Ok((name, operand(argument.expr())?))
    });
    Ok(Call {
        name: name.into(),
        function: function.clone(),
        arguments: arguments.collect::<Result<_, SyntaxError>>()?,
        span,
        is_attribute,
    })
}

fn operand(expr: &Expr) -> Result<Operand, SyntaxError> {
    match &expr.kind {
        ExprKind::Literal(value) => Ok(Operand::Constant(value.clone())),
        ExprKind::Variable(_) | ExprKind::Attribute { .. } | ExprKind::Implicit => {
            Ok(Operand::Path(Path::from_expr(expr)))
        }
        _ => Err(SyntaxError::new(expr.span, "an argument is a variable or a constant")),
    }
}

impl<'a> Run<'a> {
    /// The arguments of a call. They are set from left to right, and each sees those before it.
    pub(super) fn arguments(&mut self, call: &'a Call) -> Result<Arguments, RenderFailure> {
        let mut arguments = Arguments::new(self.scope.inputs.clone());
        self.spend_steps(call.arguments.len())?;
        for (name, operand) in &call.arguments {
            let value = match operand {
                Operand::Constant(value) => value.clone(),
                Operand::Path(path) => self.argument(path, &arguments)?,
            };
            match name {
                Some(name) => arguments.set(name, value),
                None => arguments.push(value),
            }
        }
        Ok(arguments)
    }

    /// What a name stands for in a call: an argument that stands before, or what it is elsewhere.
    fn argument(&mut self, path: &Path, before: &Arguments) -> Result<Value, RenderFailure> {
        if let [name] = path.parts.as_slice()
            && let Some(value) = before.own(name)
        {
            return Ok(value.clone());
        }
        match self.find(path)? {
            Found::Value(value) => Ok(value.clone()),
            Found::Rich(rich) => {
                let message = format!("`{}` is no text, and cannot be an argument", rich.name);
                let error = Error::new(ErrorKind::Render, message)
                    .with_help("write it alone where it belongs in the text");
                Err(RenderFailure::new(error, Some(path.span)))
            }
            Found::Missing(known) => match self.template.undefined {
                Undefined::Empty => Ok(Value::Null),
                Undefined::Error => Err(undefined(path, known)),
            },
        }
    }
}

//! Calls of the host's functions, made ready to run.

use std::sync::Arc;

use super::path::Path;
use crate::engine::Extensions;
use crate::engine::functions::HostFunction;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_template::SyntaxError;
use prompty_template::host_functions::{NamedFunction, misused, resolve, unknown_help};
use prompty_template::tree::{self, Argument, Expr, ExprKind};

/// A call of a function of the host.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The function's name, as errors show it.
    pub(super) name: Arc<str>,
    pub(super) function: HostFunction,
    pub(super) arguments: CallArguments,
    pub(super) span: TemplateSpan,
}

/// The arguments of a call from left to right. An argument without a name has none here either.
#[derive(Debug, Clone)]
pub(super) enum CallArguments {
    /// Each argument is read when the function is called.
    Read(Vec<(Option<Arc<str>>, Operand)>),
    /// The values are on the stack.
    Stacked(Vec<Option<Box<str>>>),
}

impl Call {
    /// A call whose arguments are on the stack.
    pub(super) fn of_stack(
        name: &str,
        function: &HostFunction,
        arguments: Vec<Option<Box<str>>>,
        span: TemplateSpan,
    ) -> Self {
        let arguments = CallArguments::Stacked(arguments);
        Self { name: name.into(), function: function.clone(), arguments, span }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Operand {
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
    span: TemplateSpan,
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
        arguments: CallArguments::Read(arguments.collect::<Result<_, SyntaxError>>()?),
        span,
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

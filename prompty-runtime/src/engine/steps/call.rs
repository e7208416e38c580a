//! Compiled calls of host functions.

use std::sync::Arc;

use super::path::NamePath;
use crate::engine::Extensions;
use crate::engine::functions::HostFunction;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_template::SyntaxError;
use prompty_template::host_functions::{
    FunctionLookup, find_argument_error, resolve, unknown_help,
};
use prompty_template::tree::{self, Argument, Expr, ExprKind};

/// A call of a function of the host.
#[derive(Debug, Clone)]
pub(super) struct HostCall {
    /// The function's name, for error messages.
    pub(super) name: Arc<str>,
    pub(super) function: HostFunction,
    pub(super) arguments: CallArguments,
    pub(super) span: TemplateSpan,
}

/// The arguments of a call from left to right, with their names if they have any.
#[derive(Debug, Clone)]
pub(super) enum CallArguments {
    /// Each argument is read when the function is called.
    Read(Vec<(Option<Arc<str>>, CallOperand)>),
    /// The values are on the stack.
    Stacked(Vec<Option<Box<str>>>),
}

impl HostCall {
    /// Makes a call whose arguments are on the stack.
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

/// An argument that is read when the function is called.
#[derive(Debug, Clone)]
pub(super) enum CallOperand {
    Path(NamePath),
    Constant(Value),
}

/// Compiles a call of a language whose arguments are only names and constants. Handlebars has
/// nested calls, so it puts the arguments on the stack instead ([`HostCall::of_stack`]).
///
/// # Errors
///
/// Returns an error if the host does not have the function, or if the arguments do not match.
pub(super) fn compile_call(
    call: &tree::Call,
    span: TemplateSpan,
    extensions: &Extensions,
) -> Result<HostCall, SyntaxError> {
    let called = &call.name.text;
    let place = call.name.span;
    let names: Vec<&str> = extensions.function_names().collect();
    let name = match resolve(called, &names) {
        FunctionLookup::Known(name) => name,
        FunctionLookup::Unknown => {
            let error = SyntaxError::new(place, format!("unknown function `{called}`"));
            return Err(error.with_help(unknown_help(called, &names)));
        }
        FunctionLookup::Ambiguous(first, second) => {
            let message = format!("several plugins have a function `{called}`");
            let help = format!("write `{first}` or `{second}`");
            return Err(SyntaxError::new(place, message).with_help(help));
        }
    };
    let Some(function) = extensions.function(name) else {
        return Err(SyntaxError::new(place, format!("unknown function `{called}`")));
    };
    let parameters = function.parameters();
    if let Some(error) = find_argument_error(called, parameters, call) {
        return Err(error);
    }
    // An argument without a name takes the next parameter.
    let mut unnamed = parameters.unwrap_or_default().iter().map(Arc::clone);
    let arguments = call.arguments.iter().map(|argument| {
        let name = match argument {
            Argument::Named(name, _) => Some(name.text.as_str().into()),
            _ => unnamed.next(),
        };
        Ok((name, compile_operand(argument.expr())?))
    });
    Ok(HostCall {
        name: name.into(),
        function: function.clone(),
        arguments: CallArguments::Read(arguments.collect::<Result<_, SyntaxError>>()?),
        span,
    })
}

fn compile_operand(expr: &Expr) -> Result<CallOperand, SyntaxError> {
    match &expr.kind {
        ExprKind::Literal(value) => Ok(CallOperand::Constant(value.clone())),
        ExprKind::Variable(_) | ExprKind::Attribute { .. } | ExprKind::Implicit => {
            Ok(CallOperand::Path(NamePath::from_expr(expr)))
        }
        _ => Err(SyntaxError::new(expr.span, "expected a variable or a constant as argument")
            .with_help("write an argument as `$variable` or a string in quotes")),
    }
}

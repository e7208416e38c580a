//! Generates Rust expressions for names, attributes and items.
//!
//! | template | Rust type | `value` | `reference` or `option` |
//! |---|---|---|---|
//! | `name` | `String` | `Some(&prompt.name)` | reference `&prompt.name` |
//! | `name` | `Option<String>` | `prompt.name.as_ref()` | option `&prompt.name.as_ref()` |
//! | `user.name` | a struct | `match user { Some(it) => Some(&it.name), None => None }` | |
//! | `list[0]` | `Vec<String>` | `list.and_then(\|it\| Each::each(it).nth(0))` | |
//!
//! In the last two rows, `user` and `list` represent the code of [`Compiler::flattened`].

use proc_macro2::{Ident, TokenStream};
use prompty_check::definition::{Presence, ValueType};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_template::tree::{Argument, Call, Expr, ExprKind, Name};
use prompty_template::walk;
use quote::{quote, quote_spanned};

use super::{Binding, Compiler, Result, Scope, Tokens, unsupported};
use crate::expand::{field_access, output, respanned, structs};
use crate::model::InputField;
use crate::rust_type;

/// An expression for a place: it reads an existing value and computes nothing.
#[derive(Clone)]
pub(super) struct PlaceExpr {
    /// An expression of type `Option<&T>`; `None` is a missing value.
    pub(super) value: TokenStream,
    /// The `&T` itself, if the value is never missing. This code compiles faster than code for an
    /// `Option`.
    pub(super) reference: Option<TokenStream>,
    pub(super) value_type: ValueType,
    /// The place in the template.
    pub(super) at: TemplateSpan,
    /// The replacement for a missing value.
    pub(super) fallback: Option<Fallback>,
    /// A reference to an `Option` of the value, for conditions. They can test it whatever `T` is.
    pub(super) option: Option<TokenStream>,
    /// The type of the entries, if the value is known to be a map.
    pub(super) entries: Option<ValueType>,
    /// Whether it is an input that is a text prompt.
    pub(super) is_text_prompt: bool,
}

/// The default of an input.
#[derive(Clone)]
pub(super) enum Fallback {
    /// The default of the front matter.
    Literal(Value),
    /// The expression in `#[prompt(default = …)]`.
    Expression(TokenStream),
}

impl PlaceExpr {
    /// Makes a place that is not an input.
    pub(super) fn new(value: TokenStream, value_type: ValueType, at: TemplateSpan) -> Self {
        let (reference, fallback, option, entries) = (None, None, None, None);
        let is_text_prompt = false;
        Self { value, reference, value_type, at, fallback, option, entries, is_text_prompt }
    }

    /// Whether the value can be printed, also into instructions, without a trait of its Rust type:
    /// it is a string, a number or a boolean, and not of a type of the user.
    pub(super) fn is_scalar(&self) -> bool {
        let value_type = self.value_type.non_null();
        // An enumeration is a generated type.
        value_type.is_scalar() && value_type.choices().is_none()
    }

    /// The place of an item of the list. It has no code for the value, because the generated code
    /// has the item in the variable `it`. Only its type and its place in the template are used.
    pub(super) fn item_place(&self) -> Self {
        let item = self.value_type.item().cloned();
        let value_type = item.unwrap_or_else(|| ValueType::Foreign(String::new()));
        Self::new(TokenStream::new(), value_type, self.at)
    }
}

impl Compiler<'_> {
    /// Resolves a name that is bound to a constant, and returns every other expression unchanged.
    pub(super) fn resolved<'e>(&self, expr: &'e Expr, scope: &'e Scope) -> &'e Expr {
        let ExprKind::Variable(name) = &expr.kind else { return expr };
        match scope.variable(name).map(|variable| &variable.binding) {
            Some(Binding::Constant(constant)) => constant,
            _ => expr,
        }
    }

    /// Resolves an expression to a place; `None` if the expression computes a value.
    pub(super) fn place(&self, expr: &Expr, scope: &Scope) -> Result<Option<PlaceExpr>> {
        match &expr.kind {
            ExprKind::Variable(name) => self.variable(name, expr.span, scope),
            ExprKind::Implicit => self.item_of_section(expr.span, scope).map(Some),
            ExprKind::Context(up) => self.context(*up, expr.span, scope).map(Some),
            ExprKind::Attribute { value, name } if !is_loop(value) => {
                if self.is_name_outside_of_blocks(value, name, expr.span, scope)? {
                    return self.variable(&name.text, expr.span, scope);
                }
                let Some(base) = self.place(value, scope)? else { return Ok(None) };
                // `list.length` in Handlebars is computed.
                if self.is_length(&base, name)? {
                    return Ok(None);
                }
                self.attribute(&base, name, expr.span).map(Some)
            }
            ExprKind::Index { value, index } => {
                let Some(base) = self.place(value, scope)? else { return Ok(None) };
                self.item(&base, index, expr.span).map(Some)
            }
            ExprKind::Filter { value, call } if call.arguments.is_empty() => {
                self.first_or_last(value, call, scope)
            }
            _ => Ok(None),
        }
    }

    /// The place of a name. It is the first of these:
    ///
    /// 1. a name that the template binds;
    /// 2. `@key`, in a Handlebars loop over a map;
    /// 3. an attribute of the innermost section that has it;
    /// 4. an input;
    /// 5. the text about the output.
    ///
    /// `None` if the value of the name is computed, such as a constant or a counter.
    pub(super) fn variable(
        &self,
        name: &str,
        at: TemplateSpan,
        scope: &Scope,
    ) -> Result<Option<PlaceExpr>> {
        if let Some(variable) = scope.variable(name) {
            return Ok(match &variable.binding {
                Binding::Place(place) => Some(PlaceExpr { at, ..place.clone() }),
                Binding::Constant(_) | Binding::Counter(_) => None,
            });
        }
        if self.is_handlebars() {
            self.refuse_function(name)?;
            if name.starts_with('@') {
                return self.key_of_loop(name, at, scope);
            }
        }
        if let Some(context) = self.context_with(name, scope)? {
            let owner = PlaceExpr { at, ..context.clone() };
            return self.attribute(&owner, &Name::new(name, at), at).map(Some);
        }
        if name == "loop" {
            return unsupported("the use of `loop` as a value");
        }
        match self.input(name) {
            Some(input) => self.input_place(input, at).map(Some),
            None if output::is_variable(self.prompt, name) => Ok(Some(self.output_requirement(at))),
            None => unsupported(format!("the variable `{name}`")),
        }
    }

    /// The place of an input.
    fn input_place(&self, input: &InputField, at: TemplateSpan) -> Result<PlaceExpr> {
        let (span, some, name) = (self.span, self.some(), input.name());
        if input.rich().is_some() {
            return unsupported(format!("the use of `{name}` in an expression"));
        }
        let is_required = input.presence() == Presence::Required;
        let field = respanned(&input.field, span);
        let reference = is_required.then(|| quote_spanned!(span=> &prompt.#field));
        let value = match &reference {
            Some(reference) => quote_spanned!(span=> #some(#reference)),
            None => quote_spanned!(span=> prompt.#field.as_ref()),
        };
        let declared = self.checked.definition.input(name);
        let fallback = match (&input.default, declared.and_then(|it| it.default.as_ref())) {
            (Some(expression), _) => Some(Fallback::Expression(quote!(#expression))),
            (None, Some(Value::Array(_) | Value::Object(_))) if !is_required => {
                return unsupported(format!("the default of `{name}`, which is a list or map"));
            }
            (None, Some(default)) if !is_required && !default.is_null() => {
                Some(Fallback::Literal(default.clone()))
            }
            _ => None,
        };
        let option = (!is_required && fallback.is_none())
            .then(|| quote_spanned!(span=> &prompt.#field.as_ref()));
        let entries = rust_type::type_of_entries(&input.ty);
        let (value_type, is_text_prompt) = (input.value_type().clone(), input.is_text);
        let place = PlaceExpr {
            value,
            reference,
            value_type,
            at,
            fallback,
            option,
            entries,
            is_text_prompt,
        };
        Ok(place)
    }

    /// The place of the text about the output, which is always present.
    fn output_requirement(&self, at: TemplateSpan) -> PlaceExpr {
        let (span, some) = (self.span, self.some());
        let text = quote_spanned!(span=> prompt.__output_requirement());
        let reference = Some(text.clone());
        PlaceExpr {
            reference,
            ..PlaceExpr::new(quote_spanned!(span=> #some(#text)), ValueType::String, at)
        }
    }

    /// The place of `base.name`: a field or an entry.
    fn attribute(&self, base: &PlaceExpr, name: &Name, at: TemplateSpan) -> Result<PlaceExpr> {
        if base.entries.is_some() {
            return self.entry(base, &name.text, at);
        }
        let key = name.text.as_str();
        if !is_identifier(key) {
            return unsupported(format!("the name `{key}`, which is not a valid field name"));
        }
        let (span, owner) = (self.span, self.flattened_owner(base)?);
        let (field, value_type) = match &base.value_type {
            ValueType::Object(fields) if !fields.is_empty() => {
                let field = fields.iter().find(|field| field.name == key);
                let value_type = field.map_or(ValueType::Any, |field| field.value_type.clone());
                (structs::field_ident(key, span), value_type)
            }
            ValueType::Object(_) | ValueType::Any => {
                return unsupported(format!("the entry `{key}` of a map"));
            }
            // The macro does not see the type of the field.
            _ => (
                field_access::field_of_attribute(self.prompt, key, span),
                ValueType::Foreign(String::new()),
            ),
        };
        let it = Ident::new("it", span);
        let at_name = Some(name.span.in_source(self.checked.definition.body));
        let (some, none) = (self.some(), self.none());
        let read = if field_access::may_have_entries(&base.value_type) {
            let named = (key, &field);
            field_access::read_field_or_entry(self.facade, self.source, &it, named, at_name)
        } else {
            let read = field_access::read_field(self.source, &it, &field, at_name);
            quote_spanned!(span=> #some(#read))
        };
        let value = quote_spanned!(span=>
            (match #owner { #some(#it) => #read, #none => #none })
        );
        Ok(PlaceExpr::new(value, value_type, at))
    }

    /// The place of an entry of a `BTreeMap`.
    fn entry(&self, base: &PlaceExpr, name: &str, at: TemplateSpan) -> Result<PlaceExpr> {
        let (span, facade, map) = (self.span, self.facade, self.flattened(base)?);
        let value = quote_spanned!(span=>
            #map.and_then(|it| #facade::__private::place::Entries::entry(it, #name))
        );
        Ok(PlaceExpr::new(value, base.entries.clone().unwrap_or_default(), at))
    }

    /// The place of `base[0]` or `base["name"]`.
    fn item(&self, base: &PlaceExpr, index: &Expr, at: TemplateSpan) -> Result<PlaceExpr> {
        match &index.kind {
            ExprKind::Literal(Value::Integer(number)) => {
                let Ok(number) = usize::try_from(*number) else {
                    return unsupported("a negative index");
                };
                let method = quote_spanned!(self.span=> nth(#number));
                self.item_by_method(base, &method, at)
            }
            ExprKind::Literal(Value::String(name)) if base.entries.is_some() => {
                self.entry(base, name, at)
            }
            _ => unsupported("an index that is not a number"),
        }
    }

    /// Resolves `list | first` and `list | last`.
    fn first_or_last(&self, value: &Expr, call: &Call, scope: &Scope) -> Result<Option<PlaceExpr>> {
        let span = self.span;
        let filter = call.name.text.as_str();
        let method = match filter {
            "first" => quote_spanned!(span=> next()),
            "last" => quote_spanned!(span=> last()),
            _ => return Ok(None),
        };
        let Some(base) = self.place(value, scope)? else { return Ok(None) };
        let at = value.span;
        match &base.value_type {
            ValueType::Array(_) => self.item_by_method(&base, &method, at).map(Some),
            _ => unsupported(format!("the filter `{filter}` of a value that is not a list")),
        }
    }

    /// The item of a list that a method of its iterator returns.
    fn item_by_method(
        &self,
        base: &PlaceExpr,
        method: &TokenStream,
        at: TemplateSpan,
    ) -> Result<PlaceExpr> {
        let (span, facade, list) = (self.span, self.facade, self.flattened(base)?);
        let Some(item) = base.value_type.item() else {
            return unsupported("an index into a value that is not a list");
        };
        let value = quote_spanned!(span=>
            #list.and_then(|it| #facade::Each::each(it).#method)
        );
        // A condition can test whether there is an item, even if the item is a struct.
        let option = matches!(item, ValueType::Foreign(_)).then(|| quote_spanned!(span=> &#value));
        Ok(PlaceExpr { option, ..PlaceExpr::new(value, item.clone(), at) })
    }

    /// An expression of type `Option<&T>`, in which `T` is not an `Option`. If the value of the
    /// place is itself an `Option`, the two are flattened into one.
    pub(super) fn flattened(&self, place: &PlaceExpr) -> Tokens {
        if place.fallback.is_some() {
            return unsupported("a part of an input that has a default");
        }
        let (span, facade, value) = (self.span, self.facade, &place.value);
        let of = quote_spanned!(span=> #facade::__private::place::Place);
        Ok(match &place.reference {
            Some(reference) => quote_spanned!(span=> #of(#reference).get()),
            None => quote_spanned!(span=> #value.and_then(|it| #of(it).get())),
        })
    }

    /// Like [`Compiler::flattened`], for a value whose attribute is read. An unguarded value must
    /// not be an `Option`.
    fn flattened_owner(&self, place: &PlaceExpr) -> Tokens {
        let (requirement, flattened) = (self.certain_presence(place), self.flattened(place)?);
        if requirement.is_empty() {
            return Ok(flattened);
        }
        let (span, value, some) = (self.span, &place.value, self.some());
        Ok(quote_spanned!(span=> { if let #some(it) = #value { #requirement } #flattened }))
    }

    /// An expression for an `Option` of `make`, which converts `it` if there is a value. It is a
    /// match, because rustc compiles a match faster than a closure.
    pub(super) fn map_place(&self, place: &PlaceExpr, make: &TokenStream) -> TokenStream {
        let (span, value, some) = (self.span, &place.value, self.some());
        if let Some(reference) = &place.reference {
            return quote_spanned!(span=> #some({ let it = #reference; #make }));
        }
        let none = self.none();
        quote_spanned!(span=> (match #value { #some(it) => #some(#make), #none => #none }))
    }

    pub(super) fn some(&self) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        quote_spanned!(span=> #facade::__private::Option::Some)
    }

    fn none(&self) -> TokenStream {
        let (span, facade) = (self.span, self.facade);
        quote_spanned!(span=> #facade::__private::Option::None)
    }

    /// Whether an expression reads an input whose default is a Rust expression. In
    /// `{{ a if b else c }}`, the code of `a` is a branch of a Rust `if`. The value of its default
    /// lives only inside that branch, so the branch cannot return a reference to it.
    pub(super) fn computes_default(&self, expr: &Expr) -> bool {
        let of_this = match &expr.kind {
            ExprKind::Variable(name) => self.input(name).is_some_and(|it| it.default.is_some()),
            _ => false,
        };
        of_this || walk::operands(expr).into_iter().any(|operand| self.computes_default(operand))
    }
}

/// The operand of the filter `escape`, or the expression itself.
pub(super) fn unescaped(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Filter { value, call } if call.name.text == "escape" => value,
        _ => expr,
    }
}

/// Whether a field can have this name.
fn is_identifier(name: &str) -> bool {
    let is_name_character = |it: char| it.is_alphanumeric() || it == '_';
    name.chars().all(is_name_character) && !name.starts_with(|first: char| first.is_numeric())
}

/// Whether an expression is the variable `loop` of a loop.
pub(super) fn is_loop(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if name == "loop")
}

/// The value of a constant, which may have a sign.
pub(super) fn constant_value(expr: &Expr) -> Option<Value> {
    use prompty_template::tree::UnaryOperator::Minus;
    match &expr.kind {
        ExprKind::Literal(value) => Some(value.clone()),
        ExprKind::Unary { operator: Minus, operand } => match &operand.kind {
            ExprKind::Literal(Value::Integer(number)) => number.checked_neg().map(Value::Integer),
            ExprKind::Literal(Value::Float(number)) => Some(Value::Float(-number)),
            _ => None,
        },
        _ => None,
    }
}

/// The positional arguments of a call; an error if an argument has a name.
pub(super) fn positional(call: &Call) -> Result<Vec<&Expr>> {
    let arguments = call.arguments.iter().map(|argument| match argument {
        Argument::Positional(expr) => Ok(expr),
        _ => unsupported(format!("the named arguments of the filter `{}`", call.name.text)),
    });
    arguments.collect()
}

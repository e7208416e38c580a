//! Finds the values of a template that print a role.
//!
//! The actual text of a value is known only at run time. Before, a value counts as a role if its
//! name says so, if it is constructed from a role, compared with a role, or declared to be one.
//! The values of a render are never considered, because data can be a role's name by chance: a
//! table may be called `user`.
//!
//! [`RoleValues::new`] first records macros, comparisons (`m.kind == "user"`) and parts of items in
//! a pass over the template, and then the names that are bound to roles (`{% set r = m.role %}`).
//! After that, [`RoleValues::is_role`] answers for each expression.

use std::collections::{HashMap, HashSet};

use crate::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, For, Macro, Node, NodeKind, Target,
};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;
use prompty_core::value::Value;

/// Returns whether a part of the items of an input is declared to contain roles. The arguments are
/// the names of the input and of the part.
pub type RoleFields<'a> = &'a dyn Fn(&str, &str) -> bool;

/// The values of a template that print a role.
pub(super) struct RoleValues<'t> {
    /// Names that the template binds to roles.
    names: HashSet<&'t str>,
    /// The paths, such as `m.kind`, of values that are compared with roles, and of namespace
    /// attributes that are set to roles.
    paths: HashSet<String>,
    /// The spans of parts of items that contain roles.
    parts: HashSet<TemplateSpan>,
    /// All names that the template binds, which are not inputs.
    bound: HashSet<&'t str>,
    /// The macros of the template.
    pub(super) macros: HashMap<&'t str, &'t Macro>,
    /// The macros that write only a role.
    role_macros: HashSet<&'t str>,
    role_fields: RoleFields<'t>,
    /// The items of the enclosing loops, with their lists.
    items: Vec<LoopItem<'t>>,
}

/// The item of a loop.
struct LoopItem<'t> {
    /// Its name; `None` in a section, where its parts are names themselves.
    name: Option<&'t str>,
    list: &'t str,
    /// Whether its name or that of its list means messages: see [`is_conversation`].
    is_message: bool,
    /// Whether it is a group of the items with the same role, made by `groupby`.
    is_group: bool,
}

impl<'t> RoleValues<'t> {
    pub(super) fn new(nodes: &'t [Node], role_fields: RoleFields<'t>) -> Self {
        let mut role_values = Self {
            names: HashSet::new(),
            paths: HashSet::new(),
            parts: HashSet::new(),
            bound: HashSet::new(),
            macros: HashMap::new(),
            role_macros: HashSet::new(),
            role_fields,
            items: Vec::new(),
        };
        role_values.read(nodes);
        // The second pass uses what the first one found later in the template, such as the
        // arguments of calls: a macro is declared before its calls.
        role_values.bind(nodes);
        role_values.bind(nodes);
        role_values
    }

    /// Records macros, comparisons and parts of items.
    fn read(&mut self, nodes: &'t [Node]) {
        for node in nodes {
            self.bound.extend(walk::bound_names(node).into_iter().map(|name| &*name.text));
            if let NodeKind::Macro(declared) = &node.kind {
                self.macros.insert(&declared.name.text, declared);
            }
            walk::expressions(node).into_iter().for_each(|expr| self.read_expr(expr));
            let items = self.items.len();
            self.items.extend(item(node));
            walk::bodies(node).into_iter().for_each(|body| self.read(body));
            self.items.truncate(items);
        }
    }

    fn read_expr(&mut self, expr: &'t Expr) {
        if let ExprKind::Binary { operator, left, right } = &expr.kind {
            self.read_comparison(*operator, left, right);
        }
        if let Some((item, part)) = part_of_item(expr)
            && self.is_role_of_item(item, part)
        {
            self.parts.insert(expr.span);
        }
        walk::operands(expr).into_iter().for_each(|operand| self.read_expr(operand));
    }

    /// Whether a part of the item with this name is a role. The innermost loop with the name
    /// applies.
    fn is_role_of_item(&self, name: Option<&str>, part: &str) -> bool {
        let mut items = self.items.iter().rev();
        items.find(|item| item.name == name).is_some_and(|item| match item.is_group {
            true => matches!(part, "grouper" | FIRST),
            false => {
                let may_be_author = is_author(part) || part == FIRST;
                (self.role_fields)(item.list, part) || (item.is_message && may_be_author)
            }
        })
    }

    /// Records a value that is compared with a role: `m.kind == "user"`,
    /// `m.kind in ["user", "tool"]`.
    fn read_comparison(&mut self, operator: BinaryOperator, left: &'t Expr, right: &'t Expr) {
        let is_role = match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => is_role_text,
            BinaryOperator::In => contains_role,
            _ => return,
        };
        let compared = if is_role(right) {
            left
        } else if is_role_text(left) {
            right
        } else {
            return;
        };
        self.paths.extend(path(compared));
    }

    /// Records names that are bound to roles.
    fn bind(&mut self, nodes: &'t [Node]) {
        for node in nodes {
            walk::bodies(node).into_iter().for_each(|body| self.bind(body));
            match &node.kind {
                NodeKind::Set { target, value } => self.bind_target(target, value),
                NodeKind::With { bindings, .. } => {
                    bindings.iter().for_each(|(target, value)| self.bind_target(target, value));
                }
                NodeKind::For(repeated) => self.bind_items(repeated),
                NodeKind::SetBlock { target: Target::Name(name), body, .. }
                    if self.writes_role(body) =>
                {
                    self.names.insert(&name.text);
                }
                NodeKind::Macro(declared) if self.writes_role(&declared.body) => {
                    self.role_macros.insert(&declared.name.text);
                }
                NodeKind::Output(expr) => self.bind_calls(expr),
                _ => {}
            }
        }
    }

    /// Records a loop variable that iterates over roles, or is the first element of a
    /// conversation's messages.
    fn bind_items(&mut self, repeated: &'t For) {
        match &repeated.target {
            Target::Name(name) if self.has_role_items(&repeated.iterable) => {
                self.names.insert(&name.text);
            }
            Target::Tuple(targets) => {
                let list = list_name(&repeated.iterable).unwrap_or_default();
                let Some(Target::Name(name)) = targets.first() else { return };
                let is_first_author = is_conversation(list) && abbreviates_author(&name.text);
                if is_first_author || groups_by_role(&repeated.iterable) {
                    self.names.insert(&name.text);
                }
            }
            _ => {}
        }
    }

    /// Whether the items of a list may be roles: `history | map(attribute="role")`, `[m.role]`.
    fn has_role_items(&self, list: &Expr) -> bool {
        match &list.kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => {
                items.iter().any(|item| self.is_role(item))
            }
            ExprKind::Filter { call, .. } if call.name.text == "map" => call
                .arguments
                .iter()
                .any(|it| matches!(it, Argument::Named(name, value) if name.text == "attribute" && is_name_of_role(value))),
            ExprKind::Filter { value, .. } | ExprKind::Slice { value, .. } => self.has_role_items(value),
            _ => false,
        }
    }

    /// Records what an assignment binds to a role: `{% set r = m.role %}`,
    /// `{% set ns = namespace(r=m.role) %}`, `{% set ns.r = m.role %}`,
    /// `{% set r, t = m.role, m.text %}`.
    fn bind_target(&mut self, target: &'t Target, value: &'t Expr) {
        match (target, &value.kind) {
            (Target::Name(name), _) if self.is_role(value) || contains_role(value) => {
                self.names.insert(&name.text);
            }
            (Target::Name(name), ExprKind::Function(call)) if call.name.text == "namespace" => {
                for argument in &call.arguments {
                    if let Argument::Named(part, value) = argument
                        && self.is_role(value)
                    {
                        self.paths.insert(format!("{}.{}", name.text, part.text));
                    }
                }
            }
            (Target::Attribute(part), _) if self.is_role(value) => {
                self.paths.extend(path(part));
            }
            (Target::Tuple(targets), ExprKind::Tuple(values) | ExprKind::List(values)) => {
                targets.iter().zip(values).for_each(|(name, value)| self.bind_target(name, value));
            }
            _ => {}
        }
    }

    fn bind_calls(&mut self, expr: &'t Expr) {
        if let ExprKind::Function(call) = &expr.kind {
            self.bind_call(call);
        }
        walk::operands(expr).into_iter().for_each(|operand| self.bind_calls(operand));
    }

    /// Records parameters of a macro that receive roles from a call.
    fn bind_call(&mut self, call: &'t Call) {
        let Some(called) = self.macros.get(&*call.name.text).copied() else { return };
        for (index, argument) in call.arguments.iter().enumerate() {
            let parameter = match argument {
                Argument::Positional(_) => called.parameters.get(index).map(|name| &*name.text),
                Argument::Named(name, _) => Some(&*name.text),
                Argument::Spread(_) | Argument::SpreadNamed(_) => None,
            };
            if let Some(parameter) = parameter
                && self.is_role(argument.expr())
            {
                self.names.insert(parameter);
            }
        }
    }

    /// Whether some nodes write only a role, in one or several branches.
    fn writes_role(&self, nodes: &[Node]) -> bool {
        let mut has_role = false;
        self.writes_only_roles(nodes, &mut has_role) && has_role
    }

    fn writes_only_roles(&self, nodes: &[Node], has_role: &mut bool) -> bool {
        nodes.iter().all(|node| {
            let is_role = match &node.kind {
                NodeKind::Text(text) if text.trim().is_empty() => return true,
                NodeKind::Text(text) => is_role_name(text),
                NodeKind::Output(expr) => self.is_role(expr),
                NodeKind::Set { .. } | NodeKind::SetBlock { .. } | NodeKind::Macro(_) => {
                    return true;
                }
                NodeKind::If(_) | NodeKind::With { .. } | NodeKind::Section(_) => {
                    let bodies = walk::bodies(node);
                    return bodies.into_iter().all(|body| self.writes_only_roles(body, has_role));
                }
                _ => false,
            };
            *has_role |= is_role;
            is_role
        })
    }

    /// Whether a name can be an input, because the template does not bind it.
    pub(super) fn may_be_input(&self, name: &str) -> bool {
        !self.bound.contains(name)
    }

    /// Whether the value of an expression is a role.
    pub(super) fn is_role(&self, expr: &Expr) -> bool {
        if self.parts.contains(&expr.span) || self.is_known_path(expr) {
            return true;
        }
        match &expr.kind {
            ExprKind::Literal(_) => is_role_text(expr),
            ExprKind::Variable(name) => is_role_word(name) || self.names.contains(name.as_str()),
            // The text of an enumeration's member is its `value` or `name`.
            ExprKind::Attribute { value, name } => {
                is_role_word(&name.text)
                    || (matches!(&*name.text, "value" | "name") && self.is_role(value))
            }
            ExprKind::Index { value, index } => {
                is_name_of_role(index)
                    || contains_role(value)
                    || matches!(&value.kind, ExprKind::Variable(name) if self.names.contains(name.as_str()))
            }
            ExprKind::Filter { value, call } | ExprKind::Method { value, call } => {
                self.is_role(value) || is_role_of_call(call)
            }
            ExprKind::Function(call) => self.role_macros.contains(&*call.name.text),
            ExprKind::Conditional { value, otherwise, .. } => {
                self.is_role(value)
                    || otherwise.as_deref().is_some_and(|otherwise| self.is_role(otherwise))
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                self.is_role(left) || self.is_role(right)
            }
            _ => false,
        }
    }

    fn is_known_path(&self, expr: &Expr) -> bool {
        !self.paths.is_empty() && path(expr).is_some_and(|path| self.paths.contains(&path))
    }
}

/// Returns the item that a node binds in its body.
fn item(node: &Node) -> Option<LoopItem<'_>> {
    let (name, iterable) = match &node.kind {
        NodeKind::For(repeated) => match &repeated.target {
            Target::Name(name) => (Some(&*name.text), &repeated.iterable),
            _ => return None,
        },
        NodeKind::Section(section) => (None, &section.subject),
        _ => return None,
    };
    let list = list_name(iterable)?;
    let is_message = is_conversation(list) || name.is_some_and(is_conversation);
    Some(LoopItem { name, list, is_message, is_group: groups_by_role(iterable) })
}

/// Whether a list consists of groups by role or author: `history | groupby("role")`.
fn groups_by_role(list: &Expr) -> bool {
    let ExprKind::Filter { value, call } = &list.kind else { return false };
    if call.name.text != "groupby" {
        return groups_by_role(value);
    }
    let is_of_messages = list_name(value).is_some_and(is_conversation);
    let is_role = |part: &str| is_role_word(part) || (is_of_messages && is_author(part));
    let mut arguments = call.arguments.iter().map(Argument::expr);
    arguments.any(|argument| {
        matches!(&argument.kind, ExprKind::Literal(name) if name.as_str().is_some_and(is_role))
    })
}

/// Returns the name of a list, without slices and owners: `history` for `history[-5:]` and
/// `user.history`.
fn list_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(name),
        ExprKind::Attribute { name, .. } => Some(&name.text),
        ExprKind::Slice { value, .. }
        | ExprKind::Filter { value, .. }
        | ExprKind::Binary { operator: BinaryOperator::Or, left: value, .. } => list_name(value),
        _ => None,
    }
}

/// Returns the item and the part of `item.part`. The item is `None` for a plain name, as in a
/// section.
fn part_of_item(expr: &Expr) -> Option<(Option<&str>, &str)> {
    match &expr.kind {
        ExprKind::Variable(name) => Some((None, name)),
        ExprKind::Attribute { value, name } => match &value.kind {
            ExprKind::Variable(item) => Some((Some(item), &name.text)),
            _ => None,
        },
        ExprKind::Index { value, index } => named_part(value, index),
        ExprKind::Method { value, call } if call.name.text == "get" => {
            named_part(value, call.arguments.first()?.expr())
        }
        _ => None,
    }
}

fn named_part<'e>(item: &'e Expr, name: &'e Expr) -> Option<(Option<&'e str>, &'e str)> {
    let (ExprKind::Variable(item), ExprKind::Literal(name)) = (&item.kind, &name.kind) else {
        return None;
    };
    match name.as_str() {
        Some(name) => Some((Some(item), name)),
        None => (*name == Value::from(0)).then_some((Some(item), FIRST)),
    }
}

/// Returns the path of a value, without the filters and methods that are applied to it: `m.kind`
/// for `m["kind"] | lower`.
fn path(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(name.clone()),
        ExprKind::Attribute { value, name } => Some(format!("{}.{}", path(value)?, name.text)),
        ExprKind::Index { value, index } => match &index.kind {
            ExprKind::Literal(name) => Some(format!("{}.{}", path(value)?, name.as_str()?)),
            _ => None,
        },
        ExprKind::Filter { value, .. } | ExprKind::Method { value, .. } => path(value),
        _ => None,
    }
}

/// Whether a list or a map contains roles.
fn contains_role(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::List(items) | ExprKind::Tuple(items) => items.iter().any(is_role_text),
        ExprKind::Map(entries) => entries.iter().any(|(_, value)| is_role_text(value)),
        _ => false,
    }
}

/// Whether the result of a filter or a method is a role for any value: `default("user")`,
/// `get("role")`.
fn is_role_of_call(call: &Call) -> bool {
    let reads_part = matches!(&*call.name.text, "get" | "attr");
    call.arguments
        .iter()
        .map(Argument::expr)
        .any(|argument| is_role_text(argument) || (reads_part && is_name_of_role(argument)))
}

fn is_role_text(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(text) if text.as_str().is_some_and(is_role_name))
}

fn is_role_name(text: &str) -> bool {
    let text = text.trim();
    Role::OF_MARKERS.iter().any(|role| role.as_str().eq_ignore_ascii_case(text))
}

/// Whether an expression is a string such as `"role"`, which is the name of a part.
fn is_name_of_role(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(name) if name.as_str().is_some_and(is_role_word))
}

/// Whether a name means the role of a message in any context.
fn is_role_word(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("role") || name == "speaker"
}

/// The index of the first part of an item that is a list. In a conversation, it often is the
/// author.
const FIRST: &str = "0";

/// Whether a part of a message is its author. Other things, such as documents, can have these parts
/// too.
fn is_author(name: &str) -> bool {
    matches!(name, "author" | "sender" | "from" | "name" | "type" | "who")
}

/// Whether the name of a message's first part is a word for its author or an abbreviation: `r` for
/// the role. Otherwise the first part may be a number, a time or a question.
fn abbreviates_author(name: &str) -> bool {
    const WORDS: [&str; 5] = ["role", "speaker", "author", "sender", "who"];
    is_author(name) || WORDS.iter().any(|word| word.starts_with(name))
}

/// Whether a name means a conversation or one of its messages. Each word of the name must do so,
/// which excludes `purchase_history` and `error_messages`.
fn is_conversation(name: &str) -> bool {
    const KINDS: [&str; 12] = [
        "history",
        "messages",
        "message",
        "msg",
        "msgs",
        "conversation",
        "chat",
        "dialog",
        "dialogue",
        "thread",
        "turn",
        "turns",
    ];
    const TIMES: [&str; 7] = ["previous", "past", "recent", "prior", "earlier", "last", "old"];
    let name = name.to_lowercase();
    let mut words = name.split('_');
    words.clone().any(|word| KINDS.contains(&word))
        && words.all(|word| KINDS.contains(&word) || TIMES.contains(&word))
}

//! What in a template says who speaks: the values that print a role.
//!
//! What a value prints is known when it is printed. Before, it is a role if the template says so: by its name,
//! by what it is made of, because it is compared with a role, or because it is declared to be one.

use std::collections::{HashMap, HashSet};

use crate::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, For, Macro, Node, NodeKind, Target,
};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;
use prompty_core::value::Value;

/// Whether a part of the items of an input is declared to hold roles: by the input's name and the part's.
pub type HoldsRoles<'a> = &'a dyn Fn(&str, &str) -> bool;

/// What a template says about who speaks.
pub(super) struct Speakers<'t> {
    /// Names that the template binds to roles.
    names: HashSet<&'t str>,
    /// Values that the template compares with roles, and parts of namespaces that it sets to roles, as they are
    /// written.
    paths: HashSet<String>,
    /// The places of parts of items that hold roles.
    parts: HashSet<TemplateSpan>,
    /// All names that the template binds, which are no inputs.
    bound: HashSet<&'t str>,
    /// The macros of the template.
    pub(super) macros: HashMap<&'t str, &'t Macro>,
    /// Those that write a role, and nothing else.
    role_macros: HashSet<&'t str>,
    holds_roles: HoldsRoles<'t>,
    /// The items around a place, and the lists that they are of.
    items: Vec<Item<'t>>,
}

/// An item of a list that is looped over.
struct Item<'t> {
    /// Its name; nothing in a section, where its parts are names.
    name: Option<&'t str>,
    list: &'t str,
    is_message: bool,
    /// Whether it is what `groupby` made of the items with one role.
    is_group: bool,
}

impl<'t> Speakers<'t> {
    pub(super) fn new(nodes: &'t [Node], holds_roles: HoldsRoles<'t>) -> Self {
        let mut speakers = Self {
            names: HashSet::new(),
            paths: HashSet::new(),
            parts: HashSet::new(),
            bound: HashSet::new(),
            macros: HashMap::new(),
            role_macros: HashSet::new(),
            holds_roles,
            items: Vec::new(),
        };
        speakers.read(nodes);
        // What a macro is given is known only behind it.
        speakers.bind(nodes);
        speakers.bind(nodes);
        speakers
    }

    /// Notes macros, comparisons and parts of items.
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
            self.compare(*operator, left, right);
        }
        if let Some((item, part)) = part_of_item(expr)
            && self.is_role_of_item(item, part)
        {
            self.parts.insert(expr.span);
        }
        walk::operands(expr).into_iter().for_each(|operand| self.read_expr(operand));
    }

    fn is_role_of_item(&self, name: Option<&str>, part: &str) -> bool {
        let mut items = self.items.iter().rev();
        items.find(|item| item.name == name).is_some_and(|item| match item.is_group {
            true => matches!(part, "grouper" | FIRST),
            false => {
                let is_who = is_who(part) || part == FIRST;
                (self.holds_roles)(item.list, part) || (item.is_message && is_who)
            }
        })
    }

    fn compare(&mut self, operator: BinaryOperator, left: &'t Expr, right: &'t Expr) {
        let is_role = match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => is_role_text,
            BinaryOperator::In => gives_role,
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

    /// Notes what is bound to roles.
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

    /// What a loop takes from a list of roles, or as the first of each message in a conversation.
    fn bind_items(&mut self, repeated: &'t For) {
        match &repeated.target {
            Target::Name(name) if self.gives_roles(&repeated.iterable) => {
                self.names.insert(&name.text);
            }
            Target::Tuple(targets) => {
                let list = list_name(&repeated.iterable).unwrap_or_default();
                let Some(Target::Name(name)) = targets.first() else { return };
                let is_first_who = is_conversation(list) && abbreviates_who(&name.text);
                if is_first_who || groups_by_role(&repeated.iterable) {
                    self.names.insert(&name.text);
                }
            }
            _ => {}
        }
    }

    /// Whether all items of a list may be roles: `history | map(attribute="role")`, `[m.role]`.
    fn gives_roles(&self, list: &Expr) -> bool {
        match &list.kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => {
                items.iter().any(|item| self.makes_role(item))
            }
            ExprKind::Filter { call, .. } if call.name.text == "map" => call
                .arguments
                .iter()
                .any(|it| matches!(it, Argument::Named(name, value) if name.text == "attribute" && is_name_of_role(value))),
            ExprKind::Filter { value, .. } | ExprKind::Slice { value, .. } => self.gives_roles(value),
            _ => false,
        }
    }

    fn bind_target(&mut self, target: &'t Target, value: &'t Expr) {
        match (target, &value.kind) {
            (Target::Name(name), _) if self.makes_role(value) || gives_role(value) => {
                self.names.insert(&name.text);
            }
            (Target::Name(name), ExprKind::Function(call)) if call.name.text == "namespace" => {
                for argument in &call.arguments {
                    if let Argument::Named(part, value) = argument
                        && self.makes_role(value)
                    {
                        self.paths.insert(format!("{}.{}", name.text, part.text));
                    }
                }
            }
            (Target::Attribute(part), _) if self.makes_role(value) => {
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

    /// The parameters of a macro are what a call gives them.
    fn bind_call(&mut self, call: &'t Call) {
        let Some(called) = self.macros.get(&*call.name.text).copied() else { return };
        for (index, argument) in call.arguments.iter().enumerate() {
            let parameter = match argument {
                Argument::Positional(_) => called.parameters.get(index).map(|name| &*name.text),
                Argument::Named(name, _) => Some(&*name.text),
                Argument::Spread(_) | Argument::SpreadNamed(_) => None,
            };
            if let Some(parameter) = parameter
                && self.makes_role(argument.expr())
            {
                self.names.insert(parameter);
            }
        }
    }

    /// Whether some nodes write a role and nothing else.
    fn writes_role(&self, nodes: &[Node]) -> bool {
        let mut has_role = false;
        self.writes_only_roles(nodes, &mut has_role) && has_role
    }

    fn writes_only_roles(&self, nodes: &[Node], has_role: &mut bool) -> bool {
        nodes.iter().all(|node| {
            let is_role = match &node.kind {
                NodeKind::Text(text) if text.trim().is_empty() => return true,
                NodeKind::Text(text) => is_role_name(text),
                NodeKind::Output(expr) => self.makes_role(expr),
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

    /// Whether a name is one that the template does not bind.
    pub(super) fn may_be_input(&self, name: &str) -> bool {
        !self.bound.contains(name)
    }

    /// Whether an expression gives a role.
    pub(super) fn makes_role(&self, expr: &Expr) -> bool {
        if self.parts.contains(&expr.span) || self.is_known_path(expr) {
            return true;
        }
        match &expr.kind {
            ExprKind::Literal(_) => is_role_text(expr),
            ExprKind::Variable(name) => is_role_word(name) || self.names.contains(name.as_str()),
            // An enumeration's member has its text as `value` or `name`.
            ExprKind::Attribute { value, name } => {
                is_role_word(&name.text)
                    || (matches!(&*name.text, "value" | "name") && self.makes_role(value))
            }
            ExprKind::Index { value, index } => {
                is_name_of_role(index)
                    || gives_role(value)
                    || matches!(&value.kind, ExprKind::Variable(name) if self.names.contains(name.as_str()))
            }
            ExprKind::Filter { value, call } | ExprKind::Method { value, call } => {
                self.makes_role(value) || is_role_of_call(call)
            }
            ExprKind::Function(call) => self.role_macros.contains(&*call.name.text),
            ExprKind::Conditional { value, otherwise, .. } => {
                self.makes_role(value)
                    || otherwise.as_deref().is_some_and(|otherwise| self.makes_role(otherwise))
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                self.makes_role(left) || self.makes_role(right)
            }
            _ => false,
        }
    }

    fn is_known_path(&self, expr: &Expr) -> bool {
        !self.paths.is_empty() && path(expr).is_some_and(|path| self.paths.contains(&path))
    }
}

/// The item that a node binds in its body.
fn item(node: &Node) -> Option<Item<'_>> {
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
    Some(Item { name, list, is_message, is_group: groups_by_role(iterable) })
}

/// Whether a list is made of groups by who wrote them: `history | groupby("role")`.
fn groups_by_role(list: &Expr) -> bool {
    let ExprKind::Filter { value, call } = &list.kind else { return false };
    if call.name.text != "groupby" {
        return groups_by_role(value);
    }
    let is_of_messages = list_name(value).is_some_and(is_conversation);
    let is_role = |part: &str| is_role_word(part) || (is_of_messages && is_who(part));
    let mut arguments = call.arguments.iter().map(Argument::expr);
    arguments.any(|argument| {
        matches!(&argument.kind, ExprKind::Literal(name) if name.as_str().is_some_and(is_role))
    })
}

/// The name of a list, whatever part of it is taken: `history` in `history[-5:]` and in `user.history`.
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

/// The item and the part in `item.part`; no item for a name of its own, as in a section.
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

/// How a value is written, without the filters and methods that it goes through.
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

/// Whether a list or a map holds roles.
fn gives_role(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::List(items) | ExprKind::Tuple(items) => items.iter().any(is_role_text),
        ExprKind::Map(entries) => entries.iter().any(|(_, value)| is_role_text(value)),
        _ => false,
    }
}

/// Whether a filter or a method gives a role, whatever it is applied to: `default("user")`, `get("role")`.
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

/// Whether an expression is a text such as `"role"`, by which a part is read.
fn is_name_of_role(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(name) if name.as_str().is_some_and(is_role_word))
}

/// Whether a name says by itself that it is who speaks.
fn is_role_word(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("role") || name == "speaker"
}

/// The part that stands first, where an item is a list: as what it was said by stands before what was said.
const FIRST: &str = "0";

/// Whether a part of a message is who wrote it. A document has an author, a name and a type, too.
fn is_who(name: &str) -> bool {
    matches!(name, "author" | "sender" | "from" | "name" | "type" | "who")
}

/// Whether the name of the first part of a message is, or begins, a word for who wrote it: `r` for the role. Other
/// first parts are a number, a time or a question.
fn abbreviates_who(name: &str) -> bool {
    const WORDS: [&str; 5] = ["role", "speaker", "author", "sender", "who"];
    is_who(name) || WORDS.iter().any(|word| word.starts_with(name))
}

/// Whether a name is that of a conversation, or of a message in one: each of its words is. `purchase_history`
/// and `error_messages` are not.
fn is_conversation(name: &str) -> bool {
    let is_kind = |word: &str| {
        matches!(
            word,
            "history"
                | "messages"
                | "message"
                | "msg"
                | "msgs"
                | "conversation"
                | "chat"
                | "dialog"
                | "dialogue"
                | "thread"
                | "turn"
                | "turns"
        )
    };
    let is_time = |word: &str| {
        matches!(word, "previous" | "past" | "recent" | "prior" | "earlier" | "last" | "old")
    };
    let name = name.to_lowercase();
    name.split('_').any(is_kind) && name.split('_').all(|word| is_kind(word) || is_time(word))
}

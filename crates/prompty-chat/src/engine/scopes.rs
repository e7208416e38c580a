//! The variables of a render: its inputs, and those of the template and its blocks.
//!
//! A scope refers to the one around it by its number. A name is searched for from the current scope
//! outwards. The memory of a closed scope is reused, unless a macro or a recursive loop may still
//! run in it.

use super::budget::Meter;
use super::dict::Dict;
use super::fault::Fault;
use super::heap::ItemList;
use super::program::{NameId, Program, Target};
use super::run::{MAX_NESTING, Run};
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::value::{Map, Value};

/// The scope of the template itself. Its variables are in [`Variables::root`].
const ROOT: u32 = 0;
/// The memory of a variable that is kept until the render ends, in bytes.
const VARIABLE_BYTES: usize = size_of::<(NameId, Val)>();

/// The variables of a block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    variables: Vec<(NameId, Val)>,
    parent: u32,
    /// Whether a macro or a loop refers to the scope, so that it must be kept.
    is_kept: bool,
}

/// All variables of a render.
pub(super) struct Variables<'p> {
    program: &'p Program,
    inputs: &'p Map,
    /// The inputs that were read, and the variables at the top level of the template, by name.
    root: Vec<Option<Val>>,
    scopes: Vec<Scope>,
    /// The vectors of closed scopes, for reuse.
    spare: Vec<Vec<(NameId, Val)>>,
    /// The current scope.
    pub(super) scope: u32,
}

impl<'p> Variables<'p> {
    /// Creates the variables of a render, with only the inputs.
    pub(super) fn new(program: &'p Program, inputs: &'p Map) -> Self {
        Self {
            program,
            inputs,
            root: vec![None; program.names.len()],
            scopes: vec![Scope::default()],
            spare: Vec::new(),
            scope: ROOT,
        }
    }
}

/// An open scope.
#[derive(Debug)]
pub(super) struct OpenScope {
    opened: usize,
    /// The scope that was current before.
    before: u32,
}

/// The cost of searching for a name among `names` names, in units of work: comparing a number costs
/// as much as reading four bytes.
fn search_cost(names: usize) -> usize {
    4 * names
}

impl Variables<'_> {
    /// The value of a name.
    pub(super) fn get(&mut self, run: &mut Run<'_>, name: NameId) -> Outcome {
        let mut scope = self.scope;
        while scope != ROOT {
            let Some(current) = self.scopes.get(scope as usize) else { break };
            run.meter.pay_units(search_cost(current.variables.len()))?;
            if let Some((_, value)) = current.variables.iter().find(|(id, _)| *id == name) {
                return Ok(value.clone());
            }
            scope = current.parent;
        }
        let index = name as usize;
        // An input or a function is converted when it is read first, and then kept.
        if let Some(Some(value)) = self.root.get(index) {
            return Ok(value.clone());
        }
        let input_name = self.program.names.get(index).map_or("", |name| name);
        let input = self.inputs.get(input_name);
        let value = match (input, self.program.functions.get(index)) {
            (Some(input), _) => run.import(input_name, input, 0)?,
            (None, Some(Some(function))) => Val::Function(*function),
            _ => Val::Undefined,
        };
        if let Some(slot) = self.root.get_mut(index) {
            *slot = Some(value.clone());
        }
        Ok(value)
    }

    /// Sets a variable of the current scope.
    pub(super) fn set(&mut self, meter: &Meter, name: NameId, value: Val) -> Outcome<()> {
        if self.scope == ROOT {
            if let Some(slot) = self.root.get_mut(name as usize) {
                *slot = Some(value);
            }
            return Ok(());
        }
        let Some(scope) = self.scopes.get_mut(self.scope as usize) else {
            return Ok(());
        };
        meter.pay_units(search_cost(scope.variables.len()))?;
        match scope.variables.iter_mut().find(|(id, _)| *id == name) {
            Some(variable) => variable.1 = value,
            None => {
                if scope.is_kept {
                    meter.pay_memory(VARIABLE_BYTES)?;
                }
                scope.variables.push((name, value));
            }
        }
        Ok(())
    }

    /// Assigns a value to a target: to a variable of the current scope, to an attribute of a
    /// namespace, or the items of the value to several targets.
    pub(super) fn bind(&mut self, run: &mut Run<'_>, target: &Target, value: Val) -> Outcome<()> {
        match target {
            Target::Name(name) => self.set(&run.meter, *name, value)?,
            Target::Tuple(targets) => {
                let (count, names) = (run.count_items(&value)?, targets.len());
                if count != names {
                    let message = format!("cannot unpack {count} values into {names} names");
                    return Err(Fault::render(message));
                }
                let mut items = run.items(&value)?;
                for target in targets {
                    let item = items.next(run)?.unwrap_or(Val::Undefined);
                    self.bind(run, target, item)?;
                }
            }
            Target::Attribute { namespace, name, at } => {
                let Val::Namespace(id) = self.get(run, *namespace)? else {
                    let message = "only attributes of a namespace can be set";
                    let help = "create it with `{% set ns = namespace() %}`, and set `ns.name`";
                    return Err(Fault::render(message).with_help(help).at(*at));
                };
                run.heap.dict_mut(id).set(&Text::shared(name), value, &run.meter)?;
            }
        }
        Ok(())
    }

    /// Opens a scope inside of another. Unless the render fails, [`close`](Self::close) must be called
    /// later.
    #[inline]
    pub(super) fn open(&mut self, parent: u32) -> OpenScope {
        let variables = self.spare.pop().unwrap_or_default();
        self.scopes.push(Scope { variables, parent, is_kept: false });
        let opened = self.scopes.len() - 1;
        let before = self.scope;
        self.scope = u32::try_from(opened).unwrap_or(u32::MAX);
        OpenScope { opened, before }
    }

    /// Closes a scope. Its memory is used again, unless it is kept, or a kept scope was opened inside
    /// it, which is after it in the list.
    #[inline]
    pub(super) fn close(&mut self, OpenScope { opened, before }: OpenScope) {
        let is_last = opened + 1 == self.scopes.len();
        if let Some(mut closed) = self.scopes.pop_if(|it| is_last && !it.is_kept) {
            closed.variables.clear();
            self.spare.push(closed.variables);
        }
        self.scope = before;
    }

    /// Marks the current scope and those around it as kept. Their memory is paid for.
    pub(super) fn keep_scopes(&mut self, meter: &Meter) -> Outcome<()> {
        let mut scope = self.scope;
        while scope != ROOT {
            let Some(found) = self.scopes.get_mut(scope as usize) else { break };
            if found.is_kept {
                break;
            }
            meter.pay_memory(size_of::<Scope>() + found.variables.len() * VARIABLE_BYTES)?;
            found.is_kept = true;
            scope = found.parent;
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Converts an input, or a part of it, to a value of this render. `name` is the input's name.
    fn import(&mut self, name: &str, value: &Value, depth: usize) -> Outcome {
        if depth > MAX_NESTING {
            let message =
                format!("the input `{name}` is nested more than {MAX_NESTING} levels deep");
            return Err(Fault::limit(message).with_help("use fewer levels of lists and maps"));
        }
        Ok(match value {
            Value::Array(items) => {
                let mut list = ItemList::default();
                for item in items.iter() {
                    let item = self.import(name, item, depth + 1)?;
                    list.push_without_memory(item, &self.meter)?;
                }
                Val::List(self.heap.add_input_list(list, &self.meter)?)
            }
            Value::Object(map) => {
                let mut dict = Dict::default();
                for index in 0..map.len() {
                    let Some((key, value)) = map.entry(index) else { break };
                    let value = self.import(name, value, depth + 1)?;
                    dict.push_without_memory(Val::String(Text::shared(key)), value, &self.meter)?;
                }
                Val::Dict(self.heap.add_input_dict(dict, &self.meter)?)
            }
            scalar => Val::of_scalar(scalar).unwrap_or(Val::None),
        })
    }
}

//! Finds the parts of an input's items that contain roles, according to its declaration.

use super::{Input, ValueType};
use prompty_core::message::Role;
use prompty_core::value::{Map, Value};

impl Input {
    /// The parts of its items that contain roles. Their allowed values include a role, or their
    /// values are roles in all items of the example and the default.
    #[doc(hidden)]
    pub fn parts_with_roles(&self) -> Vec<String> {
        let ValueType::Array(items) = self.value_type.non_null() else {
            return self.sampled_roles();
        };
        let fields = match items.as_deref().map(|items| items.value_type.non_null()) {
            Some(ValueType::Object(fields)) => fields.as_slice(),
            _ => &[],
        };
        let is_role = |field: &&Self| field.enum_values.iter().any(is_role_name);
        let named = fields.iter().filter(is_role).map(|field| field.name.clone());
        named.chain(self.sampled_roles()).collect()
    }

    /// The parts whose values are roles in all items of the example and the default: `role` for
    /// `[{role: user, content: Hi}]`.
    fn sampled_roles(&self) -> Vec<String> {
        let values = self.example.iter().chain(&self.default);
        let items: Vec<&Value> = values.filter_map(Value::as_array).flatten().collect();
        let first = items.first().and_then(|item| item.as_object());
        let names = first.into_iter().flat_map(Map::keys);
        let holds_roles = |name: &&str| {
            let mut parts = items.iter().map(|item| item.as_object().and_then(|it| it.get(name)));
            parts.all(|part| part.is_some_and(is_role_name))
        };
        names.filter(holds_roles).map(str::to_owned).collect()
    }
}

fn is_role_name(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    Role::OF_MARKERS.iter().any(|role| role.as_str().eq_ignore_ascii_case(text))
}

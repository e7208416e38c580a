//! Exports the content of slots as plain values, which can be stored and loaded.

use crate::error::Error;
use crate::schema::shape::Shape;
use crate::value::{Map, Value};

use super::shape_value::shape_of;
use super::slot::Slot;
use super::store::Slots;
use super::tool::tools_of;
use super::yaml;

/// The content of slots as plain values; see [`Slots::export`].
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    values: Map,
}

impl Exported {
    /// The values by the names of their slots.
    #[must_use]
    pub const fn values(&self) -> &Map {
        &self.values
    }

    /// The values as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        Value::from(self.values.clone()).to_json()
    }

    /// The values as YAML that all versions of YAML read in the same way.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        yaml::block(&self.values.clone().into(), &|_| false)
    }
}

impl<'p> Slots<'p> {
    /// Exports the content of these slots without that of their parents. The shapes of the answer
    /// and of tools are written in the notation of
    /// [`Shape::to_notation`](crate::schema::shape::Shape::to_notation). A slot that is hidden by
    /// [`with_hidden`](Self::with_hidden) is `null`.
    ///
    /// ```
    /// # use prompty_core as typed_prompty;
    /// use typed_prompty::schema::shape::Shape;
    /// use typed_prompty::slots::Slots;
    ///
    /// let agent = Slots::new().with_system("You are brief.");
    /// let title = Shape::text().with_description("at most ten words");
    /// let request = agent.child().with_input("Hi").with_output(Shape::object([("title", title)]));
    /// assert_eq!(
    ///     request.export().to_yaml(),
    ///     "input: Hi\noutput:\n  title:\n    $type: str\n    $desc: at most ten words\n"
    /// );
    /// assert_eq!(
    ///     request.export_with_parents().to_json(),
    ///     r#"{"system": "You are brief.", "input": "Hi", "#.to_owned()
    ///         + r#""output": {"title": {"$type": "str", "$desc": "at most ten words"}}}"#
    /// );
    /// let loaded = Slots::load(request.export_with_parents().values())?;
    /// assert_eq!(loaded.to_text()?, request.to_text()?);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn export(&self) -> Exported {
        let mut values = self.own_values().clone();
        for hidden in self.hidden() {
            values.insert(hidden, Value::Null);
        }
        values.insert_some(Slot::Output.name(), self.output.as_ref().map(output_notation));
        Exported { values }
    }

    /// Exports the content of these slots and their parents.
    pub fn export_with_parents(&self) -> Exported {
        let mut merged = self.merged();
        let output = merged.output.take();
        let mut values = merged.into_values();
        values.insert_some(Slot::Output.name(), output.as_ref().map(output_notation));
        Exported { values }
    }

    /// Creates slots from values that were exported or written by hand. They have no parent.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`](crate::ErrorKind::WrongInput) if the answer or a tool has
    /// a shape with invalid notation.
    pub fn load(values: &Map) -> Result<Slots<'static>, Error> {
        values.get(Slot::Output.name()).map(|it| shape_of(it, Slot::Output)).transpose()?;
        values.get(Slot::Tools.name()).map(tools_of).transpose()?;
        let add =
            |slots: Slots<'static>, (name, value): (&str, &Value)| slots.with(name, value.clone());
        Ok(values.iter().fold(Slots::new(), add))
    }
}

/// The notation of a shape. An empty value would have no effect, so it is wrapped in a `$type`.
fn output_notation(output: &Shape) -> Value {
    let notation = output.to_notation();
    if notation.is_true() { notation } else { Map::from([("$type", notation)]).into() }
}

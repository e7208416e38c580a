//! What slots hold as plain values: to be kept in a file, and loaded again.

use crate::error::Error;
use crate::schema::shape::Shape;
use crate::value::{Map, Value};

use super::shown::shape_of;
use super::slot::Slot;
use super::store::{Merged, Slots};
use super::tool::tools_of;
use super::yaml;

/// What slots hold, as plain values: see [`Slots::export`].
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    values: Map,
}

impl Exported {
    /// The values by names of slots.
    #[must_use]
    pub const fn values(&self) -> &Map {
        &self.values
    }

    /// The values as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        Value::from(self.values.clone()).to_json()
    }

    /// The values as YAML, which every version of YAML reads alike.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        yaml::block(&self.values.clone().into(), &|_| false)
    }
}

impl<'p> Slots<'p> {
    /// What these slots hold themselves, without what they take over from parents. The shape of the answer
    /// and those of tools are written in the notation of
    /// [`Shape::to_notation`](crate::schema::shape::Shape::to_notation), and a slot that [`with_hidden`](Self::with_hidden) leaves out is
    /// `null`.
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
        if let Some(output) = self.own_output() {
            values.insert(Slot::Output.name(), kept(output));
        }
        Exported { values }
    }

    /// What these slots hold together with their parents.
    pub fn export_with_parents(&self) -> Exported {
        let Merged { mut values, history, output } = self.merged();
        if !history.is_empty() {
            values.insert(Slot::ChatHistory.name(), history);
        }
        if let Some(output) = &output {
            values.insert(Slot::Output.name(), kept(output));
        }
        Exported { values }
    }

    /// Slots with values that were exported, or written by hand. They have no parent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`](crate::ErrorKind::WrongInput) where the answer or a tool has a shape
    /// that is no notation of one.
    pub fn load(values: &Map) -> Result<Slots<'static>, Error> {
        values.get(Slot::Output.name()).map(|it| shape_of(it, Slot::Output)).transpose()?;
        values.get(Slot::Tools.name()).map(tools_of).transpose()?;
        let loaded =
            |slots: Slots<'static>, (name, value): (&str, &Value)| slots.with(name, value.clone());
        Ok(values.iter().fold(Slots::new(), loaded))
    }
}

/// A shape in its notation. An empty value would say nothing of the answer, so one stands as a type.
fn kept(output: &Shape) -> Value {
    let notation = output.to_notation();
    if notation.is_true() { notation } else { Map::from([("$type", notation)]).into() }
}

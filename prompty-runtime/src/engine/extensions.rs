//! What a host adds to the template language: filters, tests and functions of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::functions::{AsyncTypedFunction, HostFunction, TypedFunction};
use prompty_check::check::HostSignatures;
use prompty_core::error::Error;
use prompty_core::value::Value;

type Filter = dyn Fn(&Value, &[Value]) -> Result<Value, Error> + Send + Sync;
type Test = dyn Fn(&Value, &[Value]) -> Result<bool, Error> + Send + Sync;

/// Filters, tests and functions of the host, by their names. A name that is built in is replaced.
/// Arguments that a template gives by name arrive as one map behind the others.
#[derive(Clone, Default)]
pub struct Extensions {
    filters: BTreeMap<Arc<str>, Arc<Filter>>,
    tests: BTreeMap<Arc<str>, Arc<Test>>,
    functions: BTreeMap<Arc<str>, HostFunction>,
}

impl Extensions {
    /// Nothing but what is built in.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a filter, `{{ value | name(arguments) }}`.
    #[must_use]
    pub fn with_filter(
        mut self,
        name: &str,
        filter: impl Fn(&Value, &[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Self {
        self.filters.insert(name.into(), Arc::new(filter));
        self
    }

    /// Adds a test, `{% if value is name(arguments) %}`.
    #[must_use]
    pub fn with_test(
        mut self,
        name: &str,
        test: impl Fn(&Value, &[Value]) -> Result<bool, Error> + Send + Sync + 'static,
    ) -> Self {
        self.tests.insert(name.into(), Arc::new(test));
        self
    }

    /// Adds a function, `{{ name(arguments) }}`.
    #[must_use]
    pub fn with_function(
        mut self,
        name: &str,
        function: impl Fn(&[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Self {
        self.functions.insert(name.into(), HostFunction::positional(function));
        self
    }

    /// Adds a function with parameters that have names and types. Its name may be that of a plugin and one
    /// of its own: `time.now`.
    #[must_use]
    pub fn with_typed_function<const N: usize, P>(
        mut self,
        name: &str,
        parameters: [&str; N],
        function: impl TypedFunction<N, P>,
    ) -> Self {
        self.functions.insert(name.into(), HostFunction::typed(parameters, function));
        self
    }

    /// Adds a function as [`Extensions::with_typed_function`] does whose result must be waited for. The
    /// languages `handlebars` and `semantic-kernel` call such functions, in async renders; a template in
    /// Jinja2 that names one is an error when it is built.
    #[must_use]
    pub fn with_async_function<const N: usize, P>(
        mut self,
        name: &str,
        parameters: [&str; N],
        function: impl AsyncTypedFunction<N, P>,
    ) -> Self {
        self.functions.insert(name.into(), HostFunction::waiting(parameters, function));
        self
    }

    /// The names of the functions, sorted.
    pub(crate) fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(|name| &**name)
    }

    /// What the checker has to know of them.
    pub(crate) fn signatures(&self) -> HostSignatures {
        let mut signatures = HostSignatures::default();
        signatures.filters.extend(self.filters.keys().map(ToString::to_string));
        signatures.tests.extend(self.tests.keys().map(ToString::to_string));
        for (name, function) in &self.functions {
            match function.parameters() {
                Some(parameters) => {
                    let parameters = parameters.iter().map(ToString::to_string);
                    signatures = signatures.with_function(name, parameters);
                }
                None => signatures.functions.push(name.to_string()),
            }
        }
        signatures
    }

    pub(crate) fn filters(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Filter>)> {
        self.filters.iter()
    }

    pub(crate) fn tests(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Test>)> {
        self.tests.iter()
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = (&Arc<str>, &HostFunction)> {
        self.functions.iter()
    }

    /// The function of this whole name.
    pub(crate) fn function(&self, name: &str) -> Option<&HostFunction> {
        self.functions.get(name)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions")
            .field("filters", &self.filters.keys())
            .field("tests", &self.tests.keys())
            .field("functions", &self.functions.keys())
            .finish()
    }
}

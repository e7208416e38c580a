//! The filters, tests and functions that a host adds to a template language.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::functions::{AsyncTypedFunction, HostFunction, TypedFunction};
use prompty_check::check::HostSignatures;
use prompty_core::error::Error;
use prompty_core::value::Value;

type HostFilter = dyn Fn(&Value, &[Value]) -> Result<Value, Error> + Send + Sync;
type HostTest = dyn Fn(&Value, &[Value]) -> Result<bool, Error> + Send + Sync;

/// Filters, tests and functions of the host, by name. They replace built-in ones of the same name.
/// Named arguments arrive as one map after the positional ones.
#[derive(Clone, Default)]
pub struct Extensions {
    filters: BTreeMap<Arc<str>, Arc<HostFilter>>,
    tests: BTreeMap<Arc<str>, Arc<HostTest>>,
    functions: BTreeMap<Arc<str>, HostFunction>,
}

impl Extensions {
    /// Makes an empty set of extensions.
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

    /// Adds a function with named, typed parameters. Its name may have the form `plugin.function`,
    /// such as `time.now`.
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

    /// Adds an async function; otherwise like [`Extensions::with_typed_function`]. The languages
    /// `handlebars` and `semantic-kernel` call such functions in async renders. Building a Jinja2
    /// template that calls one is an error.
    #[must_use]
    pub fn with_async_function<const N: usize, P>(
        mut self,
        name: &str,
        parameters: [&str; N],
        function: impl AsyncTypedFunction<N, P>,
    ) -> Self {
        self.functions.insert(name.into(), HostFunction::asynchronous(parameters, function));
        self
    }

    /// The names of the functions, sorted.
    pub(crate) fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(|name| &**name)
    }

    /// The names and signatures, for the checker.
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

    pub(crate) fn filters(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<HostFilter>)> {
        self.filters.iter()
    }

    pub(crate) fn tests(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<HostTest>)> {
        self.tests.iter()
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = (&Arc<str>, &HostFunction)> {
        self.functions.iter()
    }

    /// The function with this full name.
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

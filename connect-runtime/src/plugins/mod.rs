//! The catalogue: names in configurations to factories.
//!
//! Java class names, their simple names and the aliases that Java derives from them are all accepted. Registration is explicit, and a
//! factory may stand for a plugin that is not compiled in ([`SourceFactory::port`], [`SinkFactory::port`]).

mod builtin;
mod factory;

use std::fmt;
use std::sync::Arc;

pub use factory::{
    ConfigProviderFactory, ConverterFactory, HeaderConverterFactory, RegistryFactory, SinkFactory,
    SourceFactory,
};

use crate::config::{providers, suggest};

/// What a configuration can name.
///
/// ```
/// use ferroconnect_runtime::plugins::Catalog;
/// let catalog = Catalog::builtin();
/// for name in ["org.apache.kafka.connect.file.FileStreamSourceConnector", "FileStreamSourceConnector", "FileStreamSource"] {
///     assert!(catalog.connector(name).is_ok(), "{name}");
/// }
/// let error = catalog.connector("FileStreamSorce").unwrap_err();
/// assert!(error.to_string().contains("Did you mean org.apache.kafka.connect.file.FileStreamSourceConnector?"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    connectors: Vec<Plugin<ConnectorPlugin>>,
    converters: Vec<Plugin<Arc<dyn ConverterFactory>>>,
    header_converters: Vec<Plugin<Arc<dyn HeaderConverterFactory>>>,
    config_providers: Vec<Plugin<Arc<dyn ConfigProviderFactory>>>,
}

/// A plugin with its names.
#[derive(Clone)]
pub struct Plugin<F> {
    class: Box<str>,
    version: Box<str>,
    factory: F,
}

/// A source or a sink.
#[derive(Clone)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum ConnectorPlugin {
    /// Makes source connectors.
    Source(Arc<dyn SourceFactory>),
    /// Makes sink connectors.
    Sink(Arc<dyn SinkFactory>),
}

impl fmt::Debug for ConnectorPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source(_) => "source",
            Self::Sink(_) => "sink",
        })
    }
}

impl<F> Plugin<F> {
    /// Its class name.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What makes instances.
    pub fn factory(&self) -> &F {
        &self.factory
    }

    /// Whether a configuration means this plugin: by class, by simple name, or by the simple name without its last word.
    fn answers_to(&self, name: &str, last_words: &[&str]) -> bool {
        let simple = self.class.rsplit(['.', '$']).next().unwrap_or(&self.class);
        *self.class == *name
            || simple == name
            || last_words
                .iter()
                .any(|word| simple.strip_suffix(word) == Some(name))
    }
}

impl<F> fmt::Debug for Plugin<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.class, self.version)
    }
}

impl Catalog {
    /// An empty catalogue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that is compiled in.
    pub fn builtin() -> Self {
        builtin::catalog()
    }

    /// Adds a source connector under this class name; replaces one of the same name.
    #[must_use]
    pub fn source(mut self, class: &str, factory: impl SourceFactory + 'static) -> Self {
        put(
            &mut self.connectors,
            class,
            ConnectorPlugin::Source(Arc::new(factory)),
        );
        self
    }

    /// Adds a sink connector under this class name; replaces one of the same name.
    #[must_use]
    pub fn sink(mut self, class: &str, factory: impl SinkFactory + 'static) -> Self {
        put(
            &mut self.connectors,
            class,
            ConnectorPlugin::Sink(Arc::new(factory)),
        );
        self
    }

    /// Adds a converter under this class name; replaces one of the same name.
    #[must_use]
    pub fn converter(mut self, class: &str, factory: impl ConverterFactory + 'static) -> Self {
        put(&mut self.converters, class, Arc::new(factory));
        self
    }

    /// Adds a header converter under this class name; replaces one of the same name.
    #[must_use]
    pub fn header_converter(
        mut self,
        class: &str,
        factory: impl HeaderConverterFactory + 'static,
    ) -> Self {
        put(&mut self.header_converters, class, Arc::new(factory));
        self
    }

    /// Adds a config provider under this class name; replaces one of the same name.
    #[must_use]
    pub fn config_provider(
        mut self,
        class: &str,
        factory: impl ConfigProviderFactory + 'static,
    ) -> Self {
        put(&mut self.config_providers, class, Arc::new(factory));
        self
    }

    /// The connector that a configuration names.
    ///
    /// # Errors
    /// Nobody, or several, answer to the name.
    pub fn connector(&self, name: &str) -> Result<&Plugin<ConnectorPlugin>, UnknownPlugin> {
        find(&self.connectors, name, "Connector", &["Connector"])
    }

    /// The converter that a configuration names.
    ///
    /// # Errors
    /// Nobody, or several, answer to the name.
    pub fn find_converter(
        &self,
        name: &str,
    ) -> Result<&Plugin<Arc<dyn ConverterFactory>>, UnknownPlugin> {
        find(&self.converters, name, "Converter", &["Converter"])
    }

    /// The header converter that a configuration names.
    ///
    /// # Errors
    /// Nobody, or several, answer to the name.
    pub fn find_header_converter(
        &self,
        name: &str,
    ) -> Result<&Plugin<Arc<dyn HeaderConverterFactory>>, UnknownPlugin> {
        find(
            &self.header_converters,
            name,
            "HeaderConverter",
            &["HeaderConverter", "Converter"],
        )
    }

    /// The config provider that a configuration names. Beside Java's names, `env`, `file` and `dir` mean Kafka's three.
    ///
    /// # Errors
    /// Nobody, or several, answer to the name.
    pub fn find_config_provider(
        &self,
        name: &str,
    ) -> Result<&Plugin<Arc<dyn ConfigProviderFactory>>, UnknownPlugin> {
        let name = match name {
            "env" => providers::ENV_VAR,
            "file" => providers::FILE,
            "dir" => providers::DIRECTORY,
            other => other,
        };
        find(
            &self.config_providers,
            name,
            "ConfigProvider",
            &["ConfigProvider"],
        )
    }

    /// All connectors.
    pub fn connectors(&self) -> &[Plugin<ConnectorPlugin>] {
        &self.connectors
    }
}

fn put<F>(plugins: &mut Vec<Plugin<F>>, class: &str, factory: F) {
    plugins.retain(|plugin| *plugin.class != *class);
    plugins.push(Plugin {
        class: class.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        factory,
    });
}

fn find<'a, F>(
    plugins: &'a [Plugin<F>],
    name: &str,
    kind: &'static str,
    last_words: &[&str],
) -> Result<&'a Plugin<F>, UnknownPlugin> {
    if let Some(exact) = plugins.iter().find(|plugin| *plugin.class == *name) {
        return Ok(exact);
    }
    let meant: Vec<&Plugin<F>> = plugins
        .iter()
        .filter(|plugin| plugin.answers_to(name, last_words))
        .collect();
    if let [only] = meant[..] {
        return Ok(only);
    }
    let classes = |plugins: &mut dyn Iterator<Item = &'a Plugin<F>>| {
        plugins.map(|plugin| plugin.class.to_string()).collect()
    };
    let near = suggest::nearest(name, plugins.iter().map(|plugin| &*plugin.class))
        .into_iter()
        .map(str::to_owned)
        .collect();
    Err(UnknownPlugin {
        kind,
        name: name.to_owned(),
        candidates: if meant.is_empty() {
            near
        } else {
            classes(&mut meant.into_iter())
        },
        available: classes(&mut plugins.iter()),
    })
}

/// A name that no plugin, or more than one, answers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownPlugin {
    kind: &'static str,
    name: String,
    candidates: Vec<String>,
    available: Vec<String>,
}

impl UnknownPlugin {
    /// The nearest known class names.
    pub fn candidates(&self) -> &[String] {
        &self.candidates
    }
}

impl fmt::Display for UnknownPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Failed to find any class that implements {} and which name matches {}.",
            self.kind, self.name
        )?;
        if !self.candidates.is_empty() {
            write!(f, " Did you mean {}?", self.candidates.join(" or "))?;
        }
        write!(f, " Available are: {}", self.available.join(", "))
    }
}

impl std::error::Error for UnknownPlugin {}

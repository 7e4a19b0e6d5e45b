//! What a node shall be like.

use std::fmt;
use std::path::PathBuf;

use crate::error::NodeError;
use crate::node::Node;
use crate::settings;

/// How clients of a listener show who they are, and whether others can read along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Nothing of either.
    Plaintext,
    /// A login over a readable connection.
    SaslPlaintext,
    /// A login over TLS.
    SaslSsl,
    /// TLS with a certificate of the client (`ssl.client.auth=required`, unless the listener says otherwise).
    Ssl,
}

impl Protocol {
    /// Kafka's name of it, as in `security.protocol`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plaintext => "PLAINTEXT",
            Self::SaslPlaintext => "SASL_PLAINTEXT",
            Self::SaslSsl => "SASL_SSL",
            Self::Ssl => "SSL",
        }
    }
}

/// One listener.
#[derive(Clone)]
pub(crate) struct Listener {
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    /// Without the prefix `listener.name.NAME.`.
    pub(crate) properties: Vec<(String, String)>,
}

impl Listener {
    pub(crate) fn new(name: &str, protocol: Protocol, properties: Vec<(String, String)>) -> Self {
        let name = name.to_owned();
        Self {
            name,
            protocol,
            properties,
        }
    }
}

/// A node that is being described; [`Builder::start`] makes it real.
#[derive(Clone)]
pub struct Builder {
    pub(crate) listeners: Vec<Listener>,
    /// Arguments of `--add-scram`.
    pub(crate) scram: Vec<String>,
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) jvm_options: Vec<String>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) port: Option<u16>,
    pub(crate) host: String,
    pub(crate) heap_mb: u32,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let plaintext = Listener::new(settings::PLAINTEXT, Protocol::Plaintext, Vec::new());
        Self {
            listeners: vec![plaintext],
            scram: Vec::new(),
            properties: Vec::new(),
            jvm_options: Vec::new(),
            folder: None,
            port: None,
            host: "127.0.0.1".to_owned(),
            heap_mb: HEAP_MB,
        }
    }

    /// One more listener, on a free port of its own, beside `PLAINTEXT`, which is always there. `name` is any
    /// name in capitals; the properties are those of `listener.name.<name>.`, without that prefix, such as
    /// `ssl.keystore.location`. Two listeners of one protocol may have different certificates.
    #[must_use]
    pub fn listener<'a>(
        mut self,
        name: &str,
        protocol: Protocol,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let properties = properties
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        self.listeners
            .push(Listener::new(name, protocol, properties));
        self
    }

    /// A user of a SCRAM mechanism (`SCRAM-SHA-256` or `SCRAM-SHA-512`), known from the first start on. Neither
    /// may hold `,`, `[` or `]`, which `kafka-storage` cannot quote.
    #[must_use]
    pub fn scram_user(mut self, mechanism: &str, name: &str, password: &str) -> Self {
        self.scram
            .push(format!("{mechanism}=[name={name},password={password}]"));
        self
    }

    /// A property of the server; it wins over what the node sets by itself.
    #[must_use]
    pub fn property(mut self, name: &str, value: &str) -> Self {
        self.properties.push((name.to_owned(), value.to_owned()));
        self
    }

    /// One more option of the JVM, such as `-Dname=value`.
    #[must_use]
    pub fn jvm_option(mut self, option: &str) -> Self {
        self.jvm_options.push(option.to_owned());
        self
    }

    /// Keeps configuration, data and log in this folder, which is created when it is missing and left when the
    /// node is gone. Without it the node has a temporary folder under `target/kafka`.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The port of `PLAINTEXT`; a free one without it.
    #[must_use]
    pub const fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The host name that the node tells its clients, `127.0.0.1` without it; it must lead to that address.
    #[must_use]
    pub fn advertised_host(mut self, host: &str) -> Self {
        host.clone_into(&mut self.host);
        self
    }

    /// The heap's limit in units of 1024 * 1024 bytes.
    #[must_use]
    pub const fn heap_mb(mut self, megabytes: u32) -> Self {
        self.heap_mb = megabytes;
        self
    }

    /// Fetches Kafka when it is not there, starts the node, and waits until it answers.
    ///
    /// # Errors
    /// When Kafka cannot be fetched, or the node does not answer in time; the error shows its last lines.
    pub fn start(self) -> Result<Node, NodeError> {
        let mut node = self.prepare()?;
        node.start()?;
        Ok(node)
    }

    /// The same without starting it: ports are claimed, files written, nothing runs. For a client that finds
    /// nobody at first.
    ///
    /// # Errors
    /// When Kafka cannot be fetched or the files cannot be written.
    pub fn prepare(self) -> Result<Node, NodeError> {
        Node::prepare(self)
    }
}

/// Names only: properties hold passwords.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listeners: Vec<&str> = self.listeners.iter().map(|l| l.name.as_str()).collect();
        let properties: Vec<&str> = self.properties.iter().map(|(n, _)| n.as_str()).collect();
        f.debug_struct("Builder")
            .field("listeners", &listeners)
            .field("properties", &properties)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Enough for the tests' topics, groups and transactions.
const HEAP_MB: u32 = 256;

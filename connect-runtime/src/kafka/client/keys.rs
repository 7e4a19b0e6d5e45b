//! Every configuration key of Kafka 4.3's clients, and what it does here.

use ferroconnect_converters::config::{ConfigDef, Importance, Key, Kind, Validator};

mod table;

pub use table::KEYS;

/// The kinds of clients, by the words of Connect's prefixes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(clippy::exhaustive_enums, reason = "the clients that Connect makes")]
pub enum ClientKind {
    /// `producer.`
    Producer,
    /// `consumer.`
    Consumer,
    /// `admin.`
    Admin,
}

impl ClientKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Producer, Self::Consumer, Self::Admin];

    /// Prefix of the worker's keys for such clients.
    pub const fn worker_prefix(self) -> &'static str {
        match self {
            Self::Producer => "producer.",
            Self::Consumer => "consumer.",
            Self::Admin => "admin.",
        }
    }

    /// Prefix of a connector's keys for such clients (KIP-458).
    pub const fn override_prefix(self) -> &'static str {
        match self {
            Self::Producer => "producer.override.",
            Self::Consumer => "consumer.override.",
            Self::Admin => "admin.override.",
        }
    }

    /// What Connect sets where Kafka's own default is something else (for producers its `WorkerSourceTask`, for consumers its
    /// `WorkerSinkTask`).
    pub const fn connect_defaults(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Producer => &[
                ("max.block.ms", "9223372036854775807"),
                ("enable.idempotence", "false"),
                ("max.in.flight.requests.per.connection", "1"),
                ("delivery.timeout.ms", "2147483647"),
            ],
            Self::Consumer => &[
                ("enable.auto.commit", "false"),
                ("auto.offset.reset", "earliest"),
            ],
            Self::Admin => &[],
        }
    }
}

/// One configuration key of Kafka's clients.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ClientKey {
    /// Its name.
    pub name: &'static str,
    /// The clients that know it.
    pub clients: &'static [ClientKind],
    /// The kind of value it holds.
    pub kind: Kind,
    /// How much a reader should care, as Kafka sees it.
    pub importance: Importance,
    /// Kafka's default.
    pub default: KeyDefault,
    /// Kafka's checks of the value.
    pub checks: &'static [Validator],
    /// What it does here.
    pub effect: Effect,
}

/// What a key holds when it is not set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "no client key is required here")]
pub enum KeyDefault {
    /// Nothing.
    Null,
    /// This text.
    Is(&'static str),
}

/// What a key does here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a key does something, nothing, or is refused"
)]
pub enum Effect {
    /// What it says.
    Mapped(&'static str),
    /// It is accepted, and a warning says why it changes nothing.
    NoEffect(&'static str),
    /// Any value but the default is an error: why, and what to do instead.
    Unsupported(&'static str, &'static str),
}

impl ClientKey {
    /// The key in the words of configuration, under the name a person wrote it with.
    pub(super) fn definition(&self, name: &str) -> Key {
        let (Effect::Mapped(doc) | Effect::NoEffect(doc) | Effect::Unsupported(doc, _)) =
            self.effect;
        let key = Key::new(name, self.kind, self.importance, doc);
        let key = match self.default {
            KeyDefault::Null => key.optional(),
            KeyDefault::Is(text) => key.default(text),
        };
        self.checks.iter().copied().fold(key, Key::check)
    }

    /// Whether an empty text stands for "not set".
    pub(super) fn is_unset_by(&self, text: &str) -> bool {
        let is_text = matches!(self.kind, Kind::String | Kind::Class | Kind::Password);
        is_text
            && self.default == KeyDefault::Null
            && self.checks.is_empty()
            && text.trim().is_empty()
    }
}

/// The key of this name, as clients of this kind know it.
pub fn client_key(kind: ClientKind, name: &str) -> Option<&'static ClientKey> {
    KEYS.iter()
        .find(|key| key.name == name && key.clients.contains(&kind))
}

/// The keys of one kind of client as a definition, with Connect's defaults.
///
/// ```
/// use ferroconnect_runtime::kafka::client::{ClientKind, client_def};
/// let def = client_def(ClientKind::Producer);
/// assert_eq!(def.key("linger.ms").unwrap().default_text(), Some("5"));
/// assert_eq!(def.key("enable.idempotence").unwrap().default_text(), Some("false"));
/// ```
pub fn client_def(kind: ClientKind) -> ConfigDef {
    let keys = KEYS.iter().filter(|key| key.clients.contains(&kind));
    keys.fold(ConfigDef::new(), |def, key| {
        let connects = kind
            .connect_defaults()
            .iter()
            .find(|(name, _)| *name == key.name);
        let defined = key.definition(key.name);
        def.define(match connects {
            Some((_, text)) => defined.default(text),
            None => defined,
        })
    })
}

#[cfg(test)]
mod tests;

use ferroconnect_converters::config::{Problem, Problems};

use super::connection::connection;
use super::layers::{Layers, Parsed, Remarks, Values};
use crate::kafka::types::{AdminConfig, ConsumerConfig, Isolation, OffsetReset};
use crate::time::Span;

/// Settings of a consumer that its port does not name; see [`ConsumerConfig`](crate::kafka::ConsumerConfig) for the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsumerSettings {
    /// `group.protocol` with what belongs to it.
    pub protocol: GroupProtocol,
    /// `group.instance.id`: the name of a static member (KIP-345).
    pub instance_id: Option<String>,
    /// `client.rack`: where the closest replica is looked for (KIP-392).
    pub rack: Option<String>,
    /// `fetch.min.bytes`: a broker waits until it has so much.
    pub fetch_bytes_min: usize,
    /// `fetch.max.wait.ms`: a broker waits at most so long.
    pub fetch_wait_max: Span,
    /// `max.partition.fetch.bytes`.
    pub partition_fetch_bytes_max: usize,
    /// `max.poll.records`.
    pub poll_records: usize,
    /// `allow.auto.create.topics`.
    pub create_topics: bool,
}

impl Default for ConsumerSettings {
    fn default() -> Self {
        Self {
            protocol: GroupProtocol::default(),
            instance_id: None,
            rack: None,
            fetch_bytes_min: 1,
            fetch_wait_max: Span::millis(500),
            partition_fetch_bytes_max: 1 << 20,
            poll_records: 500,
            create_topics: true,
        }
    }
}

/// How the members of a group share the partitions (`group.protocol`).
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the values of Kafka's group.protocol"
)]
pub enum GroupProtocol {
    /// One member assigns for all.
    Classic {
        /// `partition.assignment.strategy`: what this member can do, best first; never empty.
        assignors: Vec<Assignor>,
        /// `heartbeat.interval.ms`.
        heartbeat: Span,
    },
    /// The broker assigns (KIP-848).
    Consumer {
        /// `group.remote.assignor`; `None` leaves it to the broker.
        assignor: Option<String>,
    },
}

impl Default for GroupProtocol {
    fn default() -> Self {
        Self::Classic {
            assignors: vec![Assignor::Range, Assignor::CooperativeSticky],
            heartbeat: Span::secs(3),
        }
    }
}

/// The assignors of Kafka's consumer that exist here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Assignor {
    /// Contiguous ranges per topic; eager.
    Range,
    /// Partitions in turn; eager.
    RoundRobin,
    /// As few moves as possible; cooperative (KIP-429).
    CooperativeSticky,
}

impl Layers {
    /// The settings of a consumer.
    ///
    /// # Errors
    /// Every key that does not fit, and every pair of keys that do not fit together.
    pub fn consumer(self) -> Result<Parsed<ConsumerConfig>, Problems> {
        self.read(consumer)
    }

    /// The settings of an administrative client.
    ///
    /// # Errors
    /// Every key that does not fit, and every pair of keys that do not fit together.
    pub fn admin(self) -> Result<Parsed<AdminConfig>, Problems> {
        self.read(admin)
    }
}

fn admin(values: &Values, remarks: &mut Remarks) -> Result<AdminConfig, Problem> {
    Ok(AdminConfig {
        client_id: values.get("client.id")?,
        connection: connection(values, remarks)?,
        properties: values.properties(),
    })
}

fn consumer(values: &Values, remarks: &mut Remarks) -> Result<ConsumerConfig, Problem> {
    let isolation: String = values.get("isolation.level")?;
    Ok(ConsumerConfig {
        client_id: values.get("client.id")?,
        group: group(values, remarks)?,
        isolation: if isolation == "read_committed" {
            Isolation::ReadCommitted
        } else {
            Isolation::ReadUncommitted
        },
        reset: reset(values, remarks)?,
        session_timeout: values.span("session.timeout.ms")?,
        poll_interval_max: values.span("max.poll.interval.ms")?,
        fetch_bytes_max: values.count("fetch.max.bytes")?,
        connection: connection(values, remarks)?,
        settings: ConsumerSettings {
            protocol: protocol(values, remarks)?,
            instance_id: values.get("group.instance.id")?,
            rack: Some(values.get::<String>("client.rack")?).filter(|rack| !rack.is_empty()),
            fetch_bytes_min: values.count("fetch.min.bytes")?,
            fetch_wait_max: values.span("fetch.max.wait.ms")?,
            partition_fetch_bytes_max: values.count("max.partition.fetch.bytes")?,
            poll_records: values.count("max.poll.records")?,
            create_topics: values.get("allow.auto.create.topics")?,
        },
        properties: values.properties(),
    })
}

fn group(values: &Values, remarks: &mut Remarks) -> Result<Option<String>, Problem> {
    let key = "group.id";
    let group: Option<String> = values.get(key)?;
    if values.is_given(key) && group.as_deref().is_none_or(|group| group.trim().is_empty()) {
        let text = "The configured group.id should not be an empty string or whitespace.";
        remarks.problem(values.invalid(key, text));
    }
    Ok(group)
}

fn reset(values: &Values, remarks: &mut Remarks) -> Result<OffsetReset, Problem> {
    let key = "auto.offset.reset";
    let text: String = values.get(key)?;
    Ok(match text.as_str() {
        "latest" => OffsetReset::Latest,
        "none" => OffsetReset::Fail,
        "earliest" => OffsetReset::Earliest,
        _ => {
            let text = "not supported: a start so long ago; use earliest, latest or none, or set the group's offsets by time with kafka-consumer-groups";
            remarks.problem(values.invalid(key, text));
            OffsetReset::Earliest
        }
    })
}

fn protocol(values: &Values, remarks: &mut Remarks) -> Result<GroupProtocol, Problem> {
    let text: String = values.get("group.protocol")?;
    let cannot = |keys: &[&str], protocol: &str| {
        let set: Vec<&str> = keys
            .iter()
            .copied()
            .filter(|key| values.is_set(key))
            .collect();
        set.first().map(|first| {
            let all = set.join(", ");
            values.said(
                first,
                format!("{all} cannot be set when group.protocol={protocol}"),
            )
        })
    };
    if text.eq_ignore_ascii_case("consumer") {
        let classic = [
            "partition.assignment.strategy",
            "heartbeat.interval.ms",
            "session.timeout.ms",
        ];
        if let Some(problem) = cannot(&classic, "CONSUMER") {
            remarks.problem(problem);
        }
        return Ok(GroupProtocol::Consumer {
            assignor: values.get("group.remote.assignor")?,
        });
    }
    if let Some(problem) = cannot(&["group.remote.assignor"], "CLASSIC") {
        remarks.problem(problem);
    }
    let heartbeat = values.span("heartbeat.interval.ms")?;
    if heartbeat >= values.span("session.timeout.ms")? {
        let key = "heartbeat.interval.ms";
        remarks
            .problem(values.invalid(key, "Heartbeat must be set lower than the session timeout"));
    }
    Ok(GroupProtocol::Classic {
        assignors: assignors(values, remarks)?,
        heartbeat,
    })
}

fn assignors(values: &Values, remarks: &mut Remarks) -> Result<Vec<Assignor>, Problem> {
    let key = "partition.assignment.strategy";
    let classes: Vec<String> = values.get(key)?;
    let mut found = Vec::new();
    for class in &classes {
        match ASSIGNORS.iter().find(|(name, _)| name == class) {
            Some((_, assignor)) => found.push(*assignor),
            None => {
                let known: Vec<&str> = ASSIGNORS.iter().map(|(name, _)| *name).collect();
                let text = format!(
                    "not supported: {class} is a Java class, which cannot be loaded here; use {}",
                    known.join(", ")
                );
                remarks.problem(values.invalid(key, text));
            }
        }
    }
    if classes.is_empty() {
        remarks.problem(values.invalid(key, "name at least one assignor, or remove the key"));
    }
    Ok(found)
}

/// Kafka's assignors by class. Its sticky one is eager and has no counterpart.
const ASSIGNORS: [(&str, Assignor); 3] = [
    (
        "org.apache.kafka.clients.consumer.RangeAssignor",
        Assignor::Range,
    ),
    (
        "org.apache.kafka.clients.consumer.RoundRobinAssignor",
        Assignor::RoundRobin,
    ),
    (
        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
        Assignor::CooperativeSticky,
    ),
];

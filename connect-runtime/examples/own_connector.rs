//! An own source connector, run by a worker inside this program: counts to ten, keeps its place, and stops.
//!
//! Run it twice: the second run goes on with eleven.

use ferroconnect_runtime::api::{
    SourceConnector, SourceContext, SourceOffset, SourcePartition, SourceRecord, SourceTask,
};
use ferroconnect_runtime::config::{ConfigDef, Importance, Key, Kind, RawConfig};
use ferroconnect_runtime::{Error, Runtime};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1);
    run(&folder.unwrap_or_else(|| "target/own-connector".to_owned())).await
}

/// Starts a worker with the connector and a file sink behind it, and stops it when ten numbers went through.
pub async fn run(folder: &str) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::builder()
        .worker([
            ("bootstrap.servers", format!("embedded:{folder}").as_str()),
            (
                "key.converter",
                "org.apache.kafka.connect.storage.StringConverter",
            ),
            (
                "value.converter",
                "org.apache.kafka.connect.storage.StringConverter",
            ),
        ])
        .source("example.Counter", || {
            Box::new(Counter::default()) as Box<dyn SourceConnector>
        })
        .connector([
            ("name", "counter"),
            ("connector.class", "Counter"),
            ("topic", "numbers"),
        ])
        .connector([
            ("name", "numbers-out"),
            ("connector.class", "FileStreamSink"),
            ("topics", "numbers"),
            ("file", format!("{folder}/numbers.txt").as_str()),
        ])
        .start()
        .await?;
    while runtime
        .tasks()
        .iter()
        .any(|task| task.counters().delivered() < 10)
    {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    runtime.stop().await;
    Ok(())
}

#[derive(Default)]
struct Counter {
    next: i64,
    until: i64,
}

impl SourceConnector for Counter {
    fn config_def(&self) -> ConfigDef {
        ConfigDef::new().define(Key::new(
            "topic",
            Kind::String,
            Importance::High,
            "Topic for the numbers.",
        ))
    }

    fn task_configs(&self, config: &RawConfig, _max: u32) -> Result<Vec<RawConfig>, Error> {
        Ok(vec![config.clone()])
    }

    fn task(&self) -> Box<dyn SourceTask> {
        Box::new(Self::default())
    }
}

impl SourceTask for Counter {
    fn start(&mut self, context: &SourceContext) -> Result<(), Error> {
        let stored = context.offset(&SourcePartition::of("counter", "main"))?;
        self.next = stored.and_then(|offset| offset.integer("n")).unwrap_or(0);
        self.until = self.next + 10;
        Ok(())
    }

    fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
        if self.next == self.until {
            context.wait(std::time::Duration::from_secs(1));
            return Ok(Vec::new());
        }
        self.next += 1;
        let record = SourceRecord::new("numbers", format!("number {}", self.next));
        Ok(vec![record.from(
            SourcePartition::of("counter", "main"),
            SourceOffset::of("n", self.next),
        )])
    }
}

//! Kafka's jars: fetched once by their Maven coordinates.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{NodeError, Trying};
use crate::{KAFKA_VERSION, tools};

/// The jars of a Kafka broker and of a Connect worker, and the Java that runs them.
#[derive(Clone, Debug)]
pub struct Distribution {
    java: PathBuf,
    jars: PathBuf,
}

impl Distribution {
    /// Fetches what is missing into the workspace's `target/kafka/4.3.1`, saying each step on standard error.
    /// Several processes may do so at once: one fetches, the others wait.
    ///
    /// # Errors
    /// When Java or Maven is missing and cannot be installed (the error names the packages), or when Maven
    /// cannot fetch.
    pub fn fetch() -> Result<Self, NodeError> {
        let folder = kafka_folder();
        std::fs::create_dir_all(&folder).trying(&format!("create {}", folder.display()))?;
        let lock = File::create(folder.join("lock")).trying("create the lock for fetching")?;
        // Given back when the file is closed, also by a process that dies.
        lock.lock()
            .trying("wait for another process that fetches")?;
        let java = tools::java()?;
        let jars = folder.join(KAFKA_VERSION);
        fetch_jars(&jars)?;
        Ok(Self { java, jars })
    }

    /// The `java` program, version 17 or later.
    pub fn java(&self) -> &Path {
        &self.java
    }

    /// The folder with all jars: broker, Connect worker, FileStream connectors, converters, transforms.
    pub fn jars(&self) -> &Path {
        &self.jars
    }

    /// A `java` command with the jars on its class path; options of the JVM and the main class come next.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.java);
        command.arg("-cp").arg(format!("{}/*", self.jars.display()));
        command
    }
}

/// Where nodes and jars live: `kafka` in cargo's target folder of this workspace.
pub(crate) fn kafka_folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("."));
    let target = std::env::var_os("CARGO_TARGET_DIR");
    root.join(target.map_or_else(|| PathBuf::from("target"), PathBuf::from))
        .join("kafka")
}

/// Complete or absent: the jars are copied beside their place and moved there together.
fn fetch_jars(jars: &Path) -> Result<(), NodeError> {
    if std::fs::read_to_string(jars.join("pom.xml")).is_ok_and(|fetched| fetched == POM) {
        return Ok(());
    }
    tools::maven()?;
    let new = jars.with_extension("new");
    for folder in [jars, &new] {
        if folder.exists() {
            std::fs::remove_dir_all(folder).trying("remove what an earlier fetch left")?;
        }
    }
    std::fs::create_dir_all(&new).trying("create a folder for jars")?;
    let pom = new.join("pom.xml");
    std::fs::write(&pom, POM).trying("write pom.xml")?;
    tools::say(&format!("fetch the jars of Kafka {KAFKA_VERSION}, once"));
    let mut fetch = Command::new("mvn");
    fetch.args(["--quiet", "--batch-mode", "--file"]).arg(pom);
    fetch.args([COPY_GOAL, "-DincludeScope=runtime", "-Dstyle.color=never"]);
    fetch.arg(format!("-DoutputDirectory={}", new.display()));
    tools::run(&mut fetch).map_err(|error| {
        NodeError::new(format!(
            "{error}; Maven fetches Apache's jars and needs a network or a mirror in settings.xml"
        ))
    })?;
    std::fs::rename(&new, jars).trying("move the fetched jars to their place")
}

const COPY_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/// What the distribution of Apache holds and nodes and workers need; the logging binding is that of Kafka 4.
const POM: &str = include_str!("pom.xml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pom_names_this_version_everywhere() {
        let ours = POM.matches("<groupId>org.apache.kafka</groupId>").count();
        assert_eq!(ours, 5);
        let version = format!("<version>{KAFKA_VERSION}</version>");
        assert_eq!(POM.matches(&version).count(), ours);
    }

    #[test]
    fn jars_belong_to_the_workspace() {
        let root = kafka_folder();
        assert!(root.ends_with("kafka"));
        assert!(!root.starts_with(env!("CARGO_MANIFEST_DIR")));
    }
}

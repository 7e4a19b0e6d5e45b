//! `cargo xtask bench`: how fast we are, and how fast the JVM is beside us.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::steps::{Outcome, Steps, Trouble, Trying};
use crate::tools;

#[derive(Args)]
pub(crate) struct BenchArguments {
    /// One line per benchmark (ns, allocations and bytes per record, target) in place of criterion's report.
    #[arg(long)]
    summary: bool,
    /// Run Apache's converters on the same records too, and print their ns and the ratio.
    #[arg(long, requires = "summary")]
    jvm: bool,
    /// Count instructions per record with valgrind, too: slow, and no neighbour on the machine changes them.
    #[arg(long, requires = "summary")]
    instructions: bool,
    /// Only benchmarks whose name contains this.
    filter: Option<String>,
}

pub(crate) fn run(steps: &Steps, arguments: &BenchArguments) -> Outcome {
    let filter = arguments.filter.as_deref();
    if !arguments.summary {
        let line = ["bench", "-p", "ferroconnect-benches", "--bench", "*", "--"];
        return steps.run("cargo", &line.into_iter().chain(filter).collect::<Vec<_>>());
    }
    let results = if arguments.jvm {
        Some(jvm(steps, filter)?)
    } else {
        None
    };
    let mut more: Vec<String> = filter.map(str::to_owned).into_iter().collect();
    if let Some(results) = results {
        more.extend(["--jvm".to_owned(), text(&results)]);
    }
    if arguments.instructions {
        more.push("--instructions".to_owned());
    }
    summary(steps, more)
}

fn summary(steps: &Steps, more: Vec<String>) -> Outcome {
    // The summary runs its sibling, which counts allocations and so is a program of its own.
    let build = ["build", "--release", "-p", "ferroconnect-benches", "--bins"];
    steps.run("cargo", &build)?;
    let mut line = vec!["run", "--release", "-p", "ferroconnect-benches"];
    line.extend(["--bin", SUMMARY, "--"]);
    line.extend(more.iter().map(String::as_str));
    steps.run("cargo", &line)
}

/// Runs the Java program on our benchmark records; returns the file with its results.
fn jvm(steps: &Steps, filter: Option<&str>) -> Outcome<PathBuf> {
    tools::java(steps)?;
    let folder = steps.target().join("jvm-bench");
    let (jars, classes) = (folder.join("lib"), folder.join("classes"));
    std::fs::create_dir_all(&classes).trying("create a folder for Java classes")?;
    fetch_jars(steps, &jars)?;

    let class_path = format!("{}:{}/*", text(&classes), text(&jars));
    let mut compile = vec![
        "-d".to_owned(),
        text(&classes),
        "-cp".to_owned(),
        class_path.clone(),
    ];
    compile.extend(java_sources(steps)?);
    steps.run("javac", &compile)?;

    let (records, results) = (folder.join("records.jsonl"), folder.join("results.jsonl"));
    let export = filter.map(str::to_owned).into_iter();
    summary(
        steps,
        export
            .chain(["--export".to_owned(), text(&records)])
            .collect(),
    )?;
    let exported = std::fs::read_to_string(&records).trying("read the exported records")?;
    if results.exists() {
        std::fs::remove_file(&results).trying("remove old results")?;
    }
    // One JVM per record: what its compiler learned from another record would slow this one down.
    for line in 0..exported.lines().count() {
        let number = line.to_string();
        let (records, results) = (text(&records), text(&results));
        let program = ["-Xmx1g", "-cp", &class_path, "ConverterBench"];
        steps.run(
            "java",
            &[&program[..], &[&records, &number, &results]].concat(),
        )?;
    }
    Ok(results)
}

/// Fetches the jars by their coordinates in benches/jvm/pom.xml, once per content of that file.
fn fetch_jars(steps: &Steps, jars: &Path) -> Outcome {
    let pom = std::fs::read(steps.root().join(POM)).trying(&format!("read {POM}"))?;
    let stamp = jars.join("pom.xml");
    if std::fs::read(&stamp).is_ok_and(|fetched| fetched == pom) {
        steps.say(&format!("jars of {POM} are in {}", jars.display()));
        return Ok(());
    }
    let into = format!("-DoutputDirectory={}", text(jars));
    steps
        .run(
            "mvn",
            &["--quiet", "--batch-mode", "--file", POM, COPY_GOAL, &into],
        )
        .map_err(|trouble| {
            Trouble::new(format!(
                "{trouble}; Maven fetches Apache's jars and needs a network"
            ))
        })?;
    std::fs::write(&stamp, pom).trying("note which jars were fetched")
}

fn java_sources(steps: &Steps) -> Outcome<Vec<String>> {
    let folder = steps.root().join("benches/jvm/src");
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(&folder).trying("read benches/jvm/src")? {
        sources.push(text(&entry.trying("read benches/jvm/src")?.path()));
    }
    sources.sort();
    Ok(sources)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The program that prints the lines.
const SUMMARY: &str = "ferroconnect-bench-summary";

const POM: &str = "benches/jvm/pom.xml";

const COPY_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

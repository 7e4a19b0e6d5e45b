//! The conformance program: do converters and definitions of configurations say what the JVM's said when the vectors were recorded?
//!
//! It is also an open kit: another implementation, in any language, can be tested with the same vectors.
//!
//! # Vectors
//!
//! A vector file holds one JSON object per line. A line with `converter` and `op` is a converter vector; one with `owner`, `name`,
//! `importance` and `display_name` is the definition of a configuration key, and every one of its members must be equal; files of
//! other kinds are named as not known and do not count. A converter vector says:
//!
//! | key | meaning |
//! | --- | --- |
//! | `id` | unique name of the case |
//! | `converter` | short name of the Java class: `JsonConverter`, `StringConverter`, … |
//! | `op` | `from_connect`, `to_connect`, `header_from_connect`, `header_to_connect` (the header is called `h1`) |
//! | `config` | options given to `configure`; headers get `converter.type=header` besides |
//! | `is_key`, `topic` | arguments of `configure` and of the call |
//! | `schema`, `value` | input of a write, in the form of [`tagged`](crate::tagged) |
//! | `bytes` | input of a read: hexadecimal digits, or null for a null record value |
//! | `registry` | for converters with a schema registry: what is registered before the call, in the order of `id` |
//! | `headers` | the record's headers, name and hexadecimal digits; absent: the call is made without |
//! | `expect` | what Java gave; `expect_jdk25` wins where it is present (shortest float text) |
//!
//! `expect` of a write: `bytes`, `registered` (what was not registered before, with text, GUID, subject, id and version), `headers`
//! after the call, and `read_back`, what a *new* converter with a *new* registry that holds the same texts reads from all
//! that. Of a read: `schema` and `value`, and `write_back`, the bytes that the *same* converter writes for them, and
//! what it registers. Or `error` (with `at: configure` when the configuration was refused).
//!
//! # What counts
//!
//! Bytes are compared exactly, schemas member by member with their parameters in order, floats by their bits, maps as sets,
//! `{"deep":N}` as N nested containers. An error must be an error; its class is only noted (`--verbose`), because
//! many recorded classes are details of the JVM.
//!
//! A mismatch is a *difference* and not a failure only when the converter itself named it in that very call: see
//! [`differs`](ferroconnect_converters::differs). There is no list of cases. Two inputs that no Rust program can hold are
//! named by this program: [`InputDifference`].
//!
//! # Testing another implementation
//!
//! Read a file line by line; make the converter from `config` (and `registry`, where present); make the call; compare as
//! above. In Rust, put a [`Factory`] into a [`Kit`] and call [`run_paths`].

mod compare;
mod definitions;
mod kit;
mod registry;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod vector;
mod vector_registry;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use kit::{Factory, Kit, MakeConverter, MakeHeaderConverter};
pub use report::{FileReport, Report};

use ferroconnect_converters::differs::Difference;
use vector::Vector;

/// What came of one vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed {
        want: String,
        got: String,
    },
    /// Unlike the JVM on purpose; the names of the differences that the code itself gave.
    Differs(BTreeSet<&'static str>),
    /// No converter of that name under test.
    NotSupported,
}

/// Inputs of vectors that the data model cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputDifference {
    /// A Java string with half a surrogate pair.
    LoneSurrogate,
    /// A `ByteBuffer` that shows a part of its array.
    BufferWindow,
}

impl InputDifference {
    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoneSurrogate => "input-lone-surrogate",
            Self::BufferWindow => "input-buffer-window",
        }
    }

    /// Why the vector cannot be run.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::LoneSurrogate => {
                "the input text holds half a surrogate pair, which no Unicode text can"
            }
            Self::BufferWindow => {
                "the input is a ByteBuffer that hides a part of its array; our bytes hide nothing"
            }
        }
    }

    pub(crate) fn verdict(self) -> Verdict {
        Verdict::Differs(BTreeSet::from([self.name()]))
    }
}

/// The reason of a difference by its name.
pub(crate) fn reason(name: &str) -> &'static str {
    let inputs = [
        InputDifference::LoneSurrogate,
        InputDifference::BufferWindow,
    ];
    let ours = Difference::ALL.iter().map(|d| (d.name(), d.reason()));
    let all = ours
        .chain(inputs.iter().map(|d| (d.name(), d.reason())))
        .chain([(definitions::NOT_BUILT, definitions::NOT_BUILT_REASON)])
        .chain(registry::reasons());
    all.into_iter()
        .find(|(known, _)| *known == name)
        .map_or("", |(_, reason)| reason)
}

/// Runs every vector of the files, and of all `*.jsonl` files below the folders.
///
/// # Errors
/// A path that cannot be read.
pub fn run_paths(kit: &Kit, paths: &[PathBuf]) -> std::io::Result<Report> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    let mut report = Report::default();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        report.push(run_text(kit, &file.display().to_string(), &text));
    }
    Ok(report)
}

/// The files to run: `path` itself, or every `*.jsonl` below it in the order of names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir()
            || entry
                .extension()
                .is_some_and(|extension| extension == "jsonl")
        {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

/// Runs the vectors of one file's text.
#[must_use]
pub fn run_text(kit: &Kit, name: &str, text: &str) -> FileReport {
    let mut report = FileReport::new(name);
    let mut registry = registry::Runner::new(kit.registry_url());
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let parsed = match serde_json::from_str(line) {
            Ok(parsed) => parsed,
            Err(error) => {
                report.malformed(number + 1, &error.to_string());
                continue;
            }
        };
        if definitions::recognises(&parsed) {
            let owner = parsed["owner"].as_str().unwrap_or_default().to_owned();
            report.add(&definitions::id(&parsed), &owner, definitions::run(&parsed));
            continue;
        }
        if registry::Runner::recognises(&parsed) {
            let id = registry::Runner::id(&parsed);
            report.add(&id, "registry", registry.run(&parsed));
            continue;
        }
        if !Vector::recognises(&parsed) {
            report.unknown();
            continue;
        }
        match Vector::parse(parsed) {
            Ok(vector) => {
                let verdict = guarded(kit, &vector, &mut report.notes);
                report.add(&vector.id, &vector.converter, verdict);
            }
            Err(problem) => report.malformed(number + 1, &problem),
        }
    }
    report
}

/// Runs a vector; a panic is a failure of that vector alone.
fn guarded(kit: &Kit, vector: &Vector, notes: &mut Vec<String>) -> Verdict {
    let run = std::panic::AssertUnwindSafe(|| run::run(kit, vector, notes));
    std::panic::catch_unwind(run).unwrap_or_else(|_| Verdict::Failed {
        want: vector.want.to_string(),
        got: "a panic; its text is on standard error".into(),
    })
}

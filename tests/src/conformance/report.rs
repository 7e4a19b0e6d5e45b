//! [`Report`]: what a run found, and how it is printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use super::{Verdict, reason};

/// What came of one file.
#[derive(Debug, Default)]
pub struct FileReport {
    name: String,
    passed: usize,
    /// Cases by difference; a case under two names counts under both.
    differing: BTreeMap<&'static str, usize>,
    differ: usize,
    failed: Vec<Failure>,
    not_supported: BTreeMap<String, usize>,
    unknown: usize,
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
struct Failure {
    id: String,
    want: String,
    got: String,
}

impl FileReport {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, id: &str, converter: &str, verdict: Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Differs(names) => {
                self.differ += 1;
                for name in names {
                    *self.differing.entry(name).or_default() += 1;
                }
            }
            Verdict::Failed { want, got } => self.failed.push(Failure {
                id: id.into(),
                want,
                got,
            }),
            Verdict::NotSupported => *self.not_supported.entry(converter.into()).or_default() += 1,
        }
    }

    pub(super) fn malformed(&mut self, line: usize, problem: &str) {
        self.failed.push(Failure {
            id: format!("line {line}"),
            want: "a vector".into(),
            got: problem.into(),
        });
    }

    pub(super) const fn unknown(&mut self) {
        self.unknown += 1;
    }

    /// Cases that gave what the JVM gave.
    #[must_use]
    pub const fn passed(&self) -> usize {
        self.passed
    }

    /// Ids of the cases that failed.
    pub fn failed(&self) -> impl ExactSizeIterator<Item = &str> {
        self.failed.iter().map(|failure| failure.id.as_str())
    }

    /// Cases that differ on purpose.
    #[must_use]
    pub const fn differ(&self) -> usize {
        self.differ
    }

    /// The names of the differences that were met.
    #[must_use]
    pub fn differences(&self) -> BTreeSet<&'static str> {
        self.differing.keys().copied().collect()
    }

    /// Cases of converters that are not under test.
    #[must_use]
    pub fn not_supported(&self) -> usize {
        self.not_supported.values().sum()
    }

    /// Lines that are no converter vectors.
    #[must_use]
    pub const fn not_known(&self) -> usize {
        self.unknown
    }

    fn cases(&self) -> usize {
        self.passed + self.failed.len() + self.differ + self.not_supported()
    }

    fn print(&self, out: &mut impl fmt::Write) -> fmt::Result {
        if self.unknown > 0 && self.cases() == 0 {
            return writeln!(
                out,
                "{}: not known by this program, {} lines skipped",
                self.name, self.unknown
            );
        }
        write!(
            out,
            "{}: {} cases, {} passed, {} failed, {} differing by name",
            self.name,
            self.cases(),
            self.passed,
            self.failed.len(),
            self.differ
        )?;
        if self.not_supported() > 0 {
            write!(out, ", {} not supported", self.not_supported())?;
        }
        if self.unknown > 0 {
            write!(out, ", {} lines not known by this program", self.unknown)?;
        }
        writeln!(out)?;
        for (name, count) in &self.differing {
            writeln!(out, "    differs {count:>4}  {name}")?;
        }
        for (converter, count) in &self.not_supported {
            writeln!(out, "    not supported {count:>4}  {converter}")?;
        }
        Ok(())
    }
}

/// What a whole run found.
#[derive(Debug, Default)]
pub struct Report {
    files: Vec<FileReport>,
}

impl Report {
    pub(super) fn push(&mut self, file: FileReport) {
        self.files.push(file);
    }

    /// The files in the order they were run.
    #[must_use]
    pub fn files(&self) -> &[FileReport] {
        &self.files
    }

    /// Whether nothing failed and every converter was known.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.files
            .iter()
            .all(|file| file.failed.is_empty() && file.not_supported.is_empty())
    }

    /// The report as text; `verbose` adds want and got of every failure, and notes.
    #[must_use]
    pub fn text(&self, verbose: bool) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.print(verbose, &mut out);
        out
    }

    fn print(&self, verbose: bool, out: &mut String) -> fmt::Result {
        for file in &self.files {
            file.print(out)?;
        }
        let names: BTreeSet<&str> = self
            .files
            .iter()
            .flat_map(FileReport::differences)
            .collect();
        if !names.is_empty() {
            writeln!(out, "differences, each named by the code that makes it:")?;
        }
        for name in names {
            writeln!(out, "    {name}: {}", reason(name))?;
        }
        for failure in self.files.iter().flat_map(|file| &file.failed) {
            writeln!(out, "failed: {}", failure.id)?;
            if verbose {
                writeln!(out, "    want {}\n    got  {}", failure.want, failure.got)?;
            }
        }
        if verbose {
            for note in self.files.iter().flat_map(|file| &file.notes) {
                writeln!(out, "note: {note}")?;
            }
        }
        let sum = |count: fn(&FileReport) -> usize| self.files.iter().map(count).sum::<usize>();
        let not_supported = sum(FileReport::not_supported);
        if not_supported > 0 {
            writeln!(
                out,
                "{not_supported} not supported: no such converter under test"
            )?;
        }
        writeln!(
            out,
            "{} passed, {} failed, {} differ",
            sum(FileReport::passed),
            sum(|file| file.failed.len()),
            sum(FileReport::differ)
        )
    }
}

//! Recorded behaviour of a registry: transcripts, canonical texts, compatibility decisions.
//!
//! | kind | known by | one line is |
//! | --- | --- | --- |
//! | transcript | `scenario`, `step`, `method`, `path` | one request and its answer; a scenario starts on an empty registry |
//! | canonical text | `posted`, `type` | what is kept for a posted text, and under which looks it is found |
//! | compatibility | `level`, `old`, `new`, `type` | one decision, with the messages of a verbose check |
//!
//! # What counts
//!
//! Status, `Content-Type` and body, JSON with its members in order. Loosely: the message of plain 400 and 422 answers not
//! at all; the message of 42201 up to its first `details:`; texts in angle brackets stand for what no two registries have in
//! common; lists in the order of a hash map are sets, and of a page of one only the length counts; a schema asked for by
//! id alone may name any of its subjects.
//!
//! Without a URL our own registry answers, in the process and new for every scenario. With one, the registry there is asked,
//! over HTTP. For transcripts it must be empty, since ids count from 1: run one scenario at a time.

mod canonical;
mod compare;
mod compat;
mod peer;
mod transcript;

use std::collections::BTreeSet;

use ferroconnect_registry_client::server::Difference;
use serde_json::Value as Json;

use super::Verdict;
use peer::Peer;

/// Runs lines of registry vectors, in the order of their file.
#[derive(Debug, Default)]
pub(super) struct Runner {
    url: Option<String>,
    /// The registry of the scenario that runs.
    scenario: Option<(String, Peer)>,
}

impl Runner {
    /// Against the registry at a URL, or our own.
    pub(super) fn new(url: Option<&str>) -> Self {
        Self {
            url: url.map(str::to_owned),
            scenario: None,
        }
    }

    /// Whether a line is one of these vectors.
    pub(super) fn recognises(line: &Json) -> bool {
        transcript::recognises(line) || canonical::recognises(line) || compat::recognises(line)
    }

    /// The case's name in reports.
    pub(super) fn id(line: &Json) -> String {
        let text = |member: &str| line[member].as_str().unwrap_or("?");
        if transcript::recognises(line) {
            return format!("{}:{}", text("scenario"), line["step"]);
        }
        let level = line["level"].as_str().map(|level| format!(" {level}"));
        let policy = line["policy"].as_str().map(|policy| format!(" {policy}"));
        let (level, policy) = (level.unwrap_or_default(), policy.unwrap_or_default());
        format!("{} {}{level}{policy}", text("type"), text("name"))
    }

    pub(super) fn run(&mut self, line: &Json) -> Verdict {
        let new_peer = |config: &Json| Peer::new(self.url.as_deref(), config);
        if canonical::recognises(line) {
            return canonical::run(&mut new_peer(&Json::Null), line);
        }
        if compat::recognises(line) {
            return compat::run(&mut new_peer(&Json::Null), line);
        }
        let scenario = line["scenario"].as_str().unwrap_or_default();
        let is_same = self
            .scenario
            .as_ref()
            .is_some_and(|(name, _)| name == scenario);
        if !is_same || line["step"] == 1 {
            self.scenario = Some((scenario.to_owned(), new_peer(&line["server_config"])));
        }
        match &mut self.scenario {
            Some((_, peer)) => transcript::run(peer, line),
            None => failed(line, "no registry"),
        }
    }
}

/// The verdict on an answer that should have been another: deliberate only if the answer itself says so.
fn mismatch(want: &Json, got: &str, differs: impl IntoIterator<Item = Difference>) -> Verdict {
    let names: BTreeSet<_> = differs.into_iter().map(Difference::name).collect();
    if names.is_empty() {
        failed(want, got)
    } else {
        Verdict::Differs(names)
    }
}

fn failed(want: &Json, got: &str) -> Verdict {
    Verdict::Failed {
        want: want.to_string(),
        got: got.to_owned(),
    }
}

/// The reason of a difference of our registry by its name.
pub(super) fn reasons() -> impl Iterator<Item = (&'static str, &'static str)> {
    Difference::ALL
        .into_iter()
        .map(|one| (one.name(), one.reason()))
}

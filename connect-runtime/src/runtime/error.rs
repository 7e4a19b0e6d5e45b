use crate::config::Findings;
use crate::error::{Error, Fault};

/// Why nothing was started.
pub struct StartError {
    is_worker: bool,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Config(Findings),
    Start(Error),
}

impl StartError {
    pub(super) const fn config(findings: Findings, is_worker: bool) -> Self {
        Self {
            is_worker,
            cause: Cause::Config(findings),
        }
    }

    pub(super) const fn start(error: Error) -> Self {
        Self {
            is_worker: false,
            cause: Cause::Start(error),
        }
    }

    /// The exit code of `connect-standalone`: 2 when the worker's own configuration is wrong, 3 when a connector's is or when something
    /// does not start.
    pub fn exit_code(&self) -> u8 {
        match (&self.cause, self.is_worker) {
            (Cause::Config(_), true) => 2,
            (Cause::Config(_), false) | (Cause::Start(_), _) => 3,
        }
    }

    /// The fault.
    pub fn fault(&self) -> Fault {
        match &self.cause {
            Cause::Config(_) => Fault::Config,
            Cause::Start(error) => error.fault(),
        }
    }

    /// What else is odd: often the slip behind a problem.
    pub fn warnings(&self) -> Vec<String> {
        match &self.cause {
            Cause::Config(findings) => findings.warnings.iter().map(ToString::to_string).collect(),
            Cause::Start(_) => Vec::new(),
        }
    }

    /// The problems, one per line.
    pub fn lines(&self) -> Vec<String> {
        match &self.cause {
            Cause::Config(findings) => findings.problems.iter().map(ToString::to_string).collect(),
            Cause::Start(error) => vec![error.to_string()],
        }
    }
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

impl std::fmt::Debug for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for StartError {}

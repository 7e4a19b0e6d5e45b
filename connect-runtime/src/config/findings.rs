use std::fmt;

use super::providers::Secrets;
use super::{Problem, Problems};

/// A problem or a warning, with the file it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Where: a file name, or the name of a connector that was given by a program.
    pub place: String,
    /// What.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// Everything found in all files of one start: what is wrong, and what is only odd.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What prevents a start.
    pub problems: Vec<Finding>,
    /// What is probably not meant, but does not prevent anything.
    pub warnings: Vec<Finding>,
    /// What must not be shown of what is being looked at.
    secrets: Secrets,
}

impl Findings {
    /// Adds a problem of `place`.
    pub fn problem(&mut self, place: &str, text: impl fmt::Display) {
        self.problems.push(Finding {
            place: place.to_owned(),
            text: self.secrets.hide(&text.to_string()).into_owned(),
        });
    }

    /// From now on nothing of these values appears in what is found; replaces the ones before.
    pub fn hide(&mut self, secrets: Secrets) {
        self.secrets = secrets;
    }

    /// Adds a warning about `place`.
    pub fn warning(&mut self, place: &str, text: impl fmt::Display) {
        self.warnings.push(Finding {
            place: place.to_owned(),
            text: self.secrets.hide(&text.to_string()).into_owned(),
        });
    }

    /// Adds all problems of a parsed configuration.
    pub fn problems(&mut self, place: &str, problems: Problems) {
        for problem in problems {
            let problem = if self.secrets.has_key(problem.key()) {
                problem.without_value()
            } else {
                problem
            };
            self.problem(place, problem);
        }
    }

    /// Keeps the value, or notes the problems and gives nothing, so that checking can go on.
    pub fn keep<T>(&mut self, place: &str, result: Result<T, impl Into<Problems>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problems) => {
                self.problems(place, problems.into());
                None
            }
        }
    }

    /// Warns about keys that nobody knows, with the nearest known name.
    pub fn unknown_keys<'a>(
        &mut self,
        place: &str,
        unknown: impl Iterator<Item = &'a str>,
        known: &[&str],
    ) {
        for key in unknown {
            let near = super::suggest::nearest_key(key, known.iter().copied());
            let hint = near.map_or_else(String::new, |name| format!(" Did you mean '{name}'?"));
            self.warning(
                place,
                format_args!(
                    "The configuration '{key}' was supplied but isn't a known config.{hint}"
                ),
            );
        }
    }
}

/// One line per problem.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, problem) in self.problems.iter().enumerate() {
            if nth > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

impl From<Problem> for Findings {
    fn from(problem: Problem) -> Self {
        let mut findings = Self::default();
        findings.problem("configuration", problem);
        findings
    }
}

//! Saying a step, doing it, and what became of it.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command ends with.
pub(crate) type Outcome<T = ()> = Result<T, Trouble>;

/// Why a command failed, in words for the person at the terminal.
#[derive(Debug)]
pub(crate) struct Trouble(String);

impl Trouble {
    pub(crate) fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<ferroconnect_node::NodeError> for Trouble {
    fn from(error: ferroconnect_node::NodeError) -> Self {
        Self(error.to_string())
    }
}

/// Says what was tried when an input or output operation fails.
pub(crate) trait Trying<T> {
    fn trying(self, what: &str) -> Outcome<T>;
}

impl<T> Trying<T> for std::io::Result<T> {
    fn trying(self, what: &str) -> Outcome<T> {
        self.map_err(|error| Trouble::new(format!("cannot {what}: {error}")))
    }
}

/// Runs programs at the root of the repository, saying each one first.
pub(crate) struct Steps {
    root: PathBuf,
}

impl Steps {
    /// At the root of the repository that this program was built in.
    pub(crate) fn at_root() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: here.parent().unwrap_or(here).to_path_buf(),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where build output goes; the same place as cargo's.
    pub(crate) fn target(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => self.root.join(folder),
            None => self.root.join("target"),
        }
    }

    /// Says something that is about to be done without a program.
    pub(crate) fn say(&self, words: &str) {
        println!("==> {words}");
    }

    /// Runs a program to its end; its output goes straight to the terminal.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, program: &str, arguments: &[S]) -> Outcome {
        self.run_with(&[], program, arguments)
    }

    /// Runs a program with additional environment variables.
    pub(crate) fn run_with<S: AsRef<OsStr>>(
        &self,
        environment: &[(&str, &str)],
        program: &str,
        arguments: &[S],
    ) -> Outcome {
        let line = command_line(environment, program, arguments);
        self.say(&line);
        let mut command = self.command(program);
        command.args(arguments).envs(environment.iter().copied());
        let status = command.status().trying(&format!("run {program}"))?;
        if status.success() {
            return Ok(());
        }
        Err(Trouble::new(format!("`{line}` failed with {status}")))
    }

    /// What a program prints on its standard output; nothing when it fails or does not exist.
    pub(crate) fn ask(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program).args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    /// What a program prints on its standard output and its standard error, each by itself; said first.
    pub(crate) fn read(&self, program: &str, arguments: &[&str]) -> Outcome<(String, String)> {
        let line = command_line(&[], program, arguments);
        self.say(&line);
        let output = self.command(program).args(arguments).output();
        let output = output.trying(&format!("run {program}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, error) = (text(&output.stdout), text(&output.stderr));
        if output.status.success() {
            return Ok((out, error));
        }
        let status = output.status;
        Err(Trouble::new(format!(
            "`{line}` failed with {status}:\n{error}"
        )))
    }

    /// A program at the root, without what the running cargo and rustup left in the environment: a child
    /// cargo may be another version.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        for variable in [
            "CARGO",
            "RUSTC",
            "RUSTDOC",
            "RUSTUP_TOOLCHAIN",
            "RUST_RECURSION_COUNT",
        ] {
            command.env_remove(variable);
        }
        command
    }
}

/// A line that does the same in a shell at the root of the repository.
fn command_line<S: AsRef<OsStr>>(
    environment: &[(&str, &str)],
    program: &str,
    arguments: &[S],
) -> String {
    let quoted = |text: &str| match text.contains([' ', '*', '"']) {
        true => format!("'{text}'"),
        false => text.to_owned(),
    };
    let variables = environment
        .iter()
        .map(|(name, value)| format!("{name}={}", quoted(value)));
    let words = arguments
        .iter()
        .map(|word| quoted(&word.as_ref().to_string_lossy()));
    variables
        .chain([program.to_owned()])
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_can_be_typed() {
        let line = command_line(
            &[("RUSTDOCFLAGS", "-D warnings")],
            "cargo",
            &["doc", "--no-deps"],
        );
        assert_eq!(line, "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn a_failing_program_is_trouble_with_its_line() {
        let steps = Steps::at_root();
        let trouble = steps.run("false", &["x"]).unwrap_err().to_string();
        assert!(trouble.starts_with("`false x` failed with"), "{trouble}");
        let absent = steps
            .run::<&str>("no-such-program", &[])
            .unwrap_err()
            .to_string();
        assert!(absent.starts_with("cannot run no-such-program"), "{absent}");
        assert_eq!(steps.ask("no-such-program", &[]), None);
    }
}

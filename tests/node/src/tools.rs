//! Java and Maven: found, or installed where that is ours to do.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::error::{NodeError, Trying};

/// The `java` to run: of `JAVA_HOME`, or the first in the path. Installed when it is missing or too old.
pub(crate) fn java() -> Result<PathBuf, NodeError> {
    if let Some(java) = find_java() {
        return Ok(java);
    }
    let newest = apt_install("java (17 or later)", &["openjdk-17-jdk-headless"]);
    newest.or_else(|_| apt_install("java (17 or later)", &["default-jdk-headless"]))?;
    find_java().ok_or_else(|| NodeError::new("java 17 was installed, and `java` is still older"))
}

/// Fails unless `mvn` can be run; installs it when it is missing.
pub(crate) fn maven() -> Result<(), NodeError> {
    match output(Command::new("mvn").arg("--version")) {
        Some(_) => Ok(()),
        None => apt_install("mvn", &["maven"]),
    }
}

/// Says a step to the person at the terminal.
#[allow(
    clippy::print_stderr,
    reason = "fetching takes a while and is said as it happens; tests show it when they fail"
)]
pub(crate) fn say(words: &str) {
    eprintln!("==> {words}");
}

/// Runs a program to its end, saying it first.
pub(crate) fn run(command: &mut Command) -> Result<(), NodeError> {
    let line = line(command);
    say(&line);
    // Standard output may belong to somebody else's report.
    let status = command
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status();
    let status = status.trying(&format!("run `{line}`"))?;
    if status.success() {
        return Ok(());
    }
    Err(NodeError::new(format!("`{line}` failed with {status}")))
}

fn line(command: &Command) -> String {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn find_java() -> Option<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    home.into_iter()
        .chain([PathBuf::from("java")])
        .find(|java| {
            let said = output(Command::new(java).arg("-version"));
            said.and_then(|said| major(&said))
                .is_some_and(|major| major >= JAVA_MIN)
        })
}

/// The major number in what `java -version` says.
fn major(said: &str) -> Option<u32> {
    let (_, quoted) = said.split_once("version \"")?;
    let digits = quoted.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// What a program says on both streams; `None` when it fails or does not exist.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let both = [output.stdout, output.stderr].concat();
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&both).into_owned())
}

/// Installs Debian packages when this user may; otherwise the error says exactly what to install.
fn apt_install(missing: &str, packages: &[&str]) -> Result<(), NodeError> {
    let list = packages.join(" ");
    let root = output(Command::new("id").arg("-u")).is_some_and(|user| user.trim() == "0");
    let debian = output(Command::new("apt-get").arg("--version")).is_some();
    if !root || !debian {
        return Err(NodeError::new(format!(
            "`{missing}` is missing, and a Kafka node needs it: \
             `sudo apt-get install -y --no-install-recommends {list}`, or your system's package of the same"
        )));
    }
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    run(apt().args(["update"]))?;
    run(apt()
        .args(["install", "-y", "--no-install-recommends"])
        .args(packages))
}

/// Kafka 4's brokers are compiled for this version.
const JAVA_MIN: u32 = 17;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_version_texts_are_read() {
        assert_eq!(major("openjdk version \"17.0.15\" 2025-04-15"), Some(17));
        assert_eq!(
            major("Picked up x\nopenjdk version \"25\" 2025-09-16"),
            Some(25)
        );
        assert_eq!(major("java version \"1.8.0_402\""), Some(1));
        assert_eq!(major("command not found"), None);
    }

    #[test]
    fn a_program_that_fails_or_is_absent_says_its_line() {
        let failed = run(Command::new("false").arg("x")).unwrap_err().to_string();
        assert!(failed.starts_with("`false x` failed"), "{failed}");
        let absent = run(&mut Command::new("no-such-program")).unwrap_err();
        assert!(absent.to_string().contains("no-such-program"), "{absent}");
    }
}

//! One JVM as a child process that does not outlive us.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::clock;
use crate::error::{NodeError, Trying};

/// A running JVM; killed when dropped.
///
/// A watchdog holds the other end of a pipe of ours: when this process dies, in whatever way, the pipe closes
/// and the watchdog kills the JVM.
#[derive(Debug)]
pub(crate) struct Jvm {
    child: Child,
    watchdog: Option<Child>,
}

impl Jvm {
    /// Starts `command`; what it says is added to the file at `log`. When this process dies, `temporary` is
    /// removed with the JVM.
    pub(crate) fn start(
        command: &mut Command,
        log: &Path,
        temporary: Option<&Path>,
    ) -> Result<Self, NodeError> {
        let file = File::options().create(true).append(true).open(log);
        let file = file.trying("open the broker's log")?;
        let again = file.try_clone().trying("open the broker's log")?;
        // Groups of their own: Ctrl-C at the terminal is for us, and we stop the node.
        let child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(again)
            .process_group(0)
            .spawn()
            .trying("start java")?;
        let mut jvm = Self {
            child,
            watchdog: None,
        };
        let watchdog = Command::new("sh")
            .args(["-c", WATCH, "watchdog", &jvm.id().to_string()])
            .args(temporary)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        jvm.watchdog = Some(watchdog.trying("start the watchdog of the JVM")?);
        Ok(jvm)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, NodeError> {
        self.child.try_wait().trying("look after the JVM")
    }

    /// `kill -NAME`.
    pub(crate) fn signal(&self, name: &str) -> Result<(), NodeError> {
        send(name, self.id())
    }

    /// Waits for its end; `None` when it still runs after `at_most`.
    pub(crate) fn wait(&mut self, at_most: Duration) -> Result<Option<ExitStatus>, NodeError> {
        clock::wait(at_most, || self.ended())
    }

    /// Lets it live on without us.
    pub(crate) fn detach(mut self) -> u32 {
        self.dismiss_watchdog();
        let id = self.id();
        // Without its drop, which kills; the handle of a child holds nothing else.
        std::mem::forget(self);
        id
    }

    fn dismiss_watchdog(&mut self) {
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.kill();
            let _ = watchdog.wait();
        }
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        // The watchdog goes first: after the JVM is reaped its number may belong to another process. Both may
        // have ended already; then the calls do nothing.
        self.dismiss_watchdog();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal by the shell's own `kill`: there may be no program of that name.
pub(crate) fn send(name: &str, id: u32) -> Result<(), NodeError> {
    let status = Command::new("sh")
        .args(["-c", "kill -\"$0\" \"$1\"", name, &id.to_string()])
        .stderr(Stdio::null())
        .status()
        .trying("run sh")?;
    match status.success() {
        true => Ok(()),
        false => Err(NodeError::new(format!(
            "cannot send {name} to process {id}"
        ))),
    }
}

/// Ends by itself only when its standard input closes. A killed process may stay a zombie where nobody waits for
/// orphans, so looking after it has an end.
const WATCH: &str = "\
read -r never
kill -KILL \"$1\"
if [ -n \"$2\" ]; then
  looks=0
  while kill -0 \"$1\" && [ $looks -lt 20 ]; do sleep 0.1; looks=$((looks + 1)); done
  rm -rf \"$2\"
fi";

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper(folder: &Path) -> Jvm {
        Jvm::start(Command::new("sleep").arg("600"), &folder.join("log"), None).unwrap()
    }

    /// Whether a process of this id is there, one that has ended and was not waited for included.
    fn lives(id: u32) -> bool {
        send("0", id).is_ok()
    }

    #[test]
    fn dropped_it_is_killed_and_so_is_its_watchdog() {
        let folder = tempfile::tempdir().unwrap();
        let jvm = sleeper(folder.path());
        let ids = [jvm.id(), jvm.watchdog.as_ref().unwrap().id()];
        assert!(ids.into_iter().all(lives));
        drop(jvm);
        assert!(!ids.into_iter().any(lives));
    }

    #[test]
    fn what_was_temporary_goes_with_us() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("a folder");
        std::fs::create_dir(&temporary).unwrap();
        let log = folder.path().join("log");
        let mut command = Command::new("sleep");
        let mut jvm = Jvm::start(command.arg("600"), &log, Some(&temporary)).unwrap();
        drop(jvm.watchdog.as_mut().unwrap().stdin.take());
        jvm.wait(PATIENCE).unwrap().unwrap();
        let gone = || Ok::<_, NodeError>((!temporary.exists()).then_some(()));
        assert!(clock::wait(PATIENCE, gone).unwrap().is_some());
    }

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn it_dies_when_our_end_of_the_pipe_closes() {
        let folder = tempfile::tempdir().unwrap();
        let mut jvm = sleeper(folder.path());
        assert!(jvm.wait(Duration::ZERO).unwrap().is_none());
        // What the kernel does for a process that was killed.
        drop(jvm.watchdog.as_mut().unwrap().stdin.take());
        let ended = jvm.wait(PATIENCE).unwrap();
        assert!(!ended.unwrap().success());
    }

    #[test]
    fn detached_it_lives_on() {
        let folder = tempfile::tempdir().unwrap();
        let id = sleeper(folder.path()).detach();
        assert!(lives(id));
        send("KILL", id).unwrap();
    }

    #[test]
    fn a_signal_to_nobody_is_an_error() {
        let nobody = send("CONT", 4_194_305).unwrap_err().to_string();
        assert!(nobody.starts_with("cannot send CONT"), "{nobody}");
    }
}

//! The `ferroconnect` program as its users meet it: files in, lines on standard error, an exit code.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../../examples/own_connector.rs"]
#[expect(dead_code, unreachable_pub, reason = "its main is for the shell")]
mod own_connector;

mod kafka;
#[cfg(unix)]
mod registry;

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything here may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn worker(&self, more: &str) -> PathBuf {
        let log = self.path("log");
        let text = format!(
            "bootstrap.servers=embedded:{}\nkey.converter=org.apache.kafka.connect.storage.StringConverter\n\
             value.converter=org.apache.kafka.connect.storage.StringConverter\noffset.flush.interval.ms=200\n{more}",
            log.display()
        );
        self.write("worker.properties", text)
    }

    fn source(&self) -> PathBuf {
        let text = format!(
            "name=in\nconnector.class=FileStreamSource\nfile={}\ntopic=lines\n",
            self.path("in.txt").display()
        );
        self.write("in.properties", text)
    }

    fn sink(&self) -> PathBuf {
        let text = format!(
            "name=out\nconnector.class=FileStreamSink\nfile={}\ntopics=lines\n",
            self.path("out.txt").display()
        );
        self.write("out.properties", text)
    }
}

fn command(arguments: &[&Path]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferroconnect"));
    command
        .arg("standalone")
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

/// Runs to the end; for starts that fail.
fn refused(arguments: &[&Path]) -> (i32, String) {
    let mut child = command(arguments)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let code = wait(&mut child);
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    for unwanted in ["panicked", "stack backtrace", "RUST_BACKTRACE"] {
        assert!(!text.contains(unwanted), "{text}");
    }
    (code, text)
}

fn wait(child: &mut Child) -> i32 {
    let deadline = now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        if now() > deadline {
            child.kill().unwrap();
            panic!("the program did not end");
        }
        pause();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test stands outside of the program and waits for it"
)]
fn now() -> Instant {
    Instant::now()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test stands outside of the program and waits for it"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}

fn until(what: &str, mut is_done: impl FnMut() -> bool) {
    let deadline = now() + PATIENCE;
    while !is_done() {
        assert!(now() < deadline, "waited in vain for {what}");
        pause();
    }
}

fn lines_of(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| {
        bytes.iter().filter(|byte| **byte == b'\n').count()
    })
}

/// Sends SIGTERM and gives what the program said.
fn terminate(child: Child) -> (i32, String) {
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    (
        status.code().unwrap_or(-1),
        String::from_utf8(stderr).unwrap(),
    )
}

#[test]
fn records_flow_from_file_to_file_and_sigterm_stops_in_order() {
    let bench = Bench::new();
    let text: String = (0..5_000).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "Zeile {n} mit Umlaut ä und \u{1f600}");
        text
    });
    bench.write("in.txt", &text);
    let out = bench.path("out.txt");
    let start = || {
        command(&[&bench.worker(""), &bench.source(), &bench.sink()])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let child = start();
    until("all lines", || lines_of(&out) == 5_000);
    let (code, said) = terminate(child);
    assert_eq!(code, 0, "{said}");
    for part in [
        "state",
        "in (FileStreamSource)",
        "Stopped.",
        "in-0: 5,000 records read, 5,000 written",
        "out-0: 5,000 records read, 5,000 delivered",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    // The next start goes on where this one stopped: nothing twice, nothing lost.
    let mut more = text;
    more.push_str("one more\n");
    bench.write("in.txt", &more);
    let child = start();
    until("the line that was added", || lines_of(&out) > 5_000);
    assert_eq!(terminate(child).0, 0);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), more);
}

/// With --log-format json every line of standard error is one object, and what a task says names connector and task.
#[test]
fn a_log_for_programs_is_one_json_object_per_line() {
    let bench = Bench::new();
    let child = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
        .args([
            "--log-format",
            "json",
            "--log-level",
            "warn,ferroconnect_runtime=debug,ferroconnect=info",
        ])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The source waits for its file, and says so.
    until("the sink's file", || bench.path("out.txt").exists());
    bench.write("in.txt", "a line\n");
    until("the line", || lines_of(&bench.path("out.txt")) == 1);
    let (code, said) = terminate(child);
    assert_eq!(code, 0, "{said}");
    let objects: Vec<serde_json::Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    for object in &objects {
        for member in ["timestamp", "level", "logger", "message"] {
            assert!(object[member].is_string(), "{member} of {object}");
        }
    }
    let of_task = |connector: &str| {
        objects
            .iter()
            .any(|object| object["connector"] == connector && object["task"] == 0)
    };
    assert!(of_task("in") && of_task("out"), "{said}");

    let (code, said) = {
        let output = command(&[&bench.worker("")])
            .args(["--log-level", "info,=x=y"])
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(code, Some(1));
    assert!(said.contains("--log-level info,=x=y"), "{said}");
}

#[test]
fn a_kill_in_the_middle_loses_and_reorders_nothing() {
    let bench = Bench::new();
    let count = 60_000;
    let text: String = (0..count).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "{n:08}");
        text
    });
    bench.write("in.txt", &text);
    let out = bench.path("out.txt");
    for kill_at in [1, 9_000, 25_000] {
        let mut child = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("some lines", || lines_of(&out) >= kill_at);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let child = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let last = format!("{:08}\n", count - 1);
    until("the last line", || {
        std::fs::read_to_string(&out).is_ok_and(|text| text.ends_with(&last))
    });
    assert_eq!(terminate(child).0, 0);
    let written = std::fs::read_to_string(&out).unwrap();
    let mut next = 0;
    for line in written.lines() {
        let n: u64 = line
            .parse()
            .unwrap_or_else(|_| panic!("half a line: {line}"));
        assert!(n <= next, "{next} is missing before {n}");
        next = next.max(n + 1);
    }
    assert_eq!(next, count);
}

/// One batch of these lines would be 100 MB if batches were counted in lines alone; the worker holds a few MB of them at a time, and
/// does not take huge pages for them.
#[cfg(target_os = "linux")]
#[test]
fn long_lines_need_no_more_memory_than_short_ones() {
    const PEAK_KB_MAX: u64 = 80 << 10;
    let bench = Bench::new();
    let lines = 1_000;
    let line = "x".repeat(100_000) + "\n";
    bench.write("in.txt", line.repeat(lines));
    let out = bench.path("out.txt");
    let child = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = u64::try_from(line.len() * lines).unwrap();
    until("all bytes", || {
        std::fs::metadata(&out).is_ok_and(|out| out.len() == bytes)
    });
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let peak_kb = field("VmHWM:").unwrap();
    assert!(peak_kb < PEAK_KB_MAX, "{peak_kb} kB");
    // Kernels before 5.0 do not tell.
    assert_eq!(field("THP_enabled:").unwrap_or(0), 0);
    assert_eq!(terminate(child).0, 0);
}

#[test]
fn wrong_use_is_exit_code_1_and_help_is_0() {
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_ferroconnect"))
            .args(arguments)
            .output()
            .unwrap()
    };
    for arguments in [&["standalone"][..], &["unknown"], &[]] {
        assert_eq!(run(arguments).status.code(), Some(1), "{arguments:?}");
    }
    let help = run(&["standalone", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("bootstrap.servers=embedded:"));
}

#[test]
fn all_problems_of_all_files_come_together() {
    let bench = Bench::new();
    let worker = bench.write(
        "worker.properties",
        "bootstrap.servers=localhost\noffset.flush.interval.ms=soon\nvalue.converter=JsonConvertr\n",
    );
    let one = bench.write(
        "one.properties",
        "name=one\nconnector.class=FileStreamSorce\n",
    );
    let two = bench.write("two.json", r#"{"name":"two","connector.class":"FileStreamSink","tasks.max":0,"errors.tolerance":"some"}"#);
    let missing = bench.path("missing.properties");
    let nameless = bench.write("nameless.properties", "connector.class=FileStreamSink\n");
    let (code, text) = refused(&[&worker, &one, &two, &missing, &nameless]);
    assert_eq!(code, 2, "{text}");
    for part in [
        "worker.properties: Invalid value localhost for configuration bootstrap.servers: Invalid url in bootstrap.servers: localhost",
        "worker.properties: Missing required configuration \"offset.storage.file.filename\"",
        "worker.properties: Invalid value soon for configuration offset.flush.interval.ms: Not a number of type LONG",
        "worker.properties: Missing required configuration \"key.converter\"",
        "worker.properties: Invalid value JsonConvertr for configuration value.converter: Failed to find any class",
        "Did you mean org.apache.kafka.connect.file.FileStreamSourceConnector?",
        "two.json: Invalid value 0 for configuration tasks.max: Value must be at least 1",
        "two.json: Invalid value some for configuration errors.tolerance: String must be one of: none, all",
        "missing.properties: does not exist",
        "is missing the mandatory 'name' configuration",
        "nothing was started",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_connector_that_is_wrong_is_exit_code_3_and_names_nearest_classes() {
    let bench = Bench::new();
    let wrong = bench.write("wrong.properties", "name=c\nconnector.class=no.Such\n");
    let (code, text) = refused(&[&bench.worker(""), &wrong]);
    assert_eq!(code, 3);
    assert!(
        text.contains(
            "Failed to find any class that implements Connector and which name matches no.Such."
        ),
        "{text}"
    );
    assert!(
        text.contains("Available are: org.apache.kafka.connect.file.FileStreamSourceConnector"),
        "{text}"
    );
}

#[test]
fn a_secret_in_a_wrong_file_is_not_shown() {
    let bench = Bench::new();
    let worker = bench
        .worker("ssl.keystore.password=hunter2\nvalue.converter.basic.auth.password=hunter2\n");
    let connector = bench.write(
        "c.properties",
        "name=c\nconnector.class=FileStreamSink\ntransforms=x\ndb.password=hunter2\n",
    );
    let (code, text) = refused(&[&worker, &connector]);
    assert_eq!(code, 3);
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("transforms are not supported yet"), "{text}");
}

#[test]
fn an_input_that_can_never_be_read_is_one_clear_error() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("in.txt")).unwrap();
    let (code, text) = refused(&[&bench.worker(""), &bench.source()]);
    assert_eq!(code, 3);
    assert!(text.contains("it is a folder"), "{text}");
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("Error"))
            .count(),
        1,
        "{text}"
    );
}

#[test]
fn a_folder_that_another_process_owns_is_a_clear_error() {
    let bench = Bench::new();
    bench.write("in.txt", "a\n");
    let mut owner = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the first record", || lines_of(&bench.path("out.txt")) == 1);
    let (code, text) = refused(&[&bench.worker(""), &bench.source()]);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(code, 3);
    assert!(text.contains(bench.path("log").to_str().unwrap()), "{text}");
}

#[test]
fn a_full_disk_is_one_clear_error_and_exit_code_4() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let bench = Bench::new();
    bench.write("in.txt", "a\nb\n");
    let sink = bench.write(
        "out.properties",
        "name=out\nconnector.class=FileStreamSink\nfile=/dev/full\ntopics=lines\n",
    );
    let said = bench.path("said.txt");
    let stderr = std::fs::File::create(&said).unwrap();
    let child = command(&[&bench.worker(""), &bench.source(), &sink])
        .stderr(stderr)
        .spawn()
        .unwrap();
    let read = || std::fs::read_to_string(&said).unwrap();
    until("the failure", || read().contains("FAILED"));
    let (code, said) = (terminate(child).0, read());
    assert_eq!(code, 4, "{said}");
    assert!(
        said.contains("cannot write file /dev/full: the disk is full"),
        "{said}"
    );
    assert!(!said.contains("panicked"), "{said}");
    // Nothing is lost: the same records arrive once there is room.
    let out = bench.path("out.txt");
    let child = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("both lines", || lines_of(&out) == 2);
    assert_eq!(terminate(child).0, 0);
}

#[test]
fn checking_starts_nothing() {
    let bench = Bench::new();
    let output = command(&[&bench.worker(""), &bench.source(), &bench.sink()])
        .arg("--check")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!bench.path("log").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_an_own_connector_runs_and_resumes() {
    let bench = Bench::new();
    let folder = bench.path("own");
    for _ in 0..2 {
        own_connector::run(folder.to_str().unwrap()).await.unwrap();
    }
    let expected: String = (1..=20).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "number {n}");
        text
    });
    assert_eq!(
        std::fs::read_to_string(folder.join("numbers.txt")).unwrap(),
        expected
    );
}

#[test]
fn a_slip_in_a_key_is_shown_beside_the_problem_it_causes() {
    let bench = Bench::new();
    let sink = bench.write(
        "out.properties",
        "name=out\nconnector.class=FileStreamSink\ntopcis=lines\n",
    );
    let (code, text) = refused(&[&bench.worker(""), &sink]);
    assert_eq!(code, 3);
    assert!(
        text.contains("Error: ") && text.contains("Must configure one of topics or topics.regex"),
        "{text}"
    );
    assert!(text.contains("Did you mean 'topics'?"), "{text}");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let bench = Bench::new();
    let source = bench.write(
        "in.properties",
        "name=in\nconnector.class=FileStreamSource\ntopic=lines\n",
    );
    let sink = bench.write(
        "out.properties",
        "name=out\nconnector.class=FileStreamSink\ntopics=lines\n",
    );
    let printed = bench.path("printed.txt");
    let mut child = command(&[&bench.worker(""), &source, &sink])
        .stdin(Stdio::piped())
        .stdout(std::fs::File::create(&printed).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"one\ntwo\n").unwrap();
    until("both lines", || lines_of(&printed) == 2);
    // The input stays open: the stop must not wait for it.
    assert_eq!(terminate(child).0, 0);
    assert_eq!(std::fs::read_to_string(&printed).unwrap(), "one\ntwo\n");
}

//! The program on a Kafka cluster, there or not.

use std::fmt::Write as _;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{Bench, command, lines_of, now, refused, terminate, until, wait};

/// A worker on a Kafka cluster, with its offset file in the folder of the test.
fn kafka_worker(bench: &Bench, bootstrap: &str) -> PathBuf {
    let text = format!(
        "bootstrap.servers={bootstrap}\nkey.converter=StringConverter\nvalue.converter=StringConverter\n\
         offset.flush.interval.ms=200\noffset.storage.file.filename={}\n",
        bench.path("connect.offsets").display()
    );
    bench.write("worker.properties", text)
}

/// A port of this machine that nobody listens on.
fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Reads standard error of a running program until a line holds the text.
fn until_said(child: &mut Child, wanted: &str) -> std::io::BufReader<std::process::ChildStderr> {
    use std::io::BufRead as _;
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert!(
            said.read_line(&mut line).unwrap() > 0,
            "ended without: {wanted}"
        );
    }
    said
}

#[test]
fn a_cluster_that_is_away_is_named_with_the_reason_and_a_signal_ends_the_wait() {
    let bench = Bench::new();
    let bootstrap = format!("127.0.0.1:{}", closed_port());
    let begin = now();
    let mut child = command(&[&kafka_worker(&bench, &bootstrap), &bench.source()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = until_said(
        &mut child,
        &format!("the Kafka cluster at {bootstrap} cannot be reached"),
    );
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "within seconds, even on a busy machine"
    );
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(wait(&mut child), 0);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert!(
        rest.contains("SIGTERM: stopped before everything had started."),
        "{rest}"
    );
}

/// What is wrong on this machine is told at once, whether the cluster is there or not.
#[test]
fn a_damaged_offset_file_is_exit_code_3_and_stays_as_it_is() {
    let bench = Bench::new();
    let worker = kafka_worker(&bench, "127.0.0.1:1");
    let file = bench.write("connect.offsets", "position=1\n");
    let (code, text) = refused(&[&worker, &bench.source()]);
    assert_eq!(code, 3, "{text}");
    assert!(
        text.contains("connect.offsets is damaged or something else: at byte 0"),
        "{text}"
    );
    assert_eq!(std::fs::read(file).unwrap(), b"position=1\n");
}

#[test]
fn placeholders_are_replaced_from_the_environment_and_what_they_bring_is_not_shown() {
    let bench = Bench::new();
    let worker = bench.worker("config.providers=env\nconfig.providers.env.class=EnvVar\n");
    let out = bench.path("out.txt");
    bench.write("in.txt", "a line\n");
    let sink = bench.write(
        "out.properties",
        "name=out\nconnector.class=FileStreamSink\nfile=${env:SINK_FILE}\ntopics=lines\n",
    );
    let child = command(&[&worker, &bench.source(), &sink])
        .env("SINK_FILE", &out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the line", || lines_of(&out) == 1);
    let (code, said) = terminate(child);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("${env:SINK_FILE}"), "{said}");
    assert!(!said.contains("out.txt"), "{said}");
}

/// The cluster comes after the worker: a port opens, and behind it is the shared node.
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_worker_that_waited_starts_when_the_cluster_comes_and_keeps_offsets_in_kafkas_file() {
    let node = std::env::var("FERROCONNECT_KAFKA").unwrap();
    let bench = Bench::new();
    let topic = format!("program-{}-{}", std::process::id(), closed_port());
    let port = closed_port();
    let text: String = (0..2_000).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "line {n}");
        text
    });
    bench.write("in.txt", &text);
    let out = bench.path("out.txt");
    let source = bench.write(
        "in.properties",
        format!(
            "name=in-{topic}\nconnector.class=FileStreamSource\nfile={}\ntopic={topic}\n\
             topic.creation.default.partitions=1\ntopic.creation.default.replication.factor=1\n",
            bench.path("in.txt").display()
        ),
    );
    let sink = bench.write(
        "out.properties",
        format!(
            "name=out-{topic}\nconnector.class=FileStreamSink\nfile={}\ntopics={topic}\nconsumer.override.auto.offset.reset=earliest\n",
            out.display()
        ),
    );
    let worker = kafka_worker(&bench, &format!("127.0.0.1:{port}"));
    let mut child = command(&[&worker, &source, &sink])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = until_said(&mut child, "cannot be reached");
    let listener = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || forward(&listener, &node));
    let reader = std::thread::spawn(move || {
        let mut rest = String::new();
        let _ = said.read_to_string(&mut rest);
        rest
    });
    until("all lines", || lines_of(&out) == 2_000);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let code = wait(&mut child);
    let rest = reader.join().unwrap();
    assert_eq!(code, 0, "{rest}");
    assert!(rest.contains("source offsets in"), "{rest}");
    let file = std::fs::read(bench.path("connect.offsets")).unwrap();
    let entries = ferroconnect_runtime::store::offsets::java_map::read(&file).unwrap();
    let position = format!(r#"{{"position":{}}}"#, text.len());
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].1.as_deref(), Some(position.as_bytes()));

    // The next start goes on from there: nothing twice.
    bench.write("in.txt", format!("{text}one more\n"));
    let worker = kafka_worker(&bench, &std::env::var("FERROCONNECT_KAFKA").unwrap());
    let child = command(&[&worker, &source, &sink])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the line that was added", || lines_of(&out) > 2_000);
    let (code, said) = terminate(child);
    assert_eq!(code, 0, "{said}");
    assert_eq!(
        std::fs::read_to_string(&out).unwrap(),
        format!("{text}one more\n")
    );
}

/// Passes every connection on, until the test process ends.
fn forward(listener: &std::net::TcpListener, to: &str) {
    for incoming in listener.incoming() {
        let (Ok(incoming), Ok(outgoing)) = (incoming, std::net::TcpStream::connect(to)) else {
            return;
        };
        let pairs = [
            (incoming.try_clone().unwrap(), outgoing.try_clone().unwrap()),
            (outgoing, incoming),
        ];
        for (mut from, mut to) in pairs {
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        }
    }
}

#[test]
fn the_example_for_kafka_is_good() {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/kafka");
    let output = command(&[
        &examples.join("worker.properties"),
        &examples.join("connectors/file-source.properties"),
        &examples.join("connectors/file-sink.json"),
    ])
    .arg("--check")
    .current_dir(examples.join("../.."))
    .output()
    .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(
        said.trim(),
        "The configuration is good.",
        "without a warning"
    );
}

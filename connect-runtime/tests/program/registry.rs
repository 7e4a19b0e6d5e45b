//! `ferroconnect registry`: what it answers survives its sudden end; what is wrong is said.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{PATIENCE, wait};

struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(data: &Path) -> Self {
        let mut child = registry(data, "127.0.0.1:0").spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines
                .next()
                .expect("the program says where it listens")
                .unwrap();
            if let Some(url) = line.trim().strip_prefix("url     http://") {
                break url.to_owned();
            }
        };
        // Somebody must read on, or a full pipe stops the program.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// Status and body, or nothing if the connection ends first.
    fn ask(&self, method: &str, target: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let length = body.len();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    }
}

fn registry(data: &Path, listen: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferroconnect"));
    command
        .args(["registry", "--listen", listen, "--data"])
        .arg(data)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn refusal(mut command: Command) -> (i32, String) {
    let mut child = command.spawn().unwrap();
    let code = wait(&mut child);
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    (code, text)
}

/// Schemas are registered until the program is killed in the middle of it, again and again in the same folder.
#[test]
fn every_acknowledged_schema_survives_kill_9() {
    const SEED: u64 = 0x5eed_0005;
    println!("seed {SEED:#x}");
    let mut chance = SEED;
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<(usize, String)> = Vec::new();
    for round in 0..3usize {
        let mut running = Running::start(folder.path());
        for (n, answer) in &acknowledged {
            let target = format!("/subjects/s{n}/versions/1");
            let (status, body) = running.ask("GET", &target, "").unwrap();
            assert_eq!(status, 200, "schema {n} of round {round} is lost: {body}");
            let id = answer.split(',').next().unwrap().trim_start_matches('{');
            assert!(
                body.contains(&format!("{id},")),
                "{body} instead of {answer}"
            );
        }
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let survivors = 20 + usize::try_from(chance >> 59).unwrap();
        let first = acknowledged.len() + round;
        let kill_at = first + survivors;
        let pid = running.child.id();
        for n in first.. {
            let schema = format!(
                r#"{{\"type\":\"fixed\",\"name\":\"F{n}\",\"size\":{}}}"#,
                n + 1
            );
            let body = format!(r#"{{"schema":"{schema}"}}"#);
            let target = format!("/subjects/s{n}/versions");
            if n == kill_at {
                // The signal and the request race on purpose.
                let kill = std::thread::spawn(move || {
                    Command::new("kill")
                        .args(["-9", &pid.to_string()])
                        .status()
                        .unwrap()
                });
                if let Some((200, answer)) = running.ask("POST", &target, &body) {
                    acknowledged.push((n, answer));
                }
                kill.join().unwrap();
                break;
            }
            let (status, answer) = running.ask("POST", &target, &body).unwrap();
            assert_eq!(status, 200, "{answer}");
            acknowledged.push((n, answer));
        }
        assert_eq!(wait(&mut running.child), -1, "killed by a signal");
    }
    assert!(acknowledged.len() >= 60);
}

#[test]
fn a_second_registry_on_the_folder_or_the_port_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(folder.path());
    let (code, text) = refusal(registry(folder.path(), "127.0.0.1:0"));
    assert_eq!(code, 3);
    assert!(
        text.contains("another process uses the registry in"),
        "{text}"
    );

    let other = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, text) = refusal(registry(other.path(), &address));
    assert_eq!(code, 3);
    assert!(text.contains("another program listens there"), "{text}");
    assert!(!text.contains("panicked"), "{text}");

    let pid = running.child.id().to_string();
    Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert_eq!(wait(&mut running.child), 0, "SIGTERM ends it in order");
}

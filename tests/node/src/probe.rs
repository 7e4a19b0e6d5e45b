//! Whether somebody at an address really speaks Kafka.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Whether a plaintext listener at `address` (`host:port`) answers an ApiVersions request within a second.
pub fn answers(address: &str) -> bool {
    let Ok(mut addresses) = address.to_socket_addrs() else {
        return false;
    };
    addresses.any(|address| ask(address).is_ok_and(|answer| is_good(&answer)))
}

fn ask(address: SocketAddr) -> std::io::Result<[u8; ANSWER_BYTES]> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&REQUEST)?;
    let mut answer = [0; ANSWER_BYTES];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

/// Our correlation id, and no error.
fn is_good(answer: &[u8; ANSWER_BYTES]) -> bool {
    answer[4..] == [0, 0, 0, CORRELATION, 0, 0]
}

/// ApiVersions version 0 without a client id: length, API 18, version, correlation id, null.
const REQUEST: [u8; 14] = [0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, CORRELATION, 255, 255];

const CORRELATION: u8 = 7;

/// Length, correlation id, error code; the list of versions after it is not read.
const ANSWER_BYTES: usize = 10;

const PATIENCE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_an_answer_without_error_counts() {
        assert!(is_good(&[0, 0, 1, 2, 0, 0, 0, 7, 0, 0]));
        assert!(!is_good(&[0, 0, 1, 2, 0, 0, 0, 8, 0, 0]), "not our request");
        assert!(!is_good(&[0, 0, 1, 2, 0, 0, 0, 7, 0, 35]), "an error");
    }

    #[test]
    fn a_listener_that_hangs_up_does_not_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = std::thread::spawn(move || drop(listener.accept().unwrap()));
        assert!(!answers(&address));
        server.join().unwrap();
        assert!(!answers("no such host"));
    }
}

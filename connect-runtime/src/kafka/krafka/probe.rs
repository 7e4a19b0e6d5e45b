//! What a listener speaks, asked with a request that a broker answers before any login. Only asked when connecting fails in a way that a
//! wrong `security.protocol` explains.

use std::time::Duration;

use krafka::auth::TlsConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::raw;

/// What a listener gave away.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// It answers with TLS.
    Tls,
    /// It speaks Kafka over TLS.
    Secured {
        /// The mechanisms it has; empty if it wants no login.
        mechanisms: Vec<String>,
    },
    /// It speaks Kafka in the clear.
    Clear {
        /// The mechanisms it has; empty if it wants no login.
        mechanisms: Vec<String>,
    },
}

/// Asks `server` (`host:port`), in the clear and then as `tls` says; `None` if it says nothing that can be understood within `limit`,
/// once or twice.
pub(super) async fn ask(server: &str, tls: Option<&TlsConfig>, limit: Duration) -> Option<Heard> {
    let limit = limit.min(LIMIT);
    let heard = ask_in_the_clear(server, limit).await;
    match (&heard, tls) {
        (None | Some(Heard::Tls), Some(tls)) => {
            let mechanisms = raw::login_mechanisms(server, tls, limit).await?;
            Some(Heard::Secured { mechanisms })
        }
        (_, _) => heard,
    }
}

async fn ask_in_the_clear(server: &str, limit: Duration) -> Option<Heard> {
    let asked = async {
        let mut stream = TcpStream::connect(server).await.ok()?;
        stream.write_all(&sasl_handshake()).await.ok()?;
        let mut answer = Vec::new();
        let mut part = [0; 512];
        loop {
            if let Some(heard) = understand(&answer) {
                return Some(heard);
            }
            match stream.read(&mut part).await {
                Ok(count) if count > 0 && answer.len() < ANSWER_BYTES_MAX => {
                    answer.extend_from_slice(part.get(..count)?);
                }
                Ok(_) | Err(_) => return None,
            }
        }
    };
    tokio::time::timeout(limit, asked).await.ok()?
}

/// `SaslHandshake`, version 1, for a mechanism that nobody has: the answer lists those of the listener, or says that there is no login.
fn sasl_handshake() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(SASL_HANDSHAKE.to_be_bytes());
    body.extend(1_i16.to_be_bytes());
    body.extend(CORRELATION.to_be_bytes());
    // No client id, and the mechanism's name.
    body.extend((-1_i16).to_be_bytes());
    body.extend([0, 1, b'?']);
    let length = u32::try_from(body.len()).unwrap_or(0);
    [length.to_be_bytes().as_slice(), &body].concat()
}

/// What the bytes so far say; `None` if more are needed, or if they say nothing.
fn understand(answer: &[u8]) -> Option<Heard> {
    // A record of TLS: an alert or a handshake, version 3.x.
    if let [0x15 | 0x16, 3, ..] = answer {
        return Some(Heard::Tls);
    }
    let (length, rest) = answer.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let body = rest.get(..length)?;
    let (correlation, body) = body.split_first_chunk::<4>()?;
    let (code, body) = body.split_first_chunk::<2>()?;
    if i32::from_be_bytes(*correlation) != CORRELATION {
        return None;
    }
    match i16::from_be_bytes(*code) {
        UNSUPPORTED_SASL_MECHANISM => Some(Heard::Clear {
            mechanisms: mechanisms(body)?,
        }),
        // No login is expected here, so this request is out of place.
        ILLEGAL_SASL_STATE => Some(Heard::Clear {
            mechanisms: Vec::new(),
        }),
        _ => None,
    }
}

fn mechanisms(body: &[u8]) -> Option<Vec<String>> {
    let (count, mut rest) = body.split_first_chunk::<4>()?;
    let mut names = Vec::new();
    for _ in 0..u32::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (name, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        names.push(String::from_utf8_lossy(name).into_owned());
        rest = after;
    }
    Some(names)
}

const SASL_HANDSHAKE: i16 = 17;
const CORRELATION: i32 = 0x6665_7272;
const UNSUPPORTED_SASL_MECHANISM: i16 = 33;
const ILLEGAL_SASL_STATE: i16 = 34;
/// An answer has some tens of bytes.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// A broker answers such a request at once.
const LIMIT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: i16, rest: &[u8]) -> Vec<u8> {
        let correlation = CORRELATION.to_be_bytes();
        let body = [correlation.as_slice(), &code.to_be_bytes(), rest].concat();
        [
            u32::try_from(body.len()).unwrap().to_be_bytes().as_slice(),
            &body,
        ]
        .concat()
    }

    #[test]
    fn answers_are_understood() {
        assert_eq!(understand(b"\x15\x03\x03\0\x02\x02\x50"), Some(Heard::Tls));
        let names = b"\0\0\0\x02\0\x05PLAIN\0\x01X";
        let login = answer(33, names);
        let heard = Heard::Clear {
            mechanisms: vec!["PLAIN".to_owned(), "X".to_owned()],
        };
        assert_eq!(understand(&login), Some(heard));
        let open = Heard::Clear {
            mechanisms: Vec::new(),
        };
        assert_eq!(understand(&answer(34, b"\0\0\0\0")), Some(open));
    }

    #[test]
    fn what_is_cut_short_or_something_else_says_nothing() {
        let whole = answer(33, b"\0\0\0\x01\0\x05PLAIN");
        for length in 0..whole.len() {
            assert_eq!(understand(&whole[..length]), None, "{length}");
        }
        assert_eq!(understand(&answer(33, b"\xff\xff\xff\xff")), None);
        assert_eq!(understand(b"HTTP/1.1 400 Bad Request\r\n\r\n"), None);
        assert_eq!(understand(&answer(0, b"")), None);
    }
}

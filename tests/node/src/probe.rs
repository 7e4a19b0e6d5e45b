//! Questions to a broker's plaintext listener, independent of any client that is being tested.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::clock;

/// Whether the broker at `address` (`host:port`) answers an ApiVersions request within a second.
pub fn answers(address: &str) -> bool {
    let answer = Request::new(API_VERSIONS, 0).send(address, PROBE_PATIENCE);
    answer.is_ok_and(|mut answer| answer.int16() == Some(0))
}

/// One more than the offset of the last record of a partition, records of unfinished transactions included
/// (ListOffsets, version 1). A partition that is just being opened is waited for, at most ten seconds.
///
/// # Errors
/// When the broker does not answer, or answers with an error such as an unknown topic.
pub fn end_offset(address: &str, topic: &str, partition: i32) -> Result<i64> {
    let mut last = None;
    let end = clock::wait(PATIENCE, || match list_end(address, topic, partition)? {
        (Some(0), Some(offset)) => Ok(Some(offset)),
        (code @ Some(LEADER_NOT_AVAILABLE | NOT_LEADER), _) => {
            last = code;
            Ok(None)
        }
        (code, _) => Err(refused(&format!("end of {topic}-{partition}"), code)),
    })?;
    end.ok_or_else(|| refused(&format!("end of {topic}-{partition}"), last))
}

/// Error code and offset.
fn list_end(address: &str, topic: &str, partition: i32) -> Result<(Option<i16>, Option<i64>)> {
    let mut request = Request::new(LIST_OFFSETS, 1);
    request.int32(-1).int32(1).text(topic);
    request.int32(1).int32(partition).int64(LATEST);
    let mut answer = request.send(address, PATIENCE)?;
    // One topic, its name, one partition, its number.
    answer.int32();
    answer.text();
    answer.int32();
    answer.int32();
    let code = answer.int16();
    answer.int64();
    Ok((code, answer.int64()))
}

/// Creates a topic with one replica (CreateTopics, version 2) and waits until its partitions are there; one that
/// exists is left as it is.
///
/// # Errors
/// When the broker does not answer or refuses.
pub fn create_topic(address: &str, topic: &str, partitions: i32) -> Result<()> {
    let mut request = Request::new(CREATE_TOPICS, 2);
    request.int32(1).text(topic).int32(partitions).int16(1);
    // No assignments, no configs.
    request.int32(0).int32(0);
    request.int32(CREATE_TIMEOUT_MS).int8(0);
    let mut answer = request.send(address, PATIENCE)?;
    // Throttle time, one topic, its name.
    answer.int32();
    answer.int32();
    answer.text();
    match answer.int16() {
        Some(0 | TOPIC_ALREADY_EXISTS) => {}
        code => return Err(refused(&format!("create {topic}"), code)),
    }
    for partition in 0..partitions {
        let there = clock::wait(PATIENCE, || {
            let (code, _) = list_end(address, topic, partition)?;
            Ok::<_, Error>((code == Some(0)).then_some(()))
        })?;
        there.ok_or_else(|| Error::other(format!("{topic}-{partition} does not come up")))?;
    }
    Ok(())
}

fn refused(what: &str, code: Option<i16>) -> Error {
    let code = code.map_or_else(
        || "an answer cut short".to_owned(),
        |code| format!("error {code}"),
    );
    Error::other(format!("{what}: the broker answered with {code}"))
}

/// A request with the header of version 1, being written.
struct Request(Vec<u8>);

impl Request {
    fn new(api: i16, version: i16) -> Self {
        let mut request = Self(Vec::new());
        request.int16(api).int16(version).int32(CORRELATION);
        // No client id.
        request.int16(-1);
        request
    }

    fn int8(&mut self, number: i8) -> &mut Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn int16(&mut self, number: i16) -> &mut Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn int32(&mut self, number: i32) -> &mut Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn int64(&mut self, number: i64) -> &mut Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    /// Names of topics are short by Kafka's rules.
    fn text(&mut self, text: &str) -> &mut Self {
        self.int16(i16::try_from(text.len()).unwrap_or(i16::MAX));
        self.0.extend(text.as_bytes());
        self
    }

    fn send(&self, address: &str, patience: Duration) -> Result<Answer> {
        let mut last = Error::new(ErrorKind::NotFound, format!("{address} has no address"));
        for address in address.to_socket_addrs()? {
            let stream = TcpStream::connect_timeout(&address, patience);
            match stream.and_then(|stream| self.exchange(stream, patience)) {
                Ok(answer) => return Ok(answer),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn exchange(&self, mut stream: TcpStream, patience: Duration) -> Result<Answer> {
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        let length = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        stream.write_all(&[&length.to_be_bytes()[..], &self.0].concat())?;
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let length = u64::from(u32::from_be_bytes(length)).min(ANSWER_BYTES_MAX);
        let mut bytes = Vec::new();
        stream.take(length).read_to_end(&mut bytes)?;
        let mut answer = Answer { bytes, at: 0 };
        match answer.int32() {
            Some(CORRELATION) => Ok(answer),
            _ => Err(Error::new(
                ErrorKind::InvalidData,
                "not an answer to our request",
            )),
        }
    }
}

/// An answer after its header, being read; nothing comes from beyond its end.
struct Answer {
    bytes: Vec<u8>,
    at: usize,
}

impl Answer {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let part = self.bytes.get(self.at..self.at + N)?;
        self.at += N;
        part.try_into().ok()
    }

    fn int16(&mut self) -> Option<i16> {
        self.take().map(i16::from_be_bytes)
    }

    fn int32(&mut self) -> Option<i32> {
        self.take().map(i32::from_be_bytes)
    }

    fn int64(&mut self) -> Option<i64> {
        self.take().map(i64::from_be_bytes)
    }

    /// Passes over a text.
    fn text(&mut self) {
        let length = self.int16().and_then(|length| usize::try_from(length).ok());
        self.at += length.unwrap_or(0);
    }
}

const LIST_OFFSETS: i16 = 2;
const API_VERSIONS: i16 = 18;
const CREATE_TOPICS: i16 = 19;

/// The timestamp that stands for the end.
const LATEST: i64 = -1;

const LEADER_NOT_AVAILABLE: i16 = 5;
const NOT_LEADER: i16 = 6;
const TOPIC_ALREADY_EXISTS: i16 = 36;

const CORRELATION: i32 = 7;

/// Answers to these questions are short; a longer one is cut.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

const CREATE_TIMEOUT_MS: i32 = 10_000;

/// Waiting for a broker asks again anyway.
const PROBE_PATIENCE: Duration = Duration::from_secs(1);

const PATIENCE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use super::*;

    /// Answers one request with these bytes and hangs up; gives the request.
    fn broker(answer: &'static [u8]) -> (String, JoinHandle<Vec<u8>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut length = [0; 4];
            stream.read_exact(&mut length).unwrap();
            let mut request = vec![0; u32::from_be_bytes(length) as usize];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(answer).unwrap();
            request
        });
        (address, thread)
    }

    #[test]
    fn only_an_answer_to_our_request_without_error_counts() {
        let answered = |bytes| {
            let (address, thread) = broker(bytes);
            let answered = answers(&address);
            let request = thread.join().unwrap();
            assert_eq!(request, [0, 18, 0, 0, 0, 0, 0, 7, 255, 255]);
            answered
        };
        assert!(answered(&[0, 0, 0, 6, 0, 0, 0, 7, 0, 0]));
        assert!(!answered(&[0, 0, 0, 6, 0, 0, 0, 8, 0, 0]), "another's");
        assert!(!answered(&[0, 0, 0, 6, 0, 0, 0, 7, 0, 35]), "an error");
        assert!(!answered(&[0, 0, 0, 6, 0, 0]), "cut short");
        assert!(!answered(&[]));
        assert!(!answers("no such host"));
    }

    #[test]
    fn the_end_of_a_partition_is_read_and_an_error_is_named() {
        let (address, thread) = broker(
            b"\0\0\0\x27\0\0\0\x07\0\0\0\x01\0\x01t\0\0\0\x01\0\0\0\x02\0\0\
              \xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\x01\0",
        );
        assert_eq!(end_offset(&address, "t", 2).unwrap(), 256);
        let request = thread.join().unwrap();
        assert!(request.ends_with(b"\0\x01t\0\0\0\x01\0\0\0\x02\xff\xff\xff\xff\xff\xff\xff\xff"));

        let (address, _) = broker(
            b"\0\0\0\x27\0\0\0\x07\0\0\0\x01\0\x01t\0\0\0\x01\0\0\0\x02\0\x03\
              \xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        );
        let error = end_offset(&address, "t", 2).unwrap_err().to_string();
        assert_eq!(error, "end of t-2: the broker answered with error 3");
    }

    #[test]
    fn a_topic_that_exists_is_fine_and_a_refusal_is_not() {
        let (address, _) = broker(b"\0\0\0\x11\0\0\0\x07\0\0\0\0\0\0\0\x01\0\x01t\0\x24");
        create_topic(&address, "t", 0).unwrap();
        let (address, _) = broker(b"\0\0\0\x11\0\0\0\x07\0\0\0\0\0\0\0\x01\0\x01t\0\x11");
        assert!(create_topic(&address, "t", 1).is_err());
    }
}

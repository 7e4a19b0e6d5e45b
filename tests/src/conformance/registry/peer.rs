//! The registry under test: our own in the process, or one behind a URL.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use ferroconnect_converters::avro::AvroFormat;
use ferroconnect_converters::json_schema::JsonSchemaFormat;
use ferroconnect_converters::protobuf::ProtobufFormat;
use ferroconnect_registry_client::server::{
    Difference, Languages, Moment, Options, Request, Server,
};
use serde_json::Value as Json;

#[derive(Debug)]
pub(super) enum Peer {
    Own {
        server: Box<Server>,
        asked: u64,
    },
    /// Host and port.
    Remote(String),
}

/// A request of a vector.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub(super) method: &'a str,
    pub(super) target: &'a str,
    /// Names in lower case.
    pub(super) headers: Vec<(&'a str, &'a str)>,
    pub(super) body: Vec<u8>,
}

/// An answer.
#[derive(Debug, Default)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) allow: Option<String>,
    pub(super) body: Vec<u8>,
    pub(super) differs: Option<Difference>,
}

impl Peer {
    /// `config` holds keys of Confluent's server, for our own registry.
    pub(super) fn new(url: Option<&str>, config: &Json) -> Self {
        if let Some(url) = url {
            let host = url.trim_start_matches("http://").trim_end_matches('/');
            return Self::Remote(host.to_owned());
        }
        let pairs = config.as_object().into_iter().flatten();
        let pairs = pairs.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
        let languages = Languages::built(&[
            Arc::new(AvroFormat),
            Arc::new(JsonSchemaFormat),
            Arc::new(ProtobufFormat),
        ]);
        Self::Own {
            server: Box::new(Server::new(Options::from_pairs(pairs), languages)),
            asked: 0,
        }
    }

    /// A request with a JSON body, or none for null.
    pub(super) fn json(&mut self, method: &str, target: &str, body: &Json) -> Got {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.send(&Ask {
            method,
            target,
            headers: vec![("content-type", CONTENT_TYPE), ("accept", "*/*")],
            body: body.into_bytes(),
        })
    }

    pub(super) fn send(&mut self, ask: &Ask<'_>) -> Got {
        match self {
            Self::Own { server, asked } => {
                *asked += 1;
                let moment = Moment {
                    now: 1_700_000_000_000,
                    seed: u128::from(*asked),
                };
                let request = Request::new(ask.method, ask.target)
                    .with_headers(&ask.headers)
                    .with_body(&ask.body);
                let (response, _) = server.handle(&request, moment);
                let mut headers = response.headers.into_iter();
                Got {
                    status: response.status,
                    content_type: response.content_type.map(str::to_owned),
                    allow: headers
                        .find(|(name, _)| *name == "allow")
                        .map(|(_, value)| value),
                    body: response.body.to_vec(),
                    differs: response.differs,
                }
            }
            Self::Remote(host) => over_http(host, ask).unwrap_or_else(|error| Got {
                body: format!("no answer: {error}").into_bytes(),
                ..Got::default()
            }),
        }
    }
}

/// One exchange over a connection of its own.
fn over_http(host: &str, ask: &Ask<'_>) -> std::io::Result<Got> {
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(LONGEST_WAIT))?;
    let mut head = format!(
        "{} {} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n",
        ask.method, ask.target
    );
    for (name, value) in &ask.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", ask.body.len()));
    stream.write_all(head.as_bytes())?;
    stream.write_all(&ask.body)?;
    let mut raw = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut raw)?;
    parse(&raw).ok_or_else(|| std::io::Error::other("this is not HTTP"))
}

fn parse(raw: &[u8]) -> Option<Got> {
    let end = raw.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&raw[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |name: &str| {
        let mut pairs = head
            .split("\r\n")
            .skip(1)
            .filter_map(|line| line.split_once(':'));
        let found = pairs.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().to_owned())
    };
    let body = raw[end + 4..].to_vec();
    let is_chunked = header("transfer-encoding").is_some_and(|value| value.contains("chunked"));
    Some(Got {
        status,
        content_type: header("content-type"),
        allow: header("allow"),
        body: if is_chunked { joined(&body)? } else { body },
        differs: None,
    })
}

/// A body that came in chunks.
fn joined(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[end + 2..];
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

/// What requests with a body say it is, unless the vector says otherwise.
pub(super) const CONTENT_TYPE: &str = "application/vnd.schemaregistry.v1+json";

/// How long an answer may take.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How long an answer may be, in bytes.
const MOST_BYTES: u64 = 64 << 20;

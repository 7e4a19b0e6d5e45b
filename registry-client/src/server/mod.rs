//! The registry itself: one pure state machine that speaks the REST protocol of Confluent Schema Registry 8.5.
//!
//! ```text
//!   request, moment  ->  Server  ->  response, records for the journal
//! ```
//!
//! It opens no socket, reads no clock and writes no file. Whoever owns it gives the time and a seed, keeps the records
//! before the response goes out, and folds them over an empty registry at the next start.
//!
//! ```
//! use ferroconnect_registry_client::server::{Languages, Moment, Options, Request, Server};
//!
//! let mut server = Server::new(Options::default(), Languages::verbatim());
//! let body = br#"{"schema":"\"string\""}"#;
//! let post = Request::new("POST", "/subjects/orders-value/versions").with_body(body);
//! let (response, records) = server.handle(&post, Moment { now: 0, seed: 0 });
//! assert_eq!((response.status, records.len()), (200, 1));
//!
//! let again = Server::replay(Options::default(), Languages::verbatim(), &records);
//! let get = Request::new("GET", "/schemas/ids/1/schema");
//! assert_eq!(again.read(&get).map(|response| response.body), Some("\"string\"".into()));
//! ```

mod associate;
mod content;
mod delete;
mod differs;
mod find;
mod host;
pub mod http;
#[cfg(feature = "http")]
mod in_process;
mod journal;
mod language;
mod level;
mod names;
mod options;
mod posted;
mod refusal;
mod register;
mod resolved;
mod rest;
mod state;
mod tags;
#[cfg(test)]
mod tests;
mod view;

use bytes::Bytes;

pub use differs::Difference;
pub use host::{Delivery, Host, OwnedRequest};
#[cfg(feature = "http")]
pub use in_process::InProcess;
pub use journal::{BadRecord, Record};
pub use language::{Language, Languages};
pub use options::Options;

use language::Notes;
use rest::{Handler, Route};
use state::State;
use view::{View, Work};

/// A request, without its connection.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// Path and query as they came, percent-encoded.
    pub target: &'a str,
    /// Names in lower case, and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; empty without one.
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    /// A request without headers and body.
    pub const fn new(method: &'a str, target: &'a str) -> Self {
        Self {
            method,
            target,
            headers: &[],
            body: &[],
        }
    }

    /// The same request with a body.
    #[must_use]
    pub const fn with_body(self, body: &'a [u8]) -> Self {
        Self { body, ..self }
    }

    /// The same request with these headers; their names are in lower case.
    #[must_use]
    pub const fn with_headers(self, headers: &'a [(&'a str, &'a str)]) -> Self {
        Self { headers, ..self }
    }

    /// The first header of a name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&'a str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }
}

/// An answer, without its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The type of the body, where it is said.
    pub content_type: Option<&'static str>,
    /// Other headers, their names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Bytes,
    /// Where the answer is deliberately not the recorded server's.
    pub differs: Option<Difference>,
}

/// What a request cannot know by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub now: i64,
    /// A number that nobody guesses: random names of associations come from it.
    pub seed: u128,
}

/// A registry.
#[derive(Clone, Debug)]
pub struct Server {
    state: State,
    languages: Languages,
    options: Options,
}

impl Server {
    /// An empty registry.
    pub fn new(options: Options, languages: Languages) -> Self {
        Self {
            state: State::default(),
            languages,
            options,
        }
    }

    /// The registry that wrote these records.
    pub fn replay<'r>(
        options: Options,
        languages: Languages,
        records: impl IntoIterator<Item = &'r Record>,
    ) -> Self {
        let mut server = Self::new(options, languages);
        records.into_iter().for_each(|record| server.apply(record));
        server
    }

    /// Applies one more record of a journal.
    pub fn apply(&mut self, record: &Record) {
        self.state.apply(record);
    }

    /// Answers a request that changes nothing; `None` means that it may, so it is for [`Self::handle`].
    pub fn read(&self, request: &Request<'_>) -> Option<Response> {
        match rest::route(request, self.options.max_body_bytes) {
            Route::Call(Handler::Read(read), call, media) => {
                let notes = Notes::default();
                let answer = read(self.view(&notes), &call);
                Some(rest::response(request, media, answer, notes.get()))
            }
            Route::Call(Handler::ReadOrWrite(read, _), call, media) => {
                let notes = Notes::default();
                let answer = read(self.view(&notes), &call)?;
                Some(rest::response(request, media, answer, notes.get()))
            }
            Route::Call(Handler::Write(_), ..) => None,
            Route::Refused(refusal, media) => {
                Some(rest::response(request, media, Err(refusal), None))
            }
            Route::Methods(response) => Some(response),
        }
    }

    /// Answers a request. The records say what changed; they must be kept before the response is sent.
    pub fn handle(&mut self, request: &Request<'_>, moment: Moment) -> (Response, Vec<Record>) {
        let (write, call, media) = match rest::route(request, self.options.max_body_bytes) {
            Route::Call(Handler::Write(write) | Handler::ReadOrWrite(_, write), call, media) => {
                (write, call, media)
            }
            Route::Call(Handler::Read(read), call, media) => {
                let notes = Notes::default();
                let answer = read(self.view(&notes), &call);
                let response = rest::response(request, media, answer, notes.get());
                return (response, Vec::new());
            }
            Route::Refused(refusal, media) => {
                let response = rest::response(request, media, Err(refusal), None);
                return (response, Vec::new());
            }
            Route::Methods(response) => return (response, Vec::new()),
        };
        let notes = Notes::default();
        let mut work = Work {
            state: &mut self.state,
            languages: &self.languages,
            options: &self.options,
            notes: &notes,
            moment,
            records: Vec::new(),
        };
        let answer = write(&mut work, &call);
        let records = work.records;
        let response = rest::response(request, media, answer, notes.get());
        (response, records)
    }

    fn view<'a>(&'a self, notes: &'a Notes) -> View<'a> {
        View {
            state: &self.state,
            languages: &self.languages,
            options: &self.options,
            notes,
        }
    }
}

/// Registries are equal when they know the same.
impl PartialEq for Server {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

//! The REST protocol: from a request to a handler, from what it says to a response.

mod associations;
mod body;
mod compatibility;
mod config;
mod contexts;
mod forms;
mod mode;
mod negotiate;
mod path;
mod route;
mod schemas;
mod subjects;
mod versions;
mod write;

use bytes::Bytes;

pub(crate) use route::{Handler, Route, route};

use self::body::Members;
use self::path::Query;
use super::Difference;
use super::refusal::{Refusal, Shape};
use super::view::{View, Work};
use super::{Request, Response};
use write::Object;

/// A request that found its handler.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The parts of the path that vary, in order.
    pub(crate) parameters: Vec<String>,
    pub(crate) query: Query,
    pub(crate) body: &'a [u8],
}

impl Call<'_> {
    /// A part of the path.
    fn parameter(&self, at: usize) -> &str {
        self.parameters.get(at).map_or("", String::as_str)
    }

    /// What `read` makes of the object in the body.
    fn read<T>(&self, read: impl FnOnce(Members<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let object = body::object(self.body)?;
        read(Members(&object))
    }

    /// The part of a list that was asked for.
    fn page<T>(&self, items: Vec<T>) -> Result<Vec<T>, Refusal> {
        let (offset, limit) = (self.query.number("offset")?, self.query.number("limit")?);
        let Ok(offset) = usize::try_from(offset.unwrap_or(0)) else {
            let refusal = Refusal::plain(422, "The offset of a list must not be negative");
            return Err(refusal.differing(Difference::NegativeOffset));
        };
        let limit = limit.filter(|limit| *limit > 0);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        let rest = items.into_iter().skip(offset);
        Ok(rest.take(limit.unwrap_or(usize::MAX)).collect())
    }
}

/// What a handler says.
pub(crate) type Answer = Result<Reply, Refusal>;

/// A good answer.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    /// Without one there is no `Content-Type` either.
    body: Option<String>,
}

impl Reply {
    fn ok(body: impl Into<String>) -> Self {
        Self {
            status: 200,
            body: Some(body.into()),
        }
    }

    const fn nothing() -> Self {
        Self {
            status: 204,
            body: None,
        }
    }

    /// Parts of a batch, good and bad.
    fn parts(body: String) -> Self {
        Self {
            status: 207,
            body: Some(body),
        }
    }
}

/// The response to what a handler said; `media` is the type that was agreed on.
pub(crate) fn response(
    request: &Request<'_>,
    media: &'static str,
    answer: Answer,
    noted: Option<Difference>,
) -> Response {
    let mut response = match answer {
        Ok(Reply { status, body }) => Response {
            status,
            content_type: body.as_ref().map(|_| media),
            headers: Vec::new(),
            body: body.map(Bytes::from).unwrap_or_default(),
            differs: noted,
        },
        Err(refusal) => Response {
            differs: refusal.differs.or(noted),
            ..refused(media, &refusal)
        },
    };
    if request.method == "HEAD" {
        response.body = Bytes::new();
    }
    response
}

/// A refusal as a response.
pub(crate) fn refused(media: &'static str, refusal: &Refusal) -> Response {
    let json = || {
        let object = Object::new().number("error_code", refusal.code);
        Bytes::from(object.text("message", &refusal.message).end())
    };
    let (content_type, body) = match refusal.shape {
        Shape::Negotiated => (Some(media), json()),
        Shape::Bare => (None, json()),
        Shape::Json => (Some("application/json"), json()),
        Shape::Page => (Some("text/html;charset=iso-8859-1"), page(&refusal.message)),
    };
    Response {
        status: refusal.status,
        content_type,
        headers: Vec::new(),
        body,
        differs: refusal.differs,
    }
}

fn page(title: &str) -> Bytes {
    Bytes::from(format!(
        "<html>\n<head><title>{title}</title></head>\n<body><h2>HTTP {title}</h2></body>\n</html>\n"
    ))
}

/// Runs a handler that only reads.
pub(crate) type Read = fn(View<'_>, &Call<'_>) -> Answer;

/// Runs a handler that reads, and says nothing where something must be written.
pub(crate) type ReadIfKnown = fn(View<'_>, &Call<'_>) -> Option<Answer>;

/// Runs a handler that may write.
pub(crate) type Write = fn(&mut Work<'_>, &Call<'_>) -> Answer;

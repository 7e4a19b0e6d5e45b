//! The listener: HTTP/1.1 on a port, in front of a [`Host`].

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request as HttpRequest, Response as HttpResponse, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tracing::debug;

use super::host::{Delivery, Host, OwnedRequest};
use super::refusal::{Refusal, Shape};
use super::{Response, rest};

/// What a listener allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time; more wait to be accepted.
    pub connections: usize,
    /// Longest body, in bytes; a longer one is refused with 413.
    pub body_bytes: usize,
    /// Longest head of a request, in bytes.
    pub head_bytes: usize,
    /// How long the head of a request may take; also how long a connection may be idle.
    pub head_wait: Duration,
    /// How long a body may take.
    pub body_wait: Duration,
    /// How long requests in progress may take once the listener stops.
    pub stop_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            body_bytes: 10 << 20,
            head_bytes: 64 << 10,
            head_wait: Duration::from_secs(60),
            body_wait: Duration::from_secs(30),
            stop_wait: Duration::from_secs(5),
        }
    }
}

/// A registry on a port. It serves until it is stopped or dropped.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Listener {
    /// Listens at an address, for example `127.0.0.1:8081`; port 0 takes a free one.
    ///
    /// # Errors
    /// The address is not ours, or somebody else listens there.
    pub async fn bind(address: &str, host: Arc<dyn Host>, limits: Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let accepting = tokio::spawn(accept(listener, host, limits, stopped));
        Ok(Self {
            address,
            stop,
            accepting,
        })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, finishes the requests in progress and ends. What takes longer than
    /// [`Limits::stop_wait`] is cut.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        let _ = (&mut self.accepting).await;
    }
}

impl Listener {
    /// Cuts every connection and frees the port: what a killed process looks like from outside.
    #[cfg(feature = "testing")]
    pub async fn kill(mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    host: Arc<dyn Host>,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        let taken = tokio::select! {
            () = told(&mut stopped) => break,
            taken = next(&listener, &places) => taken,
        };
        let Some((stream, place)) = taken else {
            // Out of descriptors, most likely: they come back when connections end.
            tokio::time::sleep(PAUSE_AFTER_TROUBLE).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        let (host, stopped) = (Arc::clone(&host), stopped.clone());
        connections.spawn(async move {
            serve(stream, host, limits, stopped).await;
            drop(place);
        });
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.stop_wait, finished).await.is_err() {
        connections.shutdown().await;
    }
}

/// Waits until the listener is to stop, or is gone.
async fn told(stopped: &mut watch::Receiver<bool>) {
    // The guard of the value must not live into the caller's next wait.
    let _ = stopped.wait_for(|stop| *stop).await.map(|_| ());
}

async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            debug!(%error, "a connection was not accepted");
            None
        }
    }
}

async fn serve(
    stream: TcpStream,
    host: Arc<dyn Host>,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) {
    // Answers are small and whole: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| exchange(Arc::clone(&host), request, limits));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_wait)
        .max_buf_size(limits.head_bytes.max(SMALLEST_BUFFER))
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        debug!(%error, "a connection ended early");
    }
}

/// One request and its answer; the error cuts the connection.
async fn exchange(
    host: Arc<dyn Host>,
    request: HttpRequest<Incoming>,
    limits: Limits,
) -> Result<HttpResponse<Full<Bytes>>, Severed> {
    let (head, body) = request.into_parts();
    let body = match timeout(
        limits.body_wait,
        Limited::new(body, limits.body_bytes).collect(),
    )
    .await
    {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!(
                "Request body is too large: more than {} bytes",
                limits.body_bytes
            );
            return Ok(closing(written(refused(413, message))));
        }
        Ok(Err(_)) => return Err(Severed),
        Err(_) => {
            return Ok(closing(written(refused(
                408,
                "The body did not come in time".into(),
            ))));
        }
    };
    let target = head
        .uri
        .path_and_query()
        .map_or("/", |target| target.as_str());
    let headers = head.headers.iter();
    let headers = headers.filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    });
    let request = OwnedRequest {
        method: head.method.as_str().to_owned(),
        target: target.to_owned(),
        headers: headers.collect(),
        body,
    };
    match host.answer(request).await {
        Delivery::Answer(response) => Ok(written(response)),
        Delivery::Cut => Err(Severed),
    }
}

/// A refusal that the registry never sees.
fn refused(status: u16, message: String) -> Response {
    rest::refused(
        "application/json",
        &Refusal::plain(status, message).shaped(Shape::Json),
    )
}

fn written(response: Response) -> HttpResponse<Full<Bytes>> {
    let status = StatusCode::from_u16(response.status);
    let mut written = HttpResponse::new(Full::new(response.body));
    *written.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Some(media) = response.content_type {
        let media = HeaderValue::from_static(media);
        written.headers_mut().insert(CONTENT_TYPE, media);
    }
    for (name, value) in response.headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            let name = HeaderName::from_static(name);
            written.headers_mut().insert(name, value);
        }
    }
    written
}

/// After a body that was not read to its end, nothing else can come on the connection.
fn closing(mut response: HttpResponse<Full<Bytes>>) -> HttpResponse<Full<Bytes>> {
    let close = HeaderValue::from_static("close");
    response
        .headers_mut()
        .insert(hyper::header::CONNECTION, close);
    response
}

/// The connection is to be cut.
#[derive(Debug)]
struct Severed;

impl std::fmt::Display for Severed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        "the connection is cut".fmt(f)
    }
}

impl std::error::Error for Severed {}

/// The least that the HTTP library takes for its buffer, in bytes.
const SMALLEST_BUFFER: usize = 8192;

/// How long to wait after a connection could not be accepted.
const PAUSE_AFTER_TROUBLE: Duration = Duration::from_millis(50);

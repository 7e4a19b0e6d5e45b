//! [`Transport`] over HTTP/1.1 and TLS.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::config::{Address, Auth, ClientConfig, TokenSource};
use super::tls;
use super::transport::{Method, Request, Response, Transport, TransportError};
use crate::Error;

/// Connections to the nodes of a registry; all transports made from one share them.
#[derive(Clone, Debug)]
pub struct HttpConnector {
    client: reqwest::Client,
    answer_bytes_max: usize,
}

/// The way to one node.
#[derive(Clone, Debug)]
pub struct HttpTransport {
    connector: HttpConnector,
    url: String,
    node: String,
}

/// Idle connections are closed before the registry does it (Jetty: 30 s), so that a question seldom meets a closed one.
const IDLE: Duration = Duration::from_secs(20);

impl HttpTransport {
    /// What connections have in common. Key stores are read here.
    ///
    /// # Errors
    /// [`Fault::Config`](crate::Fault::Config): a key store that cannot be read, or a proxy that is none.
    pub fn connector(config: &ClientConfig) -> Result<HttpConnector, Error> {
        let tls = tls::rustls_config(&config.tls, uses_tls(config))?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .http1_only()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .pool_idle_timeout(IDLE);
        // As in Java, no time at all means without end; the question's deadline is there all the same.
        if !config.timeouts.connect.is_zero() {
            builder = builder.connect_timeout(config.timeouts.connect);
        }
        if !config.timeouts.read.is_zero() {
            builder = builder.read_timeout(config.timeouts.read);
        }
        if let Some(proxy) = &config.proxy {
            let url = format!("http://{}:{}", proxy.host, proxy.port);
            let proxy = reqwest::Proxy::all(url)
                .map_err(|_| Error::misconfigured("proxy.host is no host; check it"))?;
            builder = builder.proxy(proxy);
        }
        let client = builder.build().map_err(|error| {
            Error::misconfigured(format!("no HTTP client can be made: {}", deepest(&error)))
        })?;
        Ok(HttpConnector {
            client,
            answer_bytes_max: config.answer_bytes_max,
        })
    }
}

impl HttpConnector {
    /// The way to the node with this URL (without user part, without a slash at the end).
    ///
    /// # Errors
    /// [`Fault::Config`](crate::Fault::Config): it is no URL.
    pub fn to(&self, url: &str) -> Result<HttpTransport, Error> {
        let node = url.split_once("://").map_or(url, |(_, rest)| rest);
        if let Err(error) = reqwest::Url::parse(url) {
            return Err(Error::misconfigured(format!(
                "{node} is no address ({error}); check schema.registry.url"
            )));
        }
        Ok(HttpTransport {
            connector: self.clone(),
            url: url.to_owned(),
            node: node.to_owned(),
        })
    }
}

fn uses_tls(config: &ClientConfig) -> bool {
    let is_https = |url: &str| url.to_ascii_lowercase().starts_with("https://");
    let nodes = match &config.address {
        Address::Http(nodes) => nodes.iter().any(|node| is_https(&node.url)),
        Address::Embedded(_) | Address::Mock(_) => false,
    };
    let issuer = match &config.auth {
        Auth::None | Auth::Url | Auth::Basic(_) => false,
        Auth::Bearer(bearer) => match &bearer.token {
            TokenSource::Static(_) => false,
            TokenSource::ClientCredentials(credentials) => is_https(&credentials.endpoint),
        },
    };
    nodes || issuer
}

#[async_trait::async_trait]
impl Transport for HttpTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let url = format!("{}{}", self.url, request.target);
        let headers = header_map(&request.headers)?;
        let mut builder = self.connector.client.request(method, url).headers(headers);
        if !request.body.is_empty() {
            builder = builder.body(request.body);
        }
        let mut response = builder.send().await.map_err(|error| classify(&error))?;
        let max = self.connector.answer_bytes_max;
        let body = whole_body(&mut response, max).await?;
        Ok(Response {
            status: response.status().as_u16(),
            headers: texts(response.headers()),
            body,
        })
    }

    fn node(&self) -> &str {
        &self.node
    }
}

async fn whole_body(response: &mut reqwest::Response, max: usize) -> Result<Bytes, TransportError> {
    let announced = response
        .content_length()
        .and_then(|length| usize::try_from(length).ok());
    if announced.is_some_and(|length| length > max) {
        return Err(TransportError::TooLarge(max));
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| classify(&error))? {
        if body.len() + chunk.len() > max {
            return Err(TransportError::TooLarge(max));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, TransportError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let parsed = HeaderName::try_from(name)
            .ok()
            .zip(HeaderValue::from_bytes(value.as_bytes()).ok());
        let Some((key, mut value)) = parsed else {
            return Err(TransportError::Untrusted(format!(
                "the header {name} cannot be sent; check its value for control characters"
            )));
        };
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let pairs = headers.iter();
    pairs
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect()
}

/// Decided by the values inside the error; its text is only shown.
fn classify(error: &reqwest::Error) -> TransportError {
    match find_tls(error).and_then(|tls| Some((tls, advice(tls)?))) {
        Some((tls, advice)) => TransportError::Untrusted(format!("{tls}; {advice}")),
        None => broken(error),
    }
}

/// What an operator must change; nothing for trouble that may pass.
fn advice(error: &rustls::Error) -> Option<&'static str> {
    use rustls::CertificateError::{NotValidForName, NotValidForNameContext};
    use rustls::Error::{AlertReceived, InvalidCertificate, InvalidMessage, PeerIncompatible};
    if let InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) = error {
        return Some(
            "the certificate is for another host name; use the name it is for in schema.registry.url",
        );
    }
    if let InvalidCertificate(_) = error {
        return Some("set schema.registry.ssl.truststore.location to a store with its authority");
    }
    if let AlertReceived(_) = error {
        return Some(
            "the registry does not take the client's certificate, or wants one: check schema.registry.ssl.keystore.*",
        );
    }
    if let PeerIncompatible(_) = error {
        return Some(
            "it has neither TLS 1.2 nor TLS 1.3 with a cipher of today; enable them there",
        );
    }
    // Something else than TLS answers.
    matches!(error, InvalidMessage(_))
        .then_some("it speaks no TLS; use http:// in schema.registry.url, or another port")
}

fn broken(error: &reqwest::Error) -> TransportError {
    let what = if error.is_timeout() && error.is_connect() {
        "no connection within http.connect.timeout.ms".to_owned()
    } else if error.is_timeout() {
        "no answer within http.read.timeout.ms".to_owned()
    } else if error.is_connect() {
        format!("no connection: {}", deepest(error))
    } else {
        format!("the connection broke: {}", deepest(error))
    };
    TransportError::Broken(what)
}

/// The causes of an error, the outermost first. An I/O error hides one, which is brought out.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let this = next?;
        let hidden = this
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|inner| inner as &(dyn StdError + 'static));
        next = hidden.or_else(|| this.source());
        Some(this)
    })
}

fn find_tls<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// What began it all. The outer errors repeat it, and name the URL.
fn deepest(error: &(dyn StdError + 'static)) -> String {
    causes(error)
        .last()
        .map_or_else(String::new, ToString::to_string)
}

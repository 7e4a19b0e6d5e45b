//! A server of a few lines that does what a test wants, right or wrong.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ferroconnect_registry_client::client::{ClientConfig, RegistryClient};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Conduct {
    /// Sends these bytes and closes.
    Send(Vec<u8>),
    /// Sends these bytes, then nothing more.
    SendAndHang(Vec<u8>),
    /// Closes without a word.
    Close,
}

/// An answer as it goes over the wire.
pub(crate) fn json(status: u16, body: &str) -> Conduct {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    Conduct::Send(format!("{head}{body}").into_bytes())
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Without TLS.
    pub(crate) fn plain(conduct: Conduct) -> Self {
        Self::start(conduct, None)
    }

    /// With TLS, as this server's identity says.
    pub(crate) fn tls(conduct: Conduct, tls: Arc<ServerConfig>) -> Self {
        Self::start(conduct, Some(tls))
    }

    fn start(conduct: Conduct, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            is_over: Arc::default(),
        };
        let (requests, is_over) = (Arc::clone(&server.requests), Arc::clone(&server.is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { return };
                let (conduct, tls) = (conduct.clone(), tls.clone());
                let (requests, is_over) = (Arc::clone(&requests), Arc::clone(&is_over));
                std::thread::spawn(move || {
                    // What goes wrong on the server's side the client tells.
                    let _outcome = serve(stream, &conduct, tls, &requests, &is_over);
                });
            }
        });
        server
    }

    /// The heads of the requests that came, one text each.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the listener up.
        let _woken = TcpStream::connect(self.address);
    }
}

fn serve(
    mut stream: TcpStream,
    conduct: &Conduct,
    tls: Option<Arc<ServerConfig>>,
    requests: &Mutex<Vec<String>>,
    is_over: &AtomicBool,
) -> std::io::Result<()> {
    let Some(tls) = tls else {
        return answer(stream, conduct, requests, is_over);
    };
    let mut first = [0; 1];
    stream.peek(&mut first)?;
    if first == *b"C" {
        // A proxy: the tunnel leads to this server itself.
        let head = read_head(&mut stream)?;
        requests.lock().unwrap().push(head);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    }
    let connection = ServerConnection::new(tls).map_err(std::io::Error::other)?;
    answer(
        StreamOwned::new(connection, stream),
        conduct,
        requests,
        is_over,
    )
}

fn read_head(stream: &mut impl Read) -> std::io::Result<String> {
    // Byte by byte, so that nothing behind the head is taken.
    let (mut head, mut byte) = (Vec::new(), [0; 1]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

fn answer(
    stream: impl Read + Write,
    conduct: &Conduct,
    requests: &Mutex<Vec<String>>,
    is_over: &AtomicBool,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            // Whoever goes away in between asked for nothing.
            Ok(0) => return Ok(()),
            // No request at all: it is told so, as servers do.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => break,
            Err(error) => return Err(error),
            Ok(_) if line == "\r\n" => break,
            Ok(_) => {}
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if !head.is_empty() {
        requests.lock().unwrap().push(head);
    }
    let stream = reader.get_mut();
    match conduct {
        Conduct::Send(bytes) => stream.write_all(bytes)?,
        Conduct::SendAndHang(bytes) => {
            stream.write_all(bytes)?;
            stream.flush()?;
            while !is_over.load(Ordering::SeqCst) {
                std::thread::park_timeout(std::time::Duration::from_millis(5));
            }
        }
        Conduct::Close => {}
    }
    stream.flush()
}

/// A server's identity from PEM; with `clients` it wants a certificate that these authorities signed.
pub(crate) fn identity(pem: &str, clients: Option<&str>) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificates = |pem: &str| -> Vec<CertificateDer<'static>> {
        let found = CertificateDer::pem_slice_iter(pem.as_bytes());
        found.collect::<Result<_, _>>().unwrap()
    };
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(clients) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(clients) {
                roots.add(certificate).unwrap();
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    Arc::new(builder.with_single_cert(certificates(pem), key).unwrap())
}

/// A client of this URL that does not wait long.
pub(crate) fn client(url: &str, keys: &[(&str, &str)]) -> RegistryClient {
    let quick = [
        ("schema.registry.url", url),
        ("max.retries", "0"),
        ("request.deadline.ms", "30000"),
    ];
    let config = ClientConfig::parse(quick.into_iter().chain(keys.iter().copied())).unwrap();
    RegistryClient::connect(config).unwrap()
}

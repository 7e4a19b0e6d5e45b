//! [`HttpRegistry`]: a registry behind HTTP that does what a script says.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::server::http::{Limits, Listener};
use crate::server::{Delivery, Host, Languages, Moment, Options, OwnedRequest, Response, Server};

/// A registry on a free port, with the whole REST interface, for tests of clients. It can be killed and started again
/// on the same port with what it knew.
///
/// ```
/// use ferroconnect_registry_client::fake::{Fault, HttpRegistry};
/// use ferroconnect_registry_client::server::Languages;
///
/// # async fn example() -> std::io::Result<()> {
/// let mut registry = HttpRegistry::start(Languages::verbatim()).await?;
/// registry.script(Fault::status(503).on("GET", "/schemas/ids/").times(2));
/// let url = registry.url(); // for schema.registry.url
/// registry.kill().await; // connections are refused
/// registry.restart().await?; // the same port, the same schemas
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HttpRegistry {
    stage: Arc<Stage>,
    address: SocketAddr,
    listener: Option<Listener>,
}

/// Something that goes wrong, so many times, wherever it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    method: Option<String>,
    prefix: String,
    times: u32,
    act: Act,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Status(u16),
    Delay(Duration),
    Cut,
}

impl Fault {
    /// The answer has this status and an error body, once.
    pub const fn status(status: u16) -> Self {
        Self::new(Act::Status(status))
    }

    /// The answer comes later by so much, once.
    pub const fn delay(delay: Duration) -> Self {
        Self::new(Act::Delay(delay))
    }

    /// The connection is cut without an answer, once. The request has no effect.
    pub const fn cut() -> Self {
        Self::new(Act::Cut)
    }

    const fn new(act: Act) -> Self {
        Self {
            method: None,
            prefix: String::new(),
            times: 1,
            act,
        }
    }

    /// Only for requests of this method whose target begins so.
    #[must_use]
    pub fn on(self, method: &str, prefix: &str) -> Self {
        Self {
            method: Some(method.into()),
            prefix: prefix.into(),
            ..self
        }
    }

    /// So many times.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    fn applies(&self, request: &OwnedRequest) -> bool {
        self.times > 0
            && self
                .method
                .as_ref()
                .is_none_or(|method| *method == request.method)
            && request.target.starts_with(&self.prefix)
    }
}

impl HttpRegistry {
    /// An empty registry on a free port of this machine.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(languages: Languages) -> io::Result<Self> {
        let stage = Arc::new(Stage::new(languages));
        let host: Arc<dyn Host> = Arc::<Stage>::clone(&stage);
        let listener = Listener::bind("127.0.0.1:0", host, Limits::default()).await?;
        Ok(Self {
            stage,
            address: listener.address(),
            listener: Some(listener),
        })
    }

    /// Its URL; it stays the same over restarts.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The same registry, script included, without the socket.
    pub fn host(&self) -> Arc<dyn Host> {
        Arc::<Stage>::clone(&self.stage)
    }

    /// Lets something go wrong. Faults are tried in the order in which they were given.
    pub fn script(&self, fault: Fault) {
        self.stage.part().faults.push_back(fault);
    }

    /// Method and target of every request that arrived, answered or not.
    pub fn requests(&self) -> Vec<(String, String)> {
        self.stage.part().requests.clone()
    }

    /// Cuts all connections and frees the port.
    pub async fn kill(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.kill().await;
        }
    }

    /// Listens again on the same port, with everything that was registered.
    ///
    /// # Errors
    /// Somebody else took the port.
    pub async fn restart(&mut self) -> io::Result<()> {
        self.kill().await;
        let address = self.address.to_string();
        let listener = Listener::bind(&address, self.host(), Limits::default()).await?;
        self.listener = Some(listener);
        Ok(())
    }
}

/// A registry and the script of a play.
#[derive(Debug)]
struct Stage(Mutex<Part>);

#[derive(Debug)]
struct Part {
    server: Server,
    faults: VecDeque<Fault>,
    requests: Vec<(String, String)>,
}

impl Stage {
    fn new(languages: Languages) -> Self {
        Self(Mutex::new(Part {
            server: Server::new(Options::default(), languages),
            faults: VecDeque::new(),
            requests: Vec::new(),
        }))
    }

    fn part(&self) -> MutexGuard<'_, Part> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_act(&self, request: &OwnedRequest) -> Option<Act> {
        let mut part = self.part();
        let place = (request.method.clone(), request.target.clone());
        part.requests.push(place);
        let fault = part
            .faults
            .iter_mut()
            .find(|fault| fault.applies(request))?;
        fault.times -= 1;
        let act = fault.act;
        part.faults.retain(|fault| fault.times > 0);
        Some(act)
    }

    fn played(&self, request: &OwnedRequest) -> Response {
        let mut part = self.part();
        let asked = part.requests.len() as u128;
        // Tests shall not depend on a clock: time is the number of requests.
        let moment = Moment {
            now: i64::try_from(asked).unwrap_or(i64::MAX),
            seed: asked,
        };
        request.with(|request| part.server.handle(request, moment).0)
    }
}

#[async_trait::async_trait]
impl Host for Stage {
    async fn answer(&self, request: OwnedRequest) -> Delivery {
        match self.next_act(&request) {
            None => Delivery::Answer(self.played(&request)),
            Some(Act::Delay(delay)) => {
                tokio::time::sleep(delay).await;
                Delivery::Answer(self.played(&request))
            }
            Some(Act::Cut) => Delivery::Cut,
            Some(Act::Status(status)) => Delivery::Answer(Response {
                status,
                content_type: Some("application/vnd.schemaregistry.v1+json"),
                headers: Vec::new(),
                body: Bytes::from(format!(r#"{{"error_code":{status},"message":"scripted"}}"#)),
                differs: None,
            }),
        }
    }
}

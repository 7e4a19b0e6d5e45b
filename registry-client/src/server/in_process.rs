//! [`InProcess`]: a registry in the same process, for the ordinary client.

use std::sync::Arc;

use super::host::{Delivery, Host, OwnedRequest};
use crate::client::{Request, Response, Transport, TransportError};

/// A [`Transport`] without a socket.
#[derive(Clone, Debug)]
pub struct InProcess {
    host: Arc<dyn Host>,
    name: Box<str>,
}

impl InProcess {
    /// The way to a registry that messages call by this name.
    pub fn new(host: Arc<dyn Host>, name: &str) -> Self {
        Self {
            host,
            name: name.into(),
        }
    }
}

#[async_trait::async_trait]
impl Transport for InProcess {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let headers = request.headers.into_iter();
        let request = OwnedRequest {
            method: request.method.name().to_owned(),
            target: request.target,
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value))
                .collect(),
            body: request.body,
        };
        match self.host.answer(request).await {
            Delivery::Answer(response) => {
                let media = response.content_type.into_iter();
                let headers = media.map(|media| ("content-type".to_owned(), media.to_owned()));
                let others = response.headers.into_iter();
                let others = others.map(|(name, value)| (name.to_owned(), value));
                Ok(Response {
                    status: response.status,
                    headers: headers.chain(others).collect(),
                    body: response.body,
                })
            }
            Delivery::Cut => Err(TransportError::Broken("the connection was cut".into())),
        }
    }

    fn node(&self) -> &str {
        &self.name
    }
}

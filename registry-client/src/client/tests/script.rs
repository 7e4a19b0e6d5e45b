//! A transport that answers from a list and writes down what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::super::*;
use crate::Error;

/// What a node does with one request.
pub(super) type Reply = Result<Response, TransportError>;

#[derive(Debug)]
pub(super) struct Script {
    name: &'static str,
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Request>>,
}

impl Script {
    /// Gives these replies in order, the last one again and again.
    pub(super) fn new(name: &'static str, replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        Arc::new(Self {
            name,
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::default(),
        })
    }

    pub(super) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait::async_trait]
impl Transport for Script {
    async fn send(&self, request: Request) -> Reply {
        self.asked.lock().unwrap().push(request);
        let mut replies = self.replies.lock().unwrap();
        if replies.len() > 1 {
            return replies.pop_front().unwrap();
        }
        replies.front().expect("a script has a reply").clone()
    }

    fn node(&self) -> &str {
        self.name
    }
}

pub(super) fn reply(status: u16, body: &str) -> Reply {
    Ok(Response {
        status,
        headers: Vec::new(),
        body: body.to_owned().into(),
    })
}

pub(super) fn broken() -> Reply {
    Err(TransportError::Broken("no connection: refused".into()))
}

/// Keys that keep a test quick, and whatever else it needs.
pub(super) fn config(keys: &[(&str, &str)]) -> ClientConfig {
    let quick = [
        ("schema.registry.url", "http://script"),
        ("retries.wait.ms", "1"),
        ("retries.max.wait.ms", "2"),
    ];
    ClientConfig::parse(quick.into_iter().chain(keys.iter().copied())).unwrap()
}

pub(super) fn client_of(
    keys: &[(&str, &str)],
    nodes: &[&Arc<Script>],
) -> Result<RegistryClient, Error> {
    let nodes = nodes
        .iter()
        .map(|script| Node {
            transport: Arc::clone(script) as Arc<dyn Transport>,
            user: None,
        })
        .collect();
    RegistryClient::with(config(keys), nodes, None)
}

pub(super) fn client(nodes: &[&Arc<Script>]) -> RegistryClient {
    client_of(&[], nodes).unwrap()
}

//! What connectors ask of the worker: noted where it cannot pile up, and collected when the bell rings.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::api::ConnectorRequests;
use crate::error::{Error, Fault};

/// The requests of one instance of a connector. Asking twice is asking once.
#[derive(Debug)]
pub(super) struct InstanceEvents {
    connector: String,
    bell: Arc<Notify>,
    is_closed: AtomicBool,
    reconfigure: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl InstanceEvents {
    pub(super) fn new(connector: &str, bell: Arc<Notify>) -> Self {
        Self {
            connector: connector.to_owned(),
            bell,
            is_closed: AtomicBool::new(false),
            reconfigure: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Whether reconfiguration was asked for since the last call.
    pub(super) fn take_reconfigure(&self) -> bool {
        self.reconfigure.swap(false, Ordering::AcqRel)
    }

    /// The first failure since the last call.
    pub(super) fn take_failure(&self) -> Option<Error> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Refuses requests from now on.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    fn open(&self, what: &str) -> Result<(), Error> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::new(
                Fault::Plugin,
                format!(
                    "The {what} has been rejected because this instance of the connector '{}' has already been shut down.",
                    self.connector
                ),
            ));
        }
        Ok(())
    }
}

impl ConnectorRequests for InstanceEvents {
    fn reconfigure(&self) -> Result<(), Error> {
        self.open("request for task reconfiguration")?;
        self.reconfigure.store(true, Ordering::Release);
        self.bell.notify_one();
        Ok(())
    }

    fn fail(&self, error: Error) -> Result<(), Error> {
        self.open("error")?;
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
        self.bell.notify_one();
        Ok(())
    }
}

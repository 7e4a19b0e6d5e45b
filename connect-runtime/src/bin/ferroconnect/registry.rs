//! `ferroconnect registry`: the embedded registry on a port.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use ferroconnect_converters::avro::AvroFormat;
use ferroconnect_converters::json_schema::JsonSchemaFormat;
use ferroconnect_converters::protobuf::ProtobufFormat;
use ferroconnect_registry_client::server::Languages;
use ferroconnect_registry_client::server::http::{Limits, Listener};
use ferroconnect_runtime::registry::EmbeddedRegistry;

use crate::signals::Signals;
use crate::voice::Voice;

/// Serves a folder until a signal arrives; gives the exit code.
pub(crate) async fn run(data: &Path, listen: &str, voice: Voice) -> u8 {
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            voice.refuse(&format!("signals cannot be heard: {error}"));
            return NOT_STARTED;
        }
    };
    let languages = Languages::built(&[
        Arc::new(AvroFormat),
        Arc::new(JsonSchemaFormat),
        Arc::new(ProtobufFormat),
    ]);
    let registry = match EmbeddedRegistry::open(data, languages) {
        Ok(registry) => registry,
        Err(error) => {
            voice.refuse(&error.to_string());
            return NOT_STARTED;
        }
    };
    let bound = Listener::bind(listen, Arc::new(registry.clone()), Limits::default()).await;
    let listener = match bound {
        Ok(listener) => listener,
        Err(error) => {
            voice.refuse(&not_bound(listen, &error));
            return NOT_STARTED;
        }
    };
    voice.say(&banner(data, listener.address()));
    let name = signals.next().await;
    voice.say(&format!("{name}: stopping; a second one ends at once"));
    tokio::select! {
        () = listener.stop() => 0,
        _ = signals.next() => {
            voice.say("Ended at once. What was answered is kept.");
            ENDED_AT_ONCE
        }
    }
}

fn banner(data: &Path, address: SocketAddr) -> String {
    format!(
        "Ferroconnect {} registry\n  data    {}\n  url     http://{address}\nTry: curl http://{address}/subjects",
        env!("CARGO_PKG_VERSION"),
        data.display()
    )
}

/// What is wrong with the address, and the way out.
fn not_bound(listen: &str, error: &io::Error) -> String {
    let steps = [
        (
            io::ErrorKind::AddrInUse,
            "another program listens there: stop it, or give another port with --listen",
        ),
        (
            io::ErrorKind::AddrNotAvailable,
            "this machine does not have that address: use 127.0.0.1, or 0.0.0.0 for all of its addresses",
        ),
        (
            io::ErrorKind::PermissionDenied,
            "this user may not use that port: take one above 1023",
        ),
    ];
    let known = steps.iter().find(|(kind, _)| *kind == error.kind());
    let step = known.map_or(
        "write it as host:port, for example 127.0.0.1:8081",
        |(_, step)| step,
    );
    format!("cannot listen at {listen}: {error}; {step}")
}

/// Something does not start.
const NOT_STARTED: u8 = 3;

/// A second signal came.
const ENDED_AT_ONCE: u8 = 130;

//! `schema_registry_converter`, which asks a registry of its own over HTTP before it is timed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use schema_registry_converter::async_impl::avro::{AvroDecoder, AvroEncoder};
use schema_registry_converter::async_impl::schema_registry::SrSettings;
use schema_registry_converter::schema_registry_common::SubjectNameStrategy;

use super::{Given, NAME, Peer};
use crate::{TOPIC, Trouble};

pub(super) fn peer(given: &Given<'_>) -> Result<Peer, Trouble> {
    let url = registry(given)?;
    // Its HTTP client wants a TLS provider although nothing here is encrypted; the first one stays, whoever installed it.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let settings = || SrSettings::new_builder(url.clone()).no_proxy().build();
    let decoder = AvroDecoder::new(settings()?);
    let encoder = AvroEncoder::new(settings()?);
    let strategy = SubjectNameStrategy::TopicNameStrategy(TOPIC.to_owned(), false);

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let framed = given.framed.clone();
    let read = runtime.block_on(decoder.decode(Some(&framed)))?;
    assert!(format!("{:?}", read.value).contains(NAME));
    let value = read.value;
    let written = runtime.block_on(encoder.encode_value(value.clone(), &strategy))?;
    assert_eq!(written, given.framed);
    Ok(Peer {
        library: "schema_registry_converter 6.0",
        name: "schema_registry_converter",
        read: Some(Box::new(move || {
            let read = at_once(decoder.decode(Some(&framed)));
            std::hint::black_box(read.and_then(Result::ok));
        })),
        write: Some(Box::new(move || {
            let written = at_once(encoder.encode_value(value.clone(), &strategy));
            std::hint::black_box(written.and_then(Result::ok));
        })),
    })
}

/// The result of a future that waits for nothing; no scheduler is measured.
fn at_once<F: Future>(future: F) -> Option<F::Output> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// A registry with one schema, which it answers to whatever is asked; its address.
fn registry(given: &Given<'_>) -> Result<String, Trouble> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let body = serde_json::json!({
        "subject": format!("{TOPIC}-value"), "version": 1, "id": given.id, "schema": given.schema,
    })
    .to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/vnd.schemaregistry.v1+json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    // Ends with the program.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Who hangs up early gets no answer.
            respond(stream, &answer).ok();
        }
    });
    Ok(url)
}

fn respond(mut stream: TcpStream, answer: &str) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while !request.ends_with(b"\r\n\r\n") {
        let read = stream.read(&mut piece)?;
        if read == 0 {
            break;
        }
        request.extend_from_slice(&piece[..read]);
    }
    stream.write_all(answer.as_bytes())
}

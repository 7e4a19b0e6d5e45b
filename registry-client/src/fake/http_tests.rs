//! The listener and the registry behind it, over real sockets.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use super::{Fault, HttpRegistry};
use crate::server::Languages;
use crate::server::http::{Limits, Listener};

/// Sends text, reads until the end; what came is the answer, maybe nothing.
async fn sent(url: &str, request: String) -> String {
    let host = url.trim_start_matches("http://").to_owned();
    let exchange = move || {
        let Ok(mut stream) = TcpStream::connect(host) else {
            return "refused".to_owned();
        };
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::task::spawn_blocking(exchange).await.unwrap()
}

fn request(method: &str, target: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

async fn get(url: &str, target: &str) -> String {
    sent(url, request("GET", target, "")).await
}

const INT: &str = r#"{"schema":"\"int\""}"#;

#[tokio::test]
async fn raw_paths_arrive_as_they_were_sent() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let url = registry.url();
    for target in ["/subjects/a%2Fb/versions", "/subjects/:.eu:x/versions"] {
        let made = sent(&url, request("POST", target, INT)).await;
        assert!(made.starts_with("HTTP/1.1 200"), "{made}");
    }
    let names = get(&url, "/subjects").await;
    assert!(names.ends_with(r#"[":.eu:x","a/b"]"#), "{names}");
    let page = get(&url, "/subjects//versions").await;
    assert!(
        page.starts_with("HTTP/1.1 400") && page.contains("Ambiguous URI empty segment"),
        "{page}"
    );
    let head = sent(&url, request("HEAD", "/subjects", "")).await;
    assert!(
        head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[tokio::test]
async fn faults_come_where_they_were_ordered_and_pass() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let url = registry.url();
    registry.script(Fault::status(503).on("GET", "/subjects").times(2));
    registry.script(Fault::cut().on("GET", "/config"));
    for _ in 0..2 {
        assert!(get(&url, "/subjects").await.starts_with("HTTP/1.1 503"));
    }
    assert!(get(&url, "/subjects").await.starts_with("HTTP/1.1 200"));
    assert_eq!(get(&url, "/config").await, "", "cut without an answer");
    assert!(get(&url, "/config").await.starts_with("HTTP/1.1 200"));
    assert_eq!(registry.requests().len(), 5);
}

#[tokio::test]
async fn a_killed_registry_refuses_and_comes_back_with_what_it_knew() {
    let mut registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let url = registry.url();
    sent(&url, request("POST", "/subjects/a/versions", INT)).await;
    registry.kill().await;
    assert_eq!(get(&url, "/subjects").await, "refused");
    registry.restart().await.unwrap();
    assert!(
        get(&url, "/schemas/ids/1/schema")
            .await
            .ends_with("\"int\"")
    );
}

#[tokio::test]
async fn what_is_too_long_is_refused_and_the_next_connection_served() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let limits = Limits {
        body_bytes: 100,
        connections: 1,
        ..Limits::default()
    };
    let listener = Listener::bind("127.0.0.1:0", registry.host(), limits)
        .await
        .unwrap();
    let url = format!("http://{}", listener.address());
    let long = request("POST", "/subjects/a/versions", &"x".repeat(101));
    assert!(sent(&url, long).await.starts_with("HTTP/1.1 413"));
    let head = format!(
        "GET / HTTP/1.1\r\nhost: x\r\nbig: {}\r\n\r\n",
        "x".repeat(200_000)
    );
    let answer = sent(&url, head).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );
    assert!(get(&url, "/subjects").await.starts_with("HTTP/1.1 200"));
    listener.stop().await;
    assert_eq!(get(&url, "/subjects").await, "refused");
}

#[tokio::test]
async fn a_connection_serves_many_requests_and_an_idle_one_ends() {
    let registry = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let limits = Limits {
        head_wait: Duration::from_millis(300),
        ..Limits::default()
    };
    let host: Arc<dyn crate::server::Host> = registry.host();
    let listener = Listener::bind("127.0.0.1:0", host, limits).await.unwrap();
    let one = "GET /subjects HTTP/1.1\r\nhost: x\r\n\r\n";
    let answers = sent(&format!("http://{}", listener.address()), one.repeat(3)).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
}

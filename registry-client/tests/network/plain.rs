//! Without TLS.

use std::net::TcpListener;

use ferroconnect_registry_client::client::{Deleted, Page, RegistryClient};
use ferroconnect_registry_client::{Error, Fault, SchemaText, SchemaType, Subject};

use super::server::{Conduct, Server, client, json};

async fn subjects(client: &RegistryClient) -> Result<Vec<String>, Error> {
    client
        .subjects(None, Deleted::Without, Page::default())
        .await
}

fn url(server: &Server) -> String {
    format!("http://{}", server.address)
}

#[tokio::test]
async fn a_request_and_its_answer() {
    let server = Server::plain(json(200, r#"{"id":7}"#));
    let client = client(
        &format!("http://ann:s%3Acret@{}/reg/", server.address),
        &[
            ("basic.auth.credentials.source", "URL"),
            ("request.header.X-Tenant", "blue"),
        ],
    );
    let subject = Subject::new("a/b c+ü").unwrap();
    let schema = SchemaText::new(SchemaType::Avro, "\"int\"");
    let answer = client.register(&subject, &schema, false).await.unwrap();
    assert_eq!(answer.id.get(), 7);
    let head = server.requests().remove(0).to_ascii_lowercase();
    assert!(
        head.starts_with(
            "post /reg/subjects/a%2fb%20c+%c3%bc/versions?normalize=false http/1.1\r\n"
        ),
        "{head}"
    );
    for line in [
        "content-type: application/vnd.schemaregistry.v1+json",
        "authorization: basic yw5uonm6y3jldA==",
        "x-tenant: blue",
        "confluent-accept-unknown-properties: true",
    ] {
        assert!(
            head.contains(&format!("{}\r\n", line.to_ascii_lowercase())),
            "{head}"
        );
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = client(&format!("http://u:hunter2@{address}"), &[]);
    let error = subjects(&client).await.unwrap_err();
    assert_eq!(error.fault(), Fault::Transient);
    let text = error.to_string();
    assert!(
        text.contains(&address.to_string()) && text.contains("no connection"),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
    assert!(client.is_unreachable());
}

#[tokio::test]
async fn answers_that_are_cut_are_no_answers() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[\"a\",";
    for bytes in [
        "",
        "HTTP/1.1 2",
        &format!("{head}[\"a\""),
        chunked,
        "nonsense\r\n\r\n",
    ] {
        let server = Server::plain(Conduct::Send(bytes.as_bytes().to_vec()));
        let error = subjects(&client(&url(&server), &[])).await.unwrap_err();
        assert_eq!(
            (error.fault(), error.status()),
            (Fault::Transient, None),
            "{bytes}: {error}"
        );
    }
    let server = Server::plain(Conduct::Close);
    assert!(
        subjects(&client(&url(&server), &[]))
            .await
            .unwrap_err()
            .is_retriable()
    );
}

#[tokio::test]
async fn silence_has_an_end() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[".to_vec();
    for bytes in [Vec::new(), head] {
        let server = Server::plain(Conduct::SendAndHang(bytes));
        let error = subjects(&client(&url(&server), &[("http.read.timeout.ms", "50")]))
            .await
            .unwrap_err();
        assert_eq!(error.fault(), Fault::Transient);
        assert!(
            error.to_string().contains("http.read.timeout.ms"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_question_may_be_dropped_and_the_client_goes_on() {
    let server = Server::plain(Conduct::SendAndHang(Vec::new()));
    let client = client(&url(&server), &[]);
    {
        let asked = subjects(&client);
        tokio::pin!(asked);
        while server.requests().is_empty() {
            tokio::select! {
                _ = &mut asked => panic!("nothing answers"),
                () = tokio::time::sleep(std::time::Duration::from_millis(2)) => {}
            }
        }
    }
    assert!(!client.is_unreachable());
}

#[tokio::test]
async fn answers_have_a_size() {
    let keys = [("schema.registry.response.max.bytes", "1000")];
    let body = format!("[\"{}\"]", "x".repeat(996));
    let fits = Server::plain(json(200, &body));
    assert_eq!(
        subjects(&client(&url(&fits), &keys)).await.unwrap().len(),
        1
    );

    let announced = Server::plain(json(200, &format!("{body} ")));
    let endless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned()
        + &format!("64\r\n{}\r\n", "x".repeat(100)).repeat(200);
    let unannounced = Server::plain(Conduct::SendAndHang(endless.into_bytes()));
    for server in [announced, unannounced] {
        let error = subjects(&client(&url(&server), &keys)).await.unwrap_err();
        assert_eq!(error.fault(), Fault::Config);
        assert!(
            error.to_string().contains("more than 1000 bytes"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_redirection_is_told_and_not_followed() {
    let other = Server::plain(json(200, "[]"));
    let moved = format!(
        "HTTP/1.1 302 Found\r\nLocation: {}/subjects\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        url(&other)
    );
    let server = Server::plain(Conduct::Send(moved.into_bytes()));
    let error = subjects(&client(&url(&server), &[])).await.unwrap_err();
    assert_eq!((error.fault(), error.status()), (Fault::Config, Some(302)));
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn the_next_node_takes_over() {
    let good = Server::plain(json(200, r#"["a"]"#));
    let busy = Server::plain(json(503, "{}"));
    let urls = format!("{},http://127.0.0.1:1,{}", url(&busy), url(&good));
    let client = client(&urls, &[]);
    for _ in 0..3 {
        assert_eq!(subjects(&client).await.unwrap(), ["a"]);
    }
    assert_eq!((busy.requests().len(), good.requests().len()), (1, 3));
}

#[tokio::test]
async fn a_proxy_is_asked_for_the_whole_address() {
    let proxy = Server::plain(json(200, r#"["a"]"#));
    let (host, port) = (
        proxy.address.ip().to_string(),
        proxy.address.port().to_string(),
    );
    let keys = [("proxy.host", host.as_str()), ("proxy.port", port.as_str())];
    let client = client("http://registry.invalid:8081", &keys);
    assert_eq!(subjects(&client).await.unwrap(), ["a"]);
    let head = proxy.requests().remove(0);
    assert!(
        head.starts_with("GET http://registry.invalid:8081/subjects HTTP/1.1\r\n"),
        "{head}"
    );
}

#[test]
fn an_address_that_is_none_is_told_at_once() {
    use ferroconnect_registry_client::client::ClientConfig;
    for url in ["http://h:99999", "http://u:hunter2@[::1", "http://a b"] {
        let told = match ClientConfig::parse([("schema.registry.url", url)]) {
            Ok(config) => RegistryClient::connect(config).unwrap_err().to_string(),
            Err(problems) => problems.to_string(),
        };
        assert!(told.contains("schema.registry.url"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
}

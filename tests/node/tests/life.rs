//! The life of a real node.

use std::net::TcpStream;

use ferroconnect_node::{Background, Node, NodeError, Protocol, answers, create_topic, end_offset};

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn it_answers_and_comes_back_with_its_data_after_every_kind_of_end() -> Result<(), NodeError> {
    let jaas = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
    let mut node = Node::builder()
        .listener(
            "LOGIN",
            Protocol::SaslPlaintext,
            [
                ("sasl.enabled.mechanisms", "SCRAM-SHA-256"),
                ("scram-sha-256.sasl.jaas.config", jaas),
            ],
        )
        .scram_user("SCRAM-SHA-256", "alice", "alice-secret")
        .start()?;
    let address = node.bootstrap();
    assert!(answers(&address));
    let login = node.bootstrap_of("LOGIN").unwrap();
    assert_ne!(login, address);
    assert!(TcpStream::connect(&login).is_ok());
    assert_eq!(node.bootstrap_of("OTHER"), None);
    create_topic(&address, "copy", 2).unwrap();
    create_topic(&address, "copy", 2).unwrap();
    assert_eq!(end_offset(&address, "copy", 1).unwrap(), 0);
    assert!(end_offset(&address, "copy", 2).is_err());

    node.suspend()?;
    assert!(
        TcpStream::connect(&address).is_ok(),
        "the kernel still accepts"
    );
    assert!(!answers(&address), "a suspended node is silent");
    node.resume()?;
    assert!(answers(&address));

    let first = node.process_id();
    node.kill()?;
    assert!(!answers(&address));
    assert!(node.suspend().is_err(), "there is nobody to suspend");
    node.start()?;
    assert!(answers(&address), "the same address");
    assert_eq!(end_offset(&address, "copy", 1).unwrap(), 0, "the same data");
    assert_ne!(node.process_id(), first);

    node.stop()?;
    assert!(!answers(&address));
    node.stop()?;
    node.start()?;
    assert!(answers(&address));

    let (folder, data) = (node.folder().to_path_buf(), node.data_folder());
    assert!(data.join("meta.properties").exists());
    drop(node);
    assert!(!answers(&address));
    assert!(!folder.exists(), "nothing is left behind");
    Ok(())
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_node_that_cannot_start_says_why() {
    let bad = Node::builder().property("num.io.threads", "none").start();
    let error = bad.unwrap_err().to_string();
    assert!(error.contains("num.io.threads"), "{error}");
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_node_in_the_background_is_up_once_and_down_once() {
    let folder = tempfile::tempdir().unwrap();
    let node = Background::in_folder(folder.path());
    let up = node.up(None).unwrap();
    assert!(!up.already);
    assert!(answers(&up.address));
    let again = node.up(None).unwrap();
    assert_eq!((again.process_id, again.already), (up.process_id, true));
    assert!(node.up(Some(1)).is_err(), "not on that port");
    assert!(node.down().unwrap());
    assert!(!answers(&up.address));
    assert!(!node.down().unwrap());
}

//! The offset file of a standalone worker: Kafka's own files are read, and Kafka reads ours.

use std::path::Path;
use std::process::Command;

use ferroconnect_runtime::api::port::OffsetReader as _;
use ferroconnect_runtime::api::{SourceOffset, SourcePartition};
use ferroconnect_runtime::store::offsets::{OffsetStore, java_map};
use ferroconnect_runtime::time::Span;
use ferroconnect_tests::tagged;
use proptest::prelude::*;
use serde_json::Value;

/// The files that a JVM worker left, in order of time.
fn recorded() -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/runtime/standalone.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line.get("offset_file_hex").is_some())
        .map(|line| tagged::hex(&line["offset_file_hex"]).unwrap())
        .collect()
}

#[test]
fn files_of_the_jvm_are_read_and_written_again_byte_for_byte() {
    let files = recorded();
    assert_eq!(files.len(), 3);
    for file in files {
        let entries = java_map::read(&file).unwrap();
        assert!(!entries.is_empty());
        let written = java_map::write(
            entries
                .iter()
                .map(|(key, value)| (key.as_slice(), value.as_deref())),
        )
        .unwrap();
        assert_eq!(written, file);
    }
}

#[tokio::test]
async fn a_worker_goes_on_where_a_jvm_worker_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("connect.offsets");
    std::fs::write(&path, &recorded()[1]).unwrap();
    let store = OffsetStore::open_file(&path).await.unwrap();
    let of = async |connector: &str, task: i64| {
        let partition = [SourcePartition::of("task", task)];
        let found = store
            .connector(connector)
            .offsets(&partition)
            .await
            .unwrap();
        found[0].as_ref().and_then(|offset| offset.integer("i"))
    };
    assert_eq!(of("sa-props", 0).await, Some(3));
    assert_eq!(of("sa-flat", 0).await, Some(2));
    assert_eq!(of("sa-rest", 0).await, None, "reset before it stopped");
}

proptest! {
    #[test]
    fn any_entries_come_back(entries in entries()) {
        let written = java_map::write(
            entries.iter().map(|(key, value)| (key.as_slice(), value.as_deref())),
        ).unwrap();
        prop_assert_eq!(java_map::read(&written).unwrap(), entries);
    }

    #[test]
    fn any_bytes_are_an_answer_or_an_error(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), keep in 0_usize..120) {
        let _ = java_map::read(&bytes);
        // And behind a good beginning.
        let mut mixed = recorded()[0][..keep].to_vec();
        mixed.append(&mut bytes);
        let _ = java_map::read(&mixed);
    }
}

fn entries() -> impl Strategy<Value = java_map::Entries> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..40);
    proptest::collection::vec((bytes(), proptest::option::of(bytes())), 0..40)
}

/// Kafka's worker reads a file with `ObjectInputStream`; so does this program of a real JVM, which then writes the file anew.
/// What starts a node has a JDK.
#[tokio::test]
#[ignore = "needs a Kafka node: cargo xtask test"]
async fn a_real_jvm_reads_our_file_and_we_read_the_one_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("connect.offsets");
    let within = Span::secs(10);
    let store = OffsetStore::open_file(&path).await.unwrap();
    for n in 0..40_i64 {
        let offset = if n == 3 {
            SourceOffset::null()
        } else {
            SourceOffset::of("o", n * 10)
        };
        let offsets = [(SourcePartition::of("p", n), offset)];
        store.connector("c").write(offsets, within).await.unwrap();
    }
    store.close().await;

    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/java/OffsetFile.java");
    let output = Command::new("java")
        .arg(program)
        .arg(&path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(said.lines().count(), 40);
    assert!(said.contains("[\"c\",{\"p\":3}]=null\n"), "{said}");
    assert!(said.contains("[\"c\",{\"p\":12}]={\"o\":120}\n"), "{said}");

    let store = OffsetStore::open_file(&path).await.unwrap();
    let of = async |connector: &str, n: i64| {
        let partition = [SourcePartition::of("p", n)];
        let found = store
            .connector(connector)
            .offsets(&partition)
            .await
            .unwrap();
        found[0].as_ref().and_then(|offset| offset.integer("o"))
    };
    assert_eq!(of("java", 1).await, Some(99));
    assert_eq!(of("c", 39).await, Some(390));
    assert_eq!(of("c", 3).await, None);
}

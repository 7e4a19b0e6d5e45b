use super::*;
use crate::api::port::OffsetReader as _;
use crate::api::{SourceOffset, SourcePartition};
use crate::store::offsets::OffsetStore;

fn path(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("connect.offsets")
}

fn partition(n: i64) -> SourcePartition {
    SourcePartition::of("p", n)
}

async fn write(store: &OffsetStore, n: i64, offset: i64) -> Result<(), Error> {
    let offsets = [(partition(n), SourceOffset::of("o", offset))];
    store.connector("c").write(offsets, Span::secs(5)).await
}

async fn offset(store: &OffsetStore, n: i64) -> Option<i64> {
    let found = store.connector("c").offsets(&[partition(n)]).await.unwrap();
    found[0].as_ref().and_then(|offset| offset.integer("o"))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(future)
}

#[test]
fn offsets_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    run(async {
        let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
        assert_eq!(
            offset(&store, 1).await,
            None,
            "a missing file is an empty store"
        );
        write(&store, 1, 10).await.unwrap();
        write(&store, 2, 20).await.unwrap();
        write(&store, 1, 11).await.unwrap();
        store.close().await;
        let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
        assert_eq!(
            (offset(&store, 1).await, offset(&store, 2).await),
            (Some(11), Some(20))
        );
    });
}

#[test]
fn an_empty_file_is_an_empty_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(path(&folder), b"").unwrap();
    run(async {
        let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
        assert_eq!(offset(&store, 1).await, None);
    });
}

#[test]
fn a_damaged_file_is_named_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    for damaged in [b"\xac\xed\0\x05s".to_vec(), b"position=12\n".to_vec()] {
        fs::write(path(&folder), &damaged).unwrap();
        let error = run(OffsetStore::open_file(&path(&folder))).unwrap_err();
        assert_eq!(error.fault(), Fault::Config);
        let text = error.to_string();
        assert!(text.contains("connect.offsets is damaged"), "{text}");
        assert!(text.contains("at byte"), "{text}");
        assert_eq!(fs::read(path(&folder)).unwrap(), damaged);
    }
}

#[test]
fn entries_that_are_not_understood_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let foreign: Vec<RawEntry> = vec![
        (b"not json".to_vec(), Some(b"x".to_vec())),
        (br#"["gone",{"p":1}]"#.to_vec(), None),
    ];
    let bytes = serialise(&foreign.iter().cloned().collect()).unwrap();
    fs::write(path(&folder), bytes).unwrap();
    run(async {
        let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
        write(&store, 1, 1).await.unwrap();
        store.close().await;
    });
    let kept = java_map::read(&fs::read(path(&folder)).unwrap()).unwrap();
    assert_eq!(kept.len(), 3);
    assert!(foreign.iter().all(|entry| kept.contains(entry)));
}

#[test]
fn two_workers_never_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    run(async {
        let first = OffsetStore::open_file(&path(&folder)).await.unwrap();
        let error = OffsetStore::open_file(&path(&folder)).await.unwrap_err();
        assert!(
            error.to_string().contains("is used by another worker"),
            "{error}"
        );
        first.close().await;
        OffsetStore::open_file(&path(&folder)).await.unwrap();
    });
}

/// Whatever was on the disk when the process was killed, the next start finds the old offsets or the new ones.
#[test]
fn a_kill_at_any_point_of_a_write_leaves_the_old_offsets_or_the_new_ones() {
    let old: BTreeMap<_, _> = [(br#"["c",{"p":1}]"#.to_vec(), Some(br#"{"o":1}"#.to_vec()))].into();
    let new: BTreeMap<_, _> = [(br#"["c",{"p":1}]"#.to_vec(), Some(br#"{"o":2}"#.to_vec()))].into();
    let (old, new) = (serialise(&old).unwrap(), serialise(&new).unwrap());
    let check = |prepare: &dyn Fn(&OffsetPath), expected: i64| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(path(&folder), &old).unwrap();
        prepare(&neighbours(path(&folder)).unwrap());
        run(async {
            let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
            assert_eq!(offset(&store, 1).await, Some(expected));
            write(&store, 1, 3).await.unwrap();
            assert_eq!(
                offset(&store, 1).await,
                Some(3),
                "what is left does not disturb"
            );
            store.close().await;
            let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
            assert_eq!(offset(&store, 1).await, Some(3));
        });
    };
    for cut in [0, 1, new.len() / 2, new.len()] {
        check(&|path| fs::write(&path.next, &new[..cut]).unwrap(), 1);
    }
    check(&|path| replace(path, &new).unwrap(), 2);
}

#[test]
fn a_write_that_fails_is_an_error_and_the_next_one_brings_everything() {
    let folder = tempfile::tempdir().unwrap();
    run(async {
        let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
        write(&store, 1, 1).await.unwrap();
        // A folder where the next file should be: no rights are needed to make this fail, so root sees it too.
        let next = neighbours(path(&folder)).unwrap().next;
        fs::create_dir(&next).unwrap();
        let error = write(&store, 1, 2).await.unwrap_err();
        assert_eq!(error.fault(), Fault::Transient, "{error}");
        assert_eq!(offset(&store, 1).await, Some(1), "not stored, not told");
        fs::remove_dir(&next).unwrap();
        write(&store, 1, 2).await.unwrap();
        assert_eq!(offset(&store, 1).await, Some(2));
    });
}

#[cfg(unix)]
#[test]
fn rights_and_links_stay_as_they_were() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real");
    fs::write(&real, b"").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, path(&folder)).unwrap();
    run(async {
        let store = OffsetStore::open_file(&path(&folder)).await.unwrap();
        write(&store, 1, 1).await.unwrap();
        store.close().await;
    });
    assert!(fs::symlink_metadata(path(&folder)).unwrap().is_symlink());
    assert!(fs::metadata(&real).unwrap().len() > 0);
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn a_folder_that_is_not_there_is_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/file");
    let error = run(OffsetStore::open_file(&missing)).unwrap_err();
    assert!(
        error.to_string().contains("offset.storage.file.filename"),
        "{error}"
    );
}

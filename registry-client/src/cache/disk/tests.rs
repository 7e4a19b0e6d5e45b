use super::*;
use crate::{
    Metadata, Reference, RegisteredSchema, SchemaId, SchemaText, SchemaType, Subject, Version,
};

fn question(n: i32) -> Question {
    Question::ById {
        id: SchemaId::new(n).unwrap(),
        subject: None,
    }
}

fn answer() -> Answer {
    let subject = Subject::new("s").unwrap();
    let reference = Reference {
        name: "N".into(),
        subject: subject.clone(),
        version: Version::FIRST,
    };
    let schema = SchemaText::new(SchemaType::Protobuf, "text \u{1f980}\n")
        .with_references([reference])
        .with_metadata(Metadata(r#"{"properties":{"b":"1","a":"2"}}"#.into()));
    Answer::Schema(RegisteredSchema {
        id: SchemaId::new(5).unwrap(),
        guid: Some(schema.guid()),
        subject: Some(subject),
        version: Some(Version::FIRST),
        schema,
    })
}

/// The one file in the folder.
fn only_file(folder: &Folder) -> PathBuf {
    let mut files = fs::read_dir(&folder.0.path).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

#[tokio::test]
async fn what_is_kept_comes_back() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::open(parent.path(), "one").unwrap();
    assert_eq!(folder.read(&question(5)).await, None);
    folder.keep(&question(5), &answer()).await;
    folder.keep(&question(5), &answer()).await;
    only_file(&folder);
    assert_eq!(folder.read(&question(5)).await, Some(answer()));
    assert_eq!(folder.read(&question(6)).await, None);
    let again = Folder::open(parent.path(), "one").unwrap();
    assert_eq!(again.read(&question(5)).await, Some(answer()));
    assert_eq!(again.0.files.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_file_with_any_byte_changed_or_cut_is_not_used() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::open(parent.path(), "one").unwrap();
    folder.keep(&question(5), &answer()).await;
    let (file, good) = (only_file(&folder), fs::read(only_file(&folder)).unwrap());
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&file, &bad).unwrap();
        assert_eq!(folder.0.read(&question(5)), None, "byte {at}");
        fs::write(&file, &good[..at]).unwrap();
        assert_eq!(folder.0.read(&question(5)), None, "cut at {at}");
    }
    // The next answer mends it.
    folder.keep(&question(5), &answer()).await;
    assert_eq!(folder.read(&question(5)).await, Some(answer()));
}

#[tokio::test]
async fn files_of_others_are_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::open(parent.path(), "one").unwrap();
    folder.keep(&question(5), &answer()).await;
    let (file, good) = (only_file(&folder), fs::read(only_file(&folder)).unwrap());
    // The file of one question in the place of another, as a copy by hand would leave it.
    let other = folder
        .0
        .path
        .join(file_name(&text::question(&question(6)).to_string()));
    fs::copy(&file, &other).unwrap();
    assert_eq!(folder.read(&question(6)).await, None);
    // The folder of one registry in the place of another's.
    let second = Folder::open(parent.path(), "two").unwrap();
    fs::write(second.0.path.join(file.file_name().unwrap()), &good).unwrap();
    assert_eq!(second.read(&question(5)).await, None);
    // A folder where a file should be, and a file of something else.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(folder.read(&question(5)).await, None);
    folder.keep(&question(5), &answer()).await;
    assert!(file.is_dir());
    fs::write(folder.0.path.join("notes.txt"), "mine").unwrap();
    Folder::open(parent.path(), "one").unwrap();
    assert!(folder.0.path.join("notes.txt").exists());
}

#[tokio::test]
async fn another_versions_files_are_not_read() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::open(parent.path(), "one").unwrap();
    folder.keep(&question(5), &answer()).await;
    let file = only_file(&folder);
    let body = fs::read_to_string(&file).unwrap();
    let (_, body) = body.split_once('\n').unwrap();
    let body = body.replacen("\"format\":1", "\"format\":2", 1);
    let digest = hex(&Md5::digest(&body));
    fs::write(&file, format!("{digest}\n{body}")).unwrap();
    assert_eq!(folder.read(&question(5)).await, None);
}

#[tokio::test]
async fn a_folder_has_room_for_so_many() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::open(parent.path(), "one").unwrap();
    folder.0.files.store(FILES_MAX - 1, Ordering::Relaxed);
    folder.keep(&question(1), &answer()).await;
    folder.keep(&question(2), &answer()).await;
    assert!(folder.read(&question(1)).await.is_some());
    assert!(folder.read(&question(2)).await.is_none());
}

#[tokio::test]
async fn what_a_kill_left_half_written_goes_when_it_is_old() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::open(parent.path(), "one").unwrap();
    let (old, young) = (
        folder.0.path.join("a.1-1.tmp"),
        folder.0.path.join("a.2-1.tmp"),
    );
    for path in [&old, &young] {
        fs::write(path, "half").unwrap();
    }
    let day = std::time::Duration::from_secs(86_400);
    let written = fs::metadata(&old).unwrap().modified().unwrap() - day;
    let file = fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(written).unwrap();
    Folder::open(parent.path(), "one").unwrap();
    assert!(!old.exists() && young.exists());
}

use super::*;
use crate::limits::MESSAGE_INDEXES_MAX;
use proptest::prelude::*;

fn id(raw: i32) -> Identity {
    Identity::Id(SchemaId::new(raw).unwrap())
}

fn fault(record: &[u8], layout: Layout) -> (usize, FrameFault) {
    let error = read_prefix(record, layout).unwrap_err();
    assert_eq!(error.carrier, Carrier::Prefix);
    (error.at, error.fault)
}

#[test]
fn magic_0_is_followed_by_four_bytes_of_id() {
    let frame = read_prefix(&[0, 0, 1, 0, 2, 9], Layout::Plain).unwrap();
    assert_eq!(
        (frame.identity, frame.body, frame.body_at),
        (id(65_538), &[9][..], 5)
    );
    assert_eq!(frame.indexes, None);
}

#[test]
fn magic_1_is_followed_by_sixteen_bytes_of_guid() {
    let record: Vec<u8> = (1..=18).collect();
    let frame = read_prefix(&record, Layout::Plain).unwrap();
    let guid = SchemaGuid::parse("02030405-0607-0809-0a0b-0c0d0e0f1011").unwrap();
    assert_eq!(
        (frame.identity, frame.body),
        (Identity::Guid(guid), &[18][..])
    );
}

#[test]
fn an_empty_body_is_a_body() {
    assert_eq!(
        read_prefix(&[0, 0, 0, 0, 1], Layout::Plain).unwrap().body,
        b""
    );
}

#[test]
fn short_frames_say_what_is_missing() {
    let short = |wanted, left| FrameFault::Short { wanted, left };
    assert_eq!(fault(b"", Layout::Plain), (0, short(1, 0)));
    assert_eq!(fault(&[0], Layout::Plain), (1, short(4, 0)));
    assert_eq!(fault(&[0, 0, 0, 0], Layout::Plain), (1, short(4, 3)));
    assert_eq!(fault(&[1, 0, 0, 0, 1], Layout::Plain), (1, short(16, 4)));
    assert_eq!(fault(&[0, 0, 0, 0, 7], Layout::Indexed), (5, short(1, 0)));
}

#[test]
fn any_other_first_byte_is_not_a_frame() {
    for magic in 2..=255 {
        assert_eq!(
            fault(&[magic; 20], Layout::Plain),
            (0, FrameFault::UnknownMagic { magic })
        );
    }
}

#[test]
fn a_negative_id_is_refused_here_and_not_by_the_registry() {
    let negative = FrameFault::NegativeId { raw: -1 };
    assert_eq!(
        fault(&[0, 255, 255, 255, 255, 0], Layout::Plain),
        (1, negative)
    );
}

#[test]
fn both_spellings_of_the_first_message_are_equal() {
    let short = read_prefix(&[0, 0, 0, 0, 7, 0], Layout::Indexed).unwrap();
    let long = read_prefix(&[0, 0, 0, 0, 7, 2, 0], Layout::Indexed).unwrap();
    assert_eq!(short.indexes, long.indexes);
    assert_eq!(short.indexes.unwrap().to_vec(), [0]);
}

#[test]
fn a_count_is_believed_only_as_far_as_bytes_follow() {
    let count = 2_147_483_647;
    let huge = FrameFault::TooManyIndexes { count, left: 0 };
    assert_eq!(
        fault(
            &[0, 0, 0, 0, 7, 0xfe, 0xff, 0xff, 0xff, 0x0f],
            Layout::Indexed
        ),
        (5, huge)
    );
    let mut record = vec![0, 0, 0, 0, 7, 0x82, 0x02]; // 129, and the bytes for them
    record.resize(record.len() + 129, 0);
    let many = FrameFault::TooManyIndexes {
        count: MESSAGE_INDEXES_MAX + 1,
        left: 129,
    };
    assert_eq!(fault(&record, Layout::Indexed), (5, many));
}

#[test]
fn a_header_is_read_like_a_prefix_and_the_record_stays_whole() {
    let record = [0, 0, 0, 0, 9];
    let header = [0, 0, 0, 0, 7];
    let frame = read_header(&header, &record, Layout::Plain).unwrap();
    assert_eq!(
        (frame.identity, frame.body, frame.body_at),
        (id(7), &record[..], 0)
    );
    assert_eq!(frame.carrier, Carrier::Header);

    let error = read_header(&[2, 0], &record, Layout::Plain).unwrap_err();
    assert_eq!(error.fault, FrameFault::UnknownMagic { magic: 2 });
    assert!(
        error
            .to_string()
            .starts_with("bad schema id header at byte 0"),
        "{error}"
    );
}

#[test]
fn a_header_for_protobuf_must_have_message_indexes() {
    let guid = SchemaGuid::from_bytes([3; 16]);
    let without = write_header(guid, None);
    let error = read_header(&without, b"", Layout::Indexed).unwrap_err();
    assert_eq!(error.fault, FrameFault::Short { wanted: 1, left: 0 });

    let first = MessageIndexes::new([0]).unwrap();
    let with = write_header(guid, Some(&first));
    assert_eq!(with.len(), 18, "[0] is written in a header too");
    assert_eq!(
        read_header(&with, b"", Layout::Indexed)
            .unwrap()
            .indexes
            .unwrap()
            .to_vec(),
        [0]
    );
}

#[test]
fn a_header_is_added_once() {
    assert!(needs_header(None, b"v"));
    assert!(needs_header(Some(b"other"), b"v"));
    assert!(!needs_header(Some(b"v"), b"v"));
}

#[test]
fn the_configured_identity_makes_the_whole_record_a_body() {
    let indexes = parse_index_list("1,0").unwrap();
    let reader = IdReader::Config {
        identity: id(5),
        indexes,
    };
    let record = [0, 0, 0, 0, 9];
    let frame = reader
        .read(Some(b"ignored"), &record, Layout::Indexed)
        .unwrap();
    assert_eq!((frame.identity, frame.body), (id(5), &record[..]));
    assert_eq!(frame.indexes.unwrap().to_vec(), [1, 0]);
    assert_eq!(
        reader.read(None, &record, Layout::Plain).unwrap().indexes,
        None
    );
}

#[test]
fn a_prefix_reader_never_looks_at_headers() {
    let frame = IdReader::Prefix.read(Some(&[0, 0, 0, 0, 7]), &[0, 0, 0, 0, 9, 1], Layout::Plain);
    assert_eq!(frame.unwrap().identity, id(9));
}

fn identity() -> impl Strategy<Value = Identity> {
    prop_oneof![
        (0..=i32::MAX).prop_map(id),
        any::<[u8; 16]>().prop_map(|bytes| Identity::Guid(SchemaGuid::from_bytes(bytes))),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        identity in identity(),
        path in prop::option::of(prop::collection::vec(0..=i32::MAX, 1..20)),
        body: Vec<u8>,
    ) {
        let indexes = path.as_ref().map(|path| MessageIndexes::new(path).unwrap());
        let layout = if path.is_some() { Layout::Indexed } else { Layout::Plain };
        let mut record = Vec::new();
        write_prefix(&mut record, identity, indexes.as_ref());
        let body_at = record.len();
        record.extend_from_slice(&body);

        let frame = read_prefix(&record, layout).unwrap();
        prop_assert_eq!(frame.identity, identity);
        prop_assert_eq!((frame.body, frame.body_at), (&body[..], body_at));
        let read: Option<Vec<i32>> = frame.indexes.map(|path| {
            path.iter().map(|index| i32::try_from(index).unwrap()).collect()
        });
        prop_assert_eq!(read, path);
    }

    #[test]
    fn any_bytes_give_a_frame_or_an_error_inside_them(record: Vec<u8>) {
        for layout in [Layout::Plain, Layout::Indexed] {
            match read_prefix(&record, layout) {
                Ok(frame) => prop_assert_eq!(record.get(frame.body_at..), Some(frame.body)),
                Err(error) => prop_assert!(error.at <= record.len()),
            }
        }
    }
}

//! Any bytes through the framing.

use ferroconnect_converters::wire::{
    Carrier, Frame, IdReader, Layout, MessageIndexes, last_header, read_header, read_prefix,
    recognise, write_prefix,
};

/// The framing never panics, stays inside its bytes, and means what it says: a frame that was read can be
/// written, and reading what was written gives the same frame.
pub fn wire_frame(bytes: &[u8]) {
    assert!(
        !recognise(bytes).to_string().is_empty(),
        "every look can be said"
    );
    for layout in [Layout::Plain, Layout::Indexed] {
        prefix(bytes, layout);
        header(bytes, layout);
    }
}

fn prefix(bytes: &[u8], layout: Layout) {
    let frame = match read_prefix(bytes, layout) {
        Ok(frame) => frame,
        Err(error) => {
            assert!(
                error.at <= bytes.len(),
                "{error:?} points outside of {} bytes",
                bytes.len()
            );
            return;
        }
    };
    assert_eq!(
        bytes.get(frame.body_at..),
        Some(frame.body),
        "the body is the rest"
    );
    let again = rewritten(&frame);
    let reread = read_prefix(&again, layout).expect("what was written can be read");
    assert_eq!(
        (reread.identity, reread.indexes),
        (frame.identity, frame.indexes)
    );
    assert_eq!(reread.body, frame.body);
    assert!(again.len() <= bytes.len(), "writing is shortest");
}

/// A header decides alone: the record is never looked at, and is the body as a whole.
fn header(bytes: &[u8], layout: Layout) {
    let headers = [("x", None), ("x", Some(bytes))];
    let newest = last_header(headers, "x");
    assert_eq!(newest, Some(bytes));
    let record = [0, 0, 0, 0, 1];
    let chosen = IdReader::Dual.read(newest, &record, layout);
    assert_eq!(chosen, read_header(bytes, &record, layout));
    if let Ok(frame) = chosen {
        assert_eq!(
            (frame.carrier, frame.body, frame.body_at),
            (Carrier::Header, &record[..], 0)
        );
    }
}

fn rewritten(frame: &Frame<'_>) -> Vec<u8> {
    let indexes = frame.indexes.map(|indexes| {
        let path: Vec<i32> = indexes.iter().map(u32::cast_signed).collect();
        MessageIndexes::new(path).expect("a path that was read is valid")
    });
    let mut out = Vec::new();
    write_prefix(&mut out, frame.identity, indexes.as_ref());
    out.extend_from_slice(frame.body);
    out
}

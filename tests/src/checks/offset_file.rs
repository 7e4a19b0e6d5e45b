//! Any bytes as the offset file of a standalone worker.

use ferroconnect_runtime::store::offsets::{java_map, key_bytes, parse, value_bytes};

/// Any bytes are a map or an error; what was read, written again, reads back the same; an entry that is understood is written as bytes
/// that mean the same.
pub fn offset_file(bytes: &[u8]) {
    let Ok(entries) = java_map::read(bytes) else {
        return;
    };
    let pairs = || {
        entries
            .iter()
            .map(|(key, value)| (key.as_slice(), value.as_deref()))
    };
    let written = java_map::write(pairs()).expect("what was read has a size that Java holds");
    let again = java_map::read(&written).expect("what was written is read");
    assert_eq!(again, entries);
    for (key, value) in pairs() {
        let Ok(entry) = parse(key, value) else {
            continue;
        };
        let key = key_bytes(&entry.connector, &entry.partition);
        let value = value_bytes(&entry.offset);
        let again = parse(&key, value.as_deref()).expect("what was written is understood");
        assert_eq!(again, entry);
    }
}

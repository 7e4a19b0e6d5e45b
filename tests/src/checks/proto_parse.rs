//! Any text through the Protobuf schema language.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ferroconnect_converters::protobuf::{ProtoFile, ProtobufFormat};
use ferroconnect_registry_client::format::{CompatibilityPolicy, SchemaFormat, SchemaSource};

/// Nothing panics; a text that a registry would keep is kept as itself from then on, in both forms; it gets along with
/// itself; what has a descriptor has one that can be posted. Bytes that are no text are taken for a descriptor.
pub fn proto_parse(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return keeps(&STANDARD.encode(bytes));
    };
    if let Ok(file) = ProtoFile::parse(text) {
        // What was parsed prints, unless the indentation makes it too large.
        let _ = file.to_text();
    }
    keeps(text);
}

fn source(text: &str, is_new: bool) -> SchemaSource<'_> {
    SchemaSource {
        text,
        references: &[],
        is_new,
    }
}

fn keeps(posted: &str) {
    for normalize in [false, true] {
        let Ok(kept) = ProtobufFormat.canonical(&source(posted, true), normalize) else {
            continue;
        };
        for is_new in [false, true] {
            let again = ProtobufFormat.canonical(&source(&kept, is_new), normalize);
            assert_eq!(
                again.as_ref(),
                Ok(&kept),
                "normalize {normalize}, new {is_new}"
            );
        }
        let with_itself = ProtobufFormat.incompatibilities(
            &source(&kept, true),
            &source(&kept, false),
            CompatibilityPolicy::Strict,
        );
        assert_eq!(with_itself, Ok(Vec::new()));
        let descriptor = ProtobufFormat
            .serialized(&source(&kept, false))
            .unwrap_or_else(|e| panic!("every type is there: {e}"))
            .unwrap_or_else(|| panic!("Protobuf has a binary form"));
        let posted = STANDARD.encode(descriptor);
        let _ = ProtobufFormat.canonical(&source(&posted, true), normalize);
    }
}

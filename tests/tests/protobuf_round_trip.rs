//! ProtobufConverter on generated schemas and values: what is written is Protobuf.

use ferroconnect_converters::Role;
use ferroconnect_converters::protobuf::{
    ProtoFile, ProtobufConverter, ProtobufConverterConfig, ProtobufDataConfig,
};
use ferroconnect_tests::generate;
use ferroconnect_tests::pair::Pair;
use proptest::prelude::*;

fn settings() -> impl Strategy<Value = ProtobufDataConfig> {
    any::<[bool; 4]>().prop_map(|[enhanced, optional, wrapper, ignore]| ProtobufDataConfig {
        enhanced_schemas: enhanced,
        optional_for_nullables: optional,
        wrapper_for_nullables: wrapper,
        ignore_default_for_nullables: ignore,
        scrub_invalid_names: true,
        ..ProtobufDataConfig::default()
    })
}

fn pair(data: ProtobufDataConfig) -> Pair<ProtobufConverter> {
    let config = ProtobufConverterConfig {
        data,
        ..ProtobufConverterConfig::default()
    };
    Pair::new(ProtobufConverter::new(config, Role::Value))
}

/// Walks a message as any reader can: keys and values to the very end.
fn is_message(mut bytes: &[u8]) -> bool {
    fn varint(bytes: &mut &[u8]) -> Option<u64> {
        let len = bytes.iter().position(|byte| *byte < 0x80)? + 1;
        let (number, rest) = bytes.split_at(len);
        *bytes = rest;
        let groups = number.iter().rev();
        Some(groups.fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f)))
    }
    while !bytes.is_empty() {
        let Some(key) = varint(&mut bytes) else {
            return false;
        };
        let len = match key & 7 {
            0 => varint(&mut bytes).map(|_| 0),
            1 => Some(8),
            2 => varint(&mut bytes),
            5 => Some(4),
            _ => None,
        };
        let len = len.and_then(|len| usize::try_from(len).ok());
        match len.and_then(|len| bytes.get(len..)) {
            Some(rest) if key >> 3 > 0 => bytes = rest,
            Some(_) | None => return false,
        }
    }
    true
}

proptest! {
    #[test]
    fn what_is_written_is_a_message_and_its_text_is_stored_as_it_is(
        config in settings(),
        datum in generate::datum(),
    ) {
        let mut pair = pair(config);
        let written = match pair.write(&datum) {
            Ok(written) => written,
            Err(error) => {
                prop_assert!(error.is_data(), "{}", error);
                return Ok(());
            }
        };
        let Some(written) = written else {
            prop_assert!(datum.is_null());
            return Ok(());
        };
        // The same record again goes the short way.
        prop_assert_eq!(&pair.write(&datum).unwrap().unwrap(), &written);
        // Identity, then the path to the message: one byte, or two for a wrapper.
        let path = if written[5] == 0 { 1 } else { 2 };
        prop_assert!(is_message(&written[5 + path..]));
        for text in pair.texts() {
            prop_assert_eq!(ProtoFile::parse(&text).unwrap().to_text().unwrap(), text);
        }
    }
}

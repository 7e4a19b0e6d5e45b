#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ferroconnect_tests::checks::protobuf_decode(bytes));

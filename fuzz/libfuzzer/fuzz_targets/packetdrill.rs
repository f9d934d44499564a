#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    (fairlane_fuzz::TARGETS[0].run)(data);
});

//! Recipes too large to store: what each makes, and that it ends with a reason.

use std::fs::File;

use toolstile_tests::{HandWritten, PluginDir, reason};

use super::{outcome, runtime};

/// The recipes that are tests here.
pub(super) const RECIPES: &[&str] = &[
    "wasm-big_custom_section",
    "wasm-bit_flips",
    "wasm-many_files",
    "wasm-compile_many_locals",
    // By seeded changes of many bytes, in place of what `wasm-smith` generates.
    "wasm-wasm_smith",
];

/// A sequence that is the same in every run (Marsaglia's xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("it is below a `usize`")
    }

    fn change(&mut self, bytes: &mut [u8]) {
        let (at, difference) = (self.below(bytes.len()), 1 + self.below(255));
        bytes[at] ^= u8::try_from(difference).expect("at most 255");
    }
}

/// Loads components that differ from a good one in that many bytes each. The
/// compiler must refuse or accept them, never crash, and none may hang.
async fn assert_survives(components: usize, changes: usize) {
    let (runtime, good) = (runtime(), HandWritten::default().build());
    let mut random = Random(0x5eed);
    for _ in 0..components {
        let mut bytes = good.clone();
        (0..changes).for_each(|_| random.change(&mut bytes));
        outcome(&runtime, bytes).await;
    }
    assert_eq!(outcome(&runtime, good).await, "ok", "the good one still loads");
}

#[tokio::test]
async fn single_bytes_changed() {
    assert_survives(1000, 1).await;
}

#[tokio::test]
async fn many_bytes_changed() {
    assert_survives(200, 6).await;
}

#[tokio::test]
async fn a_file_of_300_megabytes_is_not_read() {
    let directory = PluginDir::default();
    let file = File::create(directory.path("big.wasm")).unwrap();
    file.set_len(300_000_000).unwrap();
    let reason = reason(&directory.host("").await, "big.wasm");
    assert!(reason.starts_with("it has 300000000 bytes, at most 8388608"), "{reason}");
}

#[tokio::test]
async fn ten_thousand_files_are_one_warning() {
    let directory = PluginDir::default();
    (0..10_000).for_each(|number| directory.add(&format!("p{number}.wasm"), b""));
    let host = directory.host("").await;
    assert!(host.warnings()[0].contains("10000 `.wasm` files"), "{:?}", host.warnings());
    assert_eq!(host.quarantined().len(), 0);
}

#[tokio::test]
async fn a_function_with_too_many_locals() {
    let fields = format!("(func (local {}))", "i32 ".repeat(50_001));
    let component = HandWritten { fields, ..HandWritten::default() }.build();
    assert_eq!(outcome(&runtime(), component).await, "invalid");
}

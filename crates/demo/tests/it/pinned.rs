//! Compares whole stores of several seeds and sizes with recorded digests.

use annals_demo::{Plan, generate};
use sha2::{Digest, Sha256};

/// The digest over path, time, length and bytes of every file, in the order in which they come.
fn digest(seed: u64, sessions: Option<u32>, bytes: Option<u64>) -> String {
    let mut hasher = Sha256::new();
    let done: Result<_, ()> = generate(&Plan { sessions, bytes, seed }, &mut |file| {
        hasher.update(format!("{}\n{}\n{}\n", file.path, file.modified_ms, file.bytes.len()));
        hasher.update(&file.bytes);
        Ok(())
    });
    hasher.update(format!("{:?}", done.unwrap().files));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_plan_gives_the_bytes_that_it_always_gave() {
    let plans = [
        (0, None, None, "6b914e6aa0186eae5ddcbd63feae5cb61838fba411707d3f5513b658b27988bf"),
        (1, None, None, "e929eb2ee9848ae3aeb383eaa38a12dd3c1d39054fd2eaba5250f4725a7163e0"),
        (2, None, None, "b87cd0c088e1cf84d3f7758643ac133d91d9077529a1ddc4ea6621ebea688053"),
        (3, None, None, "919ea1fed7e719f43a2185070039499001ee1c17c853cd1ba317cc888f6a6eb4"),
        (7, None, None, "88045c4f241224578ede49a8fa43383c1286634be4af5052b1b2f4a84b3d9a8c"),
        (42, None, None, "a5577c8d21c38aa0ebdd3fc1fae2f5f8075f2e33546fbb73b639ed1a9255ae9b"),
        (1000, None, None, "5dda9e8a75cc3db18fed934c5b58dca950eb6b47d23dd4772abe110d0edffe5c"),
        (u64::MAX, None, None, "a901dad54f90d3b251e375465e8752ecb9a1993f6ce16e68dbb851dec2d9502c"),
        (1, Some(60), None, "81f7c4edec644f6f6ccd70636c4f28115777b084737584386cae32fd2f24a52a"),
        (5, Some(200), None, "a200cf2b71e342a3e1a93f416fded3bc5c98bc1c8a4d64648598f96b3d8ddba6"),
        (1, None, Some(20000000), "8167347b7c5f1de4a70f689a84e5e2eff71981867dd28021e1ac6e9b2e9f35a8"),
        (9, None, Some(40000000), "e88d3619799ee73c58d57b6742dcdba4b44021609c5b48d17d59dc97ee839dbf"),
    ];
    for (seed, sessions, bytes, expected) in plans {
        assert_eq!(digest(seed, sessions, bytes), expected, "seed {seed}, {sessions:?}, {bytes:?}");
    }
}

//! The seeds of the fuzzers as ordinary tests: each seed whole, cut at every byte, and changed at random, always in the same way.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::depth::repetitions;
use crate::workspace_root;

/// Random changes of the seeds of a folder, at full depth.
const CHANGED: usize = 20_000;

/// Runs a fuzzer's check over the seeds of these folders (below `fuzz/`) and what can be made of them. Where it panics, says on
/// which bytes.
pub fn check_seeds(folders: &[&str], check: fn(&[u8])) {
    let seeds: Vec<Vec<u8>> = folders.iter().flat_map(|folder| seeds(folder)).collect();
    let words = words();
    for seed in &seeds {
        (0..=seed.len()).for_each(|end| check_one(&seed[..end], check));
    }
    let mut random = Random(0x5eed);
    for _ in 0..repetitions(CHANGED) {
        check_one(&changed(&seeds, &words, &mut random), check);
    }
}

fn check_one(bytes: &[u8], check: fn(&[u8])) {
    if let Err(fault) = catch_unwind(AssertUnwindSafe(|| check(bytes))) {
        crate::shared::say(&format!("the check fails on b\"{}\"", bytes.escape_ascii()));
        resume_unwind(fault);
    }
}

fn seeds(folder: &str) -> Vec<Vec<u8>> {
    let folder = workspace_root().join("fuzz").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let read = |path| fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let found: Vec<_> = paths.into_iter().map(read).collect();
    assert!(!found.is_empty(), "{} has no seeds", folder.display());
    found
}

/// The words of the fuzzers' dictionary, without their escapes.
fn words() -> Vec<Vec<u8>> {
    let path = workspace_root().join("fuzz/dictionary");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let quoted = |line: &str| Some(line.split_once('"')?.1.rsplit_once('"')?.0.replace("\\\"", "\""));
    text.lines().filter(|line| !line.starts_with('#')).filter_map(quoted).map(String::into_bytes).collect()
}

/// A seed with up to four random changes.
fn changed(seeds: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(seeds).to_vec();
    for _ in 0..=random.below(4) {
        let from = random.below(bytes.len() + 1);
        let to = (from + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(from..to)),
            1 => drop(bytes.splice(from..to, random.pick(words).iter().copied())),
            2 => bytes.insert(from, u8::try_from(random.below(256)).unwrap_or(0)),
            3 => drop(bytes.splice(from..from, bytes[from..to].to_vec())),
            4 => bytes.truncate(from),
            _ => bytes.extend_from_slice(random.pick(seeds)),
        }
    }
    bytes
}

/// A small generator of numbers: the same changes in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn pick<'a>(&mut self, from: &'a [Vec<u8>]) -> &'a [u8] {
        &from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a torn line")]
    fn a_check_that_fails_is_found() {
        check_seeds(&["seeds"], |bytes| assert!(bytes.is_empty() || bytes.ends_with(b"\n"), "a torn line"));
    }

    #[test]
    fn the_dictionary_is_used() {
        assert!(words().iter().any(|word| word == b"\"type\":\"user\""));
    }
}

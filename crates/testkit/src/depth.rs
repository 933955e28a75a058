//! How many repetitions a test runs: kills, random cases, restores, files of the corpus.
//!
//! `ANNALS_DEPTH` is `quick`, `standard` (the default) or `full`; `./check` sets it. Only repetition depends on it: a case that
//! has a particular reason runs at every depth.

use std::sync::LazyLock;

use crate::shared;

/// The environment variable that names the depth.
pub const VARIABLE: &str = "ANNALS_DEPTH";

/// How much of a repeating test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A twentieth, for every commit.
    Quick,
    /// A fifth, before a change lands.
    Standard,
    Full,
}

static DEPTH: LazyLock<Depth> = LazyLock::new(|| parse(shared::variable(VARIABLE).as_deref()));

/// The depth of this run.
pub fn depth() -> Depth {
    *DEPTH
}

fn parse(text: Option<&str>) -> Depth {
    match text {
        Some("quick") => Depth::Quick,
        None | Some("standard") => Depth::Standard,
        Some("full") => Depth::Full,
        Some(other) => panic!("{VARIABLE} is {other:?}; it can be quick, standard or full"),
    }
}

impl Depth {
    /// The repetitions at this depth of a test that does `full` at full depth; at least one.
    const fn share(self, full: usize) -> usize {
        let part = match self {
            Self::Quick => full / 20,
            Self::Standard => full / 5,
            Self::Full => full,
        };
        if part == 0 { 1 } else { part }
    }
}

/// The repetitions in this run of a test that does `full` at full depth; at least one.
pub fn repetitions(full: usize) -> usize {
    depth().share(full)
}

/// The steps in which a test walks through every byte or place: 1 at full depth.
pub fn stride() -> usize {
    match depth() {
        Depth::Quick => 20,
        Depth::Standard => 5,
        Depth::Full => 1,
    }
}

/// Whether a test runs the case of this number: every one at full depth, else one in `stride`. Tests that try the same cases in
/// several ways give each way a `phase` of its own, so that no case is left out by all of them.
pub fn is_in_share(number: usize, phase: usize, stride: usize) -> bool {
    depth() == Depth::Full || number % stride == phase % stride
}

/// The largest file of the corpus that slow tests take: a fifth of its files hold four fifths of its bytes.
pub fn max_file_bytes() -> u64 {
    if depth() == Depth::Full { u64::MAX } else { 400_000 }
}

/// What a test over the corpus must at least have met: `full` of all files, `sample` of those up to [`max_file_bytes`].
pub fn at_least(full: usize, sample: usize) -> usize {
    if depth() == Depth::Full { full } else { sample }
}

/// [`repetitions`] for a number of random cases.
pub fn cases(full: u32) -> u32 {
    u32::try_from(repetitions(full as usize)).unwrap_or(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_part_and_never_nothing() {
        assert_eq!([Depth::Quick, Depth::Standard, Depth::Full].map(|depth| depth.share(200)), [10, 40, 200]);
        assert_eq!([Depth::Quick, Depth::Standard, Depth::Full].map(|depth| depth.share(3)), [1, 1, 3]);
    }

    #[test]
    #[should_panic(expected = "quick, standard or full")]
    fn a_wrong_depth_is_a_mistake() {
        parse(Some("deep"));
    }
}

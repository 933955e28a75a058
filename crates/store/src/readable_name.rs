//! The readable name of a session (`slug` in its lines), which also names its plan: three words, such as
//! `quiet-drifting-harbor`.

use crate::layout::ConfigDir;
use crate::source::Source;

const HOW: [&str; 32] = [
    "amber", "bright", "brisk", "calm", "candid", "clear", "cosmic", "deep", "eager", "early", "fair",
    "gentle", "golden", "hidden", "humble", "keen", "lively", "lucid", "mellow", "merry", "nimble",
    "patient", "plain", "proud", "quiet", "rapid", "serene", "silver", "steady", "sunny", "swift", "tidy",
];
const DOING: [&str; 32] = [
    "baking",
    "blooming",
    "building",
    "carving",
    "climbing",
    "counting",
    "dancing",
    "drawing",
    "drifting",
    "floating",
    "folding",
    "gliding",
    "glowing",
    "humming",
    "juggling",
    "knitting",
    "leaping",
    "mapping",
    "mending",
    "painting",
    "reading",
    "roaming",
    "rowing",
    "sailing",
    "singing",
    "skating",
    "sketching",
    "strolling",
    "tracing",
    "weaving",
    "whistling",
    "winding",
];
const WHAT: [&str; 32] = [
    "acorn", "anchor", "beacon", "bridge", "canyon", "cedar", "comet", "compass", "falcon", "fern", "forest",
    "garden", "glacier", "harbor", "heron", "island", "lantern", "maple", "meadow", "orchard", "otter",
    "pebble", "prairie", "river", "sparrow", "spruce", "summit", "thistle", "tide", "valley", "willow",
    "wren",
];

/// Returns a name that no plan has yet.
pub(crate) fn new_name(config: &ConfigDir, source: &dyn Source) -> String {
    for _ in 0..8 {
        let name = name_of(source.random());
        if !config.plan(&name).exists() {
            return name;
        }
    }
    // The words are used up here: a number makes room.
    let bytes = source.random();
    format!("{}-{}", name_of(bytes), u16::from_be_bytes([bytes[14], bytes[15]]))
}

fn name_of(bytes: [u8; 16]) -> String {
    let pick = |words: &[&'static str; 32], at: usize| words[usize::from(bytes[at]) % words.len()];
    [pick(&HOW, 0), pick(&DOING, 1), pick(&WHAT, 2)].join("-")
}

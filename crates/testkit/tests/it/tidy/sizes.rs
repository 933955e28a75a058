//! Rule: modules stay small. Near 150 lines is right, 400 is long, 800 fails.

use super::{Files, report, rust_files, sample};

const TOO_LONG: usize = 800;
const LONG: usize = 400;
/// How many long files the project bears. Lower it when one is split; raise it only with a reason in the commit.
const LONG_FILES_BORNE: usize = 3;

/// Files with their number of lines, longest first.
fn by_length(files: &Files) -> Vec<(usize, &str)> {
    let mut sizes: Vec<_> = files.iter().map(|(path, text)| (text.lines().count(), path.as_str())).collect();
    sizes.sort_unstable_by(|left, right| right.cmp(left));
    sizes
}

fn longer_than(limit: usize, files: &Files) -> Vec<String> {
    let long = by_length(files).into_iter().filter(|(lines, _)| *lines > limit);
    long.map(|(lines, path)| format!("{lines:>5} lines: {path}")).collect()
}

fn median(files: &Files) -> usize {
    let sizes = by_length(files);
    sizes.get(sizes.len() / 2).map_or(0, |(lines, _)| *lines)
}

#[test]
fn no_file_is_too_long() {
    report(
        &longer_than(TOO_LONG, &rust_files()),
        "Over 800 lines: a file that long holds two modules. Split it.",
    );
}

#[test]
fn few_files_are_long() {
    let files = rust_files();
    let long = longer_than(LONG, &files);
    println!("{} files, median {} lines, {} over {LONG}: {long:#?}", files.len(), median(&files), long.len());
    assert!(
        long.len() <= LONG_FILES_BORNE,
        "{} files are over {LONG} lines and {LONG_FILES_BORNE} are borne; split one of:\n  {}",
        long.len(),
        long.join("\n  ")
    );
}

#[test]
fn the_rule_can_fail() {
    let (long, longer) = ("\n".repeat(401), "\n".repeat(801));
    let files = sample(&[("a.rs", "one\n"), ("b.rs", &long), ("c.rs", &longer)]);
    assert_eq!(longer_than(TOO_LONG, &files), ["  801 lines: c.rs"]);
    assert_eq!(longer_than(LONG, &files).len(), 2);
    assert_eq!(median(&files), 401);
}

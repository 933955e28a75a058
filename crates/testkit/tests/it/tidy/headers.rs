//! Rule: every Rust file opens with `//!`, a sentence that says what it owns and what it must not do.

use super::{Files, report, rust_files, sample};

/// Fewer words than this say nothing.
const FEWEST_WORDS: usize = 3;

fn findings(files: &Files) -> Vec<String> {
    let opens = |text: &str| {
        let first = text.lines().next().unwrap_or("");
        first.strip_prefix("//! ").is_some_and(|sentence| sentence.split_whitespace().count() >= FEWEST_WORDS)
    };
    files.iter().filter(|(_, text)| !opens(text)).map(|(path, _)| path.clone()).collect()
}

#[test]
fn every_file_opens_with_its_sentence() {
    report(
        &findings(&rust_files()),
        "The first line must be `//! …`: what this file owns, and what it must not do.",
    );
}

#[test]
fn the_rule_can_fail() {
    let files = sample(&[
        ("good.rs", "//! Reads lines and nothing else.\n"),
        ("late.rs", "use std::fs;\n//! Reads lines and nothing else.\n"),
        ("short.rs", "//! Placeholder.\n"),
        ("empty.rs", ""),
    ]);
    assert_eq!(findings(&files), ["empty.rs", "late.rs", "short.rs"]);
}

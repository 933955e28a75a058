//! Rule: docs/review.md names tests that exist. A cell of the column "test" holds paths of files, `path::test`, `::test`, names of tests,
//! and words.

use std::collections::BTreeSet;

use super::{Files, collect, read, report, rust_files, sample};

/// The names of all functions and modules, and all paths with every end of them.
fn known(files: &Files) -> (BTreeSet<&str>, BTreeSet<String>) {
    let names = files.values().flat_map(|text| text.split("fn ").skip(1).chain(text.split("mod ").skip(1)));
    let names = names.filter_map(|rest| rest.split(|letter: char| !is_of_name(letter)).next());
    let mut paths = BTreeSet::new();
    for path in files.keys() {
        let parts: Vec<&str> = path.split('/').collect();
        paths.extend((0..parts.len()).map(|from| parts[from..].join("/")));
    }
    (names.collect(), paths)
}

fn is_of_name(letter: char) -> bool {
    letter == '_' || letter.is_ascii_alphanumeric()
}

/// The tests and files of a page that do not exist, each with the finding.
fn missing(page: &str, files: &Files) -> Vec<String> {
    let (names, paths) = known(files);
    let mut found = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| finding")) {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let (finding, tests) = (cells[0].trim_start_matches("| "), cells.last().copied().unwrap_or_default());
        let between = |letter: char| !is_of_name(letter) && !"/.:*-".contains(letter);
        for word in tests.split(between).map(|word| word.trim_matches(['.', ':', '*', '-'])) {
            let (path, name) = match word.rsplit_once("::") {
                Some((path, name)) => (path, name),
                None if word.contains(['/', '.']) => (word, ""),
                None => ("", word),
            };
            let is_file = path.ends_with(".rs") || path.ends_with(".txt");
            let is_test = name.matches('_').count() >= 2 || word.contains("::");
            let file = path.rsplit_once("::").map_or(path, |(file, _)| file);
            let file = file.split("::").next().unwrap_or(file);
            if (is_file && !paths.contains(file))
                || (is_test && !name.is_empty() && !is_known(name, &names, &paths))
            {
                found.push(format!("{finding}: {word}"));
            }
        }
    }
    found
}

/// A function, or a module that stands for its tests.
fn is_known(name: &str, names: &BTreeSet<&str>, paths: &BTreeSet<String>) -> bool {
    let is_module = |end: &str| paths.contains(&format!("{name}{end}"));
    names.contains(name) || is_module(".rs") || is_module("/mod.rs") || name == "tests"
}

#[test]
fn every_test_of_the_review_exists() {
    let mut files = rust_files();
    for folder in ["crates/policy/tests", "crates/transcript/tests"] {
        collect(folder, "txt", &mut files);
    }
    report(
        &missing(&read("docs/review.md"), &files),
        "docs/review.md names tests that do not exist (any more).",
    );
}

#[test]
fn the_rule_can_fail() {
    let files =
        sample(&[("crates/cli/tests/it/a.rs", "fn a_test_of_ours() {}"), ("crates/cli/src/b/mod.rs", "")]);
    let page = "| finding | was | is | test |\n|---|---|---|---|\n\
                | 1 | x | y | `cli/tests/it/a.rs::a_test_of_ours`, ::b |\n\
                | 2 | x | y | a.rs::another_test_of_ours; cli/tests/it/gone.rs |\n\
                | 3 | x | y | not_there_any_more |\n| 4 | x | y | – |\n";
    assert_eq!(
        missing(page, &files),
        ["2: a.rs::another_test_of_ours", "2: cli/tests/it/gone.rs", "3: not_there_any_more"]
    );
}

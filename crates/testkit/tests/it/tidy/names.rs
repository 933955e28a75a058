//! Rule: names and texts use the vocabulary of the field. In a crate no two types share a name; no type is a bare
//! participle or a retired word; limits are called `MAX_…`; phrases that readers stumbled over stay retired.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Files, collect, collect_where, crate_names, crate_of, read, report, rust_files, sample};

/// Names that were metaphors or could have meant anything. The reviews list what replaced them.
const RETIRED_TYPES: [&str; 70] = [
    "Away",
    "Belonging",
    "Belongings",
    "Bench",
    "Card",
    "Care",
    "Circumstances",
    "Company",
    "Course",
    "Crew",
    "Desk",
    "Detour",
    "Errand",
    "Extent",
    "Family",
    "Few",
    "Gatherer",
    "Gathering",
    "Gist",
    "Glance",
    "Ground",
    "Happening",
    "Household",
    "Keeper",
    "Keeping",
    "Ledger",
    "Letters",
    "Litter",
    "Look",
    "Looker",
    "Loudness",
    "Manner",
    "Manners",
    "Matter",
    "News",
    "Nobody",
    "Nowhere",
    "Nursery",
    "Ornaments",
    "Outfit",
    "Outlook",
    "Own",
    "Paper",
    "Part",
    "Parts",
    "Patience",
    "Place",
    "Places",
    "Roll",
    "Room",
    "Scribe",
    "Shelf",
    "Shelves",
    "Sighting",
    "Skill",
    "Speech",
    "Standing",
    "Standpoint",
    "Surroundings",
    "Survey",
    "Talk",
    "Ticket",
    "Tidings",
    "Veil",
    "Voice",
    "Way",
    "Ways",
    "Wish",
    "Wishes",
    "Witness",
];

/// Participles that do not end in `ed`.
const IRREGULAR: [&str; 38] = [
    "Begun",
    "Bought",
    "Bound",
    "Broken",
    "Built",
    "Came",
    "Chosen",
    "Come",
    "Done",
    "Drawn",
    "Driven",
    "Fallen",
    "Felt",
    "Forgotten",
    "Found",
    "Given",
    "Gone",
    "Heard",
    "Held",
    "Hidden",
    "Kept",
    "Known",
    "Left",
    "Lost",
    "Made",
    "Met",
    "Paid",
    "Ran",
    "Said",
    "Seen",
    "Sent",
    "Shown",
    "Spent",
    "Spoken",
    "Taken",
    "Thought",
    "Told",
    "Written",
];

/// Words that end in `ed` and are no participle.
const NO_PARTICIPLES: [&str; 6] = ["Bed", "Embed", "Feed", "Need", "Seed", "Speed"];

/// Phrases that stand in no source, help or document.
const RETIRED_PHRASES: [&str; 29] = [
    "so many",
    "anew",
    "for ever",
    "whoever",
    "where none",
    "go on with",
    "gone on with",
    "goes on with",
    "cut short",
    "foretell",
    "foretells",
    "foretold",
    "takes that back",
    "laid over",
    "lay over",
    "the way back",
    "of its own accord",
    "takes a change back",
    "taken back",
    "nobody needs",
    "is no longer had",
    "exists already",
    "is waited for",
    "outside of",
    "beside each other",
    "the question before",
    "the match before",
    "has to end",
    "is no filter",
];

/// Files that cite retired words because they retire them.
const CITING: [&str; 2] = ["crates/testkit/tests/it/tidy/names.rs", "CHANGELOG.md"];

/// The types that a file defines outside its tests, each with its line.
fn types(text: &str) -> Vec<(usize, &str)> {
    let program = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let defined = program.filter_map(|(number, line)| {
        let line = line.trim_start();
        let line = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
            Some(rest) => rest.trim_start(),
            None => line,
        };
        let (keyword, rest) = line.split_once(' ')?;
        let name = rest.split(|letter: char| !letter.is_alphanumeric()).next()?;
        let is_type = ["struct", "enum", "trait", "type", "union"].contains(&keyword);
        (is_type && name.starts_with(|letter: char| letter.is_ascii_uppercase()))
            .then_some((number + 1, name))
    });
    defined.collect()
}

/// Associated types are named by their trait and have one meaning there.
fn is_associated(text: &str, line: usize) -> bool {
    text.lines()
        .nth(line - 1)
        .is_some_and(|line| line.starts_with(' ') && line.trim_start().starts_with("type "))
}

fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    IRREGULAR.contains(&name) || (is_one_word && name.ends_with("ed") && !NO_PARTICIPLES.contains(&name))
}

fn is_source(path: &str) -> bool {
    path.contains("/src/")
        && !path.ends_with("/tests.rs")
        && !path.contains("/tests/")
        && !path.ends_with("_tests.rs")
        // The same types for another system.
        && !path.ends_with("windows.rs")
}

fn bad_types(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    let mut first: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| is_source(path)) {
        for (line, name) in types(text).into_iter().filter(|&(line, _)| !is_associated(text, line)) {
            let place = format!("{path}:{line}");
            if is_participle(name) {
                found.push(format!("{place}: `{name}` is a participle"));
            }
            if RETIRED_TYPES.contains(&name) {
                found.push(format!("{place}: `{name}` is retired"));
            }
            if let Some(other) = first.insert((crate_of(path), name), place.clone()) {
                found.push(format!("{place}: `{name}` is also defined at {other}"));
            }
        }
    }
    found
}

fn bad_constants(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !CITING.contains(&path.as_str())) {
        for (number, line) in text.lines().enumerate() {
            let Some(at) = line.find("const ") else { continue };
            let name = line[at + 6..].split([':', ' ']).next().unwrap_or("");
            if name.starts_with("MOST_") || name.starts_with("LEAST_") || name == "MOST" || name == "LEAST" {
                found.push(format!("{path}:{}: `{name}`", number + 1));
            }
        }
    }
    found
}

fn retired_phrases(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !CITING.contains(&path.as_str())) {
        for (number, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            for phrase in RETIRED_PHRASES.iter().filter(|phrase| holds_phrase(&line, phrase)) {
                found.push(format!("{path}:{}: \"{phrase}\"", number + 1));
            }
        }
    }
    found
}

fn holds_phrase(line: &str, phrase: &str) -> bool {
    // Names of tests are sentences; only prose is held to this.
    let is_letter =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    line.match_indices(phrase).any(|(at, _)| {
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
    })
}

/// What people read: sources, help topics, schemas, scripts and documents.
fn texts() -> Files {
    let mut files = rust_files();
    for (folder, extension) in [
        ("docs", "md"),
        ("docs/schema", "json"),
        ("crates/cli/src", "md"),
        ("crates/cli/src", "txt"),
        ("scripts", "py"),
        ("interop", "py"),
        (".github", "yml"),
    ] {
        collect(folder, extension, &mut files);
    }
    for name in crate_names() {
        collect(&format!("crates/{name}/src"), "sql", &mut files);
        let is_readme = |path: &Path| path.file_name().is_some_and(|name| name == "README.md");
        collect_where(&format!("crates/{name}"), &is_readme, &mut files);
    }
    let is_script = |path: &Path| path.extension().is_none();
    for folder in ["scripts", "interop"] {
        collect_where(folder, &is_script, &mut files);
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "interop/README.md", "check"] {
        files.insert(name.to_owned(), read(name));
    }
    files
}

#[test]
fn types_say_what_they_are_once_in_a_crate() {
    report(
        &bad_types(&rust_files()),
        "Name the thing with a noun of the field, once in a crate (ARCHITECTURE.md, Words).",
    );
}

#[test]
fn limits_are_called_max_and_min() {
    report(&bad_constants(&rust_files()), "Call it MAX_… or MIN_….");
}

#[test]
fn retired_phrases_stay_retired() {
    report(&retired_phrases(&texts()), "Say it in plain words (ARCHITECTURE.md, Words).");
}

#[test]
fn all_that_people_read_is_searched() {
    let files = texts();
    let is_missing = |path: &&&str| !files.contains_key(**path);
    let missing: Vec<_> = [
        "crates/cli/src/help/topics/dates.txt",
        "crates/cli/src/commands/mcp/install/skill.md",
        "crates/index/src/schema.sql",
        "crates/index/src/words/words.sql",
        "crates/store/README.md",
        "docs/schema/ls.json",
        "docs/team.md",
        "interop/run",
        "scripts/new-release",
    ]
    .iter()
    .filter(is_missing)
    .collect();
    assert!(missing.is_empty(), "not searched: {missing:?}");
}

#[test]
fn the_rules_can_fail() {
    let files = sample(&[
        (
            "crates/a/src/one.rs",
            "pub struct Cursor;\nenum Asked {}\npub(crate) struct Wishes;\nstruct Speed;\n",
        ),
        ("crates/a/src/two.rs", "struct Cursor;\nimpl Iterator for X {\n    type Item = u8;\n}\n"),
        ("crates/b/src/one.rs", "struct Cursor;\n#[cfg(test)]\nmod tests { struct Told; }\n"),
        ("crates/b/src/two.rs", "/// At most so many, anewly.\npub(super) const MOST_BYTES: usize = 1;\n"),
    ]);
    assert_eq!(
        bad_types(&files),
        [
            "crates/a/src/one.rs:2: `Asked` is a participle",
            "crates/a/src/one.rs:3: `Wishes` is retired",
            "crates/a/src/two.rs:1: `Cursor` is also defined at crates/a/src/one.rs:1",
        ]
    );
    assert_eq!(bad_constants(&files), ["crates/b/src/two.rs:2: `MOST_BYTES`"]);
    assert_eq!(retired_phrases(&files), ["crates/b/src/two.rs:1: \"so many\""]);
}

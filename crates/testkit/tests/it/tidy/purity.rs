//! Rule: no library prints, exits, reads the environment or asks for the time; types on disk use no serde trick that
//! changes meaning. Test code is free, and so is the command line.

use super::words::{Exception, holds_word, places, program_lines, report_unused, words_in};
use super::{Files, crate_of, report, rust_files, sample};

/// Words that no library may use.
const FORBIDDEN: [&str; 13] = [
    "println!",
    "eprintln!",
    "print!(",
    "eprint!(",
    "dbg!(",
    "process::exit",
    "env::var",
    "env::args",
    "env::current_dir",
    "home_dir",
    "SystemTime::now",
    "io::stdout",
    "io::stderr",
];

/// File, word and why it is allowed there.
const GRANTED: [Exception; 8] = [
    (
        "crates/store/src/system_source.rs",
        "SystemTime::now",
        "the clock that programs pass in, behind a feature",
    ),
    ("crates/testkit/src/shared.rs", "env::var", "tests find data outside the project by a variable"),
    ("crates/testkit/src/shared.rs", "io::stderr", "a skipped test must be seen past the runner's capture"),
    ("crates/testkit/src/home.rs", "env::var", "a cleared environment still needs PATH"),
    ("crates/testkit/src/home.rs", "home_dir", "it knows the real home in order to refuse it"),
    ("crates/testkit/src/bin/scripted-api.rs", "env::args", "a program, though in a library's folder"),
    ("crates/testkit/src/bin/scripted-api.rs", "io::stdout", "a program, though in a library's folder"),
    ("crates/testkit/src/bin/scripted-api.rs", "io::stderr", "a program, though in a library's folder"),
];

/// Serde attributes that lose order, numbers or unknown fields.
const SERDE_TRICKS: [&str; 4] = ["flatten", "untagged", "tag =", "tag="];

fn is_library(path: &str) -> bool {
    let test_code = path.ends_with("/tests.rs") || path.contains("/tests/") || path.ends_with("_tests.rs");
    crate_of(path) != "cli" && path.contains("/src/") && !test_code
}

fn impure(files: &Files) -> Vec<String> {
    places(files, is_library, &GRANTED, |_, line| words_in(line, &FORBIDDEN))
}

fn serde_tricks(files: &Files) -> Vec<String> {
    let on_disk = |path: &str| is_library(path) && ["transcript", "store"].contains(&crate_of(path));
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| on_disk(path)) {
        for (number, line) in program_lines(text).filter(|(_, line)| line.contains("serde(")) {
            if SERDE_TRICKS.iter().any(|trick| line.contains(trick)) {
                found.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    found
}

#[test]
fn libraries_are_silent_and_blind() {
    report(
        &impure(&rust_files()),
        "A library takes what it needs as arguments and returns what it has to say; only crates/cli meets the outside.",
    );
}

#[test]
fn every_exception_is_used() {
    report_unused(&GRANTED);
}

#[test]
fn types_on_disk_use_no_serde_tricks() {
    report(
        &serde_tricks(&rust_files()),
        "These attributes lose order, number forms or unknown fields (invariant 4).",
    );
}

#[test]
fn the_rules_can_fail() {
    let files = sample(&[
        (
            "crates/store/src/a.rs",
            "fn a() {\n    // println!(\n    eprintln!(\"x\");\n}\n#[cfg(test)]\nmod tests {\n dbg!(1) }\n",
        ),
        ("crates/store/src/b.rs", "#[cfg(test)]\nmod tests;\nlet now = SystemTime::now();\n"),
        ("crates/store/src/b/tests.rs", "println!()"),
        ("crates/store/src/c.rs", "#[serde(flatten)]\n#[serde(rename = \"stage\")]\n"),
        ("crates/cli/src/main.rs", "println!(); std::process::exit(1)"),
    ]);
    assert_eq!(
        impure(&files),
        ["crates/store/src/a.rs:3: eprintln!", "crates/store/src/b.rs:3: SystemTime::now"]
    );
    assert_eq!(serde_tricks(&files), ["crates/store/src/c.rs:1: #[serde(flatten)]"]);
    assert!(holds_word("eprint!(1)", "eprint!(") && !holds_word("eprint!(1)", "print!("));
}

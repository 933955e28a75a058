//! Rule: files of a store are opened by `annals_store::read` or `ConfigDir::open` only, so that no pipe makes a command wait
//! and no link leads out of the store.

use std::collections::BTreeSet;

use super::words::{Exception, holds_word, places, report_unused, words_in};
use super::{Files, report, rust_files, sample};

/// Words that open a file whatever it is.
const OPENING: [&str; 3] = ["File::open(", "fs::read(", "fs::read_to_string("];

/// Functions for paths that discovery has checked, or that a person named.
const CHECKED: [&str; 5] =
    ["read_file(", "read_file_if_there(", "open_file(", "stream_lines(", "JsonFile::read("];

/// Makers of paths: what they make, nobody has checked.
const MAKERS: [&str; 4] = [".join(", ".with_extension(", ".with_file_name(", "config"];

/// File, word and why it is allowed there.
const GRANTED: [Exception; 22] = [
    ("crates/cli/src/commands/chat/access.rs", "fs::read(", "a file that the person named"),
    ("crates/cli/src/commands/chat/signals.rs", "fs::read_to_string(", "the kernel's table"),
    ("crates/cli/src/commands/chat/terminal/permission.rs", "fs::read_to_string(", "a file of the workspace"),
    ("crates/cli/src/commands/chat/unsupported.rs", "fs::read(", "settings, which the owner may link"),
    ("crates/cli/src/commands/export/folder.rs", "File::open(", "the export's folder, for its lock"),
    ("crates/cli/src/commands/export/manifest.rs", "fs::read(", "a plain file of the export's folder"),
    ("crates/cli/src/zone.rs", "fs::read(", "the system's time zones"),
    ("crates/collect/src/spool.rs", "File::open(", "our data folder"),
    ("crates/index/src/open.rs", "fs::read_to_string(", "our data folder"),
    ("crates/store/src/busy.rs", "fs::read_to_string(", "the kernel's table"),
    (
        "crates/store/src/files/copy.rs",
        "File::open(",
        "what is moved or changed; links are told apart before",
    ),
    ("crates/store/src/files/swap.rs", "File::open(", "what is changed; links are told apart before"),
    ("crates/store/src/journal/revert.rs", "File::open(", "what was changed, and our data folder"),
    ("crates/store/src/platform/unix.rs", "File::open(", "a folder that is synced"),
    ("crates/store/src/platform/windows.rs", "File::open(", "the opening itself"),
    ("crates/store/src/read.rs", "fs::read(", "what a person names may be a pipe"),
    ("crates/store/src/session/lock_note.rs", "File::open(", "our data folder"),
    ("crates/store/src/session/writer.rs", "File::open(", "the file that is being written"),
    ("crates/store/src/watch/mod.rs", "fs::read_to_string(", "the kernel's table"),
    ("crates/vault/src/pack/reader.rs", "File::open(", "our data folder"),
    ("crates/vault/src/pack/writer.rs", "File::open(", "our data folder"),
    ("crates/vault/src/verify.rs", "File::open(", "our data folder"),
];

fn is_ruled(path: &str) -> bool {
    let crates = ["store", "surgery", "vault", "index", "collect", "cli"];
    let is_ours = |name: &str| path.strip_prefix("crates/").is_some_and(|rest| rest.starts_with(name));
    crates.iter().any(|name| is_ours(name) && path.contains("/src/")) && !path.ends_with("tests.rs")
}

/// The argument of a call that begins right behind `word`.
fn argument<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let at = line
        .find(word)
        .filter(|at| !line[..*at].ends_with(|before: char| before == '_' || before.is_alphanumeric()))?;
    let rest = &line[at + word.len()..];
    let mut depth = 1;
    let end = rest.find(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    });
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// The variable that a line makes a path which nobody has checked.
fn made_path(line: &str) -> Option<&str> {
    let (name, value) = line.trim_start().strip_prefix("let ")?.split_once(" = ")?;
    let is_made = MAKERS.iter().any(|maker| value.contains(maker)) && !value.contains("data");
    let is_path = value.ends_with(");") && !value.contains('?') && !value.contains("read");
    (is_made && is_path).then_some(name)
}

/// Places that open a file of a store without looking at what it is.
fn openings(files: &Files) -> Vec<String> {
    let mut made = BTreeSet::new();
    let mut of_file = "";
    places(files, is_ruled, &GRANTED, |path, line| {
        if path != of_file || holds_word(line, "fn ") {
            made.clear();
            of_file = path;
        }
        made.extend(made_path(line));
        let is_made = |word: &&str| {
            argument(line, word).is_some_and(|argument| {
                MAKERS.iter().any(|maker| argument.contains(maker))
                    || made.contains(argument.trim_start_matches('&'))
            })
        };
        words_in(line, &OPENING).into_iter().chain(CHECKED.into_iter().filter(is_made)).collect()
    })
}

#[test]
fn files_of_a_store_are_opened_in_one_way() {
    report(
        &openings(&rust_files()),
        "Open what discovery listed with annals_store::read, and every other path of a store with ConfigDir::open or read_below.",
    );
}

#[test]
fn every_exception_is_used() {
    report_unused(&GRANTED);
}

#[test]
fn the_rule_can_fail() {
    let files = sample(&[
        (
            "crates/surgery/src/a.rs",
            "let history = config.history();\nread_file(&history)?;\nread_file(&file.path)?;\n",
        ),
        ("crates/store/src/b.rs", "JsonFile::read(&config.stats_cache())\nconfig.read(&config.history())\n"),
        (
            "crates/cli/src/c.rs",
            "std::fs::read(path)\nstream_lines(&folder.join(name), f)\nopen_file(&target.path)\n",
        ),
        ("crates/index/src/d.rs", "// File::open(path)\n#[cfg(test)]\nmod tests {\n    File::open(x) }\n"),
        ("crates/agent/src/e.rs", "std::fs::read(path)"),
    ]);
    assert_eq!(
        openings(&files),
        [
            "crates/cli/src/c.rs:1: fs::read(",
            "crates/cli/src/c.rs:2: stream_lines(",
            "crates/store/src/b.rs:1: JsonFile::read(",
            "crates/surgery/src/a.rs:2: read_file(",
        ]
    );
}

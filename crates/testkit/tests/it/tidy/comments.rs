//! Rule: a doc comment says more than the name of the item below it. `/// The path.` over `path` is deleted, or says which path.

use super::{Files, report, rust_files, sample};

/// Words that add nothing to a name.
const FILLERS: [&str; 13] =
    ["a", "an", "the", "its", "their", "it", "them", "this", "that", "of", "is", "whether", "returns"];

/// Their doc comments are the help of the command line.
const HELP_TEXTS: &str = "crates/cli/src/args";

/// The words of a name, in any of the styles.
fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for letter in name.chars() {
        if letter == '_' || (letter.is_ascii_uppercase() && before.is_ascii_lowercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words
}

/// A word without the endings of plurals, of genitives and of verbs in the third person.
fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if let Some(start) = word.strip_suffix("ies").filter(|start| start.len() > 1) {
        return format!("{start}y");
    }
    if ["ches", "shes", "sses", "xes"].iter().any(|end| word.ends_with(end)) {
        return word[..word.len() - 2].to_owned();
    }
    word.strip_suffix('s').filter(|start| !start.ends_with('s') && start.len() > 1).unwrap_or(word).to_owned()
}

/// The words that count, in alphabetical order: "the id of an agent" is `agent_id`.
fn essence(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let words = words.into_iter().filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str()));
    let mut words: Vec<String> = words.map(|word| stem(&word)).collect();
    words.sort();
    words
}

/// The name that a line defines: an item, a field or a variant.
fn defined(line: &str) -> Option<&str> {
    let mut line = line.trim_start();
    if let Some(rest) = line.strip_prefix("pub") {
        line = match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(") ")?.1,
            None => rest.trim_start(),
        };
    }
    let keywords = ["const", "async", "unsafe", "static", "fn", "struct", "enum", "trait", "type", "mod"];
    while let Some((_, rest)) = line.split_once(' ').filter(|(word, _)| keywords.contains(word)) {
        line = rest;
    }
    let end = line.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let name = &line[..end.unwrap_or(line.len())];
    (!name.is_empty() && name != "impl").then_some(name)
}

fn repeats(comment: &str, name: &str) -> bool {
    // What is in backticks is a name of something else: a field of JSON, a command.
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '\'';
    let words = comment.split(|letter: char| !is_word(letter)).map(str::to_ascii_lowercase);
    let said = essence(words);
    !comment.contains('`') && !said.is_empty() && said == essence(name_words(name))
}

fn findings(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.starts_with(HELP_TEXTS)) {
        let mut lines = text.lines().enumerate().peekable();
        let mut comment: Option<(usize, &str)> = None;
        while let Some((number, line)) = lines.next() {
            let trimmed = line.trim_start();
            if let Some(said) = trimmed.strip_prefix("///") {
                let is_alone = comment.is_none()
                    && lines.peek().is_none_or(|(_, next)| !next.trim_start().starts_with("///"));
                // A comment of several lines says more.
                comment = Some((number + 1, if is_alone { said.trim() } else { "" }));
            } else if !trimmed.starts_with("#[") {
                let said = comment.take();
                let name = defined(line).unwrap_or("");
                if let Some((at, said)) = said.filter(|(_, said)| repeats(said, name)) {
                    found.push(format!("{path}:{at}: \"{said}\" on `{name}`"));
                }
            }
        }
    }
    found
}

#[test]
fn no_comment_repeats_a_name() {
    report(
        &findings(&rust_files()),
        "Delete the comment, or say what the name does not: why, a unit, a format, what is never there.",
    );
}

#[test]
fn the_rule_can_fail() {
    let text = "/// A receiver.\n#[derive(Debug)]\npub struct Receiver {\n    /// Its path.\n    pub path: PathBuf,\n    \
        /// The path, without links.\n    real_path: PathBuf,\n    /// The id of an agent.\n    agent_id: u8,\n    \
        /// Its size.\n    pub(crate) bytes: u64,\n    /// `plans`\n    plans: bool,\n    /// Two lines:\n    /// the name.\n    \
        name: u8,\n}\n\n/// Writes it.\npub(super) async fn write() {}\n\n/// Whether it is hidden.\nfn is_hidden() {}\n\n\
        enum Shell {\n    /// Queries.\n    Query(u8),\n    /// Not at all.\n    None,\n}\n";
    let help = "/// The title\ntitle: String,\n";
    let files = sample(&[("crates/a/src/a.rs", text), ("crates/cli/src/args/b.rs", help)]);
    assert_eq!(
        findings(&files),
        [
            "crates/a/src/a.rs:1: \"A receiver.\" on `Receiver`",
            "crates/a/src/a.rs:4: \"Its path.\" on `path`",
            "crates/a/src/a.rs:8: \"The id of an agent.\" on `agent_id`",
            "crates/a/src/a.rs:19: \"Writes it.\" on `write`",
            "crates/a/src/a.rs:22: \"Whether it is hidden.\" on `is_hidden`",
            "crates/a/src/a.rs:26: \"Queries.\" on `Query`",
        ]
    );
}

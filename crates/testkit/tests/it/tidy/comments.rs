//! Rule: a doc comment says more than the name of the item below it and of the type around that. `/// The path.` over `path` is
//! deleted, or says which path.

use super::{Files, report, rust_files, sample};

/// Words that add nothing to a name.
const FILLERS: [&str; 30] = [
    "a", "an", "the", "its", "their", "it", "them", "this", "that", "of", "is", "whether", "returns", "to",
    "in", "for", "by", "with", "and", "or", "what", "which", "was", "are", "be", "has", "have", "from",
    "all", "one",
];

/// Their doc comments are the help of the command line.
const HELP_TEXTS: &str = "crates/cli/src/args";

/// Crates for others: each public item has a comment (`missing_docs`), which may use the words of the type around it.
const DOCUMENTED: [&str; 3] = ["crates/json/src", "crates/transcript/src", "crates/store/src"];

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

/// Whether a comment has no words but those of a name, or of a name and of the type around it.
fn repeats(comment: &str, name: &str, around: Option<&str>) -> bool {
    // What is in backticks is a name of something else: a field of JSON, a command.
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '\'';
    let words = comment.split(|letter: char| !is_word(letter)).map(str::to_ascii_lowercase);
    let said = essence(words);
    let own = essence(name_words(name));
    let known = |word: &String| {
        own.contains(word) || around.is_some_and(|around| essence(name_words(around)).contains(word))
    };
    let says_something = comment.is_empty() || comment.contains('`');
    !says_something && !name.is_empty() && (said == own || around.is_some() && said.iter().all(known))
}

/// The type whose items follow: `Reader` of `impl<R: Read> Reader<R> {`.
fn opened(line: &str) -> Option<&str> {
    let is_type = ["struct ", "enum ", "trait ", "impl ", "impl<"]
        .iter()
        .any(|word| line.starts_with(word) || line.starts_with("pub") && line.contains(&format!(" {word}")));
    let line = line.rsplit_once(" for ").map_or(line, |(_, of)| of).strip_suffix(" {")?;
    let line = line.split_once(" where ").map_or(line, |(head, _)| head);
    let name = match line.starts_with("impl<") {
        true => line.rsplit_once("> ")?.1,
        false => line.split(['<', '(']).next()?.rsplit(' ').next()?,
    };
    is_type.then(|| name.split('<').next()).flatten()
}

fn findings(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.starts_with(HELP_TEXTS)) {
        let mut lines = text.lines().enumerate().peekable();
        let mut comment: Option<(usize, &str)> = None;
        let mut around = "";
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
                let must_have =
                    DOCUMENTED.iter().any(|start| path.starts_with(start)) && !trimmed.starts_with("pub(");
                let known = (!must_have).then_some(around);
                if let Some((at, said)) = said.filter(|(_, said)| repeats(said, name, known)) {
                    found.push(format!("{path}:{at}: \"{said}\" on `{name}`"));
                }
                around = opened(line).unwrap_or(around);
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
        enum Shell {\n    /// Queries.\n    Query(u8),\n    /// Not at all.\n    None,\n    /// The shell\'s output.\n    \
        Output,\n    /// What it is.\n    Kind,\n}\n";
    let public = "pub struct File {\n    /// The name of the file.\n    pub name: u8,\n    /// The file's size.\n    pub(crate) \
        size: u8,\n}\n";
    let help = "/// The title\ntitle: String,\n";
    let files = sample(&[
        ("crates/a/src/a.rs", text),
        ("crates/cli/src/args/b.rs", help),
        ("crates/json/src/c.rs", public),
    ]);
    assert_eq!(
        findings(&files),
        [
            "crates/a/src/a.rs:1: \"A receiver.\" on `Receiver`",
            "crates/a/src/a.rs:4: \"Its path.\" on `path`",
            "crates/a/src/a.rs:8: \"The id of an agent.\" on `agent_id`",
            "crates/a/src/a.rs:19: \"Writes it.\" on `write`",
            "crates/a/src/a.rs:22: \"Whether it is hidden.\" on `is_hidden`",
            "crates/a/src/a.rs:26: \"Queries.\" on `Query`",
            "crates/a/src/a.rs:30: \"The shell's output.\" on `Output`",
            "crates/a/src/a.rs:32: \"What it is.\" on `Kind`",
            "crates/json/src/c.rs:4: \"The file's size.\" on `size`",
        ]
    );
}

//! What rules about words share: the lines of a program, the places of words in them, exceptions with a reason.

use super::{Files, report, rust_files};

/// A file, a word and why it is allowed there.
pub(super) type Exception = (&'static str, &'static str, &'static str);

/// Every place in the files that a rule concerns where a line has a word that is not allowed there. What words a line has is for the
/// rule to say.
pub(super) fn places<'f>(
    files: &'f Files,
    is_ruled: impl Fn(&str) -> bool,
    granted: &[Exception],
    mut words: impl FnMut(&'f str, &'f str) -> Vec<&'static str>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| is_ruled(path)) {
        for (number, line) in program_lines(text) {
            let is_granted =
                |word: &&str| granted.iter().any(|(file, allowed, _)| file == path && allowed == word);
            let words = words(path, line).into_iter().filter(|word| !is_granted(word));
            found.extend(words.map(|word| format!("{path}:{number}: {word}")));
        }
    }
    found
}

/// Those of the words that a line has.
pub(super) fn words_in(line: &str, words: &[&'static str]) -> Vec<&'static str> {
    words.iter().copied().filter(|word| holds_word(line, word)).collect()
}

/// The lines of a file that are program, with their numbers: no comments, nothing from the test module on.
pub(super) fn program_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut lines = text.lines().enumerate().peekable();
    std::iter::from_fn(move || {
        loop {
            let (number, line) = lines.next()?;
            let inline_tests =
                |next: &&str| next.trim_start().starts_with("mod ") && next.trim_end().ends_with('{');
            if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(|(_, next)| inline_tests(next)) {
                return None;
            }
            if !line.trim_start().starts_with("//") {
                return Some((number + 1, line));
            }
        }
    })
}

pub(super) fn holds_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        // `print!(` must not be found inside `eprint!(`, nor `home_dir` inside `testhome_dir`.
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

/// Fails if an exception of a rule (path, word, reason) is not needed any more.
pub(super) fn report_unused(exceptions: &[Exception]) {
    let files = rust_files();
    let is_idle = |&&(path, word, _): &&Exception| {
        !files.get(path).is_some_and(|text| program_lines(text).any(|(_, line)| holds_word(line, word)))
    };
    let idle: Vec<_> =
        exceptions.iter().filter(is_idle).map(|(path, word, _)| format!("{path}: {word}")).collect();
    report(&idle, "These exceptions are unused: remove them from the table.");
}

//! What the shell makes of words before a program sees them: loops over words, braces, globs. Where that is known, a command
//! is judged by the files that it gets.

use std::path::{Path, PathBuf};

use super::Policy;
use crate::read_only::LastName;
use crate::shell::{Command, Script, Word, WordCount, WordLoop, WordPart, parse};

/// The most values of a loop, words of braces and files of a glob that are looked at.
const MAX_VALUES: usize = 500;
/// Builtins that may give a variable another value.
const SETTING: [&str; 15] = [
    "read",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "printf",
    "mapfile",
    "readarray",
    "getopts",
    "eval",
    "source",
    ".",
    "let",
];

/// The values that loops give to variables.
#[derive(Debug, Default)]
pub(super) struct LoopValues {
    /// Only loops whose variable nothing else sets.
    loops: Vec<WordLoop>,
}

impl LoopValues {
    pub(super) fn new(script: &Script) -> Self {
        let sets = |command: &Command| {
            let name = command.name().unwrap_or_default();
            let only_prints = name == "printf"
                && !command.words.get(1).is_some_and(|word| word.beginning().starts_with("-v"));
            SETTING.contains(&name.as_str()) && !only_prints
                || command.words.first().is_some_and(|word| word.literal().is_none())
        };
        if !script.functions.is_empty() || script.commands.iter().any(sets) {
            return Self::default();
        }
        let is_assigned = |name: &String| {
            let assignments = script.commands.iter().flat_map(|command| &command.assignments);
            assignments.map(|assignment| &assignment.name).any(|other| other == name)
                || script.counted.contains(name)
                || script.assigned.iter().filter(|other| *other == name).count() > 1
        };
        Self { loops: script.loops.iter().filter(|each| !is_assigned(&each.name)).cloned().collect() }
    }

    /// The loop whose variable a command in its body takes.
    fn of(&self, place: usize, command: &Command) -> Option<&WordLoop> {
        let takes = |each: &&WordLoop| {
            each.body.contains(&place) && command.words.iter().any(|word| word.variables.contains(&each.name))
        };
        self.loops.iter().find(takes)
    }
}

impl Policy<'_> {
    /// The commands that the shell runs for this one, the command itself if it is in no loop. `None` where they are not known.
    pub(super) fn expanded(
        &self,
        command: &Command,
        place: usize,
        values: &LoopValues,
        folders: &[PathBuf],
    ) -> Option<Vec<Command>> {
        let Some(each) = values.of(place, command) else { return Some(vec![with_braces(command)]) };
        let mut found = Vec::new();
        for word in each.words.iter().flat_map(braces) {
            let texts = match word.literal() {
                Some(text) => vec![text],
                None => folders
                    .iter()
                    .map(|folder| self.glob_files(folder, &word))
                    .collect::<Option<Vec<_>>>()?
                    .concat(),
            };
            // A glob that finds nothing is its own text.
            if texts.is_empty() || found.len() + texts.len() > MAX_VALUES {
                return None;
            }
            for text in texts {
                found.push(with_braces(&with_value(command, &each.name, &text)?));
            }
        }
        Some(found)
    }

    /// The files that the globs of a word find from a folder, as the program gets them. `None` where they are not known, lead out of
    /// the workspace by a link, or may be taken for options.
    pub(super) fn glob_files(&self, folder: &Path, word: &Word) -> Option<Vec<String>> {
        // Older shells find `..` by `.*`.
        let is_dotted = |pair: &[WordPart]| matches!(pair, [WordPart::Text(text), WordPart::Glob(_)] if text.rsplit('/').next().is_some_and(|name| name.starts_with('.')));
        if word.parts.windows(2).any(is_dotted) || !self.glob_stays(folder, word, LastName::Printed) {
            return None;
        }
        let found = self.glob_paths(folder, word)?;
        let text = |path: &PathBuf| {
            let near = path.strip_prefix(folder).unwrap_or(path);
            near.to_str().map(str::to_owned)
        };
        let texts = found.iter().map(text).collect::<Option<Vec<_>>>()?;
        let is_odd = |text: &String| text.starts_with(['-', '+', '@']) || text.contains('=');
        (texts.len() <= MAX_VALUES && !texts.iter().any(is_odd)).then_some(texts)
    }
}

/// A command with the value of a variable in place of it; `None` where the value is not one word there.
fn with_value(command: &Command, name: &str, value: &str) -> Option<Command> {
    let is_split =
        value.is_empty() || value.contains(|letter: char| letter.is_whitespace() || "*?[\\".contains(letter));
    let mut command = command.clone();
    for word in command.words.iter_mut().filter(|word| word.variables.iter().any(|other| other == name)) {
        // `${x%.rs}` and the like are not known.
        if word.variables.iter().filter(|other| *other == name).count()
            != word
                .parts
                .iter()
                .filter(|part| matches!(part, WordPart::Variable { name: other, .. } if other == name))
                .count()
        {
            return None;
        }
        let parts = std::mem::take(&mut word.parts);
        for part in parts {
            match part {
                WordPart::Variable { name: other, count } if other == name => {
                    if count == WordCount::Any && is_split {
                        return None;
                    }
                    match word.parts.last_mut() {
                        Some(WordPart::Text(text)) => text.push_str(value),
                        _ => word.parts.push(WordPart::Text(value.to_owned())),
                    }
                }
                WordPart::Text(more) => match word.parts.last_mut() {
                    Some(WordPart::Text(text)) => text.push_str(&more),
                    _ => word.parts.push(WordPart::Text(more)),
                },
                part => word.parts.push(part),
            }
        }
        word.variables.retain(|other| other != name);
    }
    Some(command)
}

/// A command with the words that its braces stand for.
pub(super) fn with_braces(command: &Command) -> Command {
    // The name of the program is judged as it is written.
    let (name, arguments) = command.words.split_at(command.words.len().min(1));
    let words = name.iter().cloned().chain(arguments.iter().flat_map(braces)).collect();
    Command { words, ..command.clone() }
}

/// The words that braces stand for: `src/*.{rs,toml}` are two. A word without any, or with more than plain text around them, is
/// itself.
fn braces(word: &Word) -> Vec<Word> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./-,{}*?".contains(letter);
    let is_braces = word.parts == [WordPart::Unknown(WordCount::Any)] && word.spelling.contains('{');
    if !is_braces || !word.spelling.chars().all(is_plain) {
        return vec![word.clone()];
    }
    let words = alternatives(&word.spelling).and_then(|texts| {
        texts
            .iter()
            .map(|text| parse(&format!(": {text}")).ok()?.commands.first()?.words.get(1).cloned())
            .collect()
    });
    words.unwrap_or_else(|| vec![word.clone()])
}

/// The texts of one word with braces; `None` for nested ones, for sequences, and for too many.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = text.split_once('{') else {
        return (!text.contains('}') && !text.is_empty()).then(|| vec![text.to_owned()]);
    };
    let (inside, after) = rest.split_once('}')?;
    if inside.contains('{') || !inside.contains(',') || inside.contains("..") {
        return None;
    }
    let mut found = Vec::new();
    for choice in inside.split(',') {
        found.extend(alternatives(&format!("{before}{choice}{after}"))?);
        if found.len() > MAX_VALUES {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_spelled_out() {
        let of = |text: &str| alternatives(text);
        assert_eq!(of("src/{a,b}.rs").unwrap(), ["src/a.rs", "src/b.rs"]);
        assert_eq!(of("{a,b}/{c,d}").unwrap(), ["a/c", "a/d", "b/c", "b/d"]);
        for text in ["{1..3}", "{a}", "{a,{b,c}}", "a}b", "{a,b"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}

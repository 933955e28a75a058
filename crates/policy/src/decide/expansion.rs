//! What the shell makes of words before a program sees them: loops over words, braces, globs. Where that is known, a command
//! is judged by the files that it gets.

use std::path::{Path, PathBuf};

use super::Policy;
use super::listing::{NameList, NameSeparator, substitution};
use super::operands::STREAMS;
use super::xargs::XargsCommand;
use crate::read_only::{LastName, reading};
use crate::shell::{
    Command, PipeReader, ReadLoop, Redirection, RedirectionKind, Script, Word, WordCount, WordLoop, WordPart,
    parse, strip,
};

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

/// The commands that the shell runs for one command of a text.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) commands: Vec<Command>,
    /// Whether names of files come from the output of a command, so that there may be fewer.
    pub(super) is_listed: bool,
}

/// The values that loops give to variables, and that commands print for others.
#[derive(Debug)]
pub(super) struct LoopValues<'s> {
    script: &'s Script,
    /// Only loops whose variable nothing else sets.
    loops: Vec<WordLoop>,
    read_loops: Vec<(String, ReadLoop)>,
    /// Whether files stay as they are while the text runs: only then a list of them says what is read.
    has_lists: bool,
}

impl<'s> LoopValues<'s> {
    pub(super) fn new(script: &'s Script) -> Self {
        let mut found = Self { script, loops: Vec::new(), read_loops: Vec::new(), has_lists: false };
        let sets = |command: &Command| {
            let name = command.name().unwrap_or_default();
            let only_prints = name == "printf"
                && !command.words.get(1).is_some_and(|word| word.beginning().starts_with("-v"));
            (SETTING.contains(&name.as_str()) && !only_prints && command.reads().is_none())
                || command.words.first().is_some_and(|word| word.literal().is_none())
        };
        if !script.functions.is_empty() || script.commands.iter().any(sets) {
            return found;
        }
        let read: Vec<String> =
            script.commands.iter().filter_map(Command::reads).flat_map(|line| line.names).collect();
        let is_assigned = |name: &String| {
            let assignments = script.commands.iter().flat_map(|command| &command.assignments);
            assignments.map(|assignment| &assignment.name).any(|other| other == name)
                || script.counted.contains(name)
                || script.assigned.iter().filter(|other| *other == name).count() > 1
        };
        let is_plain = |each: &&WordLoop| !is_assigned(&each.name) && !read.contains(&each.name);
        found.loops = script.loops.iter().filter(is_plain).cloned().collect();
        for each in &script.read_loops {
            let line = script.commands.get(each.read).and_then(Command::reads);
            if let Some([name]) = line.as_ref().map(|line| line.names.as_slice())
                && !is_assigned(name)
                && !script.assigned.contains(name)
                && read.iter().filter(|other| *other == name).count() == 1
            {
                found.read_loops.push((name.clone(), each.clone()));
            }
        }
        let is_file = |redirection: &&Redirection| {
            matches!(redirection.direction, RedirectionKind::Write | RedirectionKind::Both)
                && !redirection.target.literal().is_some_and(|target| STREAMS.contains(&target.as_str()))
        };
        let writes = script.all_redirections().any(|redirection| is_file(&redirection));
        found.has_lists = !writes && script.commands.iter().all(leaves_files);
        found
    }

    /// The loop whose variable a command in its body takes.
    fn of(&self, place: usize, command: &Command) -> Option<&WordLoop> {
        let takes = |each: &&WordLoop| {
            each.body.contains(&place) && command.words.iter().any(|word| word.variables.contains(&each.name))
        };
        self.loops.iter().find(takes)
    }

    /// The loop over lines whose variable a command in its body takes.
    fn reading(&self, place: usize, command: &Command) -> Option<&(String, ReadLoop)> {
        let takes = |each: &&(String, ReadLoop)| {
            each.1.body.contains(&place) && command.words.iter().any(|word| word.variables.contains(&each.0))
        };
        self.read_loops.iter().find(takes).filter(|_| self.has_lists)
    }
}

/// Whether a command, whatever its operands are, leaves files as they are.
fn leaves_files(command: &Command) -> bool {
    let known = |word: &Word| if word.literal().is_some() { word.clone() } else { Word::of("x") };
    let command = Command { words: command.words.iter().map(known).collect(), ..command.clone() };
    if let Some(inner) = XargsCommand::of(&command) {
        let inner = inner.words_with("x").map(|words| Command { words, ..Command::default() });
        return inner.is_some_and(|inner| XargsCommand::of(&inner).is_none() && leaves_files(&inner));
    }
    let stripped = strip(&command);
    stripped.last().is_some_and(|bare| bare.words.is_empty() || reading(bare).is_some())
}

impl Policy<'_> {
    /// The commands that the shell runs for this one, the command itself if it is in no loop. `None` where they are not known.
    pub(super) fn expanded(
        &self,
        command: &Command,
        place: usize,
        values: &LoopValues,
        folders: &[PathBuf],
    ) -> Option<Expansion> {
        let mut found = Expansion { commands: vec![with_braces(command)], is_listed: false };
        if let Some(each) = values.of(place, command) {
            let texts = self.loop_texts(&each.words, values, folders)?;
            found.is_listed = each.words.iter().any(|word| substitution(word).is_some());
            found.commands = with_values(command, &each.name, &texts)?;
        } else if let Some((name, each)) = values.reading(place, command) {
            found.is_listed = true;
            found.commands = with_values(command, name, &self.lines_of(each, values, folders)?)?;
        }
        if values.has_lists {
            self.expand_lists(&mut found, place, values, folders)?;
        }
        Some(found)
    }

    /// Puts the names that other commands print into these commands: for `$(…)`, and for what `xargs` appends.
    fn expand_lists(
        &self,
        found: &mut Expansion,
        place: usize,
        values: &LoopValues,
        folders: &[PathBuf],
    ) -> Option<()> {
        let is_list = |word: &Word| substitution(word).is_some();
        if let [command] = found.commands.as_slice()
            && let Some(at) = command.words.iter().skip(1).position(is_list)
            && let Some(names) = self.words_of(&command.words[at + 1], folders)
        {
            let with = |names: &[&String]| {
                let mut command = command.clone();
                command.words.splice(at + 1..at + 2, names.iter().map(|name| Word::of(name)));
                command
            };
            let each = names.iter().map(|name| with(&[name, name])).collect();
            found.commands = if names.is_empty() { vec![with(&[])] } else { each };
            found.is_listed = true;
        }
        if let [command] = found.commands.as_slice()
            && let Some(inner) = XargsCommand::of(command)
            && command.redirections.iter().all(|redirection| redirection.descriptor != Some(0))
            && let Some(list) = self.names_for(values.script, PipeReader::Command(place), folders)
        {
            let run = |words| Command { words, ..command.clone() };
            found.commands = inner.commands(&list)?.into_iter().map(run).collect();
            found.is_listed = true;
        }
        Some(())
    }

    /// The words that an unquoted `$(…)` becomes.
    fn words_of(&self, word: &Word, folders: &[PathBuf]) -> Option<Vec<String>> {
        let list = self.printed_names(&substitution(word)?, folders)?;
        let is_word = |name: &String| {
            let is_split = name.contains(|letter: char| letter.is_whitespace() || "*?[\\".contains(letter));
            !is_split && !is_odd(name)
        };
        (list.separator == NameSeparator::Line && list.names.iter().all(is_word)).then_some(list.names)
    }

    /// The values of a loop over words.
    fn loop_texts(&self, words: &[Word], values: &LoopValues, folders: &[PathBuf]) -> Option<Vec<String>> {
        let mut found = Vec::new();
        for word in words.iter().flat_map(braces) {
            let texts = match word.literal() {
                Some(text) => vec![text],
                None if substitution(&word).is_some() && values.has_lists => self.words_of(&word, folders)?,
                None => folders
                    .iter()
                    .map(|folder| self.glob_files(folder, &word))
                    .collect::<Option<Vec<_>>>()
                    // A glob that finds nothing is its own text.
                    .filter(|found| found.iter().any(|texts| !texts.is_empty()))?
                    .concat(),
            };
            found.extend(texts);
        }
        Some(found)
    }

    /// The lines that a loop reads from the commands before it, or from `< <(…)`.
    fn lines_of(&self, each: &ReadLoop, values: &LoopValues, folders: &[PathBuf]) -> Option<Vec<String>> {
        let read = values.script.commands.get(each.read)?;
        let line = read.reads().filter(|_| read.redirections.is_empty())?;
        let mut inputs = each.redirections.iter().filter(|redirection| redirection.descriptor == Some(0));
        let list: NameList = match (inputs.next(), inputs.next()) {
            (None, _) => self.names_for(values.script, PipeReader::Loop(each.read), folders)?,
            (Some(input), None) if input.direction == RedirectionKind::Read => {
                let text = input.target.spelling.strip_prefix("<(")?.strip_suffix(')')?;
                self.printed_names(&parse(text).ok()?, folders)?
            }
            _ => return None,
        };
        let is_line = |name: &String| {
            (line.ends_with_nul || !name.contains('\n'))
                && name.trim() == name
                && (line.is_raw || !name.contains('\\'))
        };
        let is_same = line.ends_with_nul == (list.separator == NameSeparator::Nul);
        (is_same && list.names.iter().all(is_line)).then_some(list.names)
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
        (texts.len() <= MAX_VALUES && !texts.iter().any(|text| is_odd(text))).then_some(texts)
    }
}

/// Whether a program may take a name for something else than a file.
fn is_odd(name: &str) -> bool {
    name.starts_with(['-', '+', '@']) || name.contains('=')
}

/// A command with each value of a variable in place of it.
fn with_values(command: &Command, name: &str, values: &[String]) -> Option<Vec<Command>> {
    values.iter().map(|value| with_value(command, name, value).map(|command| with_braces(&command))).collect()
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
        word.unset.retain(|other| other != name);
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

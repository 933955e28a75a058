//! `xargs`: the commands that it runs for the names that it is given.

use super::listing::{NameList, NameSeparator};
use crate::shell::{Command, Word, strip};

/// How the input is cut into arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputSplit {
    /// At blanks; quotation marks and backslashes keep them.
    Blanks,
    /// At line ends, quotation marks and backslashes as above.
    Replaced,
    /// At line ends, and nothing else counts.
    Lines,
    Nul,
}

/// A command of `xargs`.
#[derive(Debug)]
pub(super) struct XargsCommand {
    words: Vec<Word>,
    split: InputSplit,
    /// What stands for a name in the words.
    placeholder: Option<String>,
}

impl XargsCommand {
    /// The command behind `xargs` and options that are known, wrappers before it taken off.
    pub(super) fn of(command: &Command) -> Option<Self> {
        let is_xargs = |form: &&Command| form.name().is_some_and(|name| name == "xargs");
        let forms = strip(command).forms;
        let words = &forms.iter().find(is_xargs)?.words[1..];
        let mut found = Self { words: Vec::new(), split: InputSplit::Blanks, placeholder: None };
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.literal()?;
            let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else { break };
            at += 1;
            let next = || words.get(at).and_then(Word::literal);
            let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            match option {
                "-" => break,
                "-null" => found.split = InputSplit::Nul,
                "-no-run-if-empty" | "-verbose" => {}
                "d" if next()? == "\\n" => {
                    found.split = InputSplit::Lines;
                    at += 1;
                }
                "d\\n" => found.split = InputSplit::Lines,
                "I" => {
                    found.placeholder = Some(next()?);
                    at += 1;
                }
                _ if option.starts_with('I') => found.placeholder = Some(option[1..].to_owned()),
                _ if option.starts_with("-max-") => {
                    let (name, value) = option.split_once('=')?;
                    (matches!(name, "-max-args" | "-max-procs" | "-max-lines") && is_number(value))
                        .then_some(())?;
                }
                _ => {
                    let rest = option.trim_start_matches(['0', 'r', 't', 'x']);
                    let flags = &option[..option.len() - rest.len()];
                    if flags.contains('0') {
                        found.split = InputSplit::Nul;
                    }
                    if let Some(value) = rest.strip_prefix(['n', 'P', 'L']) {
                        let value = if value.is_empty() { next()? } else { value.to_owned() };
                        at += usize::from(rest.len() == 1);
                        is_number(&value).then_some(())?;
                    } else if !rest.is_empty() {
                        return None;
                    }
                }
            }
        }
        found.words = words.get(at..)?.to_vec();
        if found.words.is_empty() {
            found.words.push(Word::of("echo"));
        }
        if found.placeholder.as_deref() == Some("") {
            return None;
        }
        if found.placeholder.is_some() && found.split == InputSplit::Blanks {
            found.split = InputSplit::Replaced;
        }
        Some(found)
    }

    /// The words of commands that show what happens to each name: as the first of several, and as a later one. `None` where a name
    /// would be taken apart, or for an option.
    pub(super) fn commands(&self, list: &NameList) -> Option<Vec<Vec<Word>>> {
        let is_same = (self.split == InputSplit::Nul) == (list.separator == NameSeparator::Nul);
        if !is_same || !list.names.iter().all(|name| self.takes(name)) {
            return None;
        }
        if list.names.is_empty() {
            return Some(vec![self.words.clone()]);
        }
        list.names.iter().map(|name| self.words_with(name)).collect()
    }

    /// The words of the command for a name.
    pub(super) fn words_with(&self, name: &str) -> Option<Vec<Word>> {
        let Some(placeholder) = &self.placeholder else {
            let names = [Word::of(name), Word::of(name)];
            return Some(self.words.iter().cloned().chain(names).collect());
        };
        let with_name = |word: &Word| match word.literal() {
            Some(text) => Some(Word::of(&text.replace(placeholder.as_str(), name))),
            None => (!word.spelling.contains(placeholder.as_str())).then(|| word.clone()),
        };
        self.words.iter().map(with_name).collect()
    }

    fn takes(&self, name: &str) -> bool {
        let is_odd = name.starts_with(['-', '+', '@']) || name.contains('=') || name.is_empty();
        let has_quotes = name.contains(['"', '\'', '\\', '\n']);
        let is_whole = match self.split {
            InputSplit::Blanks => !has_quotes && !name.contains(char::is_whitespace),
            InputSplit::Replaced => !has_quotes && name.trim() == name,
            InputSplit::Lines => !name.contains('\n'),
            InputSplit::Nul => true,
        };
        !is_odd && is_whole
    }
}

//! Variables whose values a text takes. Those that it did not set itself come from the environment, where secrets are
//! kept; `printenv` is asked for, and so is what amounts to the same.

use std::path::PathBuf;

use super::Policy;
use super::contents::path_of;
use crate::decision::{Decision, Reason};
use crate::read_only::{LastName, globbed};
use crate::shell::{Command, HARMLESS, OutputUse, Script, Word, WordCount, WordPart};

/// Common variables that reveal nothing that allowed commands do not reveal.
const COMMON: [&str; 34] = [
    "HOME",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "PATH",
    "TMPDIR",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "HOSTNAME",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "UID",
    "EUID",
    "GROUPS",
    "PPID",
    "BASHPID",
    "BASH",
    "BASH_VERSION",
    "BASH_VERSINFO",
    "BASH_SOURCE",
    "FUNCNAME",
    "PIPESTATUS",
    "SHLVL",
    "COLUMNS",
    "LINES",
    "IFS",
    "DIRSTACK",
];

/// What is known of the variables of a script.
#[derive(Debug)]
pub(super) struct ScriptVariables {
    /// Those whose text can hold `*` and the like, wherever they are set.
    patterns: Vec<String>,
    /// Whether a function may stand for a program whose output is known.
    has_functions: bool,
}

/// The first variable of the environment among those of the words.
fn foreign<'w>(words: impl Iterator<Item = &'w Word>) -> Option<String> {
    let known = |name: &String| COMMON.contains(&name.as_str()) || HARMLESS.contains(&name.as_str());
    words.flat_map(|word| &word.unset).find(|name| !known(name)).cloned()
}

impl ScriptVariables {
    pub(super) fn new(script: &Script) -> Self {
        Self { patterns: patterns(script), has_functions: !script.functions.is_empty() }
    }

    /// Whether the shell may look for files by the text of a variable.
    pub(super) fn is_globbed(&self, word: &Word) -> bool {
        let holds = word.variables.iter().any(|name| self.patterns.contains(name));
        let is_output = |piece: &WordPart| *piece == WordPart::Unknown(WordCount::Any);
        word.output == OutputUse::Globbed
            || (!word.is_one() && holds)
            || (self.has_functions && word.parts.iter().any(is_output))
    }

    /// Why a command must not run unasked, though it only reads: the first variable of the environment that it takes, in its words,
    /// its assignments and the text that it is given, or the first word that may be a pattern.
    pub(super) fn objection(&self, command: &Command) -> Option<Reason> {
        let assignments = command.assignments.iter().map(|assignment| &assignment.word);
        let redirections = command.redirections.iter().map(|redirection| &redirection.target);
        let foreign = foreign(command.words.iter().chain(assignments).chain(redirections));
        let globbed = || command.words.iter().find(|word| self.is_globbed(word));
        foreign
            .map(Reason::Environment)
            .or_else(|| globbed().map(|word| Reason::UnknownPath(word.spelling.clone())))
    }
}

/// The variables that may hold a pattern: by their text, by the output of a command, or by another such variable.
fn patterns(script: &Script) -> Vec<String> {
    let mut found: Vec<String> =
        script.commands.iter().filter_map(Command::reads).flat_map(|line| line.names).collect();
    let holds = |word: &Word, found: &[String]| {
        let is_pattern =
            |piece: &WordPart| matches!(piece, WordPart::Text(text) if text.contains(['*', '?', '[']));
        let is_output = |piece: &WordPart| matches!(piece, WordPart::Unknown(_));
        word.output != OutputUse::None
            || (!script.functions.is_empty() && word.parts.iter().any(is_output))
            || word.parts.iter().any(is_pattern)
            || word.variables.iter().any(|name| found.contains(name))
    };
    let assignments = || script.commands.iter().flat_map(|command| &command.assignments);
    loop {
        let before = found.len();
        // Words of all loops and arrays are in one list.
        let lists = script.listed.iter().any(|word| holds(word, &found));
        let looped = script.looped.iter().filter(|_| lists);
        let mut more: Vec<String> = looped.cloned().collect();
        for assignment in assignments() {
            let has_glob = assignment.word.parts.iter().any(|piece| matches!(piece, WordPart::Glob(_)));
            let is_array = assignment.word.spelling[assignment.name.len()..].starts_with(['[', '+'])
                || assignment.word.spelling.ends_with(')');
            if has_glob || holds(&assignment.word, &found) || (is_array && lists) {
                more.push(assignment.name.clone());
            }
        }
        more.retain(|name| !found.contains(name));
        found.append(&mut more);
        found.dedup();
        if found.len() == before {
            return found;
        }
    }
}

impl Policy<'_> {
    /// What loops, cases and groups take: variables of the environment, and names of files that globs find.
    pub(super) fn loose(
        &self,
        script: &Script,
        own: &ScriptVariables,
        folders: Option<&[PathBuf]>,
    ) -> Option<Decision> {
        let redirections = script.redirections.iter().map(|redirection| &redirection.target);
        let words = script.listed.iter().chain(&script.compared).chain(redirections);
        if let Some(name) = foreign(words) {
            return Some(Decision::ask(Reason::Environment(name)));
        }
        let unknown = |what: &Word| Some(Decision::ask(Reason::UnknownPath(what.spelling.clone())));
        for word in &script.listed {
            let (Some(paths), Some(folders)) = (globbed(std::iter::once(word)), folders) else {
                return unknown(word);
            };
            if own.is_globbed(word) {
                return unknown(word);
            }
            for path in &paths {
                let Some(path) = path_of(path, self.workspace) else { return unknown(word) };
                let judged = folders.iter().find_map(|folder| self.may_read(folder, &path).err());
                if judged.is_some() {
                    return judged;
                }
                if !folders.iter().all(|folder| self.glob_stays(folder, word, LastName::Printed)) {
                    return unknown(word);
                }
            }
        }
        None
    }
}

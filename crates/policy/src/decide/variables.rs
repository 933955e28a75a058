//! Variables whose values a text takes. Those that it did not set itself come from the environment, where secrets are
//! kept; `printenv` is asked for, and so is what amounts to the same.

use std::path::PathBuf;

use super::Policy;
use super::bash::HARMLESS;
use super::contents::path_of;
use crate::decision::{Decision, Reason};
use crate::read_only::globbed;
use crate::shell::{Command, Script, Word};

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

/// The variables that a script has set so far.
#[derive(Debug)]
pub(super) struct SetVariables(Vec<String>);

impl SetVariables {
    /// Before the first command: what loops set. `${x:=…}` keeps a value that is there.
    pub(super) fn new(script: &Script) -> Self {
        Self(script.looped.clone())
    }

    /// Behind this command. `x=1 ls` sets nothing that is left, and `x+=1` keeps what was there.
    pub(super) fn add(&mut self, command: &Command) {
        let sets = command.assignments.iter().filter(|assignment| {
            command.words.is_empty() && assignment.word.spelling[assignment.name.len()..].starts_with('=')
        });
        self.0.extend(sets.map(|assignment| assignment.name.clone()));
    }

    /// The first variable of the environment among those of the words.
    pub(super) fn foreign<'w>(&self, words: impl Iterator<Item = &'w Word>) -> Option<String> {
        let known = |name: &String| {
            self.0.contains(name) || COMMON.contains(&name.as_str()) || HARMLESS.contains(&name.as_str())
        };
        words.flat_map(|word| &word.variables).find(|name| !known(name)).cloned()
    }

    /// The first that a command takes, in its words, its assignments and the text that it is given.
    pub(super) fn foreign_of(&self, command: &Command) -> Option<String> {
        let assignments = command.assignments.iter().map(|assignment| &assignment.word);
        let redirections = command.redirections.iter().map(|redirection| &redirection.target);
        self.foreign(command.words.iter().chain(assignments).chain(redirections))
    }
}

impl Policy<'_> {
    /// What loops, cases and groups take: variables of the environment, and names of files that globs find.
    pub(super) fn loose(
        &self,
        script: &Script,
        own: &SetVariables,
        folders: Option<&[PathBuf]>,
    ) -> Option<Decision> {
        let redirections = script.redirections.iter().map(|redirection| &redirection.target);
        let words = script.listed.iter().chain(&script.compared).chain(redirections);
        if let Some(name) = own.foreign(words) {
            return Some(Decision::ask(Reason::Environment(name)));
        }
        let unknown = |what: &Word| Some(Decision::ask(Reason::UnknownPath(what.spelling.clone())));
        for word in &script.listed {
            let (Some(paths), Some(folders)) = (globbed(std::iter::once(word)), folders) else {
                return unknown(word);
            };
            for path in &paths {
                let Some(path) = path_of(path, self.workspace) else { return unknown(word) };
                let judged = folders.iter().find_map(|folder| self.may_read(folder, &path).err());
                if judged.is_some() {
                    return judged;
                }
            }
        }
        None
    }
}

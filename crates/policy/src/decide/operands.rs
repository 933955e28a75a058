//! Applies file rules to the operands of commands such as `cat` and `cp`, and to redirections.

use std::path::{Path, PathBuf};

use super::contents::path_of;
use super::files::Access;
use super::{Policy, stated};
use crate::decision::{Decision, Reason};
use crate::mode::Mode;
use crate::paths::{PathError, is_protected, resolve};
use crate::rules::{Matcher, RuleList};
use crate::shell::{Command, Redirection, RedirectionKind, Word, base_name, strip};

/// Programs that change the files that they are given.
const WRITING: [&str; 20] = [
    "rm", "rmdir", "unlink", "shred", "mv", "cp", "ln", "touch", "mkdir", "tee", "truncate", "chmod",
    "chown", "chgrp", "dd", "install", "rsync", "patch", "sed", "perl",
];

/// Programs that show the contents of the files that they are given.
const READING: [&str; 36] = [
    "cat", "tac", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk",
    "nl", "od", "xxd", "hexdump", "strings", "base64", "sort", "uniq", "cut", "diff", "cmp", "comm", "cp",
    "mv", "source", ".", "bat", "vim", "vi", "nano", "view", "jq",
];

/// Programs that use names without opening files.
const NAMING: [&str; 10] = ["echo", "printf", "test", "[", "ls", "cd", "mkdir", "true", "false", ":"];

/// Targets of redirections that are no files.
const STREAMS: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"];

impl Policy<'_> {
    /// What file rules and protected paths say of a command's operands; `None`: nothing.
    pub(super) fn operands(&self, command: &Command, folders: Option<&[PathBuf]>) -> Option<Decision> {
        let stripped = strip(command);
        let command = stripped.last()?;
        let name = base_name(&command.name()?);
        let in_place = command.words[1..].iter().any(|word| {
            let option = word.beginning();
            option.starts_with("--in-place")
                || (option.starts_with('-') && !option.starts_with("--") && option.contains('i'))
        });
        // These change files only with an option.
        let reads = matches!(name.as_str(), "sed" | "perl") && !in_place;
        let is = |names: &[&str]| names.contains(&name.as_str()) && !(reads && names == WRITING);
        if is(&NAMING) && !is(&WRITING) {
            return None;
        }
        let mut decision: Option<Decision> = None;
        let mut add = |more: Decision| {
            decision = Some(match decision.take() {
                Some(before) => before.and(more),
                None => more,
            });
        };
        for word in &command.words[1..] {
            let Some(path) = operand(word, self) else {
                // `.g*` matches `.git`.
                let dotted = |part: &str| part.starts_with('.') && part.contains(['*', '?', '[']);
                let hidden = is(&WRITING) && word.spelling.split('/').any(dotted);
                if hidden || self.has_file_rules() && (is(&READING) || is(&WRITING)) {
                    add(Decision::ask(Reason::UnknownPath(word.spelling.clone())));
                }
                continue;
            };
            let current = [self.workspace.current().to_path_buf()];
            for folder in folders.unwrap_or(&current) {
                if let Some(found) = self.operand_in(folder, &path, &is) {
                    add(found);
                }
            }
        }
        decision
    }

    fn operand_in(&self, folder: &Path, path: &str, is: &dyn Fn(&[&str]) -> bool) -> Option<Decision> {
        let resolved = match resolve(self.files, folder, Path::new(path)) {
            Ok(resolved) => resolved,
            // An empty word is no path, and nothing to worry about.
            Err(PathError::NoPath(_)) => return None,
            Err(error) => return Some(Decision::ask(Reason::Path(error))),
        };
        let about = resolved.spelled.display().to_string();
        let speaks = |list: RuleList, access: Access| {
            let tool = if access == Access::Read { "Read" } else { "Edit" };
            // Rules about all of a tool do not speak of commands.
            let mut rules = self.rules.of(list).filter(|rule| matches!(rule.matcher, Matcher::Path { .. }));
            rules.find(|rule| self.forbids(rule, access, tool, &resolved))
        };
        for list in [RuleList::Deny, RuleList::Ask] {
            let written = speaks(list, Access::Write).filter(|_| is(&WRITING));
            let read = speaks(list, Access::Read).filter(|_| is(&READING));
            if let Some(rule) = written.or(read) {
                return Some(stated(rule, &about));
            }
        }
        if let Some(rule) = speaks(RuleList::Deny, Access::Read) {
            return Some(Decision::ask(Reason::may_match(rule, &about)));
        }
        if is(&WRITING) {
            let protected = resolved.all().find(|path| is_protected(path))?;
            // To copy from there is no change; but it is not known here which operand is which.
            return Some(Decision::ask(Reason::Protected(protected.to_path_buf())));
        }
        None
    }

    /// Whether any rule speaks of single files.
    pub(super) fn has_file_rules(&self) -> bool {
        let lists = [RuleList::Deny, RuleList::Ask];
        lists
            .into_iter()
            .any(|list| self.rules.of(list).any(|rule| matches!(rule.matcher, Matcher::Path { .. })))
    }

    /// A redirection is a read or a write of its target.
    pub(super) fn redirection(&self, redirection: &Redirection, folders: Option<&[PathBuf]>) -> Decision {
        let access = match redirection.direction {
            RedirectionKind::Duplicate | RedirectionKind::Text => return Decision::allow(Reason::ReadsOnly),
            RedirectionKind::Read => Access::Read,
            RedirectionKind::Write | RedirectionKind::Both => Access::Write,
        };
        let target = &redirection.target;
        let unknown = || {
            let trusted = self.mode == Mode::Bypass && !self.has_file_rules();
            let because = Reason::UnknownPath(target.spelling.clone());
            if trusted { Decision::allow(Reason::Mode(Mode::Bypass)) } else { Decision::ask(because) }
        };
        let Some(path) = path_of(target, self.workspace).filter(|_| target.is_one()) else {
            return unknown();
        };
        if STREAMS.contains(&path.as_str()) {
            return Decision::allow(Reason::ReadsOnly);
        }
        let Some(folders) = folders else {
            return if Path::new(&path).is_absolute() {
                self.one(access, Path::new("/"), &path)
            } else {
                unknown()
            };
        };
        let each = folders.iter().map(|folder| self.one(access, folder, &path));
        each.reduce(Decision::and).unwrap_or_else(unknown)
    }

    /// A whole allow rule for Bash also opens what its redirections read, and write within the workspace.
    fn one(&self, access: Access, folder: &Path, path: &str) -> Decision {
        let tool = if access == Access::Read { "Read" } else { "Edit" };
        let decision = self.file(access, tool, folder, path);
        let opens = match &decision {
            Decision::Ask { because: Reason::NotCovered(_), .. } => true,
            Decision::Ask { because: Reason::Outside(_), .. } => access == Access::Read,
            _ => false,
        };
        match self.whole(RuleList::Allow, "Bash").filter(|_| opens) {
            Some(rule) => stated(rule, path),
            None => decision,
        }
    }
}

/// The path that an argument names: all of it, or the part after `=`.
fn operand(word: &Word, policy: &Policy<'_>) -> Option<String> {
    let text = path_of(word, policy.workspace)?;
    let value = match text.split_once('=') {
        Some((_, value)) if !value.is_empty() => value.to_owned(),
        _ => text.clone(),
    };
    Some(match (value.strip_prefix("~/"), policy.workspace.home()) {
        (Some(below), Some(home)) if value != text => home.join(below).to_string_lossy().into_owned(),
        _ => value,
    })
}

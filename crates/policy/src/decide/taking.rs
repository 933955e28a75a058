//! Commands that take in a whole folder and name none of its files: `git add .`, `npm publish`, a server. Where a file of a deny
//! or ask rule is in the folder, a person is asked; so too where the folder is not known, or too large to be looked through.

use std::path::{Path, PathBuf};

use super::Policy;
use super::candidates::candidates;
use super::contents::path_of;
use super::files::Access;
use super::git_taking::{GitFiles, PathSpec, added, cleaned, committed, pathspec};
use super::takers::{TakenFolders, git_command, taken_folders, takes_list};
use crate::decision::{Decision, Reason};
use crate::paths::{FileKind, IgnorePatterns, IgnoredFiles, ResolvedPath, resolve};
use crate::rules::{Matcher, Rule, RuleList};
use crate::shell::{Command, Word};

/// The most names that are looked at below a folder.
const MAX_BELOW: usize = 20_000;

/// What is found below a folder.
enum FolderFinding {
    /// A file that a rule matches.
    Forbidden(Decision),
    /// It cannot be looked through.
    Unknown,
    /// No such file.
    Nothing,
}

impl Policy<'_> {
    /// What rules about files say of a command that takes in the folder in which it runs, or folders that it is given.
    pub(super) fn taking(&self, name: &str, command: &Command, folders: &[PathBuf]) -> Option<Decision> {
        if !self.has_file_rules() {
            return None;
        }
        let words = &command.words[1..];
        if name == "git" {
            return self.taken_by_git(command, folders);
        }
        let unknown = || Decision::ask(Reason::UnknownPath(command.spelling()));
        if takes_list(name, words) {
            return Some(unknown());
        }
        let given: Option<Vec<PathBuf>> = match taken_folders(name, words) {
            TakenFolders::None => return None,
            TakenFolders::Current => Some(folders.to_vec()),
            TakenFolders::Given(words) => {
                let of = |word: &&Word| self.folders_of(word, folders);
                words.iter().map(of).collect::<Option<Vec<_>>>().map(|found| found.concat())
            }
        };
        let found = given.and_then(|given| {
            let each = given.iter().map(|folder| self.below_folder(folder, None, GitFiles::All));
            each.fold(Some(None), judged)
        });
        found.unwrap_or_else(|| Some(unknown()))
    }

    /// The folders that a word may name; `None` where it is not known.
    fn folders_of(&self, word: &Word, folders: &[PathBuf]) -> Option<Vec<PathBuf>> {
        let text = path_of(word, self.workspace)?;
        let paths = candidates(&text, self.workspace)?;
        let all = || paths.sure.iter().chain(&paths.parts);
        let real = folders.iter().flat_map(|folder| all().map(move |path| (folder, path)));
        let real = real.filter_map(|(folder, path)| resolve(self.files, folder, path.as_ref()).ok());
        Some(real.filter(|path| path.kind == FileKind::Folder).map(|path| path.real).collect())
    }

    fn taken_by_git(&self, command: &Command, folders: &[PathBuf]) -> Option<Decision> {
        let unknown = || Some(Decision::ask(Reason::UnknownPath(command.spelling())));
        let (folder, rest) = git_command(&command.words[1..])?;
        let (first, arguments) = rest.split_first()?;
        let taking = match first.literal().as_deref() {
            Some("add" | "stage") => added(arguments),
            Some("commit") => committed(arguments),
            Some("clean") => cleaned(arguments),
            _ => return None,
        };
        let Some(taking) = taking else { return unknown() };
        let taking = taking?;
        let mut found = None;
        for from in folders {
            let from = match folder.as_ref().map(|word| path_of(word, self.workspace)) {
                None => from.clone(),
                Some(Some(path)) => match resolve(self.files, from, Path::new(&path)) {
                    Ok(path) => path.real,
                    Err(_) => return unknown(),
                },
                Some(None) => return unknown(),
            };
            let git = IgnoredFiles::around(self.files, &from);
            let root = git.as_ref().map_or(from.as_path(), |git| git.root());
            let mut starts: Vec<PathBuf> = Vec::new();
            for word in &taking.paths {
                let Some(path) = path_of(word, self.workspace).filter(|_| word.is_one()) else {
                    return unknown();
                };
                match pathspec(&path) {
                    PathSpec::Everything => starts.push(root.to_path_buf()),
                    PathSpec::Excluded => {}
                    PathSpec::Path(path) => match resolve(self.files, &from, Path::new(path)) {
                        Ok(path) if path.kind == FileKind::Folder => starts.push(path.real),
                        // A file is judged as an operand.
                        Ok(_) => {}
                        Err(_) => return unknown(),
                    },
                }
            }
            // Where nothing is named but what is left out, the rest is meant.
            let is_left_out =
                |word: &Word| matches!(pathspec(&word.literal().unwrap_or_default()), PathSpec::Excluded);
            if taking.paths.iter().all(is_left_out) {
                starts.push(root.to_path_buf());
            }
            for start in starts {
                match judged(Some(found), self.below_folder(&start, git.as_ref(), taking.files)) {
                    Some(more) => found = more,
                    None => return unknown(),
                }
            }
        }
        found
    }

    /// Looks through a folder for a file that a rule matches, and that is taken.
    fn below_folder(&self, folder: &Path, git: Option<&IgnoredFiles>, taken: GitFiles) -> FolderFinding {
        let patterns =
            git.filter(|_| taken == GitFiles::NotIgnored).map(|git| git.patterns(self.files, folder));
        let mut waiting: Vec<(PathBuf, IgnorePatterns)> =
            vec![(folder.to_path_buf(), patterns.unwrap_or_default())];
        let is_git = git.is_some();
        let mut count = 0;
        while let Some((folder, patterns)) = waiting.pop() {
            let Some(names) = self.files.names(&folder) else { return FolderFinding::Unknown };
            for name in names {
                count += 1;
                if count > MAX_BELOW {
                    return FolderFinding::Unknown;
                }
                let path = folder.join(&name);
                let kind = match self.files.link(&path) {
                    Some(_) => FileKind::File,
                    None => self.files.kind(&path),
                };
                let is_ignored = patterns.ignore(&path, kind);
                if kind == FileKind::Folder {
                    let is_own = is_git && name == ".git";
                    if !is_ignored && !is_own {
                        let mut patterns = patterns.clone();
                        if git.is_some() && taken == GitFiles::NotIgnored {
                            patterns.add(self.files, &path);
                        }
                        waiting.push((path, patterns));
                    }
                    continue;
                }
                let Some(rule) = self.rule_about(&path) else { continue };
                let is_tracked = || git.is_none_or(|git| git.may_track(&path));
                let is_taken = match taken {
                    GitFiles::All => true,
                    GitFiles::Tracked => is_tracked(),
                    GitFiles::NotIgnored => !is_ignored || is_tracked(),
                };
                if is_taken {
                    let about = path.display().to_string();
                    return FolderFinding::Forbidden(Decision::ask(Reason::may_match(rule, &about)));
                }
            }
        }
        FolderFinding::Nothing
    }

    /// The deny or ask rule about a file.
    fn rule_about(&self, path: &Path) -> Option<&Rule> {
        let resolved = ResolvedPath {
            spelled: path.to_path_buf(),
            real: path.to_path_buf(),
            passed: Vec::new(),
            kind: FileKind::File,
        };
        let is_about = |rule: &&Rule| {
            matches!(rule.matcher, Matcher::Path { .. })
                && self.forbids(rule, Access::Read, "Read", &resolved)
        };
        [RuleList::Deny, RuleList::Ask].into_iter().find_map(|list| self.rules.of(list).find(is_about))
    }
}

/// Adds what was found below one more folder; `None` where that is not known.
fn judged(found: Option<Option<Decision>>, below: FolderFinding) -> Option<Option<Decision>> {
    match (found?, below) {
        (_, FolderFinding::Unknown) => None,
        (None, FolderFinding::Forbidden(decision)) => Some(Some(decision)),
        (found, _) => Some(found),
    }
}

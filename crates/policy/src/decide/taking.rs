//! Commands that take in a whole folder and name none of its files: `git add .`, `npm publish`, a server. Where a file of a deny
//! or ask rule is in the folder, a person is asked; so too where the folder is not known, or too large to be looked through.

use std::path::{Path, PathBuf};

use super::Policy;
use super::contents::path_of;
use super::files::Access;
use crate::decision::{Decision, Reason};
use crate::paths::{FileKind, IgnorePatterns, IgnoredFiles, ResolvedPath, resolve};
use crate::rules::{Matcher, Rule, RuleList};
use crate::shell::{Command, Word};

/// The most names that are looked at below a folder.
const MAX_BELOW: usize = 20_000;

/// What is found below a folder.
enum Below {
    /// A file that a rule matches.
    Forbidden(Decision),
    /// It cannot be looked through.
    Unknown,
    /// No such file.
    Nothing,
}

/// Which files of a folder git takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GitFiles {
    /// What it tracks, and what is not ignored.
    NotIgnored,
    /// What it tracks.
    Tracked,
    /// All of them.
    All,
}

/// What a command of git takes in.
struct GitTaking {
    files: GitFiles,
    /// Folders and files, as written; none is the whole repository.
    paths: Vec<Word>,
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
        if super::takers::takes_list(name, words) {
            return Some(unknown());
        }
        let given: Option<Vec<PathBuf>> = match super::takers::taken_folders(name, words) {
            super::takers::TakenFolders::None => return None,
            super::takers::TakenFolders::Current => Some(folders.to_vec()),
            super::takers::TakenFolders::Given(words) => {
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
        let paths = super::candidates::candidates(&text, self.workspace)?;
        let all = || paths.sure.iter().chain(&paths.parts);
        let real = folders.iter().flat_map(|folder| all().map(move |path| (folder, path)));
        let real = real.filter_map(|(folder, path)| resolve(self.files, folder, path.as_ref()).ok());
        Some(real.filter(|path| path.kind == FileKind::Folder).map(|path| path.real).collect())
    }

    fn taken_by_git(&self, command: &Command, folders: &[PathBuf]) -> Option<Decision> {
        let unknown = || Some(Decision::ask(Reason::UnknownPath(command.spelling())));
        let (folder, rest) = super::takers::git_command(&command.words[1..])?;
        let (first, arguments) = rest.split_first()?;
        let taking = match first.literal().as_deref() {
            Some("add" | "stage") => added(arguments),
            Some("commit") => committed(arguments),
            Some("clean") => cleaned(arguments),
            _ => return None,
        };
        let Some(taking) = taking else { return unknown() };
        let Some(taking) = taking else { return None };
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
            if taking.paths.is_empty() {
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
    fn below_folder(&self, folder: &Path, git: Option<&IgnoredFiles>, taken: GitFiles) -> Below {
        let patterns =
            git.filter(|_| taken == GitFiles::NotIgnored).map(|git| git.patterns(self.files, folder));
        let mut waiting: Vec<(PathBuf, IgnorePatterns)> =
            vec![(folder.to_path_buf(), patterns.clone().unwrap_or_default())];
        let is_git = git.is_some();
        let mut count = 0;
        while let Some((folder, patterns)) = waiting.pop() {
            let Some(names) = self.files.names(&folder) else { return Below::Unknown };
            for name in names {
                count += 1;
                if count > MAX_BELOW {
                    return Below::Unknown;
                }
                let path = folder.join(&name);
                let kind = match self.files.link(&path) {
                    Some(_) => FileKind::File,
                    None => self.files.kind(&path),
                };
                let is_ignored = patterns.ignore(&path, kind);
                if kind == FileKind::Folder {
                    if !is_ignored && !(is_git && name == ".git") {
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
                    return Below::Forbidden(Decision::ask(Reason::may_match(rule, &about)));
                }
            }
        }
        Below::Nothing
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
fn judged(found: Option<Option<Decision>>, below: Below) -> Option<Option<Decision>> {
    match (found?, below) {
        (_, Below::Unknown) => None,
        (None, Below::Forbidden(decision)) => Some(Some(decision)),
        (found, _) => Some(found),
    }
}

/// What an argument of git names.
enum PathSpec<'p> {
    Path(&'p str),
    /// `:/`, `*.rs`: files anywhere.
    Everything,
    /// `:!x`
    Excluded,
}

fn pathspec(text: &str) -> PathSpec<'_> {
    match text {
        _ if text.starts_with(":!") || text.starts_with(":^") || text.starts_with(":(exclude)") => {
            PathSpec::Excluded
        }
        _ if text.starts_with(':') || text.contains(['*', '?', '[']) => PathSpec::Everything,
        path => PathSpec::Path(path),
    }
}

/// What `git add` takes; `Some(None)` if nothing, `None` if that is not known.
fn added(arguments: &[Word]) -> Option<Option<GitTaking>> {
    let has = |letter: char, names: &[&str]| arguments.iter().any(|word| is_option(word, letter, names));
    if has('\0', &["--pathspec-from-file"]) {
        return None;
    }
    let paths = operands(arguments, "");
    let takes_all = has('A', &["--all", "--no-ignore-removal"]);
    let updates = has('u', &["--update"]) || has('\0', &["--renormalize"]);
    let is_nothing = has('n', &["--dry-run"]) || (paths.is_empty() && !takes_all && !updates);
    let files = match () {
        () if updates => GitFiles::Tracked,
        () if has('f', &["--force"]) => GitFiles::All,
        () => GitFiles::NotIgnored,
    };
    Some((!is_nothing).then_some(GitTaking { files, paths }))
}

/// What `git commit` takes besides the index.
fn committed(arguments: &[Word]) -> Option<Option<GitTaking>> {
    let has = |letter: char, names: &[&str]| arguments.iter().any(|word| is_option(word, letter, names));
    if has('\0', &["--pathspec-from-file"]) {
        return None;
    }
    let paths = operands(arguments, "mFCctSu");
    let is_nothing = has('\0', &["--dry-run"]) || (paths.is_empty() && !has('a', &["--all"]));
    Some((!is_nothing).then_some(GitTaking { files: GitFiles::Tracked, paths }))
}

/// What `git clean` deletes.
fn cleaned(arguments: &[Word]) -> Option<Option<GitTaking>> {
    let has = |letter: char, names: &[&str]| arguments.iter().any(|word| is_option(word, letter, names));
    let is_nothing = has('n', &["--dry-run"]);
    let files = if has('x', &[]) || has('X', &[]) { GitFiles::All } else { GitFiles::NotIgnored };
    Some((!is_nothing).then(|| GitTaking { files, paths: operands(arguments, "e") }))
}

/// Letters of options whose value is joined to them or the next word.
const VALUES: &str = "mFCctSe";

/// Whether a word is an option: by its letter, not behind one that takes a value, or by its name or the beginning of it.
fn is_option(word: &Word, letter: char, names: &[&str]) -> bool {
    let text = word.beginning();
    if text.starts_with("--") {
        let name = text.split('=').next().unwrap_or(text);
        return name.len() > 2 && names.iter().any(|known| known.starts_with(name));
    }
    let Some(letters) = text.strip_prefix('-') else { return false };
    letters.chars().take_while(|letter| !VALUES.contains(*letter)).any(|each| each == letter)
}

/// The words that are no options and no values of options.
fn operands(arguments: &[Word], values: &str) -> Vec<Word> {
    const LONG: [&str; 9] = [
        "--message",
        "--file",
        "--author",
        "--date",
        "--template",
        "--reuse-message",
        "--reedit-message",
        "--fixup",
        "--cleanup",
    ];
    let mut found = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.beginning();
        if text == "--" {
            found.extend(words.cloned());
            break;
        }
        let is_open = match text.strip_prefix('-') {
            None | Some("") => {
                found.push(word.clone());
                continue;
            }
            Some(long) if long.starts_with('-') => LONG.contains(&text),
            Some(letters) => {
                let value = letters.find(|letter: char| values.contains(letter));
                // `-S` and `-u` have joined values only.
                value.is_some_and(|at| at + 1 == letters.len() && !letters.ends_with(['S', 'u']))
            }
        };
        if is_open {
            words.next();
        }
    }
    found
}

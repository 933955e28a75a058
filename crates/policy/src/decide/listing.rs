//! The names of files that one command prints for another: `find … | xargs …`, `$(git ls-files)`, `while read`. They are looked up
//! in the folders themselves, so that what gets them is judged by them; a list may hold more names than the command prints.

use std::path::{Path, PathBuf};

use super::Policy;
use super::globs::{NameSymbol, fits, symbols};
use super::operands::STREAMS;
use crate::paths::FileKind;
use crate::read_only::reading;
use crate::shell::{Command, PipeReader, RedirectionKind, Script, Word, WordCount, WordPart, parse};

/// The most files and folders that are looked at.
const MAX_VISITED: usize = 20_000;
/// The most names of a list.
const MAX_NAMES: usize = 5_000;

/// Between the names of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSeparator {
    Line,
    Nul,
}

/// Names of files, as they are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameList {
    pub(super) names: Vec<String>,
    pub(super) separator: NameSeparator,
}

/// Which files below a folder are listed.
#[derive(Debug, Default)]
struct FileFilter {
    /// All of these fit the name.
    patterns: Vec<Vec<NameSymbol>>,
    /// Links and folders are left out.
    only_files: bool,
    /// The repository's own folder is left out.
    without_git: bool,
    max_depth: Option<usize>,
}

impl FileFilter {
    /// Adds a pattern; one that is not understood leaves nothing out.
    fn add(&mut self, pattern: &str) {
        self.patterns.extend(symbols(pattern));
    }

    fn keeps(&self, name: &str, is_file: bool) -> bool {
        let letters: Vec<char> = name.chars().collect();
        (is_file || !self.only_files) && self.patterns.iter().all(|pattern| fits(pattern, &letters))
    }
}

/// The script of a word that is `$(…)` and nothing else.
pub(super) fn substitution(word: &Word) -> Option<Script> {
    let text = word.spelling.strip_prefix("$(")?.strip_suffix(')')?;
    let is_whole = word.parts == [WordPart::Unknown(WordCount::Any)] && !text.starts_with('(');
    parse(text).ok().filter(|script| is_whole && script.functions.is_empty() && script.loops.is_empty())
}

impl Policy<'_> {
    /// What a whole script prints, if it is one pipeline that lists files.
    pub(super) fn printed_names(&self, script: &Script, folders: &[PathBuf]) -> Option<NameList> {
        let last = script.commands.len().checked_sub(1)?;
        let stages = stages(script, last);
        (stages.len() == script.commands.len()).then(|| self.names_of(&stages, folders)).flatten()
    }

    /// What the commands of a pipeline print for this part of it.
    pub(super) fn names_for(&self, script: &Script, to: PipeReader, folders: &[PathBuf]) -> Option<NameList> {
        let pipe = script.pipes.iter().find(|pipe| pipe.to == to)?;
        self.names_of(&stages(script, pipe.from), folders)
    }

    fn names_of(&self, stages: &[&Command], folders: &[PathBuf]) -> Option<NameList> {
        let (source, filters) = stages.split_first()?;
        if !stages.iter().all(|command| is_plain(command)) {
            return None;
        }
        let mut list = self.source(source, folders)?;
        for command in filters {
            list.separator = filtered(command, list.separator)?;
        }
        list.names.sort();
        list.names.dedup();
        (list.names.len() <= MAX_NAMES).then_some(list)
    }

    fn source(&self, command: &Command, folders: &[PathBuf]) -> Option<NameList> {
        reading(command)?;
        let words: Vec<String> = command.words[1..].iter().map(Word::literal).collect::<Option<_>>()?;
        let list = |names| NameList { names, separator: NameSeparator::Line };
        match command.name()?.as_str() {
            "find" => self.found(&words, folders),
            "git" => self.tracked(&words, folders),
            "ls" => self.listed(&words, folders).map(list),
            "echo" => {
                let is_odd = |word: &String| word.starts_with('-') || word.contains('\\');
                let names = words.iter().flat_map(|word| word.split_whitespace()).map(str::to_owned);
                (!words.iter().any(is_odd)).then(|| list(names.collect()))
            }
            name @ ("grep" | "egrep" | "fgrep" | "rg") => {
                self.matching(name, command, &words, folders).map(list)
            }
            _ => None,
        }
    }

    /// `find PATH… TEST…`: alternatives and negations are not taken into account.
    fn found(&self, words: &[String], folders: &[PathBuf]) -> Option<NameList> {
        let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        if has(&["-printf", "-ls"]) || (has(&["-print"]) && has(&["-print0"])) {
            return None;
        }
        let is_test = |word: &String| word.starts_with('-') || matches!(word.as_str(), "!" | "(" | ")" | ",");
        let paths: Vec<&str> = words.iter().take_while(|word| !is_test(word)).map(String::as_str).collect();
        let mut filter = FileFilter::default();
        if !has(&["-o", "-or", "!", "-not", "(", ","]) {
            for pair in words[paths.len()..].windows(2) {
                match pair[0].as_str() {
                    "-name" => filter.add(&pair[1]),
                    "-type" if pair[1] == "f" => filter.only_files = true,
                    "-maxdepth" => filter.max_depth = pair[1].parse().ok(),
                    _ => {}
                }
            }
        }
        let paths = if paths.is_empty() { vec!["."] } else { paths };
        let separator = if has(&["-print0"]) { NameSeparator::Nul } else { NameSeparator::Line };
        let names = self.all_below(&paths, folders, &filter)?;
        Some(NameList { names, separator })
    }

    /// `git ls-files`
    fn tracked(&self, words: &[String], folders: &[PathBuf]) -> Option<NameList> {
        let (command, rest) = words.split_first()?;
        let mut filter = FileFilter { without_git: true, ..FileFilter::default() };
        let mut separator = NameSeparator::Line;
        let mut paths = Vec::new();
        for word in rest {
            match word.as_str() {
                "-z" => separator = NameSeparator::Nul,
                "--" | "-c" | "-m" | "-o" | "--cached" | "--modified" | "--others" | "--exclude-standard" => {
                }
                option if option.starts_with('-') => return None,
                path => paths.push(path),
            }
        }
        // `*` of git matches slashes too.
        if let [path] = paths.as_slice()
            && path.starts_with('*')
            && !path.contains('/')
        {
            filter.add(path);
        }
        let names = (command == "ls-files").then(|| self.all_below(&[""], folders, &filter)).flatten()?;
        Some(NameList { names, separator })
    }

    /// `ls`, without operands.
    fn listed(&self, words: &[String], folders: &[PathBuf]) -> Option<Vec<String>> {
        let is_plain = |word: &String| {
            word.strip_prefix('-')
                .is_some_and(|letters| letters.bytes().all(|letter| b"1tSrUA".contains(&letter)))
        };
        if !words.iter().all(is_plain) {
            return None;
        }
        self.all_below(&[""], folders, &FileFilter { max_depth: Some(1), ..FileFilter::default() })
    }

    /// `grep -rl TEXT PATH…`, `grep -l TEXT FILE…`, `rg -l TEXT PATH…`, `rg --files PATH…`
    fn matching(
        &self,
        name: &str,
        command: &Command,
        words: &[String],
        folders: &[PathBuf],
    ) -> Option<Vec<String>> {
        let options = words.iter().filter(|word| word.starts_with('-'));
        let is_plain = |word: &&String| {
            let letters = word.strip_prefix('-').unwrap_or_default();
            letters.bytes().all(|letter| b"lrinwEFivs".contains(&letter))
                || word.starts_with("--include=")
                || matches!(word.as_str(), "--files" | "--files-with-matches" | "--recursive")
        };
        let lists = |word: &String| {
            matches!(word.as_str(), "--files" | "--files-with-matches")
                || (word.starts_with('-') && !word.starts_with("--") && word.contains('l'))
        };
        if !options.clone().all(|word| is_plain(&word)) || !words.iter().any(lists) {
            return None;
        }
        let recursive = name == "rg"
            || words.iter().any(|word| {
                word == "--recursive"
                    || (!word.starts_with("--") && word.starts_with('-') && word.contains('r'))
            });
        let paths: Vec<String> =
            reading(command)?.paths.iter().map(Word::literal).collect::<Option<Vec<_>>>()?;
        if !recursive {
            return Some(paths);
        }
        let mut filter = FileFilter::default();
        if let [only] =
            words.iter().filter_map(|word| word.strip_prefix("--include=")).collect::<Vec<_>>()[..]
        {
            filter.add(only);
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        self.all_below(if paths.is_empty() { &[""] } else { &paths }, folders, &filter)
    }

    /// Everything below these paths, from each of the folders, as `find` spells it. Links are not followed.
    fn all_below(&self, paths: &[&str], folders: &[PathBuf], filter: &FileFilter) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let mut visited = 0_usize;
        for (folder, path) in folders.iter().flat_map(|folder| paths.iter().map(move |path| (folder, *path)))
        {
            let mut open: Vec<(PathBuf, String, usize)> = Vec::new();
            let top = folder.join(path);
            let is_folder =
                |path: &Path| self.files.link(path).is_none() && self.files.kind(path) == FileKind::Folder;
            if !path.is_empty() {
                found.push(path.to_owned());
            }
            if path.is_empty() || is_folder(&top) || path.ends_with(['/', '.']) {
                open.push((top, path.to_owned(), 1));
            }
            while let Some((folder, spelled, depth)) = open.pop() {
                if filter.max_depth.is_some_and(|max| depth > max) {
                    continue;
                }
                let names = self.files.names(&folder)?;
                visited += names.len();
                if visited > MAX_VISITED {
                    return None;
                }
                for name in names {
                    let name = name.to_str()?;
                    let path = folder.join(name);
                    let is_file =
                        self.files.link(&path).is_none() && self.files.kind(&path) == FileKind::File;
                    let between = if spelled.is_empty() || spelled.ends_with('/') { "" } else { "/" };
                    let spelled = format!("{spelled}{between}{name}");
                    let is_own = filter.without_git && name == ".git";
                    if filter.keeps(name, is_file) && !is_own {
                        found.push(spelled.clone());
                    }
                    if !is_own && !is_file && is_folder(&path) {
                        open.push((path, spelled, depth + 1));
                    }
                }
            }
        }
        // The starting points are names like the others.
        let last =
            |name: &String| name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let is_start = |name: &String| paths.contains(&name.as_str());
        found.retain(|name| {
            !is_start(name)
                || filter.keeps(
                    &last(name),
                    !folders.iter().all(|folder| self.files.kind(&folder.join(name)) == FileKind::Folder),
                )
        });
        Some(found)
    }
}

/// The commands of a pipeline up to a place, the first one first.
fn stages(script: &Script, place: usize) -> Vec<&Command> {
    let mut places = vec![place];
    let before = |place: &usize| script.pipes.iter().find(|pipe| pipe.to == PipeReader::Command(*place));
    while let Some(pipe) = places.last().and_then(before) {
        places.push(pipe.from);
    }
    places.iter().rev().filter_map(|place| script.commands.get(*place)).collect()
}

/// Whether nothing but the pipeline and `2>/dev/null` leads in or out of a command.
fn is_plain(command: &Command) -> bool {
    let is_silent = |redirection: &crate::shell::Redirection| {
        redirection.direction == RedirectionKind::Write
            && redirection.descriptor == Some(2)
            && redirection.target.literal().is_some_and(|target| STREAMS[0] == target)
    };
    command.assignments.is_empty() && command.redirections.iter().all(is_silent)
}

/// What separates the names behind a command that leaves out some of them, and changes none.
fn filtered(command: &Command, separator: NameSeparator) -> Option<NameSeparator> {
    let words: Vec<String> = command.words[1..].iter().map(Word::literal).collect::<Option<_>>()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let letters = |word: &str, known: &[u8]| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.bytes().all(|letter| known.contains(&letter))
        })
    };
    let has_nul = words.iter().any(|word| letters(word, b"zurvEFiw") && word.contains('z'));
    let is_selection = match command.name()?.as_str() {
        "head" | "tail" => words.iter().all(|word| {
            word == "-n"
                || word == "-z"
                || is_number(word)
                || word.strip_prefix('-').is_some_and(is_number)
                || word.strip_prefix("-n").is_some_and(is_number)
        }),
        "sort" => words.iter().all(|word| letters(word, b"zurRV")),
        "uniq" => words.iter().all(|word| word == "-z"),
        "tac" => words.is_empty(),
        "grep" | "egrep" | "fgrep" => {
            let is_option = |word: &&String| word.starts_with('-');
            let (options, texts): (Vec<_>, Vec<_>) = words.iter().partition(is_option);
            options.iter().all(|word| letters(word, b"vEFiwxz")) && texts.len() == 1
        }
        "tr" => {
            return (words == ["\\n", "\\0"] && separator == NameSeparator::Line)
                .then_some(NameSeparator::Nul);
        }
        _ => false,
    };
    (is_selection && has_nul == (separator == NameSeparator::Nul)).then_some(separator)
}

//! What commands of git take in, by their options and arguments: `git add`, `git commit -a`, `git clean`.

use crate::shell::Word;

/// Which files of a folder git takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitFiles {
    /// What it tracks, and what is not ignored.
    NotIgnored,
    /// What it tracks.
    Tracked,
    All,
}

/// What a command of git takes in.
pub(super) struct GitTaking {
    pub(super) files: GitFiles,
    /// Folders and files, as written; none is the whole repository.
    pub(super) paths: Vec<Word>,
}

/// What an argument of git names.
pub(super) enum PathSpec<'p> {
    /// A file or folder.
    Path(&'p str),
    /// `:/`, `*.rs`: files anywhere.
    Everything,
    /// `:!x`
    Excluded,
}

pub(super) fn pathspec(text: &str) -> PathSpec<'_> {
    match text {
        _ if text.starts_with(":!") || text.starts_with(":^") || text.starts_with(":(exclude)") => {
            PathSpec::Excluded
        }
        _ if text.starts_with(':') || text.contains(['*', '?', '[']) => PathSpec::Everything,
        path => PathSpec::Path(path),
    }
}

/// What `git add` takes; `Some(None)` if nothing, `None` if that is not known.
pub(super) fn added(arguments: &[Word]) -> Option<Option<GitTaking>> {
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
pub(super) fn committed(arguments: &[Word]) -> Option<Option<GitTaking>> {
    let has = |letter: char, names: &[&str]| arguments.iter().any(|word| is_option(word, letter, names));
    if has('\0', &["--pathspec-from-file"]) {
        return None;
    }
    let paths = operands(arguments, "mFCctSu");
    let is_nothing = has('\0', &["--dry-run"]) || (paths.is_empty() && !has('a', &["--all"]));
    Some((!is_nothing).then_some(GitTaking { files: GitFiles::Tracked, paths }))
}

/// What `git clean` deletes.
pub(super) fn cleaned(arguments: &[Word]) -> Option<Option<GitTaking>> {
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

//! What the globs of a command find: names in folders of the workspace, and nothing behind a link that leaves it.

use std::path::{Path, PathBuf};

use super::Policy;
use crate::paths::{FileKind, resolve};
use crate::read_only::LastName;
use crate::shell::{Word, WordPart};

/// The most folders that globs are followed into.
const MAX_FOLDERS: usize = 500;

/// The most files that globs find.
const MAX_FOUND: usize = 2000;

/// A name with more stars matches everything here.
const MAX_STARS: usize = 3;

/// One character of a name with globs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSymbol {
    Letter(char),
    Any,
    One,
    /// Whatever follows: what is in brackets is not looked at.
    Rest,
}

impl Policy<'_> {
    /// Whether everything that the globs of a word find from a folder is inside the workspace. The word was checked up to its first
    /// glob already.
    pub(super) fn glob_stays(&self, folder: &Path, word: &Word, last: LastName) -> bool {
        let Some(names) = names(word, self.workspace.home()) else { return false };
        let start = names.first().is_some_and(Vec::is_empty);
        let mut folders = vec![if start { PathBuf::from("/") } else { folder.to_path_buf() }];
        for (place, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let is_last = place + 1 == names.len();
            let Some(next) =
                folders.iter().map(|folder| self.matches(folder, name)).collect::<Option<Vec<_>>>()
            else {
                return false;
            };
            let found: Vec<PathBuf> = next.into_iter().flatten().collect();
            if is_last && last == LastName::Printed {
                return true;
            }
            let Some(entered) = found.iter().map(|path| self.entered(path)).collect::<Option<Vec<_>>>()
            else {
                return false;
            };
            folders = entered.into_iter().flatten().collect();
            if folders.len() > MAX_FOLDERS {
                return false;
            }
        }
        true
    }

    /// The paths that the globs of a word find from a folder. `**` finds folders at any depth, as some shells do.
    pub(super) fn glob_paths(&self, folder: &Path, word: &Word) -> Option<Vec<PathBuf>> {
        let names = names(word, self.workspace.home())?;
        let start = names.first().is_some_and(Vec::is_empty);
        let mut found = vec![if start { PathBuf::from("/") } else { folder.to_path_buf() }];
        let mut is_first = true;
        for name in names.iter().filter(|name| !name.is_empty()) {
            let mut folders = found;
            if !is_first {
                folders = folders
                    .iter()
                    .map(|path| self.entered(path))
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .flatten()
                    .collect();
            }
            is_first = false;
            let is_deep =
                name.iter().filter(|symbol| **symbol == NameSymbol::Any).count() >= 2 && name.len() == 2;
            let mut next = Vec::new();
            for folder in &folders {
                next.extend(self.matches(folder, name)?);
                if is_deep {
                    next.push(folder.clone());
                    next.extend(self.deep_folders(folder)?);
                }
            }
            next.sort();
            next.dedup();
            if next.len() > MAX_FOUND {
                return None;
            }
            found = next;
        }
        Some(found)
    }

    /// Every folder below a folder; links are not followed. `None` if there are too many.
    fn deep_folders(&self, top: &Path) -> Option<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut open = vec![top.to_path_buf()];
        while let Some(folder) = open.pop() {
            let below = self.files.names(&folder)?.into_iter().map(|name| folder.join(name));
            for path in below {
                if self.files.link(&path).is_none() && self.files.kind(&path) == FileKind::Folder {
                    found.push(path.clone());
                    open.push(path);
                }
            }
            if found.len() > MAX_FOLDERS {
                return None;
            }
        }
        Some(found)
    }

    /// The paths in a folder that a name finds; `None` where they cannot be known.
    fn matches(&self, folder: &Path, name: &[NameSymbol]) -> Option<Vec<PathBuf>> {
        let literal: Option<String> = name
            .iter()
            .map(|symbol| match symbol {
                NameSymbol::Letter(letter) => Some(*letter),
                _ => None,
            })
            .collect();
        if let Some(literal) = literal {
            return Some(vec![folder.join(literal)]);
        }
        let names = self.files.names(folder)?;
        let found = names.into_iter().filter(|file| finds(name, &file.to_string_lossy()));
        Some(found.map(|file| folder.join(file)).collect())
    }

    /// The folder behind a path; `Some(None)` for files, `None` if it leaves the workspace.
    fn entered(&self, path: &Path) -> Option<Option<PathBuf>> {
        let resolved = resolve(self.files, Path::new("/"), path).ok()?;
        let is_inside = self.workspace.holds(&resolved);
        match resolved.kind {
            FileKind::Folder | FileKind::Special => is_inside.then_some(Some(resolved.real)),
            // A link to a file shows its own name.
            FileKind::File | FileKind::Missing => Some(None),
        }
    }
}

/// The names of a word, between its slashes; an empty first one means the root.
fn names(word: &Word, home: Option<&Path>) -> Option<Vec<Vec<NameSymbol>>> {
    let mut names = vec![Vec::new()];
    for part in &word.parts {
        match part {
            WordPart::Text(text) => push(&mut names, text),
            WordPart::Home => push(&mut names, &home?.to_string_lossy()),
            WordPart::Glob(letter) => names.last_mut()?.push(match letter {
                '?' => NameSymbol::One,
                '*' => NameSymbol::Any,
                _ => NameSymbol::Rest,
            }),
            _ => return None,
        }
    }
    Some(names)
}

fn push(names: &mut Vec<Vec<NameSymbol>>, text: &str) {
    for letter in text.chars() {
        match names.last_mut().filter(|_| letter != '/') {
            Some(name) => name.push(NameSymbol::Letter(letter)),
            None => names.push(Vec::new()),
        }
    }
}

/// A pattern of a program such as `find`; `None` where it has brackets, escapes or too many stars.
pub(super) fn symbols(pattern: &str) -> Option<Vec<NameSymbol>> {
    let stars = pattern.chars().filter(|letter| *letter == '*').count();
    let symbol = |letter| match letter {
        '*' => NameSymbol::Any,
        '?' => NameSymbol::One,
        letter => NameSymbol::Letter(letter),
    };
    (!pattern.contains(['[', '\\']) && stars <= MAX_STARS).then(|| pattern.chars().map(symbol).collect())
}

/// Whether a glob matches the name of a file. A name that begins with a dot must be asked for by one.
fn finds(pattern: &[NameSymbol], name: &str) -> bool {
    let stars = pattern.iter().filter(|symbol| **symbol == NameSymbol::Any).count();
    let is_hidden = name.starts_with('.') && pattern.first() != Some(&NameSymbol::Letter('.'));
    !is_hidden && (stars > MAX_STARS || fits(pattern, &name.chars().collect::<Vec<_>>()))
}

pub(super) fn fits(pattern: &[NameSymbol], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) | (Some((NameSymbol::Rest, _)), _) => true,
        (Some((NameSymbol::Any, rest)), _) => (0..=name.len()).any(|at| fits(rest, &name[at..])),
        (Some((NameSymbol::One, rest)), Some((_, behind))) => fits(rest, behind),
        (Some((NameSymbol::Letter(letter), rest)), Some((first, behind))) => {
            letter == first && fits(rest, behind)
        }
        _ => false,
    }
}

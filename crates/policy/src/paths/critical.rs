//! Commands that could delete the root, the home folder, the workspace itself, or an unknown path.

use std::path::{Path, PathBuf};

use super::{FileSystem, Workspace, resolve};
use crate::shell::{Command, Word, WordPart, base_name, strip};

/// Programs that remove their operands.
const REMOVING: [&str; 4] = ["rm", "rmdir", "shred", "unlink"];
/// Programs that change a whole tree with `-R`.
const CHANGING: [&str; 3] = ["chmod", "chown", "chgrp"];

/// What a command would destroy that the user must be asked about, if it runs in any of these folders.
pub fn critical(
    files: &dyn FileSystem,
    workspace: &Workspace,
    folders: &[PathBuf],
    command: &Command,
) -> Option<String> {
    let stripped = strip(command);
    let command = stripped.last()?;
    let name = base_name(&command.name()?);
    let recursive = command.words[1..].iter().any(is_recursive);
    let removes = REMOVING.contains(&name.as_str());
    if name.starts_with("mkfs") || name == "wipefs" {
        return Some(command.spelling());
    }
    if name == "find" {
        let is =
            |word: &Word, names: &[&str]| word.literal().is_some_and(|text| names.contains(&text.as_str()));
        let removes = command.words.windows(2).any(|pair| {
            let program = pair[1].literal().map(|text| base_name(&text)).unwrap_or_default();
            is(&pair[0], &["-exec", "-execdir"]) && REMOVING.contains(&program.as_str())
        });
        let deletes = removes || command.words.iter().any(|word| is(word, &["-delete"]));
        let from =
            command.words[1..].iter().take_while(|word| !word.beginning().starts_with(['-', '(', '!']));
        let mut from = from.peekable();
        // Without a starting point it begins in the current folder.
        let nowhere = from.peek().is_none();
        let is_unknown = |word: &Word| {
            let path = fill(word, workspace, workspace.current(), "");
            path.is_none_or(|path| path.is_empty()) || word.parts.first() == Some(&WordPart::OtherHome)
        };
        let mut from = from.filter(|word| is_unknown(word) || is_critical(files, workspace, folders, word));
        let hit = from.next().map(|word| word.spelling.clone());
        return hit.or_else(|| nowhere.then(|| ".".to_owned())).filter(|_| deletes);
    }
    let changes_all = CHANGING.contains(&name.as_str()) && recursive;
    if !removes && !changes_all && name != "mv" {
        return None;
    }
    let operands = command.words[1..].iter().filter(|word| !word.beginning().starts_with('-'));
    // The last operand of a move is the target.
    let operands: Vec<_> = operands.collect();
    let operands = if name == "mv" { &operands[..operands.len().saturating_sub(1)] } else { &operands[..] };
    let removes_all = removes && recursive;
    let removes_one = !recursive && matches!(name.as_str(), "rm" | "unlink" | "shred");
    let is_unknown = |word: &Word| {
        let path = fill(word, workspace, workspace.current(), "");
        let is_elsewhere = word.parts.first() == Some(&WordPart::OtherHome);
        (removes_all && path.is_none_or(|path| path.is_empty())) || (is_elsewhere && !removes_one)
    };
    let hit = operands.iter().find(|word| is_unknown(word) || is_critical(files, workspace, folders, word));
    hit.map(|word| word.spelling.clone())
}

fn is_recursive(word: &Word) -> bool {
    let Some(text) = word.literal() else { return false };
    match text.strip_prefix("--") {
        Some(long) => !long.is_empty() && "recursive".starts_with(long),
        None => text.starts_with('-') && text.contains(['r', 'R']),
    }
}

/// The word as a path, with `unknown` for unknown parts; `None` if all of it is unknown.
fn fill(word: &Word, workspace: &Workspace, folder: &Path, unknown: &str) -> Option<String> {
    let home = || workspace.home().map(|home| home.to_string_lossy().into_owned());
    let mut out = String::new();
    let mut known = false;
    for piece in &word.parts {
        match piece {
            WordPart::Text(text) => {
                known = true;
                out.push_str(text);
            }
            WordPart::Home => {
                known = true;
                out.push_str(&home()?);
            }
            WordPart::Variable { name, .. } if name == "HOME" => {
                known = true;
                out.push_str(&home()?);
            }
            WordPart::Variable { name, .. } if name == "PWD" => {
                known = true;
                out.push_str(&folder.to_string_lossy());
            }
            WordPart::Glob(letter) => {
                known = true;
                out.push(*letter);
            }
            WordPart::Variable { .. } | WordPart::Unknown(_) | WordPart::OtherHome => out.push_str(unknown),
        }
    }
    known.then_some(out)
}

/// Whether the word names the root, a folder right below it, home or above, or a root of the workspace or above.
fn is_critical(files: &dyn FileSystem, workspace: &Workspace, folders: &[PathBuf], word: &Word) -> bool {
    folders.iter().any(|folder| {
        let Some(path) = fill(word, workspace, folder, "") else { return false };
        let path = without_all(&path);
        // A path that cannot be resolved may lead anywhere.
        let Ok(resolved) = resolve(files, folder, Path::new(path)) else { return !path.is_empty() };
        let near_root = |path: &Path| path.components().count() <= 2;
        let above = |path: &Path| {
            let roots = workspace.roots();
            roots.iter().map(PathBuf::as_path).chain(workspace.home()).any(|root| root.starts_with(path))
        };
        [&resolved.spelled, &resolved.real].into_iter().any(|path| near_root(path) || above(path))
    })
}

/// `folder/*` is as good as the folder.
fn without_all(mut path: &str) -> &str {
    while let Some((folder, last)) = path.rsplit_once('/') {
        let all = matches!(last, "" | "*" | "." | ".*" | "**" | "{}" | "?*");
        if !all {
            break;
        }
        path = if folder.is_empty() { "/" } else { folder };
        if path == "/" {
            break;
        }
    }
    if matches!(path, "*" | ".*" | "**" | "?*") { "." } else { path }
}

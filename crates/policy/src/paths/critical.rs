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
        let deletes = command.words.iter().any(|word| word.literal().is_some_and(|text| text == "-delete"));
        let from =
            command.words[1..].iter().take_while(|word| !word.beginning().starts_with(['-', '(', '!']));
        let mut from = from.peekable();
        // Without a starting point it begins in the current folder.
        let nowhere = from.peek().is_none();
        let hit =
            from.find(|word| is_critical(files, workspace, folders, word)).map(|word| word.spelling.clone());
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
    let unknown =
        |word: &Word| removes && recursive && fill(word, workspace, "").is_none_or(|path| path.is_empty());
    let hit = operands.iter().find(|word| unknown(word) || is_critical(files, workspace, folders, word));
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
fn fill(word: &Word, workspace: &Workspace, unknown: &str) -> Option<String> {
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
                out.push_str(&workspace.current().to_string_lossy());
            }
            WordPart::Glob(letter) => {
                known = true;
                out.push(*letter);
            }
            WordPart::Variable { .. } | WordPart::Unknown(_) => out.push_str(unknown),
        }
    }
    known.then_some(out)
}

/// Whether the word names the root, a folder right below it, home or above, or a root of the workspace or above.
fn is_critical(files: &dyn FileSystem, workspace: &Workspace, folders: &[PathBuf], word: &Word) -> bool {
    let Some(path) = fill(word, workspace, "") else { return false };
    // `folder/*` is as good as the folder.
    let mut path = path.as_str();
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
    let path = if matches!(path, "*" | ".*" | "**" | "?*") { "." } else { path };
    folders.iter().any(|folder| {
        // A path that cannot be resolved may lead anywhere.
        let Ok(resolved) = resolve(files, folder, Path::new(path)) else { return !path.is_empty() };
        let near_root = |path: &Path| path.components().count() <= 2;
        let above = |path: &Path| {
            let roots = workspace.roots().iter().map(PathBuf::as_path).chain(workspace.home());
            roots.into_iter().any(|root| root.starts_with(path))
        };
        [&resolved.spelled, &resolved.real].into_iter().any(|path| near_root(path) || above(path))
    })
}

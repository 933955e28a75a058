//! Programs that reach files without naming them: what is below a folder, what git keeps.

use std::path::PathBuf;

use super::Policy;
use super::candidates::candidates;
use super::contents::path_of;
use crate::decision::{Decision, Reason};
use crate::paths::{FileKind, resolve};
use crate::read_only::shows_files;
use crate::shell::{Command, Word};

/// Programs that read or copy everything below the folders that they are given.
const READING_BELOW: [&str; 22] = [
    "tar",
    "bsdtar",
    "gtar",
    "zip",
    "7z",
    "7za",
    "7zz",
    "rar",
    "jar",
    "pax",
    "rsync",
    "cp",
    "mv",
    "ln",
    "scp",
    "sftp",
    "ag",
    "ack",
    "rg",
    "diff",
    "mksquashfs",
    "install",
];

impl Policy<'_> {
    /// Programs that read everything below a folder, or all that git keeps: what must not be read may be there.
    pub(super) fn below(&self, name: &str, command: &Command, folders: &[PathBuf]) -> Option<Decision> {
        if !self.has_file_rules() {
            return None;
        }
        let arguments = &command.words[1..];
        let is_folder = |word: &Word| {
            let paths = path_of(word, self.workspace).and_then(|text| candidates(&text, self.workspace));
            let real = |folder: &PathBuf, path: &String| resolve(self.files, folder, path.as_ref());
            let is_one = |path: &String| {
                folders
                    .iter()
                    .any(|folder| real(folder, path).is_ok_and(|path| path.kind == FileKind::Folder))
            };
            paths.is_none_or(|paths| paths.sure.iter().chain(&paths.parts).any(is_one))
        };
        // The last operand of these is a target.
        let names_target = |word: &Word| {
            let option = word.beginning();
            option.starts_with("--t")
                || (option.starts_with('-') && !option.starts_with("--") && option.contains('t'))
        };
        let has_target =
            matches!(name, "cp" | "mv" | "ln" | "install") && !arguments.iter().any(names_target);
        let sources = &arguments[..arguments.len() - usize::from(has_target && !arguments.is_empty())];
        let is_recursive = |word: &Word| {
            let option = word.beginning();
            let long = ["--recursive", "--dereference-recursive", "--directories"];
            long.iter().any(|name| option.starts_with(name))
                || (option.starts_with('-') && !option.starts_with("--") && option.contains(['r', 'R', 'd']))
        };
        let reads = match name {
            "git" => shows_files(arguments),
            "rg" | "ag" | "ack" => true,
            "grep" | "egrep" | "fgrep" | "zgrep" => arguments.iter().any(is_recursive),
            "docker" | "podman" => {
                matches!(arguments.first().map(Word::beginning), Some("cp" | "build" | "buildx"))
            }
            _ => READING_BELOW.contains(&name) && sources.iter().any(is_folder),
        };
        reads.then(|| Decision::ask(Reason::UnknownPath(command.spelling())))
    }
}

//! Paths that no rule and no mode allows to change: configuration that runs programs, and devices.

use std::path::Path;

use super::{FileKind, ResolvedPath};

/// Folders whose files are read as configuration or run as programs.
const FOLDERS: [&str; 18] = [
    ".git",
    ".claude",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".githooks",
    ".circleci",
    ".zsh",
    ".oh-my-zsh",
    ".mvn",
    ".yarn",
];

/// Files of the same kind.
const FILES: [&str; 39] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".inputrc",
    ".login",
    ".gitconfig",
    ".gitmodules",
    ".gitattributes",
    ".mcp.json",
    ".claude.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pypirc",
    ".netrc",
    ".envrc",
    ".pre-commit-config.yaml",
    ".wgetrc",
    ".curlrc",
    ".vimrc",
    ".exrc",
    ".tmux.conf",
    ".ripgreprc",
    ".lesskey",
    ".xprofile",
    ".xinitrc",
    ".xsession",
];

/// Folders of two names.
const PAIRS: [(&str, &str); 5] = [
    (".config", "git"),
    (".config", "fish"),
    (".config", "systemd"),
    (".config", "autostart"),
    (".github", "workflows"),
];

/// Whether a change there could run programs or grant access.
pub fn is_protected(path: &Path) -> bool {
    let names: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    // Some file systems drop dots and spaces at the end of a name.
    let names: Vec<&str> = names.iter().map(|name| name.trim_end_matches([' ', '.'])).collect();
    names.iter().any(|name| FOLDERS.contains(name))
        || names.last().is_some_and(|name| FILES.contains(name))
        || names.windows(2).any(|pair| PAIRS.contains(&(pair[0], pair[1])))
}

/// Whether a tool must not open it: a device, a pipe, or the memory and environment of a process.
pub fn is_refused(path: &ResolvedPath) -> bool {
    let of_process = |path: &Path| {
        let names: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
        let hidden = ["environ", "mem", "maps", "auxv", "cmdline", "fd"];
        matches!(names.as_slice(), ["/", "proc", _, rest @ ..] if rest.iter().any(|name| hidden.contains(name)))
            || names.starts_with(&["/", "dev"])
    };
    path.kind == FileKind::Special || path.all().any(of_process)
}

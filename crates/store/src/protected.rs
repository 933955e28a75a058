//! Files that configure programs: a change there can run something or grant access. Permission rules never open them, and
//! `rewind` leaves them alone, since a transcript can come from anybody.

use std::path::{Path, PathBuf};

/// Folders whose files are read as configuration or run as programs.
const FOLDERS: &[&str] = &[
    ".hg",
    ".svn",
    ".jj",
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
    ".m2",
    ".sbt",
    ".bundle",
    ".subversion",
    ".lefthook",
    ".vim",
    ".emacs.d",
    ".zed",
    ".fleet",
    ".cursor",
    ".windsurf",
    ".continue",
    ".roo",
    ".codex",
    ".gemini",
    ".ipython",
    ".aider",
];

/// Files of the same kind.
const FILES: &[&str] = &[
    ".screenrc",
    ".gdbinit",
    ".lldbinit",
    ".psqlrc",
    ".my.cnf",
    ".zimrc",
    ".pam_environment",
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
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "jenkinsfile",
    ".lefthook.yml",
    "lefthook.yml",
    "lefthook.yaml",
    ".overcommit.yml",
    ".pre-commit-hooks.yaml",
    ".mise.toml",
    ".tool-versions",
    "rust-toolchain",
    "rust-toolchain.toml",
    "mise.toml",
    ".direnvrc",
    ".asdfrc",
    ".bazelrc",
    ".buckconfig",
    ".hgrc",
    ".terraformrc",
    ".condarc",
    ".sqliterc",
    ".irbrc",
    ".pryrc",
    ".rprofile",
    ".renviron",
    ".pythonrc",
    ".pdbrc",
    ".ghci",
    ".iex.exs",
    ".latexmkrc",
    ".emacs",
    ".nanorc",
    ".ackrc",
    ".gvimrc",
    ".ideavimrc",
    ".xonshrc",
    ".wezterm.lua",
    ".editrc",
    ".aider.conf.yml",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".envrc.local",
    ".nvimrc",
    ".nvim.lua",
    ".pythonrc.py",
    ".pgpass",
    ".pg_service.conf",
    "terraform.rc",
    "sitecustomize.py",
    "usercustomize.py",
    ".git-credentials",
];

/// Folders of two names.
const PAIRS: &[(&str, &str)] = &[
    (".config", "direnv"),
    (".config", "npm"),
    (".config", "nvim"),
    (".config", "ripgrep"),
    (".config", "environment.d"),
    (".local", "bin"),
    (".config", "git"),
    (".config", "fish"),
    (".config", "systemd"),
    (".config", "autostart"),
    (".config", "zed"),
    (".config", "nushell"),
    (".config", "mise"),
    (".gradle", "init.d"),
    (".github", "workflows"),
    (".github", "actions"),
];

/// Files that agents read as instructions.
const INSTRUCTIONS: &[&str] = &[
    "claude.md",
    "claude.local.md",
    "agents.md",
    "gemini.md",
    "qwen.md",
    "warp.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".goosehints",
];

/// Whether a change there could run programs or grant access.
pub fn is_protected(path: &Path) -> bool {
    let names = names(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.iter().any(|name| FOLDERS.contains(name))
        || names.last().is_some_and(|name| FILES.contains(name))
        || names.windows(2).any(|pair| PAIRS.contains(&(pair[0], pair[1])))
}

/// The names that are protected in any folder: of folders, of files, and of folders in folders.
pub fn protected_names() -> impl Iterator<Item = PathBuf> {
    let pairs = PAIRS.iter().map(|(folder, name)| Path::new(folder).join(name));
    FOLDERS.iter().chain(FILES).map(PathBuf::from).chain(pairs)
}

/// Whether agents take the file as instructions: memory files of this client and of others.
pub fn is_instructions(path: &Path) -> bool {
    names(path).last().is_some_and(|name| INSTRUCTIONS.contains(&name.as_str()))
}

/// The names of a path, as file systems that ignore case compare them. Some of them drop dots and spaces at the end.
pub(crate) fn names(path: &Path) -> Vec<String> {
    let names = path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase());
    names.map(|name| name.trim_end_matches([' ', '.']).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_wherever_and_however_they_are_written() {
        for path in [
            "/w/.git/config",
            ".GIT/hooks/x",
            "a/.claude/settings.local.json",
            ".envrc",
            ".vscode./tasks.json",
            "x/.github/workflows/ci.yml",
            ".config/git/config",
            ".Bashrc",
            ".husky",
            "a/.gitlab-ci.yml",
            ".dir-locals.el",
            "sub/sitecustomize.py",
            ".ipython/profile_default/startup/x.py",
            ".nvimrc",
            ".git-credentials",
            "rust-toolchain.toml",
            "a/.tool-versions",
            "Jenkinsfile",
            ".cursor/mcp.json",
            ".zed/tasks.json",
            "/home/u/.Rprofile",
            "/home/u/.gradle/init.d/x.gradle",
        ] {
            assert!(is_protected(Path::new(path)), "{path}");
        }
        for path in
            ["src/main.rs", "git/config", ".github/README.md", "bashrc", ".config/app.toml", "CLAUDE.md"]
        {
            assert!(!is_protected(Path::new(path)), "{path}");
        }
        assert!(is_instructions(Path::new("a/Claude.md")) && !is_instructions(Path::new("CLAUDE.md/a")));
    }
}

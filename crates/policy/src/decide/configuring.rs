//! Commands that change a configuration that programs are run by, without naming its file.

use std::path::PathBuf;

use super::Policy;
use super::takers::{git_command, programs_run};
use crate::decision::{Decision, Reason};
use crate::shell::{Command, Word};

/// A program, the words that its own command begins with, and the file that it changes.
type ConfiguringCommand = (&'static str, &'static [&'static str], &'static str);

const COMMANDS: &[ConfiguringCommand] = &[
    ("npm", &["config set", "config delete", "config edit", "config fix", "set", "c set"], ".npmrc"),
    ("npm", &["c delete", "c edit", "login", "adduser", "add-user", "logout", "token"], ".npmrc"),
    ("pnpm", &["config set", "config delete", "set", "login"], ".npmrc"),
    ("yarn", &["config set", "config delete", "set version", "login", "npm login"], ".yarnrc"),
    ("bun", &["pm trust"], "package.json"),
    ("pip", &["config set", "config edit", "config unset"], "pip.conf"),
    ("pip3", &["config set", "config edit", "config unset"], "pip.conf"),
    ("poetry", &["config"], "poetry config"),
    ("cargo", &["login", "logout"], ".cargo/credentials.toml"),
    ("gem", &["signin"], ".gem/credentials"),
    ("docker", &["login", "logout", "context use", "context create"], ".docker/config.json"),
    ("podman", &["login", "logout"], ".docker/config.json"),
    ("aws", &["configure"], ".aws/config"),
    (
        "kubectl",
        &["config set", "config use", "config unset", "config delete", "config rename"],
        ".kube/config",
    ),
    ("gcloud", &["auth configure-docker", "config set", "init", "auth login"], ".config/gcloud"),
    ("gh", &["auth setup-git", "auth login", "config set", "alias set", "extension install"], ".config/gh"),
    ("pre-commit", &["install", "init-templatedir"], ".git/hooks"),
    ("husky", &["", "install", "init", "add", "set"], ".husky"),
    ("lefthook", &["install", "add"], ".git/hooks"),
    ("simple-git-hooks", &[""], ".git/hooks"),
    ("overcommit", &["--install"], ".git/hooks"),
    ("git-lfs", &["install"], ".git/hooks"),
    ("direnv", &["allow", "permit", "grant"], ".envrc"),
    ("mise", &["trust"], ".mise.toml"),
    ("conda", &["init", "config"], ".bashrc"),
    ("mamba", &["init", "shell init"], ".bashrc"),
    ("micromamba", &["shell init"], ".bashrc"),
    ("chsh", &["", "-s"], "/etc/passwd"),
    ("ssh-copy-id", &[], ".ssh/authorized_keys"),
    ("code", &["--install-extension", "--uninstall-extension"], ".vscode"),
    ("cursor", &["--install-extension"], ".vscode"),
    ("claude", &["mcp", "config", "plugin", "install"], ".claude.json"),
    ("crontab", &[], "crontab"),
    ("systemctl", &["enable", "link", "edit", "set-environment"], ".config/systemd"),
    ("launchctl", &["load", "bootstrap", "enable", "setenv"], "LaunchAgents"),
];

/// Commands of git that write its configuration, its hooks, or what names other repositories.
const OF_GIT: &[(&[&str], &str)] = &[
    (&["lfs install", "lfs update", "secrets --install"], ".git/hooks"),
    (&["maintenance start", "maintenance register"], ".gitconfig"),
    (&["submodule add", "submodule set-url", "submodule set-branch"], ".gitmodules"),
    (&["hooks"], ".git/hooks"),
    // What helpers keep is asked for, kept and forgotten.
    (&["credential"], ".git-credentials"),
];

/// Words that only ask.
const ASKING: [&str; 12] = [
    "--version",
    "--help",
    "-h",
    "-l",
    "--list",
    "list",
    "get",
    "ls",
    "view",
    "list-profiles",
    "status",
    "-V",
];

impl Policy<'_> {
    /// Commands that change a configuration that programs are run by, without naming the file.
    pub(super) fn configures(&self, name: &str, command: &Command) -> Option<Decision> {
        let words: Vec<String> = command.words[1..].iter().map(|word| word.beginning().to_owned()).collect();
        let file = match name {
            "git" => git_configures(command),
            "ssh-keygen" => makes_key(&words).then_some(".ssh"),
            _ => programs_run(name, &words).iter().find_map(|(program, rest)| configured(program, rest)),
        };
        file.map(|file| Decision::ask(Reason::Protected(PathBuf::from(file))))
    }
}

fn configured(program: &str, rest: &[String]) -> Option<&'static str> {
    let texts: Vec<&str> = rest.iter().map(String::as_str).collect();
    if texts.iter().any(|text| ASKING.contains(text)) {
        return None;
    }
    let is_it = |(name, commands, _): &&ConfiguringCommand| {
        *name == program && (commands.is_empty() || commands.iter().any(|each| begins(&texts, each)))
    };
    COMMANDS.iter().find(is_it).map(|(.., file)| *file)
}

/// Whether the words of a program begin with those of a command, options left out; `config set` also means `config set-context`.
fn begins(texts: &[&str], command: &str) -> bool {
    if command.is_empty() {
        return texts.is_empty();
    }
    let mut operands = texts.iter().filter(|text| !text.starts_with('-') || command.starts_with('-'));
    let mut expected = command.split(' ').peekable();
    while let Some(word) = expected.next() {
        let Some(text) = operands.next() else { return false };
        let is_last = expected.peek().is_none();
        let is_same = *text == word || (is_last && text.starts_with(&format!("{word}-")));
        if !is_same {
            return false;
        }
    }
    true
}

fn git_configures(command: &Command) -> Option<&'static str> {
    let (_, rest) = git_command(&command.words[1..])?;
    let has_template = command.assignments.iter().any(|each| each.name == "GIT_TEMPLATE_DIR");
    let texts: Vec<&str> = rest.iter().map(Word::beginning).collect();
    let operands: Vec<_> = texts.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let has = |options: &[&str]| texts.iter().any(|word| options.contains(word));
    let has_long = |names: &[&str]| texts.iter().any(|word| names.iter().any(|name| word.starts_with(name)));
    match operands.as_slice() {
        ["config", rest @ ..] => {
            let gets =
                has(&["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color"]);
            let reads = matches!(rest, ["get" | "list", ..])
                || (rest.len() == 1 && !has(&["--unset", "-e", "--edit"]));
            (!gets && !reads).then_some(".git/config")
        }
        // What it makes has that configuration and those hooks.
        ["init" | "clone", ..] => {
            let is_given = has_long(&["--template", "--config"]) || has(&["-c"]) || has_template;
            is_given.then_some(".git/config")
        }
        _ => OF_GIT
            .iter()
            .find(|(commands, _)| commands.iter().any(|each| begins(&texts, each)))
            .map(|(_, file)| *file),
    }
}

/// Whether `ssh-keygen` makes a key, or changes one. A file that is named is judged as an operand.
fn makes_key(words: &[String]) -> bool {
    let is_asked = |word: &String| {
        word.strip_prefix('-')
            .is_some_and(|letters| letters.starts_with(['l', 'y', 'F', 'B', 'L', 'Y', 'Q', 'H', 'e', 'i']))
    };
    let is_named =
        words.iter().any(|word| word.starts_with("-f") || word.ends_with('f') && word.starts_with('-'));
    !words.iter().any(is_asked) && !is_named
}

//! Suggests rules for a command: narrow ones, and none if a rule would allow more than was shown.

use crate::shell::{Command, Word, base_name, strip};

/// Programs whose first argument is a command of their own: `git rm` is not `rm`.
pub(super) const WITH_COMMANDS: [&str; 21] = [
    "git",
    "npm",
    "yarn",
    "pnpm",
    "cargo",
    "go",
    "docker",
    "podman",
    "kubectl",
    "gh",
    "pip",
    "pip3",
    "uv",
    "make",
    "just",
    "bundle",
    "mvn",
    "gradle",
    "dotnet",
    "brew",
    "terraform",
];

/// Programs that run anything: a rule with `*` would open everything.
const RUN_ANYTHING: [&str; 30] = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "sudo", "doas", "su", "env", "exec", "eval", "source", ".",
    "xargs", "find", "python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "ssh",
    "watch", "parallel", "npx",
];

/// What to suggest for a command that no rule covers.
pub(super) fn rules(command: &Command) -> Vec<String> {
    let stripped = strip(command);
    let Some(command) = stripped.last() else { return Vec::new() };
    let words: Option<Vec<String>> = command.words.iter().map(Word::literal).collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else { return Vec::new() };
    let plain = |word: &String| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:@=+,".contains(&byte))
    };
    if !command.assignments.is_empty() || !words.iter().all(plain) {
        return Vec::new();
    }
    let whole = words.join(" ");
    // A rule that ends in `:*` would mean more than this command.
    let mut found = if whole.contains(":*") { Vec::new() } else { vec![format!("Bash({whole})")] };
    let name = base_name(&words[0]);
    if WITH_COMMANDS.contains(&name.as_str()) && words.get(1).is_some_and(|word| !word.starts_with('-')) {
        found.push(format!("Bash({} {} *)", words[0], words[1]));
    } else if !RUN_ANYTHING.contains(&name.as_str())
        && !WITH_COMMANDS.contains(&name.as_str())
        && name != "rm"
    {
        found.push(format!("Bash({} *)", words[0]));
    }
    found
}

//! The environment of commands: the user's, without secrets and without variables that change what a command means.

use std::ffi::{OsStr, OsString};

/// Prefixes of names that are left out.
const BEGINNINGS: [&str; 7] =
    ["ANTHROPIC_", "CLAUDE_CODE_", "DYLD_", "GIT_", "LD_", "BASH_FUNC_", "AWS_BEARER_TOKEN"];

/// Names that are left out: keys of clouds and models, and variables that make a shell run code or parse differently.
const NAMES: [&str; 40] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_CLIENT_CERTIFICATE_PASSWORD",
    "AZURE_PASSWORD",
    "AZURE_OPENAI_API_KEY",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_CONNECTION_STRING",
    "ARM_CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_API_KEY",
    "GOOGLE_CLOUD_KEYFILE_JSON",
    "GOOGLE_CREDENTIALS",
    "GCLOUD_KEYFILE_JSON",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "MISTRAL_API_KEY",
    "HF_TOKEN",
    "DIGITALOCEAN_ACCESS_TOKEN",
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_API_KEY",
    "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
    "IFS",
    "POSIXLY_CORRECT",
    "BASH_COMPAT",
    "BASH_LOADABLES_PATH",
    "BASH_XTRACEFD",
];

/// Exceptions: author and committer are kept.
const KEPT: [&str; 2] = ["GIT_AUTHOR_", "GIT_COMMITTER_"];

/// Variables that are set for every command: no pagers, no prompts, and git ignores bare repositories inside a working tree, which
/// could have come with the files. Settings of git from the user's environment are replaced.
const SET: [(&str, &str); 8] = [
    ("CLAUDECODE", "1"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_0", "explicit"),
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
];

/// The environment of a command, made from the user's.
pub fn for_commands(environment: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let set = SET.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let replaced = |name: &OsStr| SET.iter().any(|(other, _)| name == *other);
    let kept = environment.iter().filter(|(name, _)| !is_left_out(name) && !replaced(name));
    kept.cloned().chain(set).collect()
}

fn is_left_out(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let kept = KEPT.iter().any(|beginning| name.starts_with(beginning));
    !kept
        && (BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) || NAMES.contains(&name.as_str()))
}

/// Words of a name that say that its value is a secret.
const SECRET_WORDS: [&str; 11] = [
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
];

/// Words before `KEY` that say so.
const KEY_WORDS: [&str; 8] =
    ["ACCESS", "ACCOUNT", "API", "AUTH", "ENCRYPTION", "MASTER", "PRIVATE", "SIGNING"];

/// Addresses of programs that act for those who ask.
const AGENTS: [&str; 5] =
    ["DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO", "SSH_AGENT_PID", "SSH_AUTH_SOCK", "XAUTHORITY"];

/// Whether a variable is a secret by its name, or leads to a program that acts outside a sandbox.
pub(super) fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let words: Vec<&str> = name.split('_').collect();
    let is_key = words.windows(2).any(|pair| KEY_WORDS.contains(&pair[0]) && pair[1] == "KEY");
    let ends = ["PASSWORD", "TOKEN", "SECRET", "APIKEY"].iter().any(|word| name.ends_with(word));
    is_key || ends || words.iter().any(|word| SECRET_WORDS.contains(word)) || AGENTS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_injections_stay_behind() {
        let names = [
            "PATH",
            "HOME",
            "ANTHROPIC_API_KEY",
            "anthropic_auth_token",
            "AWS_SECRET_ACCESS_KEY",
            "LD_PRELOAD",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "GIT_CONFIG_COUNT",
            "GIT_SSH_COMMAND",
            "GIT_AUTHOR_NAME",
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "AWS_REGION",
            "PAGER",
            "CDPATH",
            "GLOBIGNORE",
            "POSIXLY_CORRECT",
        ];
        let all: Vec<_> = names.iter().map(|name| (OsString::from(name), OsString::from("x"))).collect();
        let left: Vec<_> =
            for_commands(&all).into_iter().filter(|(_, value)| value == "x").map(|(name, _)| name).collect();
        assert_eq!(left, ["PATH", "HOME", "GIT_AUTHOR_NAME", "AWS_REGION"]);
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            "GITHUB_TOKEN",
            "SECRET_TOKEN",
            "PGPASSWORD",
            "npm_token",
            "STRIPE_API_KEY",
            "SSH_AUTH_SOCK",
            "DB_PASSWORD_FILE",
        ] {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "TOKENIZERS_PARALLELISM", "CARGO_HOME", "PATTERN", "SSH_TTY"]
        {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }
}

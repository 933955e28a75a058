//! The process's environment, read once: variables, working directory, terminal. Nothing else reads them.

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use annals_policy::secret::Secret;
use annals_team::query::{ReadRight, Scope};

use crate::pager::{PAGER_VARIABLES, PagerVariable};

const API_VARIABLES: [&str; 37] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "MAX_THINKING_TOKENS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "CLAUDE_CODE_ENABLE_TASKS",
    "BASH_MAX_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "API_TIMEOUT_MS",
    "CLAUDE_CODE_MAX_RETRIES",
    "DISABLE_PROMPT_CACHING",
    "DISABLE_AUTO_COMPACT",
    "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS",
    "ANTHROPIC_BETAS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
    "MAX_MCP_OUTPUT_TOKENS",
    "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "IS_SANDBOX",
];

/// Variables that hold a key.
const KEYS: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANNALS_TOKEN",
    "ANNALS_COLLECT_TOKEN",
    "ANNALS_CLICKHOUSE_PASSWORD",
];

/// The variable that says whose question a process answers: `person:NAME`, `team:NAME` or `admin:NAME`.
pub(crate) const READ_RIGHT: &str = "ANNALS_READ_RIGHT";

/// The environment of the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// `CLAUDE_CONFIG_DIR`, if set and not empty; it may be a list.
    pub(crate) claude_config_dir: Option<PathBuf>,
    /// `ANNALS_DATA_DIR`, if set and not empty.
    pub(crate) annals_data_dir: Option<PathBuf>,
    /// The platform's folder for application data.
    pub(crate) platform_data_dir: Option<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, else `~/.config`.
    pub(crate) xdg_config_home: Option<PathBuf>,
    /// The configuration file of annals; it need not exist.
    pub(crate) config_file: Option<PathBuf>,
    /// `ANNALS_TOKEN`, if set and not empty; else `ANNALS_COLLECT_TOKEN`, its name in earlier releases.
    pub(crate) token: Option<Secret>,
    /// `ANNALS_CLICKHOUSE_USER` and `ANNALS_CLICKHOUSE_PASSWORD`, if the first is set and not empty.
    pub(crate) engine_login: Option<(String, Secret)>,
    /// `ANNALS_READ_RIGHT`: set by `annals serve --from` for the process that answers somebody. What is not understood allows nothing.
    pub(crate) read_right: Option<ReadRight>,
    /// Variables for the API.
    pub(crate) api: Vec<(&'static str, Secret)>,
    /// Variables for child processes, without those that hold a key.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// `ANNALS_SANDBOX`, if set and not empty.
    pub(crate) sandbox: Option<String>,
    pub(crate) program: Option<PathBuf>,
    /// `NO_COLOR`, set to anything, or a terminal that knows no colors.
    pub(crate) no_color: bool,
    /// `PAGER`.
    pub(crate) pager: Option<String>,
    /// What the pager is told, as far as the user has not told it.
    pub(crate) pager_variables: Vec<PagerVariable>,
    /// The working directory, symbolic links resolved, as the client takes it.
    pub(crate) current_dir: Option<PathBuf>,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stdin_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
    /// `COLUMNS`: the width that somebody asks for, also of files and pipes.
    pub(crate) columns: Option<usize>,
    /// The terminal's columns and rows.
    pub(crate) terminal_size: Option<(usize, usize)>,
    /// `TZ`.
    pub(crate) time_zone: Option<String>,
    /// Whether the locale can show more than ASCII.
    pub(crate) unicode: bool,
}

impl Environment {
    pub(crate) fn of_process() -> Self {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME").or_else(|| path("USERPROFILE"));
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| env::var(name).ok().filter(|v| !v.is_empty()));
        let size = terminal_size::terminal_size();
        // As the specification says: a relative path is ignored.
        let xdg_config_home = path("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
        let xdg_config_home = xdg_config_home.or_else(|| home.as_ref().map(|home| home.join(".config")));
        Self {
            claude_config_dir: path("CLAUDE_CONFIG_DIR"),
            annals_data_dir: path("ANNALS_DATA_DIR"),
            platform_data_dir: platform_data_dir(&path, home.as_deref()),
            home,
            config_file: xdg_config_home.as_ref().map(|folder| folder.join("annals").join("config.toml")),
            xdg_config_home,
            token: secret("ANNALS_TOKEN").or_else(|| secret("ANNALS_COLLECT_TOKEN")),
            engine_login: env::var("ANNALS_CLICKHOUSE_USER")
                .ok()
                .filter(|user| !user.is_empty())
                .map(|user| (user, secret("ANNALS_CLICKHOUSE_PASSWORD").unwrap_or_default())),
            read_right: env::var_os(READ_RIGHT).map(|value| read_right(&value.to_string_lossy())),
            api: API_VARIABLES.into_iter().filter_map(|name| Some((name, secret(name)?))).collect(),
            variables: env::vars_os().filter_map(not_a_key).collect(),
            sandbox: env::var("ANNALS_SANDBOX").ok().filter(|value| !value.is_empty()),
            program: env::current_exe().ok(),
            no_color: path("NO_COLOR").is_some() || env::var_os("TERM").is_some_and(|term| term == "dumb"),
            pager: env::var("PAGER").ok(),
            pager_variables: PAGER_VARIABLES
                .into_iter()
                .filter(|(name, _)| env::var_os(name).is_none())
                .collect(),
            current_dir: env::current_dir().ok().map(|dir| dir.canonicalize().unwrap_or(dir)),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            columns: env::var("COLUMNS")
                .ok()
                .and_then(|text| text.parse().ok())
                .filter(|columns| *columns > 0),
            terminal_size: size.map(|(width, height)| (usize::from(width.0), usize::from(height.0))),
            time_zone: env::var("TZ").ok(),
            unicode: cfg!(windows) || locale.is_none_or(|locale| locale.to_lowercase().contains("utf")),
        }
    }

    /// Where clients keep their stores unless they are told otherwise: the usual place first.
    pub(crate) fn usual_stores(&self) -> Vec<PathBuf> {
        let home = self.home.as_ref().map(|home| home.join(".claude"));
        let xdg = self.xdg_config_home.as_ref().map(|folder| folder.join("claude"));
        home.into_iter().chain(xdg).collect()
    }
}

/// Reads what [`READ_RIGHT`] says.
fn read_right(value: &str) -> ReadRight {
    let scope = Scope::default();
    match value.split_once(':') {
        Some(("person", name)) => ReadRight::Machines(Scope { person: Some(name.to_owned()), ..scope }),
        Some(("team", name)) => ReadRight::Machines(Scope { team: Some(name.to_owned()), ..scope }),
        Some(("admin", _)) => ReadRight::Everything,
        _ => ReadRight::Nothing,
    }
}

/// Reads a variable that may hold a key, if set and not empty.
fn secret(name: &str) -> Option<Secret> {
    env::var(name).ok().filter(|value| !value.is_empty()).map(Secret::from)
}

/// Drops a variable that holds a key, and wipes the copy.
fn not_a_key((name, value): (OsString, OsString)) -> Option<(OsString, OsString)> {
    if KEYS.iter().all(|key| name != *key) {
        return Some((name, value));
    }
    drop(Secret::of_bytes(value.into_encoded_bytes()));
    None
}

fn platform_data_dir(
    path: &dyn Fn(&str) -> Option<PathBuf>,
    home: Option<&std::path::Path>,
) -> Option<PathBuf> {
    if cfg!(windows) {
        return path("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support"));
    }
    path("XDG_DATA_HOME").or_else(|| home.map(|home| home.join(".local/share")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_shown_and_not_for_commands() {
        let variable = |name: &str| (OsString::from(name), OsString::from("sk-of-the-tests"));
        let environment = Environment {
            api: vec![("ANTHROPIC_API_KEY", Secret::from("sk-of-the-tests"))],
            token: Some(Secret::from("sk-of-the-tests")),
            variables: KEYS.map(variable).into_iter().filter_map(not_a_key).collect(),
            ..Environment::default()
        };
        assert_eq!(environment.variables, []);
        assert!(!format!("{environment:?}").contains("sk-"));
        assert_eq!(not_a_key(variable("PATH")), Some(variable("PATH")));
    }
}

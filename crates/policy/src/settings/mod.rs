//! Permission settings from settings files. Errors in a file are reported and never allow anything.

mod environment;
mod gather;
mod read;
mod sandbox;

use std::path::{Path, PathBuf};

use annals_json::RawJson;
use zeroize::Zeroizing;

use super::mode::{Bypass, Mode, ModeRefusal};
use super::paths::{Disk, FileKind, resolve};
use super::rules::{Rule, SettingsSource};
use crate::secret::Secret;
use crate::server_lists::ServerLists;

pub use gather::{EffectiveSettings, SettingsHooks, gather};
pub use sandbox::SandboxSettings;

/// A file larger than this is not read.
pub const MAX_BYTES: u64 = 1 << 20;

/// The settings of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub source: SettingsSource,
    /// The file, or a name for other sources.
    pub path: PathBuf,
    /// Its rules, in their order.
    pub rules: Vec<Rule>,
    /// `permissions.defaultMode`
    pub mode: Option<Mode>,
    /// `permissions.additionalDirectories`
    pub folders: Vec<String>,
    /// `env`
    pub environment: Vec<(String, Secret)>,
    /// `apiKeyHelper`: a command that prints a key.
    pub key_helper: Option<String>,
    /// `model`
    pub model: Option<String>,
    /// `outputStyle`
    pub output_style: Option<String>,
    /// `permissions.disableBypassPermissionsMode`
    pub bypass: Bypass,
    /// `sandbox`
    pub sandbox: SandboxSettings,
    /// `hooks`: JSON.
    pub hooks: Option<RawJson>,
    /// `disableAllHooks`, `allowManagedHooksOnly`
    pub hook_limit: HookLimit,
    /// `statusLine`: what is shown below the prompt.
    pub status_line: Option<StatusLineSetting>,
    /// `disabledMcpjsonServers`: servers of projects that are not started.
    pub disabled_servers: Vec<String>,
    /// `allowedMcpServers`, `deniedMcpServers`
    pub server_lists: ServerLists,
    /// What could not be used.
    pub problems: Vec<SettingsProblem>,
}

/// A command whose output is shown below the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusLineSetting {
    /// The command of a shell.
    pub command: String,
    /// Columns to the left of its output.
    pub padding: u16,
    /// How often it runs by itself, in seconds; `None` for never.
    pub refresh: Option<u64>,
}

/// Which hooks a settings file switches off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookLimit {
    #[default]
    None,
    /// All but those of the administrator.
    Managed,
    /// All; those of the administrator only if the administrator says so.
    All,
}

/// A problem with a settings file, or a setting that was ignored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsProblem {
    /// It cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("{}: ignored: not JSON at byte {offset}", path.display())]
    NotJson {
        path: PathBuf,
        /// Where it stops being JSON.
        offset: usize,
    },
    /// A key holds another type than it should.
    #[error("{}: `{key}` has the wrong type", path.display())]
    WrongType { path: PathBuf, key: String },
    /// A rule that cannot be parsed; it has no effect.
    #[error("{}: the rule `{rule}` cannot be parsed: {why}", path.display())]
    UnknownRule { path: PathBuf, rule: String, why: &'static str },
    /// A key that is ignored in this source.
    #[error("{}: `{key}` is ignored in a project's files", path.display())]
    NotFromProject { path: PathBuf, key: String },
    /// A key that is ignored until the workspace is trusted.
    #[error("{}: `{key}` is ignored until the workspace is trusted", path.display())]
    NotTrusted { path: PathBuf, key: String },
    /// A mode that is refused.
    #[error("{}: {why}", path.display())]
    Mode { path: PathBuf, why: ModeRefusal },
}

/// The value of `--settings`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsArg<'g> {
    /// The JSON itself.
    Inline(&'g str),
    /// The path of a file.
    File(&'g Path),
}

impl<'g> SettingsArg<'g> {
    /// Whether the value is JSON or a path: JSON begins with a brace.
    pub fn new(value: &'g str) -> Self {
        if value.trim_start().starts_with('{') { Self::Inline(value) } else { Self::File(Path::new(value)) }
    }
}

impl Settings {
    pub fn empty(source: SettingsSource, path: &Path) -> Self {
        Self {
            source,
            path: path.to_path_buf(),
            rules: Vec::new(),
            mode: None,
            folders: Vec::new(),
            environment: Vec::new(),
            key_helper: None,
            model: None,
            output_style: None,
            bypass: Bypass::Open,
            sandbox: SandboxSettings::default(),
            hooks: None,
            hook_limit: HookLimit::None,
            status_line: None,
            disabled_servers: Vec::new(),
            server_lists: ServerLists::default(),
            problems: Vec::new(),
        }
    }

    /// Parses a settings file.
    pub fn parse(bytes: &[u8], source: SettingsSource, path: &Path) -> Self {
        read::parse(bytes, source, path)
    }

    /// Reads a settings file. A missing one is empty; one that is not a regular file is not opened, so that a pipe among a
    /// project's files does not block.
    pub fn load(path: &Path, source: SettingsSource) -> Self {
        let unreadable = |why: String| {
            let mut settings = Self::empty(source, path);
            settings.problems.push(SettingsProblem::Unreadable { path: path.to_path_buf(), why });
            settings
        };
        let resolved = match resolve(&Disk, Path::new("/"), path) {
            Ok(resolved) => resolved,
            Err(error) => return unreadable(error.to_string()),
        };
        match resolved.kind {
            FileKind::Missing => return Self::empty(source, path),
            FileKind::File => {}
            FileKind::Folder | FileKind::Special => return unreadable("it is not a file".to_owned()),
        }
        let large = std::fs::metadata(&resolved.real).is_ok_and(|metadata| metadata.len() > MAX_BYTES);
        if large {
            return unreadable("it is too large".to_owned());
        }
        match std::fs::read(&resolved.real).map(Zeroizing::new) {
            Ok(bytes) => Self::parse(&bytes, source, path),
            Err(error) => unreadable(error.to_string()),
        }
    }
}

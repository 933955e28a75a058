//! Settings of the original client that have no effect here: each is reported once, so that nobody relies on them.

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use annals_json::{Fields, Value};
use annals_policy::Trust;
use annals_policy::settings::{MAX_BYTES, SettingsArg};
use annals_store::ConfigDir;

/// The keys of `sandbox` that have an effect.
const SANDBOX_KEYS: [&str; 7] = [
    "enabled",
    "failIfUnavailable",
    "autoAllowBashIfSandboxed",
    "allowUnsandboxedCommands",
    "helpers",
    "network",
    "filesystem",
];

/// Where settings are looked for.
pub(super) struct SettingsPlaces<'p> {
    /// The file of the administrator.
    pub(super) managed: &'p Path,
    /// The config directory.
    pub(super) config: &'p ConfigDir,
    pub(super) cwd: &'p Path,
    /// The value of `--settings`.
    pub(super) given: Option<&'p str>,
    pub(super) trust: Trust,
}

/// A setting that has no effect here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsupportedSetting {
    /// What is not supported.
    pub(super) feature: Feature,
    /// What was found: events, servers, a name.
    found: Vec<String>,
    /// The files that set it.
    paths: Vec<PathBuf>,
}

/// A feature that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    Mcp,
    Sandbox,
}

impl Feature {
    /// Returns the name in `stream-json`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcpServers",
            Self::Sandbox => "sandbox",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Mcp => {
                "MCP servers in settings files have no effect, as in the original (annals mcp add adds one)"
            }
            Self::Sandbox => "sandbox settings have no effect",
        }
    }
}

impl fmt::Display for UnsupportedSetting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        out.write_str(self.feature.words())?;
        if !self.found.is_empty() {
            write!(out, ": {}", self.found.join(", "))?;
        }
        write!(out, " ({})", paths.join(", "))
    }
}

/// Returns the settings that have no effect, one for each feature. A file that cannot be read is reported elsewhere.
pub(super) fn find(places: &SettingsPlaces<'_>) -> Vec<UnsupportedSetting> {
    let mut found = SettingsFinder { list: Vec::new() };
    let project = places.cwd.join(".claude");
    let mut files = vec![places.managed.to_path_buf(), places.config.settings()];
    // What a project sets has no effect in any client before it is trusted.
    if places.trust == Trust::Trusted {
        files.extend([project.join("settings.json"), project.join("settings.local.json")]);
    }
    match places.given.map(SettingsArg::new) {
        Some(SettingsArg::Inline(json)) => found.settings(json.as_bytes(), Path::new("--settings")),
        Some(SettingsArg::File(path)) => files.push(places.cwd.join(path)),
        None => {}
    }
    for path in &files {
        if let Some(bytes) = read_small(path, MAX_BYTES) {
            found.settings(&bytes, path);
        }
    }
    found.list.sort_by_key(|setting| setting.feature);
    found.list
}

struct SettingsFinder {
    list: Vec<UnsupportedSetting>,
}

impl SettingsFinder {
    fn add(&mut self, feature: Feature, found: Vec<String>, path: &Path) {
        let known = self.list.iter_mut().find(|setting| setting.feature == feature);
        let setting = match known {
            Some(setting) => setting,
            None => {
                self.list.push(UnsupportedSetting { feature, found: Vec::new(), paths: Vec::new() });
                let last = self.list.len() - 1;
                &mut self.list[last]
            }
        };
        for name in found {
            if !setting.found.contains(&name) {
                setting.found.push(name);
            }
        }
        if !setting.paths.iter().any(|known| known == path) {
            setting.paths.push(path.to_path_buf());
        }
    }

    /// Looks at a settings file.
    fn settings(&mut self, bytes: &[u8], path: &Path) {
        let Some(settings) = Value::parse(bytes).ok().and_then(Value::fields) else { return };
        let servers = names(settings.object("mcpServers").as_ref());
        if !servers.is_empty() {
            self.add(Feature::Mcp, servers, path);
        }
        let sandbox = names(settings.object("sandbox").as_ref());
        let unused: Vec<String> =
            sandbox.into_iter().filter(|key| !SANDBOX_KEYS.contains(&key.as_str())).collect();
        if !unused.is_empty() {
            self.add(Feature::Sandbox, unused, path);
        }
    }
}

fn names(object: Option<&Fields<'_>>) -> Vec<String> {
    object.into_iter().flat_map(|object| object.iter().map(|field| field.key.decode().into_owned())).collect()
}

/// Reads a regular file that is not too large.
pub(super) fn read_small(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let metadata = std::fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= max_bytes).then(|| std::fs::read(path).ok()).flatten()
}

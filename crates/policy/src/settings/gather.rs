//! Merges the settings of all sources by precedence, and limits what a project's files may set before and after trust.

use std::collections::BTreeMap;
use std::path::PathBuf;

use annals_json::RawJson;

use super::environment::may_set;
use super::{HookLimit, SandboxSettings, Settings, SettingsProblem, StatusLineSetting};
use crate::mode::{Bypass, Mode, ModeContext, may_take};
use crate::rules::{RuleList, Rules, SettingsSource};
use crate::secret::Secret;
use crate::server_lists::ServerLists;
use crate::trust::Trust;

/// The merged settings of all sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectiveSettings {
    /// The rules in effect.
    pub rules: Rules,
    /// The initial mode and its source; `None` for the default.
    pub mode: Option<(Mode, SettingsSource)>,
    /// Folders beside the working folder, with the source that named them.
    pub folders: Vec<(String, SettingsSource)>,
    /// Variables for the program and its children.
    pub environment: BTreeMap<String, Secret>,
    /// A command that prints a key; never a project's.
    pub key_helper: Option<String>,
    pub model: Option<String>,
    /// The name of the output style.
    pub output_style: Option<String>,
    /// The sandbox of commands.
    pub sandbox: SandboxSettings,
    /// The hooks, those of the administrator first.
    pub hooks: Vec<SettingsHooks>,
    /// Whether only hooks of the administrator run.
    pub has_only_managed_hooks: bool,
    /// What is shown below the prompt.
    pub status_line: Option<StatusLineSetting>,
    /// Servers of projects that are not started.
    pub disabled_servers: Vec<String>,
    /// Servers that may be started at all.
    pub server_lists: ServerLists,
    /// Problems, and settings that were ignored.
    pub problems: Vec<SettingsProblem>,
}

/// The hooks of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsHooks {
    pub source: SettingsSource,
    /// The file, or a name for other sources.
    pub path: PathBuf,
    /// The value of `hooks`.
    pub json: RawJson,
}

/// Merges sources. `context` says whether the workspace is trusted and who runs the program.
pub fn gather(sources: impl IntoIterator<Item = Settings>, context: &ModeContext) -> EffectiveSettings {
    let mut sources: Vec<Settings> = sources.into_iter().collect();
    sources.sort_by_key(|settings| settings.source);
    let disabled = sources.iter().any(|settings| settings.bypass == Bypass::Disabled);
    let bypass = if disabled { Bypass::Disabled } else { context.bypass };
    let context = ModeContext { bypass, ..*context };
    let mut effective = EffectiveSettings::default();
    let sources: Vec<Settings> =
        sources.into_iter().map(|settings| narrowed(settings, context.trust)).collect();
    let limits: Vec<_> = sources.iter().map(|settings| (settings.source, settings.hook_limit)).collect();
    effective.has_only_managed_hooks = !may_run_hooks(SettingsSource::User, &limits);
    for mut settings in sources {
        let path = settings.path.clone();
        if let Some(json) = settings.hooks.take().filter(|_| may_run_hooks(settings.source, &limits)) {
            effective.hooks.push(SettingsHooks { source: settings.source, path: path.clone(), json });
        }
        // What switches off hooks switches it off, too.
        let line = settings.status_line.take().filter(|_| may_run_hooks(settings.source, &limits));
        effective.status_line = effective.status_line.or(line);
        effective.problems.extend(settings.problems);
        effective.disabled_servers.extend(settings.disabled_servers);
        effective.server_lists.add(settings.server_lists);
        effective.rules.extend(settings.rules);
        effective.folders.extend(settings.folders.into_iter().map(|folder| (folder, settings.source)));
        for (name, value) in settings.environment {
            effective.environment.entry(name).or_insert(value);
        }
        effective.key_helper = effective.key_helper.or(settings.key_helper);
        effective.model = effective.model.or(settings.model);
        effective.output_style = effective.output_style.or(settings.output_style);
        effective.sandbox.add(settings.sandbox);
        if let Some(mode) = settings.mode.filter(|_| effective.mode.is_none()) {
            match may_take(mode, settings.source, &context) {
                Ok(mode) => effective.mode = Some((mode, settings.source)),
                Err(why) => effective.problems.push(SettingsProblem::Mode { path, why }),
            }
        }
    }
    effective
}

/// Whether hooks of a source run. Nobody but the administrator switches off the administrator's.
fn may_run_hooks(source: SettingsSource, limits: &[(SettingsSource, HookLimit)]) -> bool {
    limits.iter().all(|(by, limit)| match (limit, by) {
        (HookLimit::None, _) => true,
        (HookLimit::All, SettingsSource::Managed) => false,
        (HookLimit::Managed, by) if *by != SettingsSource::Managed => true,
        (HookLimit::All | HookLimit::Managed, _) => source == SettingsSource::Managed,
    })
}

/// Limits the settings of a project: deny and ask rules always apply, the rest after trust, and never what redirects keys.
fn narrowed(mut settings: Settings, trust: Trust) -> Settings {
    if !settings.source.is_of_project() {
        return settings;
    }
    let path: PathBuf = settings.path.clone();
    let mut problems = Vec::new();
    let mut never = |key: &str| {
        problems.push(SettingsProblem::NotFromProject { path: path.clone(), key: key.to_owned() });
    };
    if settings.key_helper.take().is_some() {
        never("apiKeyHelper");
    }
    // What a project denies counts. What it allows would add to what the administrator allows.
    if settings.server_lists.allowed.take().is_some() {
        never("allowedMcpServers");
    }
    settings.sandbox.narrow().into_iter().for_each(&mut never);
    settings.environment.retain(|(name, value)| {
        let may = may_set(name, value.reveal());
        if !may {
            never(&format!("env.{name}"));
        }
        may
    });
    if trust == Trust::Untrusted {
        let mut later = |key: &str| {
            problems.push(SettingsProblem::NotTrusted { path: path.clone(), key: key.to_owned() });
        };
        let allows = settings.rules.iter().any(|rule| rule.list == RuleList::Allow);
        settings.rules.retain(|rule| rule.list != RuleList::Allow);
        if allows {
            later("permissions.allow");
        }
        if !std::mem::take(&mut settings.folders).is_empty() {
            later("permissions.additionalDirectories");
        }
        if !std::mem::take(&mut settings.environment).is_empty() {
            later("env");
        }
        if settings.model.take().is_some() {
            later("model");
        }
        if settings.output_style.take().is_some() {
            later("outputStyle");
        }
        if settings.hooks.take().is_some() {
            later("hooks");
        }
        if settings.status_line.take().is_some() {
            later("statusLine");
        }
        if std::mem::take(&mut settings.hook_limit) != HookLimit::None {
            later("disableAllHooks");
        }
    }
    settings.problems.extend(problems);
    settings
}

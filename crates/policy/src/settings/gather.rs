//! All sources together: what a project's files may say, before and after trust, and which word is the stronger.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Settings, SettingsProblem};
use crate::mode::{Bypass, Circumstances, Mode, may_take};
use crate::rules::{List, Rules, Source};
use crate::secret::Secret;
use crate::trust::Trust;

/// What holds, from all sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effective {
    /// Every rule that may speak.
    pub rules: Rules,
    /// The mode to begin with, and who asked for it; none: the default.
    pub mode: Option<(Mode, Source)>,
    /// Folders beside the working folder, with the source that named them.
    pub folders: Vec<(String, Source)>,
    /// Variables for the program and its children.
    pub environment: BTreeMap<String, Secret>,
    /// A command that prints a key; never a project's.
    pub key_helper: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What was wrong, and what was not taken.
    pub problems: Vec<SettingsProblem>,
}

/// Beginnings of variables that lead keys and traffic elsewhere or make programs run something else.
const NEVER: [&str; 18] = [
    "ANTHROPIC_",
    "CLAUDE_",
    "AWS_",
    "GOOGLE_",
    "GCLOUD_",
    "AZURE_",
    "VERTEX_",
    "CLOUD_ML_",
    "LD_",
    "DYLD_",
    "SSL_",
    "GIT_",
    "BASH_",
    "NODE_OPTIONS",
    "NODE_EXTRA_CA_CERTS",
    "PYTHON",
    "PERL5",
    "REQUESTS_",
];

/// Whole names of that sort.
const NEVER_NAMES: [&str; 9] =
    ["PATH", "HOME", "ENV", "SHELL", "IFS", "PAGER", "EDITOR", "VISUAL", "CURL_CA_BUNDLE"];

/// Whether a project's files may set a variable, once they are trusted.
fn may_set(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let leads = NEVER.iter().any(|never| name.starts_with(never)) || NEVER_NAMES.contains(&name.as_str());
    let secret = ["PROXY", "API_KEY", "AUTH_TOKEN", "BASE_URL"].iter().any(|part| name.contains(part));
    !leads && !secret
}

/// Puts sources together. `circumstances` say whether the workspace is trusted and who runs the program.
pub fn gather(sources: impl IntoIterator<Item = Settings>, circumstances: &Circumstances) -> Effective {
    let mut sources: Vec<Settings> = sources.into_iter().collect();
    sources.sort_by_key(|settings| settings.source);
    let disabled = sources.iter().any(|settings| settings.bypass == Bypass::Disabled);
    let bypass = if disabled { Bypass::Disabled } else { circumstances.bypass };
    let circumstances = Circumstances { bypass, ..*circumstances };
    let mut effective = Effective::default();
    for settings in sources {
        let settings = narrowed(settings, circumstances.trust);
        let path = settings.path.clone();
        effective.problems.extend(settings.problems);
        effective.rules.extend(settings.rules);
        effective.folders.extend(settings.folders.into_iter().map(|folder| (folder, settings.source)));
        for (name, value) in settings.environment {
            effective.environment.entry(name).or_insert(value);
        }
        effective.key_helper = effective.key_helper.or(settings.key_helper);
        effective.model = effective.model.or(settings.model);
        if let Some(mode) = settings.mode.filter(|_| effective.mode.is_none()) {
            match may_take(mode, settings.source, &circumstances) {
                Ok(mode) => effective.mode = Some((mode, settings.source)),
                Err(why) => effective.problems.push(SettingsProblem::Mode { path, why }),
            }
        }
    }
    effective
}

/// What may be taken from a source: of a project, denials and questions always, the rest after trust, and never what
/// leads keys elsewhere.
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
    settings.environment.retain(|(name, _)| {
        let may = may_set(name);
        if !may {
            never(&format!("env.{name}"));
        }
        may
    });
    if trust == Trust::Untrusted {
        let mut later = |key: &str| {
            problems.push(SettingsProblem::NotTrusted { path: path.clone(), key: key.to_owned() });
        };
        let allows = settings.rules.iter().any(|rule| rule.list == List::Allow);
        settings.rules.retain(|rule| rule.list != List::Allow);
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
    }
    settings.problems.extend(problems);
    settings
}

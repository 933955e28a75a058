//! The setup of a conversation in this folder: settings, trust, workspace.

use std::path::{Path, PathBuf};

use annals_agent::context::{Environment, Memory, MemorySource, OutputStyle, SystemPrompt};
use annals_agent::subagent::{AgentDefinition, built_in_agents, read_agent_files};
use annals_json::Value;
use annals_policy::mode::{Bypass, ModeContext, Privilege, SandboxKind, may_take};
use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::{Rule, RuleList, SettingsSource, listed};
use annals_policy::screen::visible;
use annals_policy::settings::{EffectiveSettings, SettingsArg, gather};
use annals_policy::{Mode, Settings, Trust, TrustFile};
use annals_sandbox::Sandbox;
use annals_store::read::read_file;
use annals_store::source::Clock;
use annals_store::{git, special_file};
use annals_transcript::time::format_millis;

use super::control::definitions;
use super::model::ModelNames;
use super::unsupported::{self, SettingsPlaces, UnsupportedSetting};
use super::{access, repository, sandbox, style};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::platform::is_superuser;

/// Settings of the administrator.
pub(super) const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};

/// The setup of a conversation.
pub(super) struct Setup {
    /// The working folder.
    pub(super) cwd: PathBuf,
    /// The merged settings.
    pub(super) effective: EffectiveSettings,
    /// The permission mode.
    pub(super) mode: Mode,
    /// The folders that tools may work in.
    pub(super) workspace: Workspace,
    /// The names of models.
    pub(super) models: ModelNames,
    /// Settings that have no effect here.
    pub(super) unsupported: Vec<UnsupportedSetting>,
    /// The sandbox of commands, if there is one.
    pub(super) sandbox: Option<Sandbox>,
    /// The settings files that are there.
    pub(super) settings_files: Vec<PathBuf>,
    /// The output style, if there is one.
    pub(super) style: Option<OutputStyle>,
    trust: Trust,
    /// Whether files add nothing to the conversation but settings: `--bare`.
    pub(super) is_bare: bool,
}

impl Setup {
    /// Reads the setup; invalid settings are reported.
    pub(super) fn new(args: &ChatArgs, context: &Context) -> Result<Self, Fault> {
        let cwd = context.current_dir.clone();
        let cwd = cwd.ok_or_else(|| Fault::usage("the current folder no longer exists"))?;
        let trust = trust_in(&cwd, args, context)?;
        let circumstances = ModeContext {
            privilege: privilege(),
            sandbox: sandbox_kind(context),
            trust,
            bypass: Bypass::Open,
        };
        let project = cwd.join(".claude");
        let chosen = SourceChoice::new(args)?;
        let files = [
            (context.store.config_dir().settings(), SettingsSource::User),
            (project.join("settings.json"), SettingsSource::Project),
            (project.join("settings.local.json"), SettingsSource::Local),
        ];
        let mut sources = vec![Settings::load(Path::new(MANAGED), SettingsSource::Managed)];
        let files = files.into_iter().filter(|(_, source)| chosen.has(*source));
        sources.extend(files.map(|(path, source)| Settings::load(&path, source)));
        if let Some(given) = &args.settings {
            sources.push(match SettingsArg::new(given) {
                SettingsArg::Inline(json) => {
                    Settings::parse(json.as_bytes(), SettingsSource::CommandLine, Path::new("--settings"))
                }
                SettingsArg::File(path) => Settings::load(&cwd.join(path), SettingsSource::CommandLine),
            });
        }
        let files = sources.iter().map(|settings| settings.path.clone());
        let settings_files = files.filter(|path| path.is_file()).collect();
        let mut effective = gather(sources, &circumstances);
        for problem in &effective.problems {
            context.say(problem.to_string());
        }
        add_rules(&mut effective, &args.allowed_tools, RuleList::Allow)?;
        add_rules(&mut effective, &args.disallowed_tools, RuleList::Deny)?;
        let skips = args.sdk.dangerously_skip_permissions.then(|| Mode::Bypass.name().to_owned());
        let mode = match &skips.or_else(|| args.permission_mode.clone()) {
            Some(name) => {
                let wanted = Mode::parse(name).ok_or_else(|| {
                    Fault::usage(format!("unknown permission mode {name:?}"))
                        .hint("default, acceptEdits, plan, dontAsk or bypassPermissions")
                })?;
                let taken = may_take(wanted, SettingsSource::CommandLine, &circumstances);
                taken.map_err(|refusal| Fault::usage(refusal.to_string()))?
            }
            None => effective.mode.map_or(Mode::Default, |(mode, _)| mode),
        };
        let mut workspace = Workspace::new(&Disk, &cwd, &cwd, context.home.as_deref());
        workspace.set_trust(trust);
        let folders = effective.folders.iter().map(|(folder, _)| PathBuf::from(folder));
        for folder in folders.chain(args.add_dir.iter().cloned()) {
            workspace.add(&Disk, &cwd.join(folder));
        }
        let sandbox = sandbox::find(args, &effective.sandbox, context)?;
        workspace.set_confinement(sandbox::confinement(sandbox.as_ref(), &effective.sandbox));
        let models = ModelNames::new(&effective, context);
        let unsupported = unsupported::find(&SettingsPlaces {
            managed: Path::new(MANAGED),
            config: context.store.config_dir(),
            cwd: &cwd,
            given: args.settings.as_deref(),
            trust,
        });
        let style = None;
        let setup = Self {
            cwd,
            effective,
            mode,
            workspace,
            models,
            unsupported,
            sandbox,
            settings_files,
            style,
            trust,
            is_bare: args.bare,
        };
        let style = if setup.is_bare { None } else { style::chosen(&setup, context) };
        Ok(Self { style, ..setup })
    }

    /// Returns a variable of the environment, or of the settings.
    pub(super) fn variable<'v>(&'v self, context: &'v Context, name: &str) -> Option<&'v str> {
        access::variable(&self.effective, context, name)
    }

    /// What git says of the folder. Git waits for pipes without end, so it is not asked where there are some.
    fn git_summary(&self, context: &Context) -> Option<String> {
        let Some(path) = special_file(&self.cwd) else { return repository::summary(&self.cwd) };
        context.say(format!("git is not run here: {} is a pipe or a device", path.display()));
        None
    }

    /// Builds the system prompt. It is built once, so that every request starts alike and can be cached.
    pub(super) fn system_prompt(&self, args: &ChatArgs, context: &Context) -> Result<SystemPrompt, Fault> {
        // The name of a branch is anybody's text: it is told once the folder is trusted.
        let has_repository = self.is_trusted() && !self.is_bare;
        let branch = has_repository.then(|| git::branch(&self.cwd));
        let day = format_millis(Clock::now(&context.source));
        let environment = Environment {
            cwd: self.cwd.clone(),
            folders: self.workspace.roots().into_iter().skip(1).collect(),
            git_branch: branch.filter(|branch| branch != git::NO_BRANCH),
            // The settings of a repository can name programs: git is not run before the folder is trusted.
            git: has_repository.then(|| self.git_summary(context)).flatten(),
            platform: std::env::consts::OS,
            day: day.split('T').next().unwrap_or_default().to_owned(),
        };
        let file =
            |path: &Option<PathBuf>| path.as_ref().map(|path| read_text(&self.cwd.join(path))).transpose();
        let mut prompt = SystemPrompt {
            replacement: args.system_prompt.clone().or(file(&args.sdk.system_prompt_file)?),
            appended: args.append_system_prompt.clone().or(file(&args.sdk.append_system_prompt_file)?),
            environment,
            memory: self.memory(context),
        };
        if let Some(style) = &self.style {
            prompt.add_style(style);
        }
        Ok(prompt)
    }

    /// Returns the types of sub-agents: built-in ones, the user's own, and those of a trusted folder; of two
    /// with one name the later one wins. Invalid ones are reported.
    pub(super) fn kinds(&self, args: &ChatArgs, context: &Context) -> Result<Vec<AgentDefinition>, Fault> {
        let own = context.store.config_dir().path().join("agents");
        let projects = self.is_trusted().then(|| self.cwd.join(".claude").join("agents"));
        let mut kinds = built_in_agents();
        let projects = projects.map(|folder| (folder, Some(self.cwd.as_path())));
        let folders = [Some((own, None)), projects].into_iter().flatten();
        for (folder, within) in folders.filter(|_| !self.is_bare) {
            let (read, problems) = read_agent_files(&folder, within);
            for problem in problems {
                context.say(problem.to_string());
            }
            for kind in read {
                kinds.retain(|known| known.name != kind.name);
                kinds.push(kind);
            }
        }
        for kind in args.sdk.agents.as_deref().map(given_agents).transpose()?.unwrap_or_default() {
            kinds.retain(|known| known.name != kind.name);
            kinds.push(kind);
        }
        Ok(kinds)
    }

    /// Reads memory files: the user's own, then those of trusted folders, outermost first. What is not read is reported.
    fn memory(&self, context: &Context) -> Memory {
        if self.is_bare {
            return Memory::read(Vec::new());
        }
        let own = self.cwd.join(context.store.config_dir().path());
        let mut sources = MemorySource::of_person(&own, &self.cwd).to_vec();
        let folders = self.trusted_folders(context);
        sources.extend(folders.iter().flat_map(|folder| MemorySource::of_folder(folder)));
        let memory = Memory::read(sources);
        for skipped in memory.skipped() {
            context.say(visible(&skipped.to_string()));
        }
        if self.is_trusted() { memory.below(&self.cwd) } else { memory }
    }

    /// Returns this folder and its ancestors, as far as they are trusted, outermost first.
    pub(super) fn trusted_folders(&self, context: &Context) -> Vec<PathBuf> {
        let trusts = |folder: &Path| {
            let file = context.data_dir().ok().map(|data| TrustFile::new(&data));
            file.is_some_and(|file| file.of(&Disk, folder).is_ok_and(|trust| trust == Trust::Trusted))
        };
        let folders = self.cwd.ancestors().filter(|folder| trusts(folder)).map(Path::to_path_buf);
        let mut folders: Vec<PathBuf> = folders.collect();
        folders.reverse();
        folders
    }

    /// Returns the name of the output style.
    pub(super) fn style_name(&self) -> &str {
        self.style.as_ref().map_or(style::DEFAULT, |style| &style.name)
    }

    /// Returns whether the folder is trusted.
    pub(super) fn is_trusted(&self) -> bool {
        self.trust == Trust::Trusted
    }
}

/// Returns the settings of the user and the administrator, without those of any project.
pub(super) fn of_person(context: &Context) -> EffectiveSettings {
    let circumstances = ModeContext {
        privilege: privilege(),
        sandbox: sandbox_kind(context),
        trust: Trust::Untrusted,
        bypass: Bypass::Open,
    };
    let sources = vec![
        Settings::load(Path::new(MANAGED), SettingsSource::Managed),
        Settings::load(&context.store.config_dir().settings(), SettingsSource::User),
    ];
    gather(sources, &circumstances)
}

/// Returns the settings of this folder: the user's, the administrator's, and the project's as far as it is trusted.
pub(crate) fn of_folder(context: &Context) -> EffectiveSettings {
    let cwd = context.current_dir.clone().unwrap_or_default();
    let file = context.data_dir().ok().map(|data| TrustFile::new(&data));
    let trust = file.and_then(|file| file.of(&Disk, &cwd).ok()).unwrap_or(Trust::Untrusted);
    let circumstances =
        ModeContext { privilege: privilege(), sandbox: sandbox_kind(context), trust, bypass: Bypass::Open };
    let project = cwd.join(".claude");
    let sources = vec![
        Settings::load(Path::new(MANAGED), SettingsSource::Managed),
        Settings::load(&context.store.config_dir().settings(), SettingsSource::User),
        Settings::load(&project.join("settings.json"), SettingsSource::Project),
        Settings::load(&project.join("settings.local.json"), SettingsSource::Local),
    ];
    gather(sources, &circumstances)
}

/// Reads a file of text that an option names.
fn read_text(path: &Path) -> Result<String, Fault> {
    let read = read_file(path).map_err(|error| Fault::usage(error.to_string()))?;
    String::from_utf8(read).map_err(|_| Fault::usage(format!("{}: it is not UTF-8", path.display())))
}

/// Reads the value of `--agents`.
fn given_agents(json: &str) -> Result<Vec<AgentDefinition>, Fault> {
    let wrong = |why: String| Fault::usage(format!("--agents: {why}"));
    let value = Value::parse(json.as_bytes()).map_err(|_| wrong("it is not JSON".to_owned()))?;
    definitions(value).map_err(wrong)
}

/// Which settings files are read: `--setting-sources`.
pub(super) struct SourceChoice(Option<Vec<SettingsSource>>);

impl SourceChoice {
    pub(super) fn new(args: &ChatArgs) -> Result<Self, Fault> {
        let Some(given) = &args.sdk.setting_sources else { return Ok(Self(None)) };
        let names = given.split(',').map(str::trim).filter(|name| !name.is_empty());
        let source = |name: &str| match name {
            "user" => Ok(SettingsSource::User),
            "project" => Ok(SettingsSource::Project),
            "local" => Ok(SettingsSource::Local),
            other => Err(Fault::usage(format!("--setting-sources: unknown source {other:?}"))
                .hint("user, project and local, separated by commas")),
        };
        Ok(Self(Some(names.map(source).collect::<Result<_, _>>()?)))
    }

    pub(super) fn has(&self, source: SettingsSource) -> bool {
        self.0.as_ref().is_none_or(|chosen| chosen.contains(&source))
    }
}

fn trust_in(cwd: &Path, args: &ChatArgs, context: &Context) -> Result<Trust, Fault> {
    let file = TrustFile::new(&context.data_dir()?);
    let fault = |error: annals_policy::trust::TrustError| Fault::usage(error.to_string());
    if args.trust {
        file.give(&Disk, cwd, Clock::now(&context.source)).map_err(fault)?;
    }
    match file.of(&Disk, cwd) {
        Ok(trust) => Ok(trust),
        Err(error) => {
            context.say(error.to_string());
            Ok(Trust::Untrusted)
        }
    }
}

fn add_rules(effective: &mut EffectiveSettings, given: &[String], list: RuleList) -> Result<(), Fault> {
    for text in given.iter().flat_map(|given| listed(given)) {
        let rule = Rule::new(&text, list, SettingsSource::CommandLine);
        if let Some(why) = rule.unknown() {
            return Err(Fault::usage(format!("invalid rule `{text}`: {why}")));
        }
        effective.rules.add(rule);
    }
    Ok(())
}

/// Returns whether the superuser runs this.
fn privilege() -> Privilege {
    if is_superuser() { Privilege::Root } else { Privilege::Ordinary }
}

fn sandbox_kind(context: &Context) -> SandboxKind {
    let said = context.api.iter().any(|(name, value)| *name == "IS_SANDBOX" && *value == "1");
    let is_container = ["/.dockerenv", "/run/.containerenv"].iter().any(|mark| Path::new(mark).exists());
    if said || is_container { SandboxKind::Container } else { SandboxKind::Machine }
}

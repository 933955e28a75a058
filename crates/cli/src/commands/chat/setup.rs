//! Settings, trust, folders: what holds for a conversation in this folder.

use std::path::{Path, PathBuf};

use annals_agent::context::{Briefing, Environment, Memory, MemoryPlace};
use annals_agent::subagent::{Kind, built_in, read_kinds};
use annals_policy::mode::{Bypass, Circumstances, Privilege, Surroundings, may_take};
use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::{List, Rule, Source, listed};
use annals_policy::settings::{Effective, Given, gather};
use annals_policy::{Mode, Settings, Trust, TrustFile};
use annals_store::git;
use annals_store::source::Clock;
use annals_transcript::time::format_millis;

use super::{access, repository};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;

/// Settings that an administrator wrote.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};

/// What holds.
pub(super) struct Setup {
    /// The working folder.
    pub(super) cwd: PathBuf,
    /// What the settings say, all in all.
    pub(super) effective: Effective,
    /// How much happens without a question.
    pub(super) mode: Mode,
    /// Where the work is.
    pub(super) workspace: Workspace,
    trust: Trust,
}

impl Setup {
    /// Puts it together; what was not understood is said.
    pub(super) fn new(args: &ChatArgs, context: &Context) -> Result<Self, Fault> {
        let cwd = context.current_dir.clone();
        let cwd = cwd.ok_or_else(|| Fault::usage("this folder is not there any more"))?;
        let trust = trust_in(&cwd, args, context)?;
        let circumstances = Circumstances {
            privilege: privilege(),
            surroundings: surroundings(context),
            trust,
            bypass: Bypass::Open,
        };
        let project = cwd.join(".claude");
        let mut sources = vec![
            Settings::load(Path::new(MANAGED), Source::Managed),
            Settings::load(&context.store.config_dir().settings(), Source::User),
            Settings::load(&project.join("settings.json"), Source::Project),
            Settings::load(&project.join("settings.local.json"), Source::Local),
        ];
        if let Some(given) = &args.settings {
            sources.push(match Given::new(given) {
                Given::Inline(json) => {
                    Settings::parse(json.as_bytes(), Source::CommandLine, Path::new("--settings"))
                }
                Given::File(path) => Settings::load(&cwd.join(path), Source::CommandLine),
            });
        }
        let mut effective = gather(sources, &circumstances);
        for problem in &effective.problems {
            context.say(problem.to_string());
        }
        add_rules(&mut effective, &args.allowed_tools, List::Allow)?;
        add_rules(&mut effective, &args.disallowed_tools, List::Deny)?;
        let mode = match &args.permission_mode {
            Some(name) => {
                let wanted = Mode::parse(name).ok_or_else(|| {
                    Fault::usage(format!("{name:?} is no mode"))
                        .hint("default, acceptEdits, plan, dontAsk or bypassPermissions")
                })?;
                let taken = may_take(wanted, Source::CommandLine, &circumstances);
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
        Ok(Self { cwd, effective, mode, workspace, trust })
    }

    /// A variable of the environment, or of the settings.
    pub(super) fn variable<'v>(&'v self, context: &'v Context, name: &str) -> Option<&'v str> {
        access::variable(&self.effective, context, name)
    }

    /// What the model is told before the conversation. It is put together once, so that every request begins alike.
    pub(super) fn briefing(&self, args: &ChatArgs, context: &Context) -> Briefing {
        let branch = git::branch(&self.cwd);
        let day = format_millis(Clock::now(&context.source));
        let environment = Environment {
            cwd: self.cwd.clone(),
            folders: self.workspace.roots().iter().skip(1).cloned().collect(),
            git_branch: Some(branch).filter(|branch| branch != git::NO_BRANCH),
            // A repository's own settings can name programs: git is not even asked before the folder is trusted.
            git: self.is_trusted().then(|| repository::summary(&self.cwd)).flatten(),
            platform: std::env::consts::OS,
            day: day.split('T').next().unwrap_or_default().to_owned(),
        };
        Briefing {
            instead: args.system_prompt.clone(),
            more: args.append_system_prompt.clone(),
            environment,
            memory: Memory::read(self.places(context)),
        }
    }

    /// The types of sub-agents: those that are always there, the person's own, and those of a folder that is trusted; of two
    /// with one name the later one counts. What is no type is said.
    pub(super) fn kinds(&self, context: &Context) -> Vec<Kind> {
        let own = context.store.config_dir().path().join("agents");
        let projects = self.is_trusted().then(|| self.cwd.join(".claude").join("agents"));
        let mut kinds = built_in();
        for folder in [Some(own), projects].into_iter().flatten() {
            let (read, problems) = read_kinds(&folder);
            for problem in problems {
                context.say(problem.to_string());
            }
            for kind in read {
                kinds.retain(|known| known.name != kind.name);
                kinds.push(kind);
            }
        }
        kinds
    }

    /// Whose notes are read: the person's own, and those of folders that are trusted, the outermost first.
    fn places(&self, context: &Context) -> Vec<MemoryPlace> {
        let own = self.cwd.join(context.store.config_dir().path());
        let mut places = vec![MemoryPlace { path: own.join("CLAUDE.md"), within: own }];
        let folders = self.trusted_folders(context);
        places.extend(folders.iter().flat_map(|folder| MemoryPlace::of_folder(folder)));
        places
    }

    /// This folder and those above it, as far as they are trusted, the outermost first.
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

    /// Whether the folder's own files are obeyed.
    pub(super) fn is_trusted(&self) -> bool {
        self.trust == Trust::Trusted
    }
}

/// What the person's own settings and the administrator's say, wherever one is.
pub(super) fn of_person(context: &Context) -> Effective {
    let circumstances = Circumstances {
        privilege: privilege(),
        surroundings: surroundings(context),
        trust: Trust::Untrusted,
        bypass: Bypass::Open,
    };
    let sources = vec![
        Settings::load(Path::new(MANAGED), Source::Managed),
        Settings::load(&context.store.config_dir().settings(), Source::User),
    ];
    gather(sources, &circumstances)
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

fn add_rules(effective: &mut Effective, given: &[String], list: List) -> Result<(), Fault> {
    for text in given.iter().flat_map(|given| listed(given)) {
        let rule = Rule::new(&text, list, Source::CommandLine);
        if let Some(why) = rule.unknown() {
            return Err(Fault::usage(format!("the rule `{text}` is not understood: {why}")));
        }
        effective.rules.add(rule);
    }
    Ok(())
}

/// Whether the superuser runs this.
fn privilege() -> Privilege {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // The folder of this process, where there is one, belongs to whoever runs it.
        if std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0) {
            return Privilege::Root;
        }
    }
    Privilege::Ordinary
}

fn surroundings(context: &Context) -> Surroundings {
    let said = context.api.iter().any(|(name, value)| *name == "IS_SANDBOX" && *value == "1");
    let is_container = ["/.dockerenv", "/run/.containerenv"].iter().any(|mark| Path::new(mark).exists());
    if said || is_container { Surroundings::Container } else { Surroundings::Machine }
}

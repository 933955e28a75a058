//! The sandbox of commands: whether there is one, and what it limits.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_agent::mcp::TokenFile;
use annals_agent::tools::bash::{CommandSandbox, HelperSandbox, SandboxExit};
use annals_agent::tools::fetch::FetchScope;
use annals_policy::confine::{CACHES, RUN_FROM_CACHES, SECRETS};
use annals_policy::paths::{Confinement, Disk, Workspace};
use annals_policy::rules::{Matcher, RuleList, Rules};
use annals_policy::settings::SandboxSettings;
use annals_policy::{Mode, Policy};
use annals_sandbox::{
    HostProxy, NetworkAccess, Sandbox, SandboxMethod, SandboxPlan, SocketAccess, WriteScope,
};
use annals_store::files::create_folder;
use clap::ValueEnum;

use super::setup::Setup;
use crate::args::{ChatArgs, SandboxUse};
use crate::context::Context;
use crate::error::Fault;

/// Finds the sandbox, if there is to be one; why there is none is said in one line.
pub(super) fn find(
    args: &ChatArgs,
    settings: &SandboxSettings,
    context: &Context,
) -> Result<Option<Sandbox>, Fault> {
    let of_variable = context.sandbox.as_deref().map(|name| {
        SandboxUse::from_str(name, false).map_err(|_| {
            Fault::usage(format!("ANNALS_SANDBOX: unknown value {name:?}")).hint("auto, require or off")
        })
    });
    let chosen = args.sandbox.map(Ok).or(of_variable).transpose()?.unwrap_or(match settings {
        SandboxSettings { is_enabled: Some(false), .. } => SandboxUse::Off,
        SandboxSettings { is_required: Some(true), .. } => SandboxUse::Require,
        _ => SandboxUse::Auto,
    });
    if chosen == SandboxUse::Off {
        return Ok(None);
    }
    let found = match &context.program {
        Some(program) => Sandbox::find(program).map_err(|error| error.to_string()),
        None => Err("cannot find this program".to_owned()),
    };
    match found {
        Ok(sandbox) => Ok(Some(sandbox)),
        Err(why) if chosen == SandboxUse::Require => {
            Err(Fault::usage(format!("commands cannot run in a sandbox: {why}"))
                .hint("--sandbox auto starts without one"))
        }
        Err(why) => {
            context.say(format!("commands run without a sandbox: {why}"));
            Ok(None)
        }
    }
}

/// What the policy may rely on.
pub(super) fn confinement(sandbox: Option<&Sandbox>, settings: &SandboxSettings) -> Confinement {
    match sandbox.filter(|_| settings.has_auto_allow != Some(false)).map(Sandbox::method) {
        None => Confinement::None,
        Some(SandboxMethod::Bubblewrap(_)) => Confinement::Paths,
        Some(SandboxMethod::Landlock) => Confinement::Folders,
    }
}

/// The sandbox of a session's commands; `None` if they run without one. `session` is the folder of the session's files.
pub(super) fn for_commands(
    setup: &Setup,
    scratch: &Path,
    session: Option<&Path>,
    mark: &str,
    context: &Context,
) -> Result<Option<CommandSandbox>, Fault> {
    let Some(sandbox) = setup.sandbox.clone() else { return Ok(None) };
    let short = mark.get(..8).unwrap_or(mark);
    let notes = scratch.join(format!("notes-{short}"));
    create_folder(&notes)?;
    let proxy = proxy(setup, &sandbox, &scratch.join(format!("proxy-{short}")), context);
    let settings = &setup.effective.sandbox;
    let network = proxy.as_ref().map(|proxy| proxy.socket().to_path_buf());
    let places = PlanPlaces::new(setup, context)?;
    let fixed = SandboxPlan {
        read_only: places.read_only,
        hidden: places.hidden,
        readable: session.map(Path::to_path_buf).into_iter().chain(network.clone()).collect(),
        network: network.map_or(NetworkAccess::Closed, NetworkAccess::Proxy),
        sockets: match settings.has_sockets {
            Some(true) => SocketAccess::Open,
            _ => SocketAccess::Closed,
        },
        ..SandboxPlan::for_commands([places.writable, vec![notes.clone()]].concat())
    };
    let (rules, workspace) = (setup.effective.rules.clone(), setup.workspace.clone());
    let exit = if settings.has_exit == Some(false) { SandboxExit::Closed } else { SandboxExit::Open };
    let plan = Box::new(move || plan_now(&fixed, &rules, &workspace));
    Ok(Some(CommandSandbox { sandbox, plan, notes, exit, proxy }))
}

/// The sandbox of programs that the person configured, hooks and MCP servers; `None` if commands have none. They cannot read
/// keys of other machines; a setting limits them like commands. `own` are the files of a hook: its session, and where it sets
/// variables.
pub(super) fn for_helpers(
    setup: &Setup,
    own: HelperFiles,
    context: &Context,
) -> Result<Option<HelperSandbox>, Fault> {
    let (Some(sandbox), Some(home)) = (setup.sandbox.clone(), context.home.as_deref()) else {
        return Ok(None);
    };
    if setup.effective.sandbox.has_helpers != Some(true) {
        let plan = without_tokens(SandboxPlan::for_helpers(home), context);
        return Ok(Some(HelperSandbox { sandbox, plan: Arc::new(move || plan.clone()) }));
    }
    let places = PlanPlaces::new(setup, context)?;
    let fixed = SandboxPlan {
        read_only: places.read_only,
        hidden: places.hidden,
        readable: own.readable,
        ..SandboxPlan::for_commands([places.writable, own.writable].concat())
    };
    let (rules, workspace) = (setup.effective.rules.clone(), setup.workspace.clone());
    Ok(Some(HelperSandbox { sandbox, plan: Arc::new(move || plan_now(&fixed, &rules, &workspace)) }))
}

/// The sandbox of programs that run outside a conversation: they cannot read keys of other machines, where that works.
pub(super) fn of_keys(settings: &SandboxSettings, context: &Context) -> Option<HelperSandbox> {
    let is_off = context.sandbox.as_deref() == Some("off") || settings.is_enabled == Some(false);
    let (program, home) = (context.program.as_ref()?, context.home.as_deref()?);
    let sandbox = Sandbox::find(program).ok().filter(|_| !is_off)?;
    let plan = without_tokens(SandboxPlan::for_helpers(home), context);
    Some(HelperSandbox { sandbox, plan: Arc::new(move || plan.clone()) })
}

/// The plan without the tokens of servers that the person signed in to, which only we send.
fn without_tokens(mut plan: SandboxPlan, context: &Context) -> SandboxPlan {
    plan.hidden.extend(context.data_dir().ok().map(|data| TokenFile::new(&data).path().to_path_buf()));
    plan
}

/// Files that programs of the person need wherever they run.
#[derive(Default)]
pub(super) struct HelperFiles {
    pub(super) readable: Vec<PathBuf>,
    pub(super) writable: Vec<PathBuf>,
}

/// The plan of a command, with what the workspace contains now.
fn plan_now(fixed: &SandboxPlan, rules: &Rules, workspace: &Workspace) -> SandboxPlan {
    let paths = Policy { rules, mode: Mode::Default, workspace, files: &Disk }.confined_paths();
    let mut plan = fixed.clone();
    if let WriteScope::Only(writable) = &mut plan.writes {
        // Folders may have been added since the start.
        let added = workspace.roots().into_iter().filter(|root| !writable.contains(root));
        let added: Vec<PathBuf> = added.collect();
        writable.extend(added);
        writable.extend(paths.pinned);
    }
    plan.read_only.extend(paths.read_only);
    plan.hidden.extend(paths.hidden);
    plan.absent.extend(paths.absent);
    plan
}

/// Starts the proxy to the hosts that rules and settings allow; `None` if there are none.
fn proxy(setup: &Setup, sandbox: &Sandbox, folder: &Path, context: &Context) -> Option<HostProxy> {
    let domains = setup.effective.rules.of(RuleList::Allow).filter_map(|rule| match &rule.matcher {
        Matcher::Domain(domain) => Some(domain.clone()),
        _ => None,
    });
    let hosts: Vec<String> = setup.effective.sandbox.hosts.iter().cloned().chain(domains).collect();
    if hosts.is_empty() {
        return None;
    }
    if *sandbox.method() == SandboxMethod::Landlock {
        context.say("commands cannot reach the allowed hosts: with Landlock there is no network, bubblewrap has a proxy");
        return None;
    }
    let public = |address| FetchScope::Public.includes(address);
    let started = create_folder(folder)
        .map_err(|error| error.to_string())
        .and_then(|()| HostProxy::start(&folder.join("s"), hosts, public).map_err(|error| error.to_string()));
    started
        .map_err(|error| {
            context.say(format!("commands cannot reach the allowed hosts: the proxy does not start: {error}"))
        })
        .ok()
}

/// Paths of a plan that do not depend on what the workspace contains.
struct PlanPlaces {
    writable: Vec<PathBuf>,
    read_only: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
}

impl PlanPlaces {
    fn new(setup: &Setup, context: &Context) -> Result<Self, Fault> {
        let settings = &setup.effective.sandbox;
        let home = context.home.as_deref();
        let below = |names: &[&str]| -> Vec<PathBuf> {
            home.into_iter().flat_map(|home| names.iter().map(|name| home.join(name))).collect()
        };
        let named = |paths: &[String]| -> Vec<PathBuf> {
            paths.iter().map(|path| named_path(path, &setup.cwd, home)).collect()
        };
        let variable = |name: &str| {
            let found = context.variables.iter().find(|(other, _)| other == OsStr::new(name));
            found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
        };
        let mut writable = setup.workspace.roots();
        writable.push(variable("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp")));
        writable.extend(below(&CACHES));
        let of_cargo = variable("CARGO_HOME").into_iter();
        writable.extend(of_cargo.flat_map(|home| {
            ["registry", "git", ".package-cache", ".package-cache-mutate"].map(|name| home.join(name))
        }));
        let folders = ["CARGO_TARGET_DIR", "XDG_CACHE_HOME", "npm_config_cache"];
        writable.extend(folders.into_iter().filter_map(variable));
        writable.extend(named(&settings.writable));
        let mut read_only = below(&RUN_FROM_CACHES);
        read_only.extend(named(&settings.read_only));
        let mut hidden = below(&SECRETS);
        hidden.push(setup.cwd.join(context.store.config_dir().path()));
        hidden.extend(below(&[".claude"]));
        hidden.push(setup.cwd.join(context.data_dir()?.path()));
        hidden.extend(named(&settings.hidden));
        Ok(Self { writable, read_only, hidden })
    }
}

/// A path of the settings: from home, from the root, or from the working folder.
fn named_path(path: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), path.strip_prefix("//"), home) {
        (Some(below), _, Some(home)) => home.join(below),
        (_, Some(below), _) => Path::new("/").join(below),
        _ => cwd.join(path),
    }
}

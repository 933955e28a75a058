//! The tools of a conversation.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use annals_agent::api::call::Caller;
use annals_agent::api::client::Client;
use annals_agent::commands::CustomCommand;
use annals_agent::context::SystemPrompt;
use annals_agent::conversation::{Conversation, FileBackups, StoreContext};
use annals_agent::mcp::McpServers;
use annals_agent::one_shot::OneShot;
use annals_agent::protocol::Approver;
use annals_agent::subagent::{AgentDefinition, SubagentConfig, SubagentSpawner};
use annals_agent::tools::background::{BackgroundAgents, BackgroundWork, new_name};
use annals_agent::tools::bash::{CommandRecorder, ShellSettings, Shells, for_commands};
use annals_agent::tools::fetch::{FetchScope, SystemResolver, WebSettings};
use annals_agent::tools::structured::{StructuredOutput, StructuredSlot};
use annals_agent::tools::tasks::Tasks;
use annals_agent::tools::todo::{TodoStore, Todos};
use annals_agent::tools::{
    AgentTool, AskUserQuestion, Bash, Edit, EnterPlanMode, ExitPlanMode, Glob, Grep, NotebookEdit,
    PathFilter, Read, SendMessage, SkillCall, SkillCalls, SkillTool, TaskCreate, TaskGet, TaskList,
    TaskOutput, TaskStop, TaskUpdate, TodoWrite, Tool, ToolContext, WebFetch, WebSearch, Write,
};
use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::{Rules, listed};
use annals_policy::{Call, Decision, Mode, Policy, ReadTool};
use annals_store::command_changes::{self, CommandChanges};
use annals_store::source::{Clock, new_uuid};
use annals_store::todos::{TaskFolder, TodoItem};
use annals_store::{AgentKey, ConfigDir, SessionKey, Slug};

use super::limits::{Limits, is_on};
use super::sandbox;
use super::setup::Setup;
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::source::SystemSource;

/// Names the model of all sub-agents.
const SUBAGENT_MODEL_VARIABLE: &str = "CLAUDE_CODE_SUBAGENT_MODEL";
/// Says whether there are tasks in place of a to-do list.
const TASKS_VARIABLE: &str = "CLAUDE_CODE_ENABLE_TASKS";
/// How long a web page may take.
const PAGE_TIME: Duration = Duration::from_secs(60);

type ApiCaller<'a> = Caller<'a, Client, SystemSource>;

/// The tools, and the shells that they use.
pub(super) struct Toolbox<'a> {
    pub(super) tools: Vec<Box<dyn Tool + 'a>>,
    /// Ends its commands when it is dropped.
    pub(super) shells: Arc<Shells>,
    /// The sub-agents in the background.
    pub(super) background: Arc<BackgroundAgents>,
    pub(super) work: BackgroundWork<'a>,
    /// Where the output of `--json-schema` goes.
    pub(super) structured: Option<StructuredSlot>,
}

/// Tells commands that the conversation was started with `--bare`.
const BARE_VARIABLE: &str = "CLAUDE_CODE_SIMPLE";

/// What tools need that ask a model.
pub(super) struct ModelAccess<'a> {
    /// How requests are sent.
    pub(super) caller: ApiCaller<'a>,
    /// Where the conversations of sub-agents are written.
    pub(super) store: StoreContext<'a>,
    /// The model for web searches.
    pub(super) model: String,
    /// The times of commands.
    pub(super) limits: Limits,
    /// The types of sub-agents.
    pub(super) kinds: Vec<AgentDefinition>,
    /// Who can be asked.
    pub(super) approver: Approver,
    /// The commands and skills that models may use.
    pub(super) skills: Arc<[CustomCommand]>,
    /// The system prompt that sub-agents share.
    pub(super) system_prompt: SystemPrompt,
    /// The MCP servers, whose tools sub-agents have too.
    pub(super) mcp: McpServers,
    /// The rules and folders of sub-agents.
    pub(super) policy: Policy<'a>,
}

/// Creates the tools.
pub(super) fn tools<'a>(
    args: &ChatArgs,
    setup: &Setup,
    conversation: &Conversation<'_>,
    context: &Context,
    models: ModelAccess<'a>,
) -> Result<Toolbox<'a>, Fault> {
    let config = context.store.config_dir();
    let session = SessionKey::new(conversation.session());
    let folder = (!args.no_session_persistence).then(|| match conversation.path() {
        Some(path) => path.with_extension(""),
        None => config.session_folder(&Slug::of_path(&setup.cwd.to_string_lossy()), &session),
    });
    let scratch = context.data_dir()?.path().join("scratch");
    let mut variables = context.variables.clone();
    // Commands get no API keys.
    let set = setup.effective.environment.iter().filter(|(name, _)| !name.starts_with("ANTHROPIC_"));
    variables.extend(set.map(|(name, value)| (name.into(), value.reveal().into())));
    let mark = new_uuid(&context.source);
    let sandbox = sandbox::for_commands(setup, &scratch, folder.as_deref(), &mark, context)?;
    let mut variables = for_commands(&variables);
    if args.bare {
        variables.push((BARE_VARIABLE.into(), "1".into()));
    }
    let settings = ShellSettings::usual(scratch, folder, variables, mark);
    let settings = ShellSettings { sandbox: sandbox.map(Arc::new), ..settings };
    let mut settings = models.limits.apply(settings);
    let own = sandbox::HelperFiles {
        readable: settings
            .session
            .iter()
            .flat_map(|folder| [folder.with_extension("jsonl"), folder.clone()])
            .collect(),
        writable: (!args.no_session_persistence).then(|| config.session_env(&session)).into_iter().collect(),
    };
    settings.helpers = sandbox::for_helpers(setup, own, context)?;
    settings.session_env = (!args.no_session_persistence).then(|| config.session_env(&session));
    settings.recorder = recorder(args, setup, &session, context)?;
    let shells = Arc::new(Shells::new(settings));
    let tasks = task_list(args, setup, &session, context)?;
    let todos: Box<dyn TodoStore> = match args.no_session_persistence {
        true => Box::new(()),
        false => Box::new(TodoFile { config: config.clone(), session }),
    };
    let outfit = ToolFactory {
        rules: setup.effective.rules.clone(),
        workspace: setup.workspace.clone(),
        backups: conversation.backups(),
        shells: Arc::clone(&shells),
        caller: again(&models.caller),
        model: models.model,
        small: setup.models.small(),
        searches: Arc::default(),
        skills: SkillCalls::new(models.skills.iter().map(SkillCall::from).collect()),
        // In a trusted folder more may come as files are used.
        has_skills: models.skills.iter().any(|skill| skill.listing.is_some())
            || setup.is_trusted() && !setup.is_bare,
        background: Arc::new(BackgroundAgents::beside(&shells)),
        tasks,
    };
    let (work, background) = (BackgroundWork::default(), Arc::clone(&outfit.background));
    let mut tools = outfit.tools(todos);
    tools.push(Box::new(ExitPlanMode));
    tools.push(Box::new(SendMessage::new(Arc::clone(&background))));
    // Without anybody to ask, they are not offered, as in the original.
    if models.approver == Approver::Person {
        tools.push(Box::new(EnterPlanMode));
        tools.push(Box::new(AskUserQuestion));
    }
    let offered = args.sdk.tools.clone();
    let subagents = SubagentConfig {
        caller: models.caller,
        store: models.store,
        definitions: models.kinds,
        system_prompt: models.system_prompt,
        skills: models.skills,
        policy: models.policy,
        background: work.queue(),
        background_agents: Arc::clone(&background),
        model: setup
            .variable(context, SUBAGENT_MODEL_VARIABLE)
            .filter(|name| *name != "inherit")
            .map(|name| setup.models.named(name)),
        make_tools: Box::new(move || {
            let mut tools = outfit.tools(Box::new(()));
            offer(&mut tools, offered.as_deref());
            tools.extend(models.mcp.tools());
            tools
        }),
        model_name: Box::new({
            let models = setup.models.clone();
            move |name| models.named(name)
        }),
    };
    tools.push(Box::new(AgentTool::new(Box::new(SubagentSpawner::new(subagents)))));
    offer(&mut tools, args.sdk.tools.as_deref());
    let structured = match &args.sdk.json_schema {
        Some(schema) => {
            let slot = StructuredSlot::new(models.limits.max_output_attempts);
            let tool = StructuredOutput::new(schema.as_bytes(), slot.clone());
            tools.push(Box::new(tool.map_err(|why| Fault::usage(format!("--json-schema: {why}")))?));
            Some(slot)
        }
        None => None,
    };
    Ok(Toolbox { tools, shells, background, work, structured })
}

/// Creates tools for the session and each of its sub-agents. Files read and working folder are separate, copies of changed
/// files and background commands belong to the session.
struct ToolFactory<'a> {
    rules: Rules,
    workspace: Workspace,
    backups: FileBackups,
    shells: Arc<Shells>,
    caller: ApiCaller<'a>,
    model: String,
    /// The model that reads web pages.
    small: String,
    searches: Arc<AtomicU64>,
    skills: SkillCalls,
    /// Whether there is a skill to tell the model of.
    has_skills: bool,
    background: Arc<BackgroundAgents>,
    /// The tasks that stand in place of the to-do list, if they do.
    tasks: Option<Arc<Tasks>>,
}

impl<'a> ToolFactory<'a> {
    fn tools(&self, todos: Box<dyn TodoStore>) -> Vec<Box<dyn Tool + 'a>> {
        let filter = DeniedPaths { rules: self.rules.clone(), workspace: self.workspace.clone() };
        let backups = Box::new(self.backups.clone());
        let context = Arc::new(ToolContext::new(self.workspace.clone(), backups, Box::new(filter)));
        let web = WebSettings {
            scope: FetchScope::Public,
            resolver: Box::new(SystemResolver),
            user_agent: concat!("annals/", env!("CARGO_PKG_VERSION")).to_owned(),
            trusted: Vec::new(),
            time: PAGE_TIME,
        };
        let reader = OneShot { caller: again(&self.caller), model: self.small.clone() };
        let searcher = OneShot { caller: again(&self.caller), model: self.model.clone() };
        let mut tools: Vec<Box<dyn Tool + 'a>> = vec![
            Box::new(Read::new(Arc::clone(&context))),
            Box::new(Write::new(Arc::clone(&context))),
            Box::new(Edit::new(Arc::clone(&context))),
            Box::new(NotebookEdit::new(Arc::clone(&context))),
            Box::new(Glob::new(Arc::clone(&context))),
            Box::new(Grep::new(Arc::clone(&context))),
            Box::new(Bash::new(context, Arc::clone(&self.shells))),
            Box::new(TaskOutput::new(Arc::clone(&self.shells), Arc::clone(&self.background))),
            Box::new(TaskStop::new(Arc::clone(&self.shells), Arc::clone(&self.background))),
            Box::new(WebFetch::new(web, Box::new(reader))),
            Box::new(WebSearch::new(Box::new(searcher), Arc::clone(&self.searches))),
        ];
        match &self.tasks {
            Some(tasks) => {
                tools.push(Box::new(TaskCreate::new(Arc::clone(tasks))));
                tools.push(Box::new(TaskUpdate::new(Arc::clone(tasks))));
                tools.push(Box::new(TaskGet::new(Arc::clone(tasks))));
                tools.push(Box::new(TaskList::new(Arc::clone(tasks))));
            }
            None => tools.push(Box::new(TodoWrite::new(Arc::new(Todos::new(Vec::new(), todos))))),
        }
        if self.has_skills {
            tools.push(Box::new(SkillTool::new(self.skills.clone())));
        }
        tools
    }
}

/// Returns what records changes by commands. Home folders, and a folder that has our own in it, are not watched.
fn recorder(
    args: &ChatArgs,
    setup: &Setup,
    session: &SessionKey,
    context: &Context,
) -> Result<Option<Arc<CommandRecorder>>, Fault> {
    let (data, folder) = (context.data_dir()?, &setup.cwd);
    let is_wide = folder.parent().is_none()
        || context.home.as_deref().is_some_and(|home| home.starts_with(folder))
        || data.path().starts_with(folder);
    if args.no_session_persistence || is_wide {
        return Ok(None);
    }
    command_changes::remove_old(&data, Clock::now(&context.source));
    let changes = CommandChanges::of_session(&data, session);
    let changes = changes.map_err(|error| Fault::usage(error.to_string()))?;
    let filter = DeniedPaths { rules: setup.effective.rules.clone(), workspace: setup.workspace.clone() };
    let recorder = CommandRecorder::new(folder, changes, Box::new(filter), Box::new(SystemSource));
    Ok(Some(Arc::new(recorder)))
}

/// Returns the tasks of the session, if it has them in place of a to-do list: because a variable says so, or because it has
/// some already.
fn task_list(
    args: &ChatArgs,
    setup: &Setup,
    session: &SessionKey,
    context: &Context,
) -> Result<Option<Arc<Tasks>>, Fault> {
    let folder = TaskFolder::new(context.store.config_dir(), session);
    let folder = folder.map_err(|error| Fault::usage(error.to_string()))?;
    let folder = Some(folder).filter(|_| !args.no_session_persistence);
    let is_on = match setup.variable(context, TASKS_VARIABLE) {
        Some(value) => is_on(value),
        None => folder.as_ref().is_some_and(|folder| !folder.read().is_empty()),
    };
    Ok(is_on.then(|| Arc::new(Tasks::new(folder))))
}

/// Leaves the tools that `--tools` names; `default` names all.
fn offer(tools: &mut Vec<Box<dyn Tool + '_>>, named: Option<&[String]>) {
    let Some(named) = named else { return };
    let named: Vec<String> = named.iter().flat_map(|names| listed(names)).collect();
    if named.iter().any(|name| name == "default") {
        return;
    }
    let is_named = |tool: &str| named.iter().any(|name| name == tool || new_name(name) == Some(tool));
    tools.retain(|tool| is_named(&tool.spec().name));
}

/// Returns another caller for the same API.
pub(super) fn again<'a>(caller: &ApiCaller<'a>) -> ApiCaller<'a> {
    Caller { retry: caller.retry.clone(), ..*caller }
}

/// Hides from searches what the rules deny to read.
struct DeniedPaths {
    rules: Rules,
    workspace: Workspace,
}

impl PathFilter for DeniedPaths {
    fn hides(&self, path: &Path) -> bool {
        let policy =
            Policy { rules: &self.rules, mode: Mode::Default, workspace: &self.workspace, files: &Disk };
        let path = path.to_string_lossy();
        matches!(policy.decide(&Call::Read(ReadTool::Read, &path)), Decision::Deny { .. })
    }
}

/// The session's todo file in the store.
struct TodoFile {
    config: ConfigDir,
    session: SessionKey,
}

impl TodoStore for TodoFile {
    fn keep(&self, items: &[TodoItem]) -> Result<(), String> {
        let agent = AgentKey::new(self.session.as_str());
        let written = annals_store::todos::write(&self.config, &self.session, &agent, items);
        written.map(drop).map_err(|error| error.to_string())
    }
}

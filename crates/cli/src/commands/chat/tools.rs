//! The tools of a conversation in the terminal, and what they stand on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use annals_agent::api::call::Caller;
use annals_agent::api::client::Client;
use annals_agent::context::Briefing;
use annals_agent::conversation::{Conversation, Copies, Ground as Written};
use annals_agent::nested::Nested;
use annals_agent::subagent::{Household, Kind, Nursery};
use annals_agent::tools::bash::{ShellSettings, Shells, for_commands};
use annals_agent::tools::fetch::{Reach, SystemResolver, WebSettings};
use annals_agent::tools::todo::{TodoKeeper, Todos};
use annals_agent::tools::{
    Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, Ground, KillShell, NotebookEdit, Read, Task, TodoWrite,
    Tool, Veil, WebFetch, WebSearch, Write,
};
use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::Rules;
use annals_policy::{Call, Decision, Mode, Policy, ReadTool};
use annals_store::source::new_uuid;
use annals_store::todos::TodoItem;
use annals_store::{AgentKey, ConfigDir, SessionKey, Slug};

use super::model;
use super::setup::Setup;
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::source::SystemSource;

/// How long a page may take.
const PAGE_TIME: Duration = Duration::from_secs(60);

type Asker<'a> = Caller<'a, Client, SystemSource>;

/// The tools, and the commands that they run.
pub(super) struct Toolbox<'a> {
    pub(super) tools: Vec<Box<dyn Tool + 'a>>,
    /// Dropped or ended, no command is left.
    pub(super) shells: Arc<Shells>,
}

/// What tools that ask a model are made with.
pub(super) struct Models<'a> {
    /// How requests are sent.
    pub(super) caller: Asker<'a>,
    /// Where the conversations of sub-agents are written.
    pub(super) ground: Written<'a>,
    /// The model that searches.
    pub(super) model: String,
    /// The types of sub-agents.
    pub(super) kinds: Vec<Kind>,
    /// What sub-agents are told beside the instructions of their type.
    pub(super) briefing: Briefing,
}

/// All of them.
pub(super) fn tools<'a>(
    args: &ChatArgs,
    setup: &Setup,
    conversation: &Conversation<'_>,
    context: &Context,
    models: Models<'a>,
) -> Result<Toolbox<'a>, Fault> {
    let config = context.store.config_dir();
    let session = SessionKey::new(conversation.session());
    let folder = (!args.no_session_persistence).then(|| match conversation.path() {
        Some(path) => path.with_extension(""),
        None => config.session_folder(&Slug::of_path(&setup.cwd.to_string_lossy()), &session),
    });
    let scratch = context.data_dir()?.path().join("scratch");
    let mut variables = context.variables.clone();
    // Keys are not for commands, and no copy of one is made for them.
    let set = setup.effective.environment.iter().filter(|(name, _)| !name.starts_with("ANTHROPIC_"));
    variables.extend(set.map(|(name, value)| (name.into(), value.reveal().into())));
    let mark = new_uuid(&context.source);
    let settings = ShellSettings::usual(scratch, folder, for_commands(&variables), mark);
    let shells = Arc::new(Shells::new(settings));
    let keeper: Box<dyn TodoKeeper> = match args.no_session_persistence {
        true => Box::new(()),
        false => Box::new(TodoFile { config: config.clone(), session }),
    };
    let outfit = Outfit {
        rules: setup.effective.rules.clone(),
        workspace: setup.workspace.clone(),
        copies: conversation.copies(),
        shells: Arc::clone(&shells),
        caller: again(&models.caller),
        model: models.model,
        searches: Arc::default(),
    };
    let mut tools = outfit.tools(keeper);
    tools.push(Box::new(ExitPlanMode));
    let household = Household {
        caller: models.caller,
        ground: models.ground,
        kinds: models.kinds,
        briefing: models.briefing,
        outfit: Box::new(move || outfit.tools(Box::new(()))),
        full_name: model::named,
    };
    tools.push(Box::new(Task::new(Box::new(Nursery::new(household)))));
    Ok(Toolbox { tools, shells })
}

/// What the session and each of its sub-agents get tools from: what was read and the folder are their own, copies of changed
/// files and commands in the background are the session's.
struct Outfit<'a> {
    rules: Rules,
    workspace: Workspace,
    copies: Copies,
    shells: Arc<Shells>,
    caller: Asker<'a>,
    model: String,
    searches: Arc<AtomicU64>,
}

impl<'a> Outfit<'a> {
    fn tools(&self, keeper: Box<dyn TodoKeeper>) -> Vec<Box<dyn Tool + 'a>> {
        let veil = Hidden { rules: self.rules.clone(), workspace: self.workspace.clone() };
        let copies = Box::new(self.copies.clone());
        let ground = Arc::new(Ground::new(self.workspace.clone(), copies, Box::new(veil)));
        let web = WebSettings {
            reach: Reach::Public,
            resolver: Box::new(SystemResolver),
            user_agent: concat!("annals/", env!("CARGO_PKG_VERSION")).to_owned(),
            trusted: Vec::new(),
            time: PAGE_TIME,
        };
        let reader = Nested { caller: again(&self.caller), model: model::named(model::SMALL) };
        let searcher = Nested { caller: again(&self.caller), model: self.model.clone() };
        vec![
            Box::new(Read::new(Arc::clone(&ground))),
            Box::new(Write::new(Arc::clone(&ground))),
            Box::new(Edit::new(Arc::clone(&ground))),
            Box::new(NotebookEdit::new(Arc::clone(&ground))),
            Box::new(Glob::new(Arc::clone(&ground))),
            Box::new(Grep::new(Arc::clone(&ground))),
            Box::new(Bash::new(ground, Arc::clone(&self.shells))),
            Box::new(BashOutput::new(Arc::clone(&self.shells))),
            Box::new(KillShell::new(Arc::clone(&self.shells))),
            Box::new(TodoWrite::new(Arc::new(Todos::new(Vec::new(), keeper)))),
            Box::new(WebFetch::new(web, Box::new(reader))),
            Box::new(WebSearch::new(Box::new(searcher), Arc::clone(&self.searches))),
        ]
    }
}

/// The same way to the API, for somebody else.
pub(super) fn again<'a>(caller: &Asker<'a>) -> Asker<'a> {
    Caller { manner: caller.manner.clone(), ..*caller }
}

/// What the rules deny to be read, searches do not show.
struct Hidden {
    rules: Rules,
    workspace: Workspace,
}

impl Veil for Hidden {
    fn hides(&self, path: &Path) -> bool {
        let policy =
            Policy { rules: &self.rules, mode: Mode::Default, workspace: &self.workspace, files: &Disk };
        let path = path.to_string_lossy();
        matches!(policy.decide(&Call::Read(ReadTool::Read, &path)), Decision::Deny { .. })
    }
}

/// The session's list in the store.
struct TodoFile {
    config: ConfigDir,
    session: SessionKey,
}

impl TodoKeeper for TodoFile {
    fn keep(&self, items: &[TodoItem]) -> Result<(), String> {
        let agent = AgentKey::new(self.session.as_str());
        let written = annals_store::todos::write(&self.config, &self.session, &agent, items);
        written.map(drop).map_err(|error| error.to_string())
    }
}

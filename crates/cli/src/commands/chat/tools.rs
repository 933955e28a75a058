//! The tools of a conversation in the terminal, and what they stand on.

use std::path::Path;
use std::sync::Arc;

use annals_agent::conversation::Conversation;
use annals_agent::policy::paths::{Disk, Workspace};
use annals_agent::policy::rules::Rules;
use annals_agent::policy::{Call, Decision, Mode, Policy, ReadTool};
use annals_agent::tools::bash::{ShellSettings, Shells, for_commands};
use annals_agent::tools::todo::{TodoKeeper, Todos};
use annals_agent::tools::{
    Bash, BashOutput, Edit, Glob, Grep, Ground, KillShell, NotebookEdit, Read, TodoWrite, Tool, Veil, Write,
};
use annals_store::todos::TodoItem;
use annals_store::{AgentKey, ConfigDir, SessionKey, Slug};

use super::setup::Setup;
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;

/// The tools, and the commands that they run.
pub(super) struct Toolbox {
    pub(super) tools: Vec<Box<dyn Tool>>,
    /// Dropped or ended, no command is left.
    pub(super) shells: Arc<Shells>,
}

/// All of them.
pub(super) fn tools(
    args: &ChatArgs,
    setup: &Setup,
    conversation: &Conversation<'_>,
    context: &Context,
) -> Result<Toolbox, Fault> {
    let veil = Hidden { rules: setup.effective.rules.clone(), workspace: setup.workspace.clone() };
    let copies = Box::new(conversation.copies());
    let ground = Arc::new(Ground::new(setup.workspace.clone(), copies, Box::new(veil)));
    let config = context.store.config_dir();
    let session = SessionKey::new(conversation.session());
    let folder = (!args.no_session_persistence).then(|| match conversation.path() {
        Some(path) => path.with_extension(""),
        None => config.session_folder(&Slug::of_path(&setup.cwd.to_string_lossy()), &session),
    });
    let scratch = context.data_dir()?.path().join("scratch");
    let mut variables = context.variables.clone();
    let set = &setup.effective.environment;
    variables.extend(set.iter().map(|(name, value)| (name.into(), value.into())));
    let shells = Arc::new(Shells::new(ShellSettings::usual(scratch, folder, for_commands(&variables))));
    let keeper: Box<dyn TodoKeeper> = match args.no_session_persistence {
        true => Box::new(()),
        false => Box::new(TodoFile { config: config.clone(), session }),
    };
    let todos = Arc::new(Todos::new(Vec::new(), keeper));
    let tools: Vec<Box<dyn Tool>> = vec![
        Box::new(Read::new(Arc::clone(&ground))),
        Box::new(Write::new(Arc::clone(&ground))),
        Box::new(Edit::new(Arc::clone(&ground))),
        Box::new(NotebookEdit::new(Arc::clone(&ground))),
        Box::new(Glob::new(Arc::clone(&ground))),
        Box::new(Grep::new(Arc::clone(&ground))),
        Box::new(Bash::new(ground, Arc::clone(&shells))),
        Box::new(BashOutput::new(Arc::clone(&shells))),
        Box::new(KillShell::new(Arc::clone(&shells))),
        Box::new(TodoWrite::new(todos)),
    ];
    Ok(Toolbox { tools, shells })
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

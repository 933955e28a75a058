//! Tasks in the background, which are commands and sub-agents: TaskOutput shows one, TaskStop ends one, SendMessage continues a sub-agent.
//!
//! | module | owns |
//! |---|---|
//! | `agents` | the sub-agents in the background, and what is to be told of them |
//! | `work` | runs their work beside the conversation |
//! | `progress` | how long each takes, and what a sub-agent did |
//! | `message`, `output`, `stop` | the tools |

mod agents;
mod message;
mod output;
mod progress;
mod stop;
mod work;

use std::sync::Arc;

use super::InputError;
use super::bash::{BackgroundCommand, Shells};
use super::input::Input;
pub use agents::{BackgroundAgent, BackgroundAgents};
use annals_store::overflow::MAX_SHELL_OUTPUT;
pub use message::SendMessage;
pub use output::TaskOutput;
pub(crate) use progress::{AgentProgress, TaskClock};
pub use stop::TaskStop;
pub use work::{BackgroundWork, WorkQueue};

/// The names that older clients give these tools, and models that know them.
const OLD_NAMES: [(&str, &str); 6] = [
    ("BashOutput", output::NAME),
    ("BashOutputTool", output::NAME),
    ("AgentOutputTool", output::NAME),
    ("KillShell", stop::NAME),
    ("KillBash", stop::NAME),
    (super::agent::OLD_NAME, super::agent::NAME),
];

/// Returns the name of a tool that an older client calls by this name.
pub fn new_name(name: &str) -> Option<&'static str> {
    OLD_NAMES.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
}

/// All tasks of a session.
struct BackgroundTasks {
    shells: Arc<Shells>,
    agents: Arc<BackgroundAgents>,
}

enum BackgroundTask {
    Command(Arc<BackgroundCommand>),
    Agent(Arc<BackgroundAgent>),
}

impl BackgroundTasks {
    /// Returns the task whose id the input has under one of these keys.
    fn named(&self, input: &Input<'_>, keys: [&str; 2]) -> Result<BackgroundTask, InputError> {
        let id = task_id(input, keys)?;
        let command = self.shells.task(&id).map(BackgroundTask::Command);
        let agent = || self.agents.find(&id).map(BackgroundTask::Agent);
        command.or_else(agent).ok_or_else(|| InputError(format!("No task found with ID: {id}")))
    }
}

/// Reads an id, which older clients give under another key.
fn task_id(input: &Input<'_>, keys: [&str; 2]) -> Result<String, InputError> {
    let [key, old] = keys;
    if input.value(key).is_none() && input.value(old).is_some() { input.words(old) } else { input.words(key) }
}

impl BackgroundTask {
    fn id(&self) -> &str {
        match self {
            Self::Command(command) => &command.id,
            Self::Agent(agent) => &agent.id,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "local_bash",
            Self::Agent(_) => "local_agent",
        }
    }

    /// `running`, `completed`, `failed` or `killed`.
    fn status(&self) -> &'static str {
        match self {
            Self::Command(command) => command.status(),
            Self::Agent(agent) => agent.status(),
        }
    }

    fn description(&self) -> &str {
        match self {
            Self::Command(command) => command.description.as_deref().unwrap_or(&command.command),
            Self::Agent(agent) => &agent.description,
        }
    }

    /// The command, or what the sub-agent is for.
    fn command(&self) -> &str {
        match self {
            Self::Command(command) => &command.command,
            Self::Agent(agent) => &agent.description,
        }
    }

    /// Returns what a command printed, or what a sub-agent answered.
    fn output(&self) -> String {
        match self {
            Self::Command(command) => command.printed(MAX_SHELL_OUTPUT),
            Self::Agent(agent) => agent.answer(),
        }
    }

    fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Command(command) => command.ended().map(|ended| ended.code()),
            Self::Agent(_) => None,
        }
    }

    /// Notes that the model knows of its end.
    fn mark_told(&self) {
        match self {
            Self::Command(command) => command.mark_told(),
            Self::Agent(agent) => agent.mark_told(),
        };
    }

    fn stop(&self) {
        match self {
            Self::Command(command) => command.kill(),
            Self::Agent(agent) => agent.stop(),
        }
        self.mark_told();
    }
}

//! Runs a sub-agent: its file, its turn, its answer. One in the background works beside the conversation.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use annals_store::session::{AgentParent, AgentStart};
use annals_store::source::new_agent_id;

use super::AgentDefinition;
use super::background_turns::BackgroundTurns;
use crate::api::call::{Caller, RetryClock};
use crate::api::transport::Transport;
use crate::commands::CustomCommand;
use crate::context::SystemPrompt;
use crate::conversation::{Conversation, StoreContext};
use crate::protocol::{
    AgentLabel, Approver, Commands, Event, Prompt, ToolProgress, TurnConfig, TurnEnd, TurnReport,
};
use crate::tools::agent::{
    AgentPlace, AgentResult, AgentTask, AgentTool, AgentType, LaunchedAgent, SpawnError, SpawnFuture, Spawner,
};
use crate::tools::background::{AgentProgress, BackgroundAgent, BackgroundAgents, WorkQueue};
use crate::tools::{CallContext, Parent, Tool};
use crate::turn::Agent;
use annals_policy::Policy;

/// The deepest nesting of sub-agents: the innermost ones start no others.
const MAX_DEPTH: u64 = 3;
/// The most responses of a sub-agent.
const MAX_RESPONSES: u64 = 200;

/// What all sub-agents of a conversation share.
pub struct SubagentConfig<'a, T, S> {
    /// Sends the requests.
    pub caller: Caller<'a, T, S>,
    /// The store that conversations are written to.
    pub store: StoreContext<'a>,
    /// The available definitions.
    pub definitions: Vec<AgentDefinition>,
    /// The system prompt, beside the instructions of a definition.
    pub system_prompt: SystemPrompt,
    /// The commands and skills that the models may use.
    pub skills: Arc<[CustomCommand]>,
    /// Makes the tools of a sub-agent, except the one that starts others.
    #[allow(clippy::type_complexity, reason = "what it makes is what an agent has")]
    pub make_tools: Box<dyn Fn() -> Vec<Box<dyn Tool + 'a>> + Send + Sync + 'a>,
    /// The rules and folders of the session; the mode is that of the parent.
    pub policy: Policy<'a>,
    /// Where sub-agents work that nobody waits for.
    pub background: WorkQueue<'a>,
    /// The sub-agents that nobody waits for.
    pub background_agents: Arc<BackgroundAgents>,
    /// The model of all sub-agents, whatever they or their callers say.
    pub model: Option<String>,
    /// Returns the full name of a model.
    pub model_name: Box<dyn Fn(&str) -> String + Send + Sync + 'a>,
}

/// Starts sub-agents, for the session itself or for one of its sub-agents.
pub struct SubagentSpawner<'a, T, S> {
    config: Arc<SubagentConfig<'a, T, S>>,
    /// The depth of the sub-agents started here.
    depth: u64,
    /// The sub-agent that starts them; `None` for the session.
    starter: Option<String>,
}

impl<'a, T: Transport, S: RetryClock> SubagentSpawner<'a, T, S> {
    /// Creates the spawner of the session itself.
    pub fn new(config: SubagentConfig<'a, T, S>) -> Self {
        Self { config: Arc::new(config), depth: 1, starter: None }
    }

    fn tools(&self, definition: &AgentDefinition, id: &str) -> Vec<Box<dyn Tool + 'a>>
    where
        T: 'a,
        S: 'a,
    {
        let mut tools = (self.config.make_tools)();
        if self.depth < MAX_DEPTH {
            let config = Arc::clone(&self.config);
            let inner = SubagentSpawner { config, depth: self.depth + 1, starter: Some(id.to_owned()) };
            tools.push(Box::new(AgentTool::new(Box::new(inner))));
        }
        tools.retain(|tool| definition.tools.has(&tool.spec().name));
        tools
    }

    /// Returns the system prompt of a sub-agent, with memory files as they are now.
    fn system_prompt(&self, definition: &AgentDefinition) -> SystemPrompt {
        let mut prompt = SystemPrompt {
            replacement: Some(definition.prompt.clone()),
            appended: None,
            ..self.config.system_prompt.clone()
        };
        prompt.reload();
        prompt
    }

    fn turn_config(&self, definition: &AgentDefinition, task: &AgentTask, parent: &TurnConfig) -> TurnConfig {
        let named = task.model.as_ref().or(definition.model.as_ref());
        TurnConfig {
            model: match (&self.config.model, named) {
                (Some(model), _) => model.clone(),
                (None, Some(name)) => (self.config.model_name)(name),
                (None, None) => parent.model.clone(),
            },
            max_responses: Some(MAX_RESPONSES),
            approver: match task.place {
                AgentPlace::Foreground => parent.approver,
                AgentPlace::Background => Approver::Nobody,
            },
            ..parent.clone()
        }
    }

    /// Creates a sub-agent that has no prompt yet.
    fn begin(
        &self,
        id: &str,
        task: &AgentTask,
        tool_use: &str,
        parent: &Parent<'_>,
    ) -> Result<Agent<'a, T, S>, SpawnError>
    where
        T: 'a,
        S: 'a,
    {
        let SubagentConfig { caller, store, definitions, .. } = &*self.config;
        let known = definitions.iter().find(|definition| definition.name == task.kind);
        let definition = known.ok_or_else(|| SpawnError::Failed(format!("no agent type {:?}", task.kind)))?;
        let start = AgentStart {
            id: id.to_owned(),
            agent_type: Some(definition.name.clone()),
            description: Some(task.description.clone()),
            tool_use: Some(tool_use.to_owned()),
            parent: self.starter.clone().map(|id| AgentParent { id, depth: self.depth }),
        };
        let conversation = Conversation::of_agent(*store, parent.subagent_storage, &start);
        let conversation = conversation.map_err(|error| SpawnError::Failed(error.to_string()))?;
        let caller = Caller { retry: caller.retry.clone(), ..*caller };
        let system_prompt = self.system_prompt(definition);
        let turn_config = TurnConfig {
            system: system_prompt.blocks(),
            ..self.turn_config(definition, task, parent.turn_config)
        };
        let policy = Policy { mode: parent.policy.mode, ..self.config.policy };
        let mut agent = Agent::new(conversation, caller, self.tools(definition, id), policy, turn_config);
        agent.system_prompt = Some(system_prompt);
        agent.skills = Arc::clone(&self.config.skills);
        agent.grants = match task.rules.is_empty() {
            true => parent.grants.clone(),
            false => parent.grants.with_rules(&task.rules),
        };
        agent.hooks = parent.hooks.for_agent(&definition.name);
        // Nobody is asked about what happens in the background.
        if task.place == AgentPlace::Foreground {
            agent.permission_tool = parent.permission_tool.cloned();
        }
        agent.prompt_id = parent.prompt_id.map(str::to_owned);
        agent.subagent = Some((id.to_owned(), definition.name.clone()));
        let description = task.description.clone();
        agent.label = Some(AgentLabel { kind: definition.name.clone(), description });
        Ok(agent)
    }
}

impl<'a, T: Transport + 'a, S: RetryClock + 'a> Spawner for SubagentSpawner<'a, T, S> {
    fn types(&self) -> Vec<AgentType> {
        let definitions = self.config.definitions.iter();
        definitions
            .map(|definition| AgentType { name: definition.name.clone(), about: definition.about.clone() })
            .collect()
    }

    fn spawn<'s>(&'s self, task: &'s AgentTask, scene: &'s CallContext<'s>) -> SpawnFuture<'s> {
        Box::pin(async move {
            let parent = scene.parent.ok_or_else(no_parent)?;
            let id = new_agent_id(self.config.store.source);
            let mut agent = self.begin(&id, task, scene.tool_use, parent)?;
            let mut commands = parent.relay.subscribe(scene.tool_use);
            let mut tool_uses = 0;
            (scene.tell)(ToolProgress::SubagentStarted { agent: id.clone(), prompt: task.prompt.clone() });
            let finished = {
                let mut report = |event: Event| {
                    tool_uses += u64::from(matches!(event, Event::ToolDone { .. }));
                    (scene.tell)(ToolProgress::SubagentEvent { agent: id.clone(), event: Box::new(event) });
                };
                agent.turn(&Prompt::Text(task.prompt.clone()), &mut commands, &mut report).await
            };
            let result = result_of(id.clone(), finished, tool_uses);
            if result.is_ok() && self.has_background() {
                self.keep(agent, task, scene.tool_use, result.clone());
            }
            result
        })
    }

    fn has_background(&self) -> bool {
        // What a sub-agent started would end with it, unseen.
        self.starter.is_none() && self.config.background.is_alive()
    }

    fn launch(&self, task: &AgentTask, scene: &CallContext<'_>) -> Result<LaunchedAgent, SpawnError> {
        let parent = scene.parent.ok_or_else(no_parent)?;
        let id = new_agent_id(self.config.store.source);
        let mut agent = self.begin(&id, task, scene.tool_use, parent)?;
        let file = agent.conversation.path().map(Path::to_path_buf);
        agent.should_absorb_prompts = true;
        let (sender, commands) = Commands::channel();
        let agents = Arc::clone(&self.config.background_agents);
        let entry = agents.add(BackgroundAgent {
            id: id.clone(),
            description: task.description.clone(),
            kind: task.kind.clone(),
            prompt: task.prompt.clone(),
            tool_use: Mutex::new(scene.tool_use.to_owned()),
            file: file.clone(),
            commands: sender,
            result: Mutex::default(),
            is_stopped: AtomicBool::new(false),
            is_told: AtomicBool::new(false),
            is_listed: AtomicBool::new(true),
            messages: AtomicUsize::new(0),
            progress: AgentProgress::start(),
            untold: Mutex::default(),
        });
        let work = BackgroundTurns { agent, entry, commands, agents };
        let is_taken = self.config.background.push(work.run(Some(Prompt::Text(task.prompt.clone()))));
        if !is_taken {
            return Err(SpawnError::Failed("agents cannot run in the background here".to_owned()));
        }
        (scene.tell)(ToolProgress::SubagentStarted { agent: id.clone(), prompt: task.prompt.clone() });
        Ok(LaunchedAgent { agent: id, file })
    }
}

impl<'a, T: Transport + 'a, S: RetryClock + 'a> SubagentSpawner<'a, T, S> {
    /// Keeps a sub-agent that has answered its caller, so that it can get messages.
    fn keep(
        &self,
        mut agent: Agent<'a, T, S>,
        task: &AgentTask,
        tool_use: &str,
        result: Result<AgentResult, SpawnError>,
    ) {
        // Nobody waits for its next answer, so nobody is asked.
        (agent.turn_config.approver, agent.permission_tool) = (Approver::Nobody, None);
        agent.should_absorb_prompts = true;
        let (sender, commands) = Commands::channel();
        let agents = Arc::clone(&self.config.background_agents);
        let entry = agents.add(BackgroundAgent {
            id: agent.subagent.as_ref().map(|(id, _)| id.clone()).unwrap_or_default(),
            description: task.description.clone(),
            kind: task.kind.clone(),
            prompt: task.prompt.clone(),
            tool_use: Mutex::new(tool_use.to_owned()),
            file: agent.conversation.path().map(Path::to_path_buf),
            commands: sender,
            result: Mutex::new(Some(result)),
            is_stopped: AtomicBool::new(false),
            is_told: AtomicBool::new(true),
            is_listed: AtomicBool::new(false),
            messages: AtomicUsize::new(0),
            progress: AgentProgress::start(),
            untold: Mutex::default(),
        });
        self.config.background_agents.drop_oldest_kept();
        self.config.background.push(BackgroundTurns { agent, entry, commands, agents }.run(None));
    }
}

fn no_parent() -> SpawnError {
    SpawnError::Failed("a sub-agent needs a parent conversation".to_owned())
}

pub(super) fn result_of(
    agent: String,
    finished: TurnReport,
    tool_uses: u64,
) -> Result<AgentResult, SpawnError> {
    match finished.ending {
        TurnEnd::Done => Ok(AgentResult {
            agent,
            answer: finished.text,
            millis: finished.millis,
            tokens: finished.usage.context().saturating_add(finished.usage.output()),
            tool_uses,
            usage: finished.usage.to_json(),
        }),
        TurnEnd::Interrupted => Err(SpawnError::Interrupted),
        TurnEnd::BudgetSpent => Err(SpawnError::Failed("the budget is spent".to_owned())),
        TurnEnd::PromptBlocked(why) => Err(SpawnError::Failed(why)),
        TurnEnd::Failed(error) => Err(SpawnError::Failed(error.to_string())),
        TurnEnd::MaxResponses => {
            let said = format!(
                "it was stopped after {MAX_RESPONSES} responses. Its last message: {}",
                finished.text
            );
            Err(SpawnError::Failed(said))
        }
    }
}

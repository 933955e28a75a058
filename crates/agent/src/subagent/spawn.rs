//! One sub-agent at work: its file, its turn, and what it answers.

use std::sync::Arc;

use annals_store::session::{AgentParent, AgentStart};
use annals_store::source::Source;

use super::Kind;
use crate::api::call::{Caller, Surroundings};
use crate::api::transport::Transport;
use crate::command::Prompt;
use crate::context::Briefing;
use crate::conversation::{Conversation, Ground};
use crate::event::Event;
use crate::tools::agent::{AgentType, Errand, Returned, SpawnError, Spawned, Spawner, Task};
use crate::tools::{Parent, Scene, Told, Tool};
use crate::turn::{Agent, Ending, Finished, Wishes};
use annals_policy::Policy;

/// So deep sub-agents are nested: the last ones start none.
const DEEPEST: u64 = 3;
/// So many responses a sub-agent has at most.
const MOST_RESPONSES: u64 = 200;

/// What all sub-agents of a conversation are made of.
pub struct Household<'a, T, S> {
    /// How requests are sent.
    pub caller: Caller<'a, T, S>,
    /// Where conversations are written, and time and chance.
    pub ground: Ground<'a>,
    /// The types that there are.
    pub kinds: Vec<Kind>,
    /// What they are told beside the instructions of their type.
    pub briefing: Briefing,
    /// Makes the tools of one, but for the one that starts others.
    #[allow(clippy::type_complexity, reason = "what it makes is what an agent has")]
    pub outfit: Box<dyn Fn() -> Vec<Box<dyn Tool + 'a>> + Send + Sync + 'a>,
    /// The full name of a model.
    pub full_name: fn(&str) -> String,
}

/// Starts sub-agents, for the session itself or for one of them.
pub struct Nursery<'a, T, S> {
    household: Arc<Household<'a, T, S>>,
    /// How deep those that are started here are nested.
    depth: u64,
    /// Who starts them; the session, where nobody is named.
    starter: Option<String>,
}

impl<'a, T: Transport, S: Surroundings> Nursery<'a, T, S> {
    /// Those that the session itself starts.
    pub fn new(household: Household<'a, T, S>) -> Self {
        Self { household: Arc::new(household), depth: 1, starter: None }
    }

    /// The tools of one that is started here.
    fn tools(&self, kind: &Kind, id: &str) -> Vec<Box<dyn Tool + 'a>>
    where
        T: 'a,
        S: 'a,
    {
        let mut tools = (self.household.outfit)();
        if self.depth < DEEPEST {
            let household = Arc::clone(&self.household);
            let inner = Nursery { household, depth: self.depth + 1, starter: Some(id.to_owned()) };
            tools.push(Box::new(Task::new(Box::new(inner))));
        }
        tools.retain(|tool| kind.tools.has(&tool.spec().name));
        tools
    }

    fn wishes(&self, kind: &Kind, errand: &Errand, parent: &Wishes) -> Wishes {
        let named = errand.model.as_ref().or(kind.model.as_ref());
        let briefing =
            Briefing { instead: Some(kind.prompt.clone()), more: None, ..self.household.briefing.clone() };
        Wishes {
            model: named.map_or_else(|| parent.model.clone(), |name| (self.household.full_name)(name)),
            system: briefing.blocks(),
            most_responses: Some(MOST_RESPONSES),
            ..parent.clone()
        }
    }

    /// A sub-agent that has said nothing yet.
    fn begin<'s>(
        &'s self,
        id: &str,
        errand: &Errand,
        tool_use: &str,
        parent: &'s Parent<'s>,
    ) -> Result<Agent<'s, T, S>, SpawnError> {
        let Household { caller, ground, kinds, .. } = &*self.household;
        let known = kinds.iter().find(|kind| kind.name == errand.kind);
        let kind = known.ok_or_else(|| SpawnError::Failed(format!("there is no type {:?}", errand.kind)))?;
        let start = AgentStart {
            id: id.to_owned(),
            agent_type: Some(kind.name.clone()),
            description: Some(errand.description.clone()),
            tool_use: Some(tool_use.to_owned()),
            parent: self.starter.clone().map(|id| AgentParent { id, depth: self.depth }),
        };
        let conversation = Conversation::of_agent(*ground, parent.lineage, &start);
        let conversation = conversation.map_err(|error| SpawnError::Failed(error.to_string()))?;
        let caller = Caller { manner: caller.manner.clone(), ..*caller };
        let wishes = self.wishes(kind, errand, parent.wishes);
        let policy = Policy { ..*parent.policy };
        let mut agent = Agent::new(conversation, caller, self.tools(kind, id), policy, wishes);
        agent.granted = parent.granted.clone();
        Ok(agent)
    }
}

impl<T: Transport, S: Surroundings> Spawner for Nursery<'_, T, S> {
    fn types(&self) -> Vec<AgentType> {
        let kinds = self.household.kinds.iter();
        kinds.map(|kind| AgentType { name: kind.name.clone(), about: kind.about.clone() }).collect()
    }

    fn spawn<'s>(&'s self, errand: &'s Errand, scene: &'s Scene<'s>) -> Spawned<'s> {
        Box::pin(async move {
            let nobody = || SpawnError::Failed("there is no conversation that it could work for".to_owned());
            let parent = scene.parent.ok_or_else(nobody)?;
            let id = new_id(self.household.ground.source);
            let mut agent = self.begin(&id, errand, scene.tool_use, parent)?;
            let mut commands = parent.relay.listen(scene.tool_use);
            let mut tool_uses = 0;
            (scene.tell)(Told::Begun { agent: id.clone(), prompt: errand.prompt.clone() });
            let finished = {
                let mut report = |event: Event| {
                    tool_uses += u64::from(matches!(event, Event::ToolDone { .. }));
                    (scene.tell)(Told::Agent { agent: id.clone(), event: Box::new(event) });
                };
                agent.turn(&Prompt::Text(errand.prompt.clone()), &mut commands, &mut report).await
            };
            returned(id, finished, tool_uses)
        })
    }
}

fn returned(agent: String, finished: Finished, tool_uses: u64) -> Result<Returned, SpawnError> {
    match finished.ending {
        Ending::Done => Ok(Returned {
            agent,
            answer: finished.text,
            millis: finished.millis,
            tokens: finished.usage.context().saturating_add(finished.usage.output()),
            tool_uses,
            usage: finished.usage.to_json(),
        }),
        Ending::Interrupted => Err(SpawnError::Interrupted),
        Ending::Failed(error) => Err(SpawnError::Failed(error.to_string())),
        Ending::MostResponses => {
            let said =
                format!("it was stopped after {MOST_RESPONSES} responses. Its last words: {}", finished.text);
            Err(SpawnError::Failed(said))
        }
    }
}

/// An id as the newest client makes them: `a` and sixteen digits.
fn new_id(source: &dyn Source) -> String {
    let digits = source.random().into_iter().take(8).map(|byte| format!("{byte:02x}"));
    format!("a{}", digits.collect::<String>())
}

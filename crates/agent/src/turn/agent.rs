//! The agent: a conversation with the tools, the policy and the API that its turns use.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use annals_json::ObjectWriter;
use annals_policy::{Mode, Policy};
use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, PromptContent};

use super::forked_skill::ForkedSkill;
use super::hooks::CallRemarks;
use super::nested_skills::NestedSkills;
use super::skill::UsedSkill;
use super::told::ToldContext;
use crate::api::call::{Caller, RetryClock};
use crate::api::request::Role;
use crate::api::transport::Transport;
use crate::commands::CustomCommand;
use crate::context::SystemPrompt;
use crate::conversation::{Conversation, Grouping};
use crate::hooks::Hooks;
use crate::mcp::McpServers;
use crate::protocol::{AgentLabel, Event, EventSink, Grants, PermissionTool, TurnConfig};
use crate::tools::background::{self, BackgroundAgents};
use crate::tools::structured::StructuredSlot;
use crate::tools::{Tool, ToolContext};

/// How often hooks may keep a turn from ending.
const MAX_STOP_BLOCKS: u32 = 8;
/// How long a question may be open before hooks are told of it.
const NOTIFY_AFTER: Duration = Duration::from_secs(6);

/// Runs turns of one conversation: API, tools, policy, session file.
pub struct Agent<'a, T, S> {
    /// The conversation and its session.
    pub conversation: Conversation<'a>,
    /// Sends the requests.
    pub caller: Caller<'a, T, S>,
    /// The tools that the model may call.
    pub tools: Vec<Box<dyn Tool + 'a>>,
    /// The permissions of the tools.
    pub policy: Policy<'a>,
    /// The settings of the next turn.
    pub turn_config: TurnConfig,
    /// The custom commands that a prompt can name.
    pub custom: Vec<CustomCommand>,
    pub(super) compactions_failed: u32,
    /// The mode to return to when a plan is approved.
    pub(super) before_plan: Mode,
    /// The queued prompts, as recorded in the session.
    pub(super) queued: u64,
    /// Rules granted by the person during the conversation.
    pub grants: Grants,
    /// What is told of events.
    pub hooks: Hooks,
    /// The id and the type of the sub-agent, if it is one.
    pub(crate) subagent: Option<(String, String)>,
    /// What a person is told of the sub-agent, if it is one.
    pub(crate) label: Option<AgentLabel>,
    /// Set by the caller when the budget is spent: the turn ends before its next request.
    pub is_budget_spent: Arc<AtomicBool>,
    /// The title that the session gets with the next prompt.
    pub title: Option<String>,
    /// Whether prompts that come while tools run are given to the model with their results, not after the turn.
    pub should_absorb_prompts: bool,
    /// Where the output goes that the caller's schema asks for.
    pub structured: Option<StructuredSlot>,
    /// The tools of MCP servers; those that connect later are added before a turn.
    pub mcp: McpServers,
    /// The servers whose instructions the model knows; `None` until the session was asked.
    pub(super) instructed: Option<Vec<String>>,
    /// Why a hook ends the turn after the current calls.
    pub(super) hook_stop: Option<String>,
    /// What hooks said about the current calls.
    pub(super) remarks: CallRemarks,
    /// What hooks said at the start, until it is written.
    pub(super) start_remarks: CallRemarks,
    /// Whether the start of the session was told.
    pub(super) has_started: bool,
    /// The id of the current prompt, for hooks.
    pub(crate) prompt_id: Option<String>,
    /// Whether prompts get an id where there are no hooks, too: a status line names it.
    pub names_prompts: bool,
    /// The system prompt with its memory files, which are read again after a compaction.
    pub system_prompt: Option<SystemPrompt>,
    /// The commands and skills that the model may use.
    pub skills: Arc<[CustomCommand]>,
    /// The skills that the current calls use.
    pub(super) used_skills: Vec<UsedSkill>,
    /// The skills that the current calls run in sub-agents.
    pub(super) forked_skills: Vec<ForkedSkill>,
    /// Where skills below the working folder are looked for; `None` if they are not.
    pub nested_skills: Option<NestedSkills>,
    /// What the model was told and is not told again.
    pub(super) told: ToldContext,
    /// The sub-agents in the background.
    pub background: Arc<BackgroundAgents>,
    /// What decides about calls where nobody can be asked.
    pub permission_tool: Option<Arc<dyn PermissionTool>>,
    /// Whether nobody looks on: then a hook may leave a call until the session is resumed, and resources of servers are not
    /// attached.
    pub is_headless: bool,
    /// How often hooks may keep a turn from ending.
    pub max_stop_blocks: u32,
    /// How long a question may be open before hooks are told of it.
    pub notify_after: Duration,
}

impl<'a, T: Transport, S: RetryClock> Agent<'a, T, S> {
    /// Creates an agent.
    pub fn new(
        conversation: Conversation<'a>,
        caller: Caller<'a, T, S>,
        tools: Vec<Box<dyn Tool + 'a>>,
        policy: Policy<'a>,
        turn_config: TurnConfig,
    ) -> Self {
        Self {
            conversation,
            caller,
            tools,
            policy,
            turn_config,
            custom: Vec::new(),
            compactions_failed: 0,
            before_plan: Mode::Default,
            queued: 0,
            grants: Grants::default(),
            hooks: Hooks::default(),
            subagent: None,
            label: None,
            is_budget_spent: Arc::default(),
            title: None,
            should_absorb_prompts: false,
            structured: None,
            mcp: McpServers::default(),
            instructed: None,
            hook_stop: None,
            remarks: CallRemarks::default(),
            start_remarks: CallRemarks::default(),
            has_started: false,
            prompt_id: None,
            names_prompts: false,
            system_prompt: None,
            skills: Arc::default(),
            used_skills: Vec::new(),
            forked_skills: Vec::new(),
            nested_skills: None,
            told: ToldContext::default(),
            background: Arc::default(),
            permission_tool: None,
            is_headless: false,
            max_stop_blocks: MAX_STOP_BLOCKS,
            notify_after: NOTIFY_AFTER,
        }
    }

    /// Returns the tokens in the context window after the last response; 0 before the first one.
    pub fn context(&self) -> u64 {
        self.conversation.context()
    }

    /// Brings conversation and tools up to date before a request: what the session tells of its past, the model, the folder.
    pub(super) fn sync(&mut self) -> Result<(), AppendError> {
        self.conversation.prepare_turn(&self.turn_config.model, self.policy.mode);
        self.conversation.messages()?;
        if let Some(past) = self.conversation.take_past() {
            self.contexts().iter().for_each(|context| context.restore(&past.calls));
            self.told = ToldContext::of(&past.attachments);
        }
        self.update_surroundings();
        self.offer_server_tools();
        Ok(())
    }

    /// Records the folder and the branch of further lines.
    pub(super) fn update_surroundings(&mut self) {
        let folder = self.contexts().first().map(|context| context.current());
        if let Some(folder) = folder {
            self.conversation.set_surroundings(&folder);
        }
    }

    /// Returns what the tools share: usually all the same.
    pub(super) fn contexts(&self) -> Vec<&ToolContext> {
        let mut contexts: Vec<&ToolContext> = self.tools.iter().filter_map(|tool| tool.context()).collect();
        contexts.dedup_by(|one, other| std::ptr::eq(*one, *other));
        contexts
    }

    /// Returns the tool of this name, also by the name that older clients give it.
    pub(super) fn tool(&self, name: &str) -> Option<&(dyn Tool + 'a)> {
        find_tool(&self.tools, name)
    }

    /// Records an interruption by the person.
    pub(super) fn append_interruption(
        &mut self,
        words: &str,
        report: &mut EventSink<'_>,
    ) -> Result<(), AppendError> {
        let mut json = b"[".to_vec();
        let mut object = ObjectWriter::begin(&mut json);
        object.string("type", "text").string("text", words);
        object.end();
        json.push(b']');
        let draft = Draft::prompt(PromptContent::Blocks(&json));
        let line = self.conversation.append_and_send(draft, Role::User, Grouping::NewMessage)?;
        self.conversation.mark_stale();
        report(Event::Interrupted(line));
        Ok(())
    }

    pub(super) fn report_notices(&mut self, report: &mut EventSink<'_>) {
        self.conversation.take_attached().into_iter().for_each(|attached| report(Event::Attached(attached)));
        for notice in self.conversation.take_notices() {
            report(Event::Notice(notice));
        }
    }
}

/// Returns the tool of this name, also by a name that older clients give it.
pub(super) fn find_tool<'t, 'a>(tools: &'t [Box<dyn Tool + 'a>], name: &str) -> Option<&'t (dyn Tool + 'a)> {
    let named = |name: &str| tools.iter().map(AsRef::as_ref).find(|tool| tool.spec().name == name);
    named(name).or_else(|| named(background::new_name(name)?))
}

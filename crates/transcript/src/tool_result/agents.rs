//! Results of tools that start or address other agents.

use crate::content::Content;
use crate::id::AgentId;
use crate::usage::Usage;
use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

views! {
    /// A sub-agent: finished, or started in the background.
    AgentResult {
        /// `completed`, `async_launched`, …
        status: Text<'a> = "status";
        /// The sub-agent; absent in 1.0.x.
        agent: AgentId<'a> = "agentId";
        /// Its type.
        agent_type: Text<'a> = "agentType";
        prompt: Text<'a> = "prompt";
        /// What it is for.
        description: Text<'a> = "description";
        /// The answer.
        content: Content<'a> = "content";
        /// How long it took.
        total_duration_ms: u64 = "totalDurationMs";
        /// Tokens at its end.
        total_tokens: u64 = "totalTokens";
        /// Tools it called.
        total_tool_use_count: u64 = "totalToolUseCount";
        /// Tools it called, by kind.
        tool_stats: Fields<'a> = "toolStats";
        /// The usage of its last response alone.
        usage: Usage<'a> = "usage";
        /// The model it ran on.
        resolved_model: Text<'a> = "resolvedModel";
        /// The models it ran on.
        models_used: Items<'a> = "modelsUsed";
        /// Whether it runs in the background.
        is_async: bool = "isAsync";
        /// Whether the parent may read what it printed so far.
        can_read_output_file: bool = "canReadOutputFile";
        /// Whether messages can be sent to it.
        can_continue_agent: bool = "canContinueAgent";
        output_file: Text<'a> = "outputFile";
        was_interrupted: bool = "wasInterrupted";
        /// Its worktree.
        worktree_path: Text<'a> = "worktreePath";
        /// Its branch.
        worktree_branch: Text<'a> = "worktreeBranch";
    }

    /// A skill.
    SkillResult {
        /// Its name.
        command_name: Text<'a> = "commandName";
        /// Whether it was found.
        success: bool = "success";
        /// Tools that it allows.
        allowed_tools: Items<'a> = "allowedTools";
        /// The model that it asks for.
        model: Text<'a> = "model";
    }

    /// A message to another agent.
    SendMessageResult {
        /// What happened.
        message: Text<'a> = "message";
        /// Whether it arrived.
        success: bool = "success";
        /// From whom to whom.
        routing: Value<'a> = "routing";
        /// What it is pinned to.
        pin: Value<'a> = "pin";
        /// The agent that continues.
        resumed_agent: AgentId<'a> = "resumedAgentId";
    }

    /// A workflow of agents.
    WorkflowResult {
        run: Text<'a> = "runId";
        /// Its background task.
        task: Text<'a> = "taskId";
        status: Text<'a> = "status";
        /// Its script.
        script_path: Text<'a> = "scriptPath";
        /// The folder of its agents.
        transcript_dir: Text<'a> = "transcriptDir";
        /// Whether it runs in the background.
        is_async: bool = "isAsync";
    }
}

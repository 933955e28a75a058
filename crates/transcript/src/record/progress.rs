//! Progress of long-running work, by `data.type`. It can be most of the bytes of a file.

use crate::id::{AgentId, ToolUseId};
use crate::view::views;
use annals_json::{Fields, Items, Text};

use crate::record::words::word_kinds;

word_kinds! {
    /// What reports the progress: a tool, a hook, a sub-agent.
    ProgressKind, without:
        /// No type.
        Untyped = "untyped";
    /// A hook runs.
    Hook = "hook_progress";
    /// A command prints.
    Bash = "bash_progress";
    /// A command of the other shell prints.
    PowerShell = "powershell_progress";
    /// A sub-agent writes: repeats its messages whole.
    Agent = "agent_progress";
    /// An MCP tool runs.
    Mcp = "mcp_progress";
    /// A web search asks.
    QueryUpdate = "query_update";
    /// A web search found.
    SearchResultsReceived = "search_results_received";
    /// The client waits for a background task.
    WaitingForTask = "waiting_for_task";
    /// A skill runs.
    Skill = "skill_progress";
}

views! {
    /// A progress line.
    Progress {
        /// The news.
        data: ProgressData<'a> = "data";
        /// The tool call.
        tool_use: ToolUseId<'a> = "toolUseID";
        /// The tool call that started it all.
        parent_tool_use: ToolUseId<'a> = "parentToolUseID";
    }

    /// The progress.
    ProgressData {
        /// Its kind, as written.
        kind_name: Text<'a> = "type";
        /// `hook_progress`: the event.
        hook_event: Text<'a> = "hookEvent";
        /// `hook_progress`: the hook.
        hook_name: Text<'a> = "hookName";
        /// `hook_progress`: the command.
        command: Text<'a> = "command";
        /// `bash_progress`: the last lines.
        output: Text<'a> = "output";
        /// `bash_progress`: everything so far.
        full_output: Text<'a> = "fullOutput";
        /// `bash_progress`: seconds so far.
        elapsed_seconds: f64 = "elapsedTimeSeconds";
        /// `bash_progress`: lines so far.
        total_lines: u64 = "totalLines";
        /// `bash_progress`: bytes so far.
        total_bytes: u64 = "totalBytes";
        /// `bash_progress`: the limit.
        timeout_ms: u64 = "timeoutMs";
        /// `bash_progress`: the background task.
        task_id: Text<'a> = "taskId";
        /// `agent_progress`: a whole record of the sub-agent.
        message: Fields<'a> = "message";
        /// `agent_progress`: its messages again.
        normalized_messages: Items<'a> = "normalizedMessages";
        /// `agent_progress`: what it was asked.
        prompt: Text<'a> = "prompt";
        /// `agent_progress`: the sub-agent.
        agent: AgentId<'a> = "agentId";
        /// `agent_progress`: the sub-agent that it continues.
        resume: Text<'a> = "resume";
        /// `mcp_progress`: the status.
        status: Text<'a> = "status";
        /// `mcp_progress`: the server.
        server_name: Text<'a> = "serverName";
        /// `mcp_progress`: the tool.
        tool_name: Text<'a> = "toolName";
        /// `mcp_progress`: milliseconds so far.
        elapsed_ms: f64 = "elapsedTimeMs";
        /// Web search: what is asked.
        query: Text<'a> = "query";
        /// Web search: how many results.
        result_count: u64 = "resultCount";
        /// `waiting_for_task`: the task.
        task_description: Text<'a> = "taskDescription";
        /// `waiting_for_task`: its kind.
        task_type: Text<'a> = "taskType";
    }
}

impl Progress<'_> {
    /// Its kind.
    pub fn progress_kind(&self) -> ProgressKind {
        ProgressKind::of(self.data().and_then(|data| data.kind_name()))
    }
}

//! The result of a sub-agent, which links the session to the agent's file.

use super::{Draft, ToolOutcome, ToolResultDraft};
use annals_json::{ArrayWriter, ObjectWriter};

/// The result of a finished sub-agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentResultDraft<'a> {
    /// The id of the tool call that started it.
    pub tool_use: &'a str,
    /// The id of the sub-agent.
    pub agent: &'a str,
    /// What the agent was told to do.
    pub prompt: &'a str,
    /// Its last message.
    pub text: &'a str,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// Total tokens.
    pub tokens: u64,
    /// The number of tool calls.
    pub tool_uses: u64,
    /// Its last usage: a JSON object.
    pub usage: Option<&'a [u8]>,
}

impl Draft {
    /// Drafts the tool result of a sub-agent. It contains the agent id, by which clients link the agent to the call.
    pub fn agent_result(answer: AgentResultDraft<'_>) -> Self {
        let mut content = Vec::new();
        let mut list = ArrayWriter::begin(&mut content);
        list.object(|block| {
            block.string("type", "text").string("text", answer.text);
        });
        list.end();
        let mut shown = Vec::new();
        let mut object = ObjectWriter::begin(&mut shown);
        object.string("status", "completed").string("prompt", answer.prompt).string("agentId", answer.agent);
        object.raw("content", &content).number("totalDurationMs", answer.duration_ms);
        object.number("totalTokens", answer.tokens).number("totalToolUseCount", answer.tool_uses);
        if let Some(usage) = answer.usage {
            object.raw("usage", usage);
        }
        object.end();
        Draft::tool_result(ToolResultDraft {
            tool_use: answer.tool_use,
            content: &content,
            outcome: ToolOutcome::Done,
            shown: Some(&shown),
        })
    }
}

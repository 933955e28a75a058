//! What a sub-agent answered to the call that started it: the link from the session to the agent's file.

use super::{Draft, ToolAnswer, ToolOutcome};
use annals_json::{ArrayWriter, ObjectWriter};

/// A sub-agent that has finished.
#[derive(Clone, Copy, Debug)]
pub struct AgentAnswer<'a> {
    /// The call that started it.
    pub tool_use: &'a str,
    /// The sub-agent.
    pub agent: &'a str,
    /// What it was asked.
    pub prompt: &'a str,
    /// What it said last.
    pub text: &'a str,
    /// How long it took.
    pub duration_ms: u64,
    /// Tokens in all.
    pub tokens: u64,
    /// How many tools it called.
    pub tool_uses: u64,
    /// Its last usage: a JSON object.
    pub usage: Option<&'a [u8]>,
}

impl Draft {
    /// The result of a sub-agent, which names it: by this `annals show --as agents` links it, and so do the clients.
    pub fn agent_result(answer: AgentAnswer<'_>) -> Self {
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
        Draft::tool_result(ToolAnswer {
            tool_use: answer.tool_use,
            content: &content,
            outcome: ToolOutcome::Done,
            shown: Some(&shown),
        })
    }
}

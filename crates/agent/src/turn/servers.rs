//! What MCP servers offer in a turn: their tools before each request, and what the model should know to use them.

use annals_json::object;
use annals_policy::{Decision, Reason};
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;

use super::agent::Agent;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::mcp::McpServers;
use crate::tools::{Tool, ToolRequest};

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Offers the tools that the servers have now: they may have connected, or changed their lists.
    pub(super) fn offer_server_tools(&mut self) {
        if self.mcp.iter().next().is_none() {
            return;
        }
        let offered: Vec<_> =
            self.mcp.tools().into_iter().filter(|tool| !self.is_denied(tool.as_ref())).collect();
        self.tools.retain(|tool| !McpServers::is_tool(&tool.spec().name));
        self.tools.extend(offered);
    }

    /// Returns whether a rule denies every call of a tool: then the model does not see it.
    fn is_denied(&self, tool: &dyn Tool) -> bool {
        let decision = ToolRequest::Mcp(tool.spec().name).decide(&self.policy);
        matches!(decision, Decision::Deny { because: Reason::Rule { .. } })
    }

    /// Tells the model what servers say about themselves, once.
    pub(super) fn append_instructions(&mut self) -> Result<(), AppendError> {
        if !self.conversation.is_main() {
            return Ok(());
        }
        let now = self.mcp.instructions();
        if now.is_empty() && self.instructed.as_ref().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let known = match self.instructed.take() {
            Some(known) => known,
            None => self.conversation.instructed_servers()?,
        };
        let added: Vec<_> = now.iter().filter(|(name, _)| !known.contains(name)).collect();
        let removed: Vec<_> =
            known.iter().filter(|name| now.iter().all(|(other, _)| other != *name)).collect();
        if !added.is_empty() || !removed.is_empty() {
            let attachment = object(|attachment| {
                attachment.string("type", "mcp_instructions_delta").array("addedNames", |list| {
                    added.iter().for_each(|(name, _)| {
                        list.string(name);
                    });
                });
                attachment.array("addedBlocks", |list| {
                    added.iter().for_each(|(name, text)| {
                        list.string(&format!("## {name}\n{text}"));
                    });
                });
                attachment.array("removedNames", |list| {
                    removed.iter().for_each(|name| {
                        list.string(name);
                    });
                });
            });
            self.conversation.append(Draft::attachment(&attachment))?;
            self.conversation.mark_stale();
        }
        self.instructed = Some(now.into_iter().map(|(name, _)| name).collect());
        Ok(())
    }
}

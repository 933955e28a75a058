//! What `--permission-prompt-tool` names: a tool of an MCP server, or the program that drives this one.

use std::sync::Arc;

use annals_agent::mcp::{McpPermissionTool, McpServers};
use annals_agent::protocol::PermissionTool;
use annals_policy::screen::visible;

use super::control::STDIO;
use crate::args::{ChatArgs, ChatInput};
use crate::context::Context;

/// Returns the tool of a server that decides about calls, if an option names one.
pub(super) fn find(
    args: &ChatArgs,
    servers: &McpServers,
    context: &Context,
) -> Option<Arc<dyn PermissionTool>> {
    let name = args.sdk.permission_prompt_tool.as_deref()?;
    match name {
        name if name.starts_with("mcp__") => Some(Arc::new(McpPermissionTool::new(servers.clone(), name))),
        STDIO if args.input_format == ChatInput::StreamJson => None,
        other => {
            context.say(visible(&format!(
                "--permission-prompt-tool {other} has no effect: it is neither mcp__SERVER__TOOL nor, with --input-format stream-json, {}",
                STDIO
            )));
            None
        }
    }
}

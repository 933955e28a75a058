//! A tool of a server that decides about calls in place of a person: `--permission-prompt-tool`.

use annals_json::{Value, ValueKind, object};

use super::servers::McpServers;
use crate::protocol::{PermissionFuture, PermissionRequest, PermissionTool, Permit, PermitChanges};

/// A tool that is asked about calls.
#[derive(Debug)]
pub struct McpPermissionTool {
    servers: McpServers,
    /// The name for the model: `mcp__SERVER__TOOL`.
    name: String,
}

impl McpPermissionTool {
    /// Creates it; whether there is such a tool is known once the servers are connected.
    pub fn new(servers: McpServers, name: &str) -> Self {
        Self { servers, name: name.to_owned() }
    }

    async fn answer(&self, question: &PermissionRequest) -> Result<Permit, String> {
        let found = self.servers.iter().find_map(|server| {
            let tool = server.state().tools.into_iter().find(|tool| tool.full_name == self.name)?;
            Some((server, tool.name))
        });
        let Some((server, tool)) = found else { return Err("there is no such tool".to_owned()) };
        let input = object(|input| {
            input.string("tool_name", &question.tool).raw("input", &question.input);
            input.string("tool_use_id", &question.call);
        });
        let answer = server.answer_of(&tool, &input, &question.call).await;
        let answer = answer.map_err(|error| error.to_string())?;
        if answer.is_error {
            return Err(answer.text);
        }
        read(&answer.text).ok_or_else(|| "its answer cannot be read".to_owned())
    }
}

impl PermissionTool for McpPermissionTool {
    fn ask<'p>(&'p self, question: &'p PermissionRequest) -> PermissionFuture<'p> {
        Box::pin(async move {
            // Whatever is not a yes is a no.
            self.answer(question).await.unwrap_or_else(|why| Permit::Reject {
                message: format!("The permission tool {} gave no answer: {why}", self.name),
                should_interrupt: false,
            })
        })
    }
}

/// Reads an answer; `None` if it is neither a yes nor a no.
fn read(text: &str) -> Option<Permit> {
    let answer = Value::parse(text.as_bytes()).ok()?;
    let words = |key: &str| answer.get(key).and_then(Value::text).map(|text| text.to_string());
    match words("behavior")?.as_str() {
        "allow" => {
            let input = answer.get("updatedInput").filter(|input| input.kind() == ValueKind::Object);
            let input = input.map(|input| input.raw().to_vec());
            Some(Permit::AllowChanged(PermitChanges { input, ..PermitChanges::default() }))
        }
        "deny" => Some(Permit::Reject {
            message: words("message").unwrap_or_else(|| "The permission tool denied it.".to_owned()),
            should_interrupt: answer.get("interrupt").and_then(Value::boolean) == Some(true),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        let changed = read(r#"{"behavior":"allow","updatedInput":{"a":1}}"#);
        let input = Some(br#"{"a":1}"#.to_vec());
        assert_eq!(changed, Some(Permit::AllowChanged(PermitChanges { input, ..PermitChanges::default() })));
        assert!(
            matches!(read(r#"{"behavior":"deny","message":"no"}"#), Some(Permit::Reject { message, .. }) if message == "no")
        );
        for unclear in ["", "yes", "{}", r#"{"behavior":"maybe"}"#, r#"{"behavior":true}"#, "[]"] {
            assert_eq!(read(unclear), None, "{unclear}");
        }
    }
}

//! What the program says when it begins: types of sub-agents, and what it wants to see.

use annals_agent::subagent::{AgentDefinition, Toolset};
use annals_json::{RawJson, Text, Value, object};

use super::incoming::{ControlRequest, Incoming, text};
use super::serve::{is_true, items};

/// The first request of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Initialization {
    /// Types of sub-agents: JSON.
    agents: Option<RawJson>,
    /// The names of its MCP servers: JSON.
    servers: Option<RawJson>,
    /// Whether it wants to see what sub-agents say.
    pub(super) has_subagent_text: bool,
    /// What it wants and does not get, one line each.
    pub(super) problems: Vec<String>,
}

impl Initialization {
    /// Reads the first line of the program, which may be another one.
    pub(super) fn of(first: Option<&Incoming>) -> Self {
        let Some(Incoming::Request(request)) = first else { return Self::default() };
        if request.subtype != "initialize" {
            return Self::default();
        }
        Self {
            agents: request.get("agents"),
            servers: request.get("sdkMcpServers"),
            has_subagent_text: is_true(request, "forwardSubagentText"),
            problems: without_effect(request),
        }
    }

    /// Returns definitions of the MCP servers that it has, as in `--mcp-config`. The TypeScript SDK names them here.
    pub(super) fn servers(&self) -> Vec<String> {
        let names = items(self.servers.as_ref().map(RawJson::value)).filter_map(Value::text);
        let definition = |name: Text<'_>| {
            let name = name.decode();
            let json = object(|config| {
                config.object("mcpServers", |servers| {
                    servers.object(&name, |server| {
                        server.string("type", "sdk").string("name", &name);
                    });
                });
            });
            String::from_utf8_lossy(&json).into_owned()
        };
        names.map(definition).collect()
    }

    /// Returns the types of sub-agents that it defines.
    pub(super) fn agents(&self) -> Result<Vec<AgentDefinition>, String> {
        self.agents.as_ref().map_or(Ok(Vec::new()), |agents| definitions(agents.value()))
    }
}

fn without_effect(request: &ControlRequest) -> Vec<String> {
    let keys = ["skills", "systemPromptSnapshot", "excludeDynamicSections"];
    let given = keys.into_iter().filter(|key| request.get(key).is_some());
    given.map(|key| format!("{key} of the program has no effect")).collect()
}

/// Reads types of sub-agents: `{NAME: {description, prompt, tools, model}}`.
pub(in super::super) fn definitions(agents: Value<'_>) -> Result<Vec<AgentDefinition>, String> {
    let fields = agents.fields().ok_or("agents must be a JSON object")?;
    let definition = |(name, value): (String, Value<'_>)| {
        let about =
            text(value, "description").ok_or_else(|| format!("the agent {name:?} has no description"))?;
        let prompt = text(value, "prompt").ok_or_else(|| format!("the agent {name:?} has no prompt"))?;
        let listed = value.get("tools").filter(|tools| !tools.is_null());
        let names = |tools: Value<'_>| {
            items(Some(tools)).filter_map(Value::text).map(|tool| tool.to_string()).collect()
        };
        let tools = listed.map_or(Toolset::All, |tools| Toolset::These(names(tools)));
        let model = text(value, "model").filter(|model| model != "inherit");
        Ok(AgentDefinition { name, about, prompt, tools, model, hooks: None })
    };
    fields.iter().map(|field| (field.key.to_string(), field.value)).map(definition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_a_program_are_named() {
        let names = RawJson::parse(br#"["calc",7,"a\"b"]"#).unwrap();
        let begin = Initialization { servers: Some(names), ..Initialization::default() };
        assert_eq!(
            begin.servers(),
            [
                r#"{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}"#,
                r#"{"mcpServers":{"a\"b":{"type":"sdk","name":"a\"b"}}}"#
            ]
        );
        assert_eq!(Initialization::default().servers(), [""; 0]);
    }

    #[test]
    fn agents_of_a_program_are_read() {
        let json = br#"{"reviewer":{"description":"d","prompt":"p","tools":["Read"],"model":"inherit"}}"#;
        let read = definitions(Value::parse(json).unwrap()).unwrap();
        assert_eq!((read[0].name.as_str(), &read[0].model), ("reviewer", &None));
        assert!(read[0].tools.has("Read") && !read[0].tools.has("Bash"));
        for wrong in ["[]", r#"{"a":{}}"#, r#"{"a":{"description":"d"}}"#] {
            assert!(definitions(Value::parse(wrong.as_bytes()).unwrap()).is_err(), "{wrong}");
        }
    }
}

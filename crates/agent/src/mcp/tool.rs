//! A tool of an MCP server, as the model calls it: `mcp__SERVER__TOOL`.

use std::sync::Arc;

use annals_json::{Fields, Value, ValueKind, object};
use annals_policy::screen::is_hidden;

use super::content::{ResultLimits, outcome};
use super::message::text;
use super::saved::ResultFiles;
use super::server::McpServer;
use crate::api::request::ToolSpec;
use crate::tools::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};

/// The longest name that the API accepts.
const MAX_NAME: usize = 128;
/// The longest name of a property that the API accepts.
const MAX_PROPERTY: usize = 64;
/// The longest description that is passed on, in characters.
const MAX_DESCRIPTION: usize = 2048;
/// The most characters of a result that a tool can ask for.
const MAX_RESULT: usize = 500_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolDefinition {
    /// The name that the server gave it.
    pub(super) name: String,
    /// The name for the model.
    pub(super) full_name: String,
    /// What the server says about its effects, in the words of `mcp_status`: a JSON object.
    pub(super) annotations: Vec<u8>,
    /// The definition for the model: JSON.
    json: Vec<u8>,
    /// Whether the server says that it changes nothing.
    is_read_only: bool,
    /// Whether a person must agree to every call.
    is_interactive: bool,
    /// The most characters of a result, if it asks for more than usual.
    max_result: Option<usize>,
}

impl ToolDefinition {
    /// Reads the definition of a server; an error says why the tool cannot be used.
    pub(super) fn read(server: &str, tool: Value<'_>) -> Result<Self, String> {
        let name = text(tool, "name").filter(|name| !name.is_empty()).ok_or("a tool without a name")?;
        let full_name = format!("mcp__{}__{}", plain(server), plain(&name));
        if full_name.len() > MAX_NAME {
            return Err(format!("{full_name}: the name is too long"));
        }
        let schema = tool.get("inputSchema").filter(|schema| schema.kind() == ValueKind::Object);
        let schema = schema.ok_or_else(|| format!("{full_name}: it has no input schema"))?;
        if let Some(why) = refusal(schema) {
            return Err(format!("{full_name}: {why}"));
        }
        let about = clean(&text(tool, "description").unwrap_or_default());
        let about = match about.char_indices().nth(MAX_DESCRIPTION) {
            Some((end, _)) => format!("{}… [truncated]", &about[..end]),
            None => about,
        };
        let json = object(|spec| {
            spec.string("name", &full_name).string("description", &about).raw("input_schema", schema.raw());
        });
        let hints = tool.get("annotations").filter(|hints| hints.kind() == ValueKind::Object);
        let is_true = |value: Option<Value<'_>>| value.and_then(Value::boolean) == Some(true);
        let meta = |key: &str| tool.get("_meta").and_then(|meta| meta.get(key));
        let max_result = meta("anthropic/maxResultSizeChars").and_then(Value::count);
        Ok(Self {
            name,
            full_name,
            annotations: object(|told| {
                let all = [
                    ("readOnly", "readOnlyHint"),
                    ("destructive", "destructiveHint"),
                    ("openWorld", "openWorldHint"),
                ];
                for (name, hint) in all {
                    if is_true(hints.and_then(|hints| hints.get(hint))) {
                        told.boolean(name, true);
                    }
                }
            }),
            json,
            is_read_only: is_true(hints.and_then(|hints| hints.get("readOnlyHint"))),
            is_interactive: is_true(meta("anthropic/requiresUserInteraction")),
            max_result: max_result
                .and_then(|most| usize::try_from(most).ok())
                .map(|most| most.min(MAX_RESULT)),
        })
    }
}

/// Returns why the API would refuse a schema, and with it every request that contains it.
fn refusal(schema: Value<'_>) -> Option<String> {
    let is_object = schema.get("type").and_then(Value::text).is_some_and(|kind| kind.is("object"));
    if !is_object {
        return Some("its input is not an object".to_owned());
    }
    let combined = ["anyOf", "oneOf", "allOf"].into_iter().find(|key| schema.get(key).is_some());
    if let Some(key) = combined {
        return Some(format!("its schema has {key} at the top, which the API does not accept"));
    }
    let is_property = |name: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        !name.is_empty() && name.len() <= MAX_PROPERTY && name.bytes().all(is_letter)
    };
    let properties = schema.get("properties").and_then(Value::fields)?;
    let bad = properties.iter().map(|field| field.key.to_string()).find(|name| !is_property(name))?;
    Some(format!("the API does not accept a parameter called {bad:?}"))
}

/// Returns a name in which only letters, digits, `_` and `-` are left: the API accepts no others.
pub(super) fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    // The original replaces UTF-16 units: a character beyond them becomes two.
    let units =
        |letter: char| if is_plain(letter) { letter.to_string() } else { "_".repeat(letter.len_utf16()) };
    name.chars().map(units).collect()
}

/// Returns a text without characters that hide, reorder or control it: what a person cannot see should not instruct a model.
pub(super) fn clean(text: &str) -> String {
    text.chars().filter(|letter| matches!(letter, '\n' | '\t') || !is_hidden(*letter)).collect()
}

/// A tool of a server.
#[derive(Debug)]
pub struct McpTool {
    server: Arc<McpServer>,
    tool: ToolDefinition,
}

impl McpTool {
    pub(super) fn new(server: Arc<McpServer>, tool: ToolDefinition) -> Self {
        Self { server, tool }
    }
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.tool.full_name.clone(), json: self.tool.json.clone() }
    }

    fn order(&self) -> CallOrder {
        if self.tool.is_read_only { CallOrder::Parallel } else { CallOrder::Sequential }
    }

    fn must_ask(&self) -> bool {
        self.tool.is_interactive
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Mcp(self.tool.full_name.clone()))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            let called = self.server.call_tool(&self.tool.name, input, call.tool_use);
            let limits = ResultLimits {
                server: self.server.name(),
                tool: &self.tool.full_name,
                max_chars: self.tool.max_result.unwrap_or(self.server.limits.max_tokens.saturating_mul(4)),
                files: ResultFiles::of(call, &plain(self.server.name())),
            };
            match called.await {
                Ok(result) => outcome(&result, &limits),
                Err(error) => Outcome::failed(error.to_string(), &error.to_string()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<ToolDefinition, String> {
        ToolDefinition::read("my calc", Value::parse(json.as_bytes()).unwrap())
    }

    #[test]
    fn a_bad_tool_is_left_out_with_a_reason() {
        for bad in [
            "{}",
            r#"{"name":""}"#,
            r#"{"name":"a"}"#,
            r#"{"name":"a","inputSchema":[]}"#,
            r#"{"name":"a","inputSchema":{"type":"string"}}"#,
            r#"{"name":"a","inputSchema":{"type":"object","anyOf":[]}}"#,
            r#"{"name":"a","inputSchema":{"type":"object","properties":{"with space":{}}}}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let long = format!(r#"{{"name":"{}","inputSchema":{{"type":"object"}}}}"#, "n".repeat(200));
        assert!(read(&long).is_err());
        let tool =
            read(r#"{"name":"a.b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#);
        let tool = tool.unwrap();
        assert_eq!((tool.full_name.as_str(), tool.is_read_only), ("mcp__my_calc__a_b", true));
        assert_eq!(tool.annotations, br#"{"readOnly":true}"#);
    }

    #[test]
    fn names_are_plain_and_nothing_is_collapsed() {
        for (name, expected) in
            [("my server.x/é", "my_server_x__"), ("-dash_", "-dash_"), ("a__b", "a__b"), ("😀", "__")]
        {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn descriptions_hide_nothing() {
        let hostile = format!(
            r#"{{"name":"a","description":"one\u001b[2J\u202etwo\u200b\udb40\udc41{}","inputSchema":{{"type":"object"}}}}"#,
            "x".repeat(MAX_DESCRIPTION)
        );
        let tool = read(&hostile).unwrap();
        let json = String::from_utf8(tool.json).unwrap();
        assert!(json.contains("one[2Jtwoxxx") && json.contains("[truncated]"), "{json}");
    }
}

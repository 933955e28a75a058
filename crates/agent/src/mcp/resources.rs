//! Resources of servers: a tool that lists them, and one that reads them, under the names that the original gives them.

use annals_json::{ArrayWriter, Fields, RawJson, Value, object};

use super::content::ResultLimits;
use super::message::text;
use super::saved::ResultFiles;
use super::server::{McpLimits, McpStatus};
use super::servers::McpServers;
use super::tool::plain;
use crate::api::request::ToolSpec;
use crate::tools::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};

const LIST_ABOUT: &str =
    "Lists the resources of MCP servers: of all, or of one. Each has a `uri` for ReadMcpResourceTool.";
const READ_ABOUT: &str = "Reads a resource of an MCP server by its URI.";

pub(super) struct ListResources(McpServers);

pub(super) struct ReadResource(McpServers);

impl ListResources {
    pub(super) const NAME: &'static str = "ListMcpResourcesTool";

    pub(super) fn new(servers: McpServers) -> Self {
        Self(servers)
    }

    /// Returns the resources of the servers, each with its server, and what failed.
    async fn list(&self, only: Option<String>) -> Result<Vec<u8>, String> {
        if let Some(name) = only.as_ref().filter(|name| self.0.named(name).is_none()) {
            return Err(unknown(name, &self.0));
        }
        let (mut json, mut failures) = (Vec::new(), Vec::new());
        let mut list = ArrayWriter::begin(&mut json);
        let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
        for server in self.0.iter().filter(|server| is_wanted(server.name())) {
            let state = server.state();
            if !state.has_resources || state.status == McpStatus::Disabled {
                continue;
            }
            let listed = match server.live_transport().await {
                Ok(_) => server.pages("resources/list", "resources").await,
                Err(error) => Err(error),
            };
            let (items, problem) = match listed {
                Ok(listed) => listed,
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            failures.extend(problem.map(|why| format!("{}: {why}", server.name())));
            for item in &items {
                list.item().extend_from_slice(&with_server(Value::from_checked(item), server.name()));
            }
        }
        list.end();
        if failures.is_empty() { Ok(json) } else { Err(failures.join("\n")) }
    }
}

impl Tool for ListResources {
    fn spec(&self) -> ToolSpec {
        let json = object(|spec| {
            spec.string("name", Self::NAME).string("description", LIST_ABOUT);
            spec.raw(
                "input_schema",
                br#"{"type":"object","properties":{"server":{"type":"string","description":"Only resources of this server"}}}"#,
            );
        });
        ToolSpec { name: Self::NAME.to_owned(), json }
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Inward(Self::NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            let server = Value::parse(input).ok().and_then(|input| text(input, "server"));
            match self.list(server).await {
                Ok(json) if json == b"[]" => Outcome::text("No resources found.", json),
                Ok(json) => shown(&json, call, Self::NAME),
                Err(why) => Outcome::failed(why.clone(), &why),
            }
        })
    }
}

impl ReadResource {
    pub(super) const NAME: &'static str = "ReadMcpResourceTool";

    pub(super) fn new(servers: McpServers) -> Self {
        Self(servers)
    }

    async fn read(&self, name: &str, uri: &str) -> Result<Vec<u8>, String> {
        let server = self.0.named(name).ok_or_else(|| unknown(name, &self.0))?;
        server.live_transport().await.map_err(|error| error.to_string())?;
        let read = server.request("resources/read", |params| {
            params.string("uri", uri);
        });
        read.await.map_err(|error| error.to_string())
    }
}

impl Tool for ReadResource {
    fn spec(&self) -> ToolSpec {
        let json = object(|spec| {
            spec.string("name", Self::NAME).string("description", READ_ABOUT);
            spec.raw(
                "input_schema",
                br#"{"type":"object","properties":{"server":{"type":"string","description":"The server"},"uri":{"type":"string","description":"The URI of the resource"}},"required":["server","uri"]}"#,
            );
        });
        ToolSpec { name: Self::NAME.to_owned(), json }
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        for key in ["server", "uri"] {
            if input.text(key).is_none() {
                return Err(InputError(format!("The parameter `{key}` is missing.")));
            }
        }
        Ok(ToolRequest::Inward(Self::NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            let part =
                |key: &str| Value::parse(input).ok().and_then(|input| text(input, key)).unwrap_or_default();
            let (server, uri) = (part("server"), part("uri"));
            match self.read(&server, &uri).await {
                Ok(result) => {
                    let files = ResultFiles::of(call, &plain(&server));
                    shown(&contents(&result, &files), call, &server)
                }
                Err(why) => Outcome::failed(why.clone(), &why),
            }
        })
    }
}

/// Returns JSON as the result of a call; what is too large is saved.
fn shown(json: &[u8], call: &CallContext<'_>, server: &str) -> Outcome {
    let max_chars = McpLimits::default().max_tokens * 4;
    let files = ResultFiles::of(call, &plain(&format!("{server}-resource")));
    let limits = ResultLimits { server, tool: server, max_chars, files };
    let text = String::from_utf8_lossy(json);
    let is_large = text.chars().count() > max_chars;
    let (shown, kept) = limits.words(&text, "json");
    let kept = if is_large { kept } else { json.to_vec() };
    Outcome { shown, kept, ..Outcome::default() }
}

/// Returns the contents of a resource, with files in place of what is not text.
pub(super) fn contents(result: &[u8], files: &ResultFiles) -> Vec<u8> {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let items = Value::parse(result).ok().and_then(|result| result.get("contents"));
    object(|object| {
        object.array("contents", |list| {
            for item in items.into_iter().flat_map(Value::items) {
                let Some(blob) = text(item, "blob") else {
                    list.item().extend_from_slice(item.raw());
                    continue;
                };
                let media_type = text(item, "mimeType").unwrap_or_default();
                let place = match STANDARD.decode(blob.trim()) {
                    Ok(bytes) => files.save(&bytes, super::saved::ending(&media_type)),
                    Err(_) => "not saved: its data cannot be read".to_owned(),
                };
                list.object(|entry| {
                    entry.string("uri", &text(item, "uri").unwrap_or_default());
                    entry.string("mimeType", &media_type).string("text", &format!("[not text; {place}]"));
                });
            }
        });
    })
}

fn with_server(resource: Value<'_>, server: &str) -> Vec<u8> {
    object(|entry| {
        for field in resource.fields().iter().flat_map(|fields| fields.iter().collect::<Vec<_>>()) {
            entry.raw(&field.key.decode(), field.value.raw());
        }
        entry.raw("server", RawJson::string(server).raw());
    })
}

fn unknown(name: &str, servers: &McpServers) -> String {
    let names: Vec<&str> = servers.iter().map(|server| server.name()).collect();
    format!("Server {name:?} not found. Available servers: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_text_becomes_a_file() {
        let read = br#"{"contents":[{"uri":"a","text":"t"},{"uri":"b","blob":"QQ==","mimeType":"application/pdf"}]}"#;
        let json = String::from_utf8(contents(read, &ResultFiles::none())).unwrap();
        assert!(json.starts_with(r#"{"contents":[{"uri":"a","text":"t"},{"uri":"b","mimeType":"application/pdf","text":"[not text;"#), "{json}");
        assert_eq!(contents(b"x", &ResultFiles::none()), br#"{"contents":[]}"#);
    }

    #[test]
    fn a_resource_names_its_server() {
        let resource = with_server(Value::from_checked(br#"{"uri":"a","name":"n"}"#), "srv");
        assert_eq!(resource, br#"{"uri":"a","name":"n","server":"srv"}"#);
    }
}

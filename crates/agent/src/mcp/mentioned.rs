//! Resources that a prompt mentions: `@SERVER:URI`.

use annals_json::Value;

use super::message::text;
use super::resources::contents;
use super::saved::ResultFiles;
use super::server::{McpServer, McpStatus};
use super::servers::McpServers;

/// A resource with its contents.
pub(crate) struct MentionedResource {
    pub(crate) server: String,
    pub(crate) uri: String,
    /// Its name, or its address if it has none.
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// What the server answers: a JSON object with `contents`.
    pub(crate) content: Vec<u8>,
}

/// A resource that can be mentioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceEntry {
    /// `SERVER:URI`
    pub mention: String,
    /// What the server says of it, or its name.
    pub about: String,
}

impl McpServers {
    /// Returns resources of the servers that are connected, at most this many. A server that does not answer has none here;
    /// mentioning one of its resources says why.
    pub async fn resource_entries(&self, max: usize) -> Vec<ResourceEntry> {
        let mut entries = Vec::new();
        for server in self.iter() {
            let state = server.state();
            if !state.has_resources || state.status != McpStatus::Connected || entries.len() >= max {
                continue;
            }
            let Ok((listed, _)) = server.pages("resources/list", "resources").await else { continue };
            let listed = listed.iter().map(|resource| Value::from_checked(resource));
            entries.extend(listed.filter_map(|resource| entry(server.name(), resource)));
        }
        entries.truncate(max);
        entries
    }

    /// Reads a resource by `SERVER:URI`; `None` if that names no server with resources. An error says why it failed.
    pub(crate) async fn mentioned(&self, mention: &str) -> Option<Result<MentionedResource, String>> {
        let (server, uri) = mention.split_once(':').filter(|(_, uri)| !uri.is_empty())?;
        let server = self.named(server).filter(|server| server.state().has_resources)?;
        Some(read(server, uri).await)
    }
}

/// A resource as it is offered; `None` if nobody could type its address.
fn entry(server: &str, resource: Value<'_>) -> Option<ResourceEntry> {
    let mention = format!("{server}:{}", text(resource, "uri").filter(|uri| !uri.is_empty())?);
    let is_typed = |letter: char| !letter.is_control() && letter != '"';
    let about = text(resource, "description").or_else(|| text(resource, "name")).unwrap_or_default();
    mention.chars().all(is_typed).then_some(ResourceEntry { mention, about })
}

async fn read(server: &McpServer, uri: &str) -> Result<MentionedResource, String> {
    let (listed, _) = server.pages("resources/list", "resources").await.map_err(|error| error.to_string())?;
    let known = listed.iter().map(|resource| Value::from_checked(resource));
    let known = known.into_iter().find(|resource| text(*resource, "uri").as_deref() == Some(uri));
    let answer = server.request("resources/read", |params| {
        params.string("uri", uri);
    });
    let answer = answer.await.map_err(|error| error.to_string())?;
    Ok(MentionedResource {
        server: server.name().to_owned(),
        uri: uri.to_owned(),
        name: known.and_then(|resource| text(resource, "name")).unwrap_or_else(|| uri.to_owned()),
        description: known.and_then(|resource| text(resource, "description")),
        content: contents(&answer, &ResultFiles::none()),
    })
}

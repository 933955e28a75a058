//! Where servers are configured: `--mcp-config`, the client's state, `.mcp.json` of trusted folders.

use std::path::{Path, PathBuf};

use annals_agent::mcp::fingerprint;
use annals_json::Value;
use annals_policy::approvals::{ApprovalFile, ServerApproval};
use annals_policy::settings::EffectiveSettings;
use annals_store::mcp_servers::{McpEntry, McpFiles, McpScope};
use annals_store::read::read_input;

use super::administrator::{limit, managed_servers};
use super::launch::variable_of;
use crate::context::Context;
use crate::error::Fault;

/// Whether a server may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartPermission {
    /// The user has configured it, or approved it.
    Allowed,
    /// A project has configured it, and nobody has approved it.
    Unapproved,
    /// The user does not want it.
    Refused,
    /// Settings switch it off.
    Disabled,
    /// A list of settings denies it.
    Denied,
    /// A list of settings allows others.
    NotAllowed,
    /// The administrator has chosen others.
    Replaced,
}

impl StartPermission {
    /// Returns why a server is not started; `None` if it is.
    pub(crate) fn refusal(self, name: &str) -> Option<String> {
        match self {
            Self::Allowed => None,
            Self::Unapproved => Some(format!(
                "MCP server {name} of .mcp.json is not started: it is new or has changed; annals mcp approve {name} approves it"
            )),
            Self::Refused => {
                Some(format!("MCP server {name} of .mcp.json is not started: you have refused it"))
            }
            Self::Disabled => Some(format!(
                "MCP server {name} of .mcp.json is not started: disabledMcpjsonServers names it"
            )),
            Self::Denied => Some(format!("MCP server {name} is not started: deniedMcpServers names it")),
            Self::NotAllowed => {
                Some(format!("MCP server {name} is not started: allowedMcpServers does not name it"))
            }
            Self::Replaced => {
                Some(format!("MCP server {name} is not started: the administrator chooses the servers"))
            }
        }
    }

    /// Returns the word for lists.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Unapproved => "pending approval",
            Self::Refused => "refused",
            Self::Disabled => "disabled",
            Self::Denied => "denied",
            Self::NotAllowed => "not allowed",
            Self::Replaced => "replaced",
        }
    }
}

/// A server that is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundServer {
    pub(crate) name: String,
    /// `enterprise`, `dynamic`, `local`, `project` or `user`.
    pub(crate) scope: &'static str,
    /// Its definition: JSON.
    pub(crate) definition: Vec<u8>,
    /// The file; `None` for an argument.
    pub(crate) path: Option<PathBuf>,
    pub(crate) permission: StartPermission,
}

impl FoundServer {
    /// Returns the fingerprint of its definition.
    pub(crate) fn fingerprint(&self) -> String {
        fingerprint(&self.name, Value::from_checked(&self.definition))
    }
}

/// What is looked for.
pub(crate) struct ServerSearch<'s> {
    pub(crate) context: &'s Context,
    pub(crate) cwd: &'s Path,
    /// The values of `--mcp-config`.
    pub(crate) given: &'s [String],
    /// Whether only those count.
    pub(crate) is_strict: bool,
    /// Trusted folders, outermost first.
    pub(crate) trusted: Vec<PathBuf>,
    /// The settings in effect.
    pub(crate) settings: &'s EffectiveSettings,
    /// The file with the servers of the administrator.
    pub(crate) managed: &'s Path,
}

impl ServerSearch<'_> {
    /// Takes back the permission of a server that the administrator or a list does not let start. It may have variables of its own.
    pub(super) fn limit(&self, server: &mut FoundServer, own: &[(String, String)]) {
        let (context, scope) = (self.context, server.scope);
        let variable = |name: &str| {
            let own = own.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            own.or_else(|| variable_of(self.settings, context, scope, name))
        };
        limit(server, &self.settings.server_lists, self.managed, &variable);
    }
}

/// Returns the servers, by precedence: the first of a name wins. Also what could not be read, one line each.
pub(crate) fn find(search: &ServerSearch<'_>) -> Result<(Vec<FoundServer>, Vec<String>), Fault> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    match managed_servers(search.managed) {
        Some(Ok(servers)) => found = servers,
        Some(Err(problem)) => problems.push(problem),
        None => {}
    }
    configured(search, &mut found, &mut problems)?;
    found.iter_mut().for_each(|server| search.limit(server, &[]));
    Ok((found, problems))
}

fn configured(
    search: &ServerSearch<'_>,
    found: &mut Vec<FoundServer>,
    problems: &mut Vec<String>,
) -> Result<(), Fault> {
    for given in search.given {
        match of_argument(given, search.cwd) {
            Ok(servers) => found.extend(servers),
            Err(problem) => problems.push(problem),
        }
    }
    if search.is_strict {
        return Ok(());
    }
    let (config, home) = (search.context.store.config_dir(), search.context.home.as_deref());
    let mut take = |files: &McpFiles, scope: McpScope| match files.entries(scope) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(error.to_string());
            Vec::new()
        }
    };
    let here = McpFiles::new(config, home, search.cwd);
    let of_user = |entry: McpEntry| server(entry, StartPermission::Allowed);
    found.extend(take(&here, McpScope::Local).into_iter().map(of_user));
    let approvals = ApprovalFile::new(&search.context.data_dir()?);
    for folder in search.trusted.iter().rev() {
        for entry in take(&McpFiles::new(config, home, folder), McpScope::Project) {
            let mut server = server(entry, StartPermission::Unapproved);
            server.permission = match approvals.of(folder, &server.fingerprint()) {
                _ if search.settings.disabled_servers.contains(&server.name) => StartPermission::Disabled,
                Ok(ServerApproval::Approved) => StartPermission::Allowed,
                Ok(ServerApproval::Refused) => StartPermission::Refused,
                Ok(ServerApproval::Open) | Err(_) => StartPermission::Unapproved,
            };
            found.push(server);
        }
    }
    found.extend(take(&here, McpScope::User).into_iter().map(of_user));
    Ok(())
}

fn server(entry: McpEntry, permission: StartPermission) -> FoundServer {
    let McpEntry { name, definition, scope, path, .. } = entry;
    FoundServer { name, scope: scope.name(), definition, path: Some(path), permission }
}

/// Reads a value of `--mcp-config`: JSON, or a file.
fn of_argument(given: &str, cwd: &Path) -> Result<Vec<FoundServer>, String> {
    let bytes = match given.trim_start().starts_with('{') {
        true => given.as_bytes().to_vec(),
        false => read_input(&cwd.join(given)).map_err(|error| format!("--mcp-config: {error}"))?,
    };
    let listed = Value::parse(&bytes).ok().and_then(|config| config.get("mcpServers")?.fields());
    let listed = listed.ok_or_else(|| "--mcp-config has no mcpServers object".to_owned())?;
    let server = |entry: annals_json::Field<'_>| FoundServer {
        name: entry.key.to_string(),
        scope: "dynamic",
        definition: entry.value.raw().to_vec(),
        path: None,
        permission: StartPermission::Allowed,
    };
    Ok(listed.iter().map(server).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_json_or_files() {
        let config = r#"{"mcpServers":{"calc":{"type":"sdk","name":"calc"},"other":{"command":"x"}}}"#;
        let names: Vec<String> =
            of_argument(config, Path::new("/")).unwrap().into_iter().map(|server| server.name).collect();
        assert_eq!(names, ["calc", "other"]);
        for wrong in ["no/such/file", "{}", "{", r#"{"mcpServers":[]}"#] {
            assert!(of_argument(wrong, Path::new("/")).is_err(), "{wrong}");
        }
    }
}

//! What the administrator says about servers: those of `managed-mcp.json` take the place of all others, and lists in settings say
//! which may be started.

use std::path::{Path, PathBuf};

use annals_agent::mcp::{McpServerConfig, ServerKind};
use annals_json::Value;
use annals_policy::server_lists::{ServerLists, ServerRefusal, ServerTarget};
use annals_store::read::read_input;

use super::super::setup::MANAGED;
use super::found::{FoundServer, StartPermission};

/// Returns the file with the servers of the administrator, beside the settings.
pub(crate) fn managed_file() -> PathBuf {
    Path::new(MANAGED).with_file_name("managed-mcp.json")
}

/// Returns the servers of the administrator; `None` if there is no such file. One that cannot be read still takes the place of others.
pub(super) fn managed_servers(path: &Path) -> Option<Result<Vec<FoundServer>, String>> {
    path.symlink_metadata().ok()?;
    let wrong = |why: &str| format!("{}: {why}; no MCP server is started", path.display());
    let bytes = match read_input(path) {
        Ok(bytes) => bytes,
        Err(error) => return Some(Err(wrong(&error.to_string()))),
    };
    let listed = Value::parse(&bytes).ok().and_then(|config| config.get("mcpServers")?.fields());
    let Some(listed) = listed else { return Some(Err(wrong("it has no mcpServers object"))) };
    let server = |entry: annals_json::Field<'_>| FoundServer {
        name: entry.key.to_string(),
        scope: "enterprise",
        definition: entry.value.raw().to_vec(),
        path: Some(path.to_path_buf()),
        permission: StartPermission::Allowed,
    };
    Some(Ok(listed.iter().map(server).collect()))
}

/// Takes back the permission of a server that the file of the administrator or a list does not let start. `variable` fills in its
/// definition: what counts is what would run.
pub(super) fn limit(
    server: &mut FoundServer,
    lists: &ServerLists,
    managed: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) {
    let definition = Value::from_checked(&server.definition);
    // A definition that cannot be used is reported when it is read again.
    let Ok(config) = McpServerConfig::read(&server.name, definition, variable) else { return };
    let (words, url);
    let target = match &config.kind {
        ServerKind::Sdk => ServerTarget::Program,
        ServerKind::Stdio { command, args, .. } => {
            words = std::iter::once(command).chain(args).cloned().collect::<Vec<_>>();
            ServerTarget::Command(&words)
        }
        ServerKind::Http(remote) | ServerKind::Sse(remote) => {
            url = remote.comparable_url();
            ServerTarget::Url(&url)
        }
    };
    let is_exclusive = managed.symlink_metadata().is_ok();
    let is_replaced = is_exclusive && server.scope != "enterprise" && target != ServerTarget::Program;
    server.permission = match lists.refusal(&server.name, target) {
        _ if is_replaced => StartPermission::Replaced,
        Some(ServerRefusal::Denied) => StartPermission::Denied,
        Some(ServerRefusal::NotAllowed) => StartPermission::NotAllowed,
        None => server.permission,
    };
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    fn found(scope: &'static str, definition: &str) -> FoundServer {
        FoundServer {
            name: "srv".to_owned(),
            scope,
            definition: definition.as_bytes().to_vec(),
            path: None,
            permission: StartPermission::Allowed,
        }
    }

    #[test]
    fn the_servers_of_the_administrator_take_the_place_of_others() {
        let temp = TempDir::new("managed");
        let path = temp.path().join("managed-mcp.json");
        assert!(managed_servers(&path).is_none());
        std::fs::write(&path, r#"{"mcpServers":{"a":{"command":"x"}}}"#).unwrap();
        let servers = managed_servers(&path).unwrap().unwrap();
        assert_eq!((servers[0].name.as_str(), servers[0].scope), ("a", "enterprise"));
        for wrong in ["{", "[]", "{}"] {
            std::fs::write(&path, wrong).unwrap();
            assert!(managed_servers(&path).unwrap().unwrap_err().contains("no MCP server is started"));
        }
        let after = |scope, definition: &str| {
            let mut server = found(scope, definition);
            limit(&mut server, &ServerLists::default(), &path, &|_| None);
            server.permission
        };
        assert_eq!(after("user", r#"{"command":"x"}"#), StartPermission::Replaced);
        assert_eq!(after("enterprise", r#"{"command":"x"}"#), StartPermission::Allowed);
        assert_eq!(after("dynamic", r#"{"type":"sdk","name":"srv"}"#), StartPermission::Allowed);
    }

    #[test]
    fn lists_see_what_would_run() {
        let settings = r#"{"deniedMcpServers":[{"serverCommand":["npx","evil"]},{"serverUrl":"https://evil.example/*"}]}"#;
        let settings = annals_policy::Settings::parse(
            settings.as_bytes(),
            annals_policy::rules::SettingsSource::User,
            Path::new("s"),
        );
        let after = |definition: &str| {
            let mut server = found("user", definition);
            let variable = |name: &str| (name == "X").then(|| "evil".to_owned());
            limit(&mut server, &settings.server_lists, Path::new("/no/such/file"), &variable);
            server.permission
        };
        assert_eq!(after(r#"{"command":"npx","args":["${X}"]}"#), StartPermission::Denied);
        assert_eq!(
            after(r#"{"type":"http","url":"https://me:pw@EVIL.example/mcp"}"#),
            StartPermission::Denied
        );
        assert_eq!(after(r#"{"command":"npx","args":["good"]}"#), StartPermission::Allowed);
    }
}

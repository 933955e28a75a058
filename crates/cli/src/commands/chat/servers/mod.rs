//! MCP servers of a conversation: where they are configured, whether they may start, and how they are connected.

mod administrator;
mod found;
mod health;
mod launch;

use std::sync::Arc;

use annals_agent::mcp::{
    ConfigConnector, McpOrigin, McpServer, McpServerConfig, McpServers, McpTransport, ServerKind,
};
use annals_agent::plugin::Plugin;
use annals_json::Value;
use annals_policy::rules::SettingsSource;
use annals_policy::screen::visible;
use annals_policy::secret::Secret;

pub(crate) use administrator::managed_file;
pub(crate) use found::{FoundServer, ServerSearch, StartPermission, find};
pub(crate) use health::{ServerHealth, check};
use launch::limits;
pub(crate) use launch::{launch, variable_of};

use super::sandbox::{self, HelperFiles};
use super::setup::{Setup, SourceChoice};
use super::{Program, plugins};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::stderr;

/// Makes the transport to a server inside the program that drives this one.
pub(super) type ProgramTransports = Box<dyn Fn(&str) -> Arc<dyn McpTransport>>;

/// A server whose definition cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkippedServer {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) message: String,
}

/// The servers of a conversation, and what is wrong with others.
#[derive(Debug, Default)]
pub(super) struct ConfiguredServers {
    pub(super) servers: McpServers,
    pub(super) skipped: Vec<SkippedServer>,
    /// What a person should know, one line each.
    pub(super) notes: Vec<String>,
}

impl ConfiguredServers {
    /// Finds the servers; they are connected by [`connect`].
    pub(super) fn new(
        args: &ChatArgs,
        setup: &Setup,
        context: &Context,
        (program, plugins): (&Program, &[Plugin]),
    ) -> Result<Self, Fault> {
        let given: Vec<String> = args.sdk.mcp_config.iter().chain(&program.servers).cloned().collect();
        let has_project = SourceChoice::new(args)?.has(SettingsSource::Project);
        let search = ServerSearch {
            context,
            cwd: &setup.cwd,
            given: &given,
            is_strict: args.sdk.strict_mcp_config,
            trusted: if has_project { setup.trusted_folders(context) } else { Vec::new() },
            settings: &setup.effective,
            managed: &managed_file(),
        };
        let (mut found, mut notes) = find(&search)?;
        for plugin in plugins.iter().filter(|_| !args.sdk.strict_mcp_config) {
            let own = plugins::variables(plugin, context.store.config_dir());
            found.extend(of_plugin(plugin).map(|mut server| {
                search.limit(&mut server, &own);
                server
            }));
        }
        let untrusted = setup.cwd.join(".mcp.json");
        if !args.sdk.strict_mcp_config && has_project && !setup.is_trusted() && untrusted.is_file() {
            notes.push(format!(
                "servers of {} are not started: the folder is not trusted",
                untrusted.display()
            ));
        }
        let confined = sandbox::for_helpers(setup, HelperFiles::default(), context)?;
        let launch = launch(&setup.effective, &setup.cwd, confined, context)?;
        let (mut servers, mut skipped): (Vec<McpServer>, Vec<SkippedServer>) = (Vec::new(), Vec::new());
        for server in found {
            if let Some(why) = server.permission.refusal(&server.name) {
                notes.push(why);
                continue;
            }
            // Of two servers with one name the one of the nearer scope is used.
            if servers.iter().any(|known| known.name() == server.name) {
                continue;
            }
            let plugin =
                plugins.iter().find(|plugin| plugin.servers.iter().any(|(name, _)| *name == server.name));
            let own = plugin.map(|plugin| plugins::variables(plugin, context.store.config_dir()));
            let variable = |name: &str| {
                let own =
                    own.iter().flatten().find(|(known, _)| known == name).map(|(_, value)| value.clone());
                own.or_else(|| variable_of(&setup.effective, context, server.scope, name))
            };
            let definition = Value::from_checked(&server.definition);
            let mut config = match McpServerConfig::read(&server.name, definition, &variable) {
                Ok(config) => config,
                Err(error) => {
                    notes.push(format!("MCP server {} is not started: {error}", server.name));
                    let (kind, message) = (error.name(), error.to_string());
                    skipped.push(SkippedServer { name: server.name, kind, message });
                    continue;
                }
            };
            if let ServerKind::Stdio { env, .. } = &mut config.kind {
                let own =
                    own.iter().flatten().map(|(name, value)| (name.clone(), Secret::from(value.clone())));
                env.extend(own);
            }
            notes.extend(config.notes.iter().map(|note| format!("MCP server {}: {note}", server.name)));
            let limits = limits(&setup.effective, context, config.timeout, config.kind.name());
            let made = match (&config.kind, &program.transports) {
                (ServerKind::Sdk, Some(transports)) => {
                    McpServer::of_program(&server.name, transports(&server.name), limits)
                }
                (ServerKind::Sdk, None) => {
                    notes.push(format!(
                        "MCP server {} is not started: no program drives this session",
                        server.name
                    ));
                    continue;
                }
                (kind, _) => {
                    let origin = McpOrigin {
                        transport: kind.name(),
                        scope: server.scope,
                        source: server.scope,
                        folder: Some(setup.cwd.clone()),
                    };
                    let connector = ConfigConnector::new(&server.name, kind.clone(), launch.clone());
                    McpServer::new(&server.name, origin, Box::new(connector), limits)
                }
            };
            servers.push(made);
        }
        Ok(Self { servers: McpServers::new(servers, launch.processes), skipped, notes })
    }
}

/// Returns the servers of a plugin, which the person has chosen to use.
fn of_plugin(plugin: &Plugin) -> impl Iterator<Item = FoundServer> + '_ {
    plugin.servers.iter().map(|(name, definition)| FoundServer {
        name: name.clone(),
        scope: "plugin",
        definition: definition.clone(),
        path: None,
        permission: StartPermission::Allowed,
    })
}

/// Connects servers, each by itself, and reports what is wrong with them. Returns when all are connected or have failed.
pub(super) async fn connect(servers: &McpServers, report: impl Fn(String) + Clone + Send + 'static) {
    for server in servers.iter() {
        let (server, report) = (Arc::clone(server), report.clone());
        tokio::spawn(async move {
            server.connect_patiently().await;
            problems(&server).into_iter().for_each(report);
        });
    }
    servers.settle().await;
    servers.clashes().into_iter().for_each(|clash| report(visible(&clash)));
}

/// Says what is wrong with a server, unless `--quiet`.
pub(super) fn say(line: &str, is_loud: bool) {
    if is_loud {
        stderr::say(format_args!("annals: {line}"));
    }
}

/// Returns what is wrong with a server, one line each.
pub(super) fn problems(server: &McpServer) -> Vec<String> {
    let state = server.state();
    let lines = state.status.failure().map(str::to_owned).into_iter().chain(state.problems);
    lines.map(|line| visible(&format!("MCP server {}: {line}", server.name())).replace('\n', " ")).collect()
}

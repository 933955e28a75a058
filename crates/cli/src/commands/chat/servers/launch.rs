//! What servers are started with: their environment, how they are reached, how long things may take.

use std::path::Path;
use std::time::Duration;

use annals_agent::mcp::{McpHttp, McpLaunch, McpLimits, McpProcesses, TokenFile};
use annals_agent::tools::bash::{HelperSandbox, for_commands};
use annals_policy::settings::EffectiveSettings;
use annals_store::source::new_uuid;

use super::super::access;
use crate::context::Context;
use crate::error::Fault;

/// How long a server over HTTP may be silent during a call.
const HTTP_IDLE: Duration = Duration::from_secs(300);

type Variables = Vec<(std::ffi::OsString, std::ffi::OsString)>;

/// Returns the variables of the environment and of the settings; no API keys of this program are among them.
fn variables(settings: &EffectiveSettings, context: &Context) -> Variables {
    let set = settings.environment.iter().filter(|(name, _)| !name.starts_with("ANTHROPIC_"));
    let set = set.map(|(name, value)| (name.into(), value.reveal().into()));
    context.variables.iter().cloned().chain(set).collect()
}

/// Returns what all servers of a conversation are started with.
pub(crate) fn launch(
    settings: &EffectiveSettings,
    cwd: &Path,
    sandbox: Option<HelperSandbox>,
    context: &Context,
) -> Result<McpLaunch, Fault> {
    Ok(McpLaunch {
        sandbox,
        tokens: context.data_dir().ok().map(|data| TokenFile::new(&data)),
        environment: for_commands(&variables(settings, context)),
        folder: cwd.to_path_buf(),
        mark: new_uuid(&context.source),
        processes: McpProcesses::default(),
        http: McpHttp {
            proxy: access::proxy(settings, context),
            trusted: access::trusted(settings, context)?,
            user_agent: concat!("annals/", env!("CARGO_PKG_VERSION")).to_owned(),
        },
    })
}

/// Returns a variable for the definition of a server. A project's definition gets no secrets.
pub(crate) fn variable_of(
    settings: &EffectiveSettings,
    context: &Context,
    scope: &str,
    name: &str,
) -> Option<String> {
    let all = variables(settings, context);
    let all = if scope == "project" { for_commands(&all) } else { all };
    let found = all.into_iter().rev().find(|(known, _)| known == name);
    found.and_then(|(_, value)| value.into_string().ok())
}

/// Returns how long things may take, by variables and the definition.
pub(super) fn limits(
    settings: &EffectiveSettings,
    context: &Context,
    timeout: Option<Duration>,
    transport: &str,
) -> McpLimits {
    let usual = McpLimits::default();
    let number = |name: &str| -> Option<u64> {
        let value = access::variable(settings, context, name)?;
        let number = value.trim().parse().ok().filter(|number| *number > 0);
        if number.is_none() {
            context.say(format!("ignoring {name}: {value:?} is not a positive number"));
        }
        number
    };
    let millis = |name: &str| number(name).map(Duration::from_millis);
    let idle = if transport == "stdio" { usual.idle } else { HTTP_IDLE };
    McpLimits {
        connect: millis("MCP_TIMEOUT").unwrap_or(usual.connect),
        call: timeout.or_else(|| millis("MCP_TOOL_TIMEOUT")).unwrap_or(usual.call),
        idle: millis("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT").unwrap_or(idle),
        max_tokens: number("MAX_MCP_OUTPUT_TOKENS")
            .and_then(|number| usize::try_from(number).ok())
            .unwrap_or(usual.max_tokens),
    }
}

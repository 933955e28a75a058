//! `headersHelper` of a definition: a command that prints headers, run for each connection.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use annals_json::Value;
use annals_policy::secret::Secret;
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::config::RemoteServer;
use super::connect::McpLaunch;
use super::server::McpError;

/// How long the command may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes that are read of what it prints.
const MAX_OUTPUT: u64 = 64 << 10;

type Headers = Vec<(String, Secret)>;

/// Returns the headers of a server: those of the definition, and those that the command prints, which win.
pub(super) async fn all_headers(
    server: &str,
    remote: &RemoteServer,
    launch: &McpLaunch,
    mark: String,
) -> Result<Headers, McpError> {
    let Some(helper) = &remote.headers_helper else { return Ok(remote.headers.clone()) };
    let failed = |why: &str| McpError::Unreachable(format!("headersHelper {why}"));
    let mut command = shell(helper, launch);
    command.env("CLAUDE_CODE_MCP_SERVER_NAME", server).env("CLAUDE_CODE_MCP_SERVER_URL", &remote.url);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = launch.processes.groups.launch(&mut command, mark);
    let (group, pipes) = started.map_err(|error| failed(&format!("cannot be started: {error}")))?;
    let mut output = pipes.output.ok_or_else(|| failed("has no output"))?;
    let reading = tokio::task::spawn_blocking(move || {
        let mut printed = Zeroizing::new(Vec::new());
        let read = output.by_ref().take(MAX_OUTPUT).read_to_end(&mut printed);
        read.map(|_| printed)
    });
    let ended = timeout(TIMEOUT, async { (reading.await, group.wait().await) }).await;
    let Ok((printed, exit)) = ended else {
        group.end();
        return Err(failed(&format!("did not finish within {} s", TIMEOUT.as_secs())));
    };
    if exit.code() != 0 {
        return Err(failed(&format!("failed: exit {}", exit.code())));
    }
    let printed = printed.ok().and_then(Result::ok).ok_or_else(|| failed("cannot be read"))?;
    let more = parse(&printed).ok_or_else(|| failed("did not print a JSON object of strings"))?;
    let mut headers = remote.headers.clone();
    headers.retain(|(name, _)| !more.iter().any(|(newer, _)| newer.eq_ignore_ascii_case(name)));
    headers.extend(more);
    Ok(headers)
}

fn shell(helper: &str, launch: &McpLaunch) -> Command {
    let arguments: [OsString; 2] = ["-c".into(), helper.into()];
    let mut command = match &launch.sandbox {
        Some(sandbox) => sandbox.command(&launch.folder, OsStr::new("sh"), &arguments),
        None => {
            let mut command = Command::new("sh");
            command.args(arguments).current_dir(&launch.folder);
            command
        }
    };
    command.env_clear().envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.env("CLAUDE_PROJECT_DIR", &launch.folder);
    command
}

fn parse(printed: &[u8]) -> Option<Headers> {
    let fields = Value::parse(printed).ok()?.fields()?;
    fields
        .iter()
        .map(|field| Some((field.key.to_string(), Secret::from(field.value.text()?.into_string()))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_of_texts_is_taken() {
        assert_eq!(parse(b" {\"A\":\"b\"}\n").unwrap()[0].0, "A");
        for wrong in ["", "[]", "{\"A\":1}", "{\"A\":\"b\"} x", "A: b"] {
            assert!(parse(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}

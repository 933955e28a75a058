//! `annals mcp serve`: the tools of `annals_memory` over standard input and output, or over HTTP on this machine.

#[cfg(feature = "serve")]
mod http;
pub(in crate::commands) mod store;
mod team;

use std::cell::RefCell;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::Arc;

use annals_memory::{Memory, MemoryOptions, MemoryServer, ToolGroup};
use annals_transcript::redact::SecretRules;

use crate::args::McpServeArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use store::ContextStore;
use team::TeamCommands;

/// Longer messages are refused.
const MAX_MESSAGE: u64 = 4 * 1024 * 1024;

/// The variable by which the original client tells a server its session.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

pub(super) fn run(args: &McpServeArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let project = project(args, context)?;
    if args.http {
        #[cfg(feature = "serve")]
        return http::run(args, project, context);
        #[cfg(not(feature = "serve"))]
        return Err(crate::commands::not_built_in("mcp serve --http"));
    }
    if context.stdin_is_terminal() {
        return Err(Fault::usage(
            "standard input is a terminal: a client starts this server, and talks to it",
        )
        .hint("annals mcp install registers it with clients; --http listens instead"));
    }
    let shared = RefCell::new(context);
    let mut server = server(args, project, &shared)?;
    let mut input = io::stdin().lock();
    while let Some(message) = next_line(&mut input)? {
        // Messages are separated by line breaks, and some clients write empty lines.
        if message.trim_ascii().is_empty() {
            continue;
        }
        for answer in server.take(&message) {
            let out = &mut shared.borrow_mut().out;
            out.json_text(&answer)?;
            out.json_text(b"\n")?;
        }
        shared.borrow_mut().out.flush()?;
    }
    Ok(Outcome::Done)
}

/// Reads a line. Of one that is too long the beginning is returned, which is no message.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_MESSAGE).read_until(b'\n', &mut line)?;
    if line.len() as u64 == MAX_MESSAGE && line.last() != Some(&b'\n') {
        line.truncate(1);
        input.skip_until(b'\n')?;
    }
    Ok((!line.is_empty()).then_some(line))
}

/// The folder whose sessions come first.
fn project(args: &McpServeArgs, context: &Context) -> Result<Option<PathBuf>, Fault> {
    let Some(folder) = &args.project else { return Ok(context.current_dir.clone()) };
    let real = folder.canonicalize();
    real.map(Some).map_err(|error| Fault::usage(format!("{}: {error}", folder.display())))
}

/// The server, with the stores and the session that it is started from.
fn server<'c>(
    args: &McpServeArgs,
    project: Option<PathBuf>,
    shared: &'c RefCell<&'c mut Context>,
) -> Result<MemoryServer<ContextStore<'c>>, Fault> {
    let team = TeamCommands::new(args, &shared.borrow())?;
    let mut groups = Vec::new();
    groups.extend(args.allow_changes.then_some(ToolGroup::Changes));
    groups.extend(team.is_some().then_some(ToolGroup::Team));
    let variable = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
        (name == SESSION_VARIABLE).then(|| value.to_string_lossy().into_owned())
    };
    let session = shared.borrow().variables.iter().find_map(variable);
    let store = ContextStore::new(shared).with_team(team);
    Ok(MemoryServer::new(memory_of(store, shared, project, session)?, &groups, env!("CARGO_PKG_VERSION")))
}

/// The past, asked from a folder and a session.
pub(in crate::commands) fn memory<'c>(
    shared: &'c RefCell<&'c mut Context>,
    project: Option<PathBuf>,
    session: Option<String>,
) -> Result<Memory<ContextStore<'c>>, Fault> {
    memory_of(ContextStore::new(shared), shared, project, session)
}

fn memory_of<'c>(
    store: ContextStore<'c>,
    shared: &'c RefCell<&'c mut Context>,
    project: Option<PathBuf>,
    session: Option<String>,
) -> Result<Memory<ContextStore<'c>>, Fault> {
    let context = shared.borrow();
    let rules = SecretRules::new(&[], &context.redaction_patterns(&[]));
    let rules = rules.map_err(|error| Fault::internal(error.to_string()))?;
    let options = MemoryOptions { project, session, rules, source: Arc::new(context.source) };
    Ok(Memory::new(store, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_no_message_and_the_next_one_is() {
        let mut input = vec![b'['; MAX_MESSAGE as usize + 10];
        input.extend_from_slice(b"\n{}\n");
        let mut reader = io::BufReader::new(&input[..]);
        assert_eq!(next_line(&mut reader).unwrap().unwrap(), b"[");
        assert_eq!(next_line(&mut reader).unwrap().unwrap(), b"{}\n");
        assert_eq!(next_line(&mut reader).unwrap(), None);
    }
}

//! The command of the status line: it gets what is known of the session, and prints what is shown. It runs like a hook.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use super::HandlerContext;

/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of its output that are read.
const MAX_BYTES: usize = 16 << 10;

/// Runs the command of a status line in a folder, for a terminal of these columns and rows, and returns what it printed; `None` if
/// it cannot be started or takes too long. Dropped before that, it is ended.
pub async fn run_status_line(
    context: &HandlerContext,
    command: &str,
    input: &[u8],
    folder: &Path,
    (columns, rows): (u16, u16),
) -> Option<String> {
    let mut program = context.shells.helper(folder, OsStr::new("sh"), &["-c".into(), command.into()]);
    program.envs(context.variables.iter().map(|(name, value)| (name, value)));
    program.env("CLAUDE_PROJECT_DIR", &context.project);
    program.env("COLUMNS", columns.to_string()).env("LINES", rows.to_string());
    let process = context.shells.start_piped(&mut program, input).ok()?;
    tokio::time::timeout(TIMEOUT, process.wait()).await.ok()?;
    Some(String::from_utf8_lossy(&process.stdout.part(0, MAX_BYTES)).into_owned())
}

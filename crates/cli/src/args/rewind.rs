//! The arguments of `annals rewind`.

use super::ConfirmArgs;

const REWIND_EXAMPLES: &str = "\
Files are restored from the copies that the client made before its tools
changed them, and from those that annals made before and after its commands;
other changes by commands and by people have no copy. If something else changed
a file since, nothing is done without --force. Files that configure programs
(.envrc, .vscode, .claude, CLAUDE.md) are left alone without it. Files outside
the session's folder, in .git, behind links, or with several names are never
touched. The conversation continues from before the prompt in every client.
`annals undo` reverts it all.

Examples:
  # List the turns, and how many files each changed
  annals rewind last

  # What would change: files and conversation, to before prompt 2
  annals rewind 190c --to 2 --dry-run

  # Only the conversation, to before the last prompt
  annals rewind 190c --to last --conversation";

/// `annals rewind`
#[derive(Debug, clap::Args)]
#[command(after_help = REWIND_EXAMPLES)]
pub(crate) struct RewindArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Go back to before this prompt: its number, id prefix, or `last` [default: list them]
    #[arg(long, value_name = "TURN")]
    pub(crate) to: Option<String>,
    /// Only the files
    #[arg(long, requires = "to", conflicts_with = "conversation")]
    pub(crate) code: bool,
    /// Only the conversation
    #[arg(long, requires = "to")]
    pub(crate) conversation: bool,
    /// Also restore files that something else changed, or that configure programs
    #[arg(long, requires = "to")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

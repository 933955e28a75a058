//! The arguments of `annals rewind`.

use super::Care;

const REWIND_EXAMPLES: &str = "\
Examples:
  annals rewind last                      the turns, and how many files each changed
  annals rewind last --to 4 --dry-run     what would change
  annals rewind last --to 4               files and conversation, as they were when prompt 4 was sent
  annals rewind last --to last --code     undo what the last turn did to files
  annals rewind 3f2a --to 9c1b --conversation

Files go back to the copies that the client made before its tools changed them; what commands and people changed was not
kept. A file that something else changed since is left, and nothing is done, unless --force. Files outside of the session's
folder, behind links, or with more than one name are never touched. The conversation goes on from before the prompt, in
every client. `annals undo` takes it all back.";

/// `annals rewind`
#[derive(Debug, clap::Args)]
#[command(after_help = REWIND_EXAMPLES)]
pub(crate) struct RewindArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// To before this prompt: its number, the beginning of its id, or `last` [default: list them]
    #[arg(long, value_name = "TURN")]
    pub(crate) to: Option<String>,
    /// Files only
    #[arg(long, requires = "to", conflicts_with = "conversation")]
    pub(crate) code: bool,
    /// The conversation only
    #[arg(long, requires = "to")]
    pub(crate) conversation: bool,
    /// Also files that something else than the session changed since
    #[arg(long, requires = "to")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}

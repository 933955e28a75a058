//! The arguments of `annals files`.

use super::ConfirmArgs;

const FILES_EXAMPLES: &str = "\
Versions are what the tools of sessions read and wrote, and the copies that the
client made. Changes by commands and people have no version, unless a tool read
the file afterwards. --restore writes a version back: `annals undo` reverts it,
and the rules are those of `annals rewind`.

Examples:
  # All files that sessions read or changed, the newest first
  annals files

  # The files that one session changed
  annals files 75a5 --changed

  # The history of a file, with what each version changed
  annals files account/invoice.ts

  # Show what restoring its second version would change
  annals files account/invoice.ts --restore 2 --dry-run";

/// `annals files`
#[derive(Debug, clap::Args)]
#[command(after_help = FILES_EXAMPLES)]
pub(crate) struct FilesArgs {
    /// A session, or a file or the end of its path [default: all files]
    #[arg(value_name = "SESSION|PATH")]
    pub(crate) target: Option<String>,
    /// Only files that were changed, not just read
    #[arg(long)]
    pub(crate) changed: bool,
    /// Show at most N files [default: 50 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print a version unchanged: its number, or a prefix of its digest
    #[arg(long, value_name = "VERSION", requires = "target", conflicts_with = "restore")]
    pub(crate) print: Option<String>,
    /// Restore a version: its number, or a prefix of its digest
    #[arg(long, value_name = "VERSION", requires = "target")]
    pub(crate) restore: Option<String>,
    /// Also restore a file that something else changed, or that configures programs
    #[arg(long, requires = "restore")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

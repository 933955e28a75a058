//! The arguments of `annals archive`.

use super::ConfirmArgs;

const ARCHIVE_EXAMPLES: &str = "\
Clients delete sessions after 30 days by default. The vault, in the data
folder of annals, keeps every version of a session and of the files that
belong to it: compressed, deduplicated, and compared with its SHA-256 on every
read. `annals restore` brings a session back.

Examples:
  # Archive everything that is new
  annals archive --all

  # List the vault; \"gone\" means that the client deleted it
  annals archive --list

  # Read the whole vault, and repair or report damage
  annals archive --verify";

/// `annals archive`
#[derive(Debug, clap::Args)]
#[command(after_help = ARCHIVE_EXAMPLES)]
#[group(id = "mode", multiple = false, args = ["list", "verify", "forget", "watch"])]
pub(crate) struct ArchiveArgs {
    /// Sessions: paths, ids or prefixes, titles, or `last`
    #[arg(value_name = "SESSION", required_unless_present_any = ["all", "list", "verify", "watch"])]
    pub(crate) sessions: Vec<String>,
    /// Archive all sessions of the store
    #[arg(long, conflicts_with_all = ["sessions", "list", "verify", "forget"])]
    pub(crate) all: bool,
    /// Keep running, and archive each session shortly after its last write
    #[arg(long, conflicts_with_all = ["sessions", "dry_run"])]
    pub(crate) watch: bool,
    /// List the vault, or the versions of these sessions
    #[arg(long)]
    pub(crate) list: bool,
    /// Read the whole vault, repair damage, and list what is lost (exit code 3)
    #[arg(long, conflicts_with_all = ["sessions", "dry_run"])]
    pub(crate) verify: bool,
    /// Delete the versions of these sessions from the vault, permanently
    #[arg(long)]
    pub(crate) forget: bool,
    /// With --forget: delete only this version
    #[arg(long, value_name = "VERSION", requires = "forget")]
    pub(crate) version: Option<String>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

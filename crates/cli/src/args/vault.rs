//! The arguments of `annals archive`.

use super::Care;

const ARCHIVE_EXAMPLES: &str = "\
Clients delete sessions after 30 days. The vault, in the data folder of annals, keeps every version of a session and of all
that belongs to it: compressed, de-duplicated, compared with its sha256 whenever it is read.

Examples:
  annals archive --all                    keep all that is new; what is kept already is not read again
  annals archive --all --watch            go on, and keep each session a little after it was last written
  annals archive --list                   what is kept; (gone) is what the client has deleted
  annals archive --list 3f2a              the versions of a session
  annals archive --verify                 read everything; heal or name what is damaged
  annals archive --forget 3f2a            delete its versions for good
  annals restore 3f2a --at 2026-01-03     bring a session back as it was on that day";

/// `annals archive`
#[derive(Debug, clap::Args)]
#[command(after_help = ARCHIVE_EXAMPLES)]
#[group(id = "mode", multiple = false, args = ["list", "verify", "forget", "watch"])]
pub(crate) struct ArchiveArgs {
    /// Which sessions: paths, ids or their beginnings, titles, or `last`
    #[arg(value_name = "SESSION", required_unless_present_any = ["all", "list", "verify", "watch"])]
    pub(crate) sessions: Vec<String>,
    /// All sessions of the store
    #[arg(long, conflicts_with_all = ["sessions", "list", "verify", "forget"])]
    pub(crate) all: bool,
    /// Go on: keep each session a little after it was last written
    #[arg(long, conflicts_with_all = ["sessions", "dry_run"])]
    pub(crate) watch: bool,
    /// List what is kept, or the versions of these sessions
    #[arg(long)]
    pub(crate) list: bool,
    /// Read the whole vault, heal what is damaged, and name what is lost (exit code 3)
    #[arg(long, conflicts_with_all = ["sessions", "dry_run"])]
    pub(crate) verify: bool,
    /// Delete the versions of these sessions from the vault, for good
    #[arg(long)]
    pub(crate) forget: bool,
    /// With --forget: only this version
    #[arg(long, value_name = "VERSION", requires = "forget")]
    pub(crate) version: Option<String>,
    #[command(flatten)]
    pub(crate) care: Care,
}

//! The arguments of the commands that make a session from another.

use std::path::PathBuf;

use super::Care;

const CLONE_EXAMPLES: &str = "\
Examples:
  annals clone last                       a second session that says the same, under ids of its own
  annals clone 3f2a --into ../other       the same in the project of another folder
  annals clone saved.jsonl --into .       a session from elsewhere, in this folder's project";

/// `annals clone`
#[derive(Debug, clap::Args)]
#[command(after_help = CLONE_EXAMPLES)]
pub(crate) struct CloneArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The working directory of the project that it goes to [default: beside the session]
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) care: Care,
}

const FORK_EXAMPLES: &str = "\
Examples:
  annals fork last                        go on elsewhere from its end
  annals fork 3f2a --turn 4               from the end of the fourth turn, as `show --as turns` lists them
  annals fork 3f2a --at UUID              from any record, also before a compaction or on a side branch
  annals fork 3f2a --keep-ids             the lines keep their ids, as when the client branches";

/// `annals fork`
#[derive(Debug, clap::Args)]
#[command(after_help = FORK_EXAMPLES)]
pub(crate) struct ForkArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Go on from this record [default: the end]
    #[arg(long, value_name = "UUID", conflicts_with = "turn")]
    pub(crate) at: Option<String>,
    /// Go on from the end of this turn, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
    /// Copy the lines alone, and leave them their ids
    #[arg(long)]
    pub(crate) keep_ids: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}

//! The arguments of the commands that make a session from another: `clone` and `fork`.

use std::path::PathBuf;

use super::{AtArgs, ConfirmArgs};

const CLONE_EXAMPLES: &str = "\
Examples:
  # A second session with the same content
  annals clone last

  # A copy in the project of another folder
  annals clone 190c --into /srv/app

  # A colleague's session, redacted, into the project of this folder
  annals clone 190c --at https://annals.example.org";

/// `annals clone`
#[derive(Debug, clap::Args)]
#[command(after_help = CLONE_EXAMPLES)]
pub(crate) struct CloneArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Copy it to the project of this working directory [default: the session's own; with --at, this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// Write the session of a team as a bundle to standard output, for `serve --from`
    #[arg(long, hide = true, requires = "at")]
    pub(crate) bundle: bool,
    #[command(flatten)]
    pub(crate) at: AtArgs,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const FORK_EXAMPLES: &str = "\
Examples:
  # Branch off at the end
  annals fork last

  # At the end of the second turn, as `annals show --as turns` counts them
  annals fork 190c --turn 2

  # At the end, keeping the ids of the lines, as the client branches
  annals fork 190c --keep-ids";

/// `annals fork`
#[derive(Debug, clap::Args)]
#[command(after_help = FORK_EXAMPLES)]
pub(crate) struct ForkArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Branch off after this record (id or prefix), even before a compaction or on a side branch [default: the end]
    #[arg(long, value_name = "UUID", conflicts_with = "turn")]
    pub(crate) at: Option<String>,
    /// Branch off at the end of this turn, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
    /// Copy only the lines, and keep their ids
    #[arg(long)]
    pub(crate) keep_ids: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

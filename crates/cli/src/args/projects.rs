//! The arguments of `annals move-project` and `annals merge`.

use super::ConfirmArgs;

const MOVE_EXAMPLES: &str = "\
The sessions of OLD and of the folders below it move to the project of NEW,
with everything that belongs to them: folders of the store, working
directories in records, the index, history.jsonl. The text of conversations
stays as it is. Neither folder needs to exist.

Examples:
  # Show what would change
  annals move-project /home/mira/work/ferrite /srv/ferrite --dry-run

  # By the folder name under projects/
  annals move-project -- -home-mira-work-ferrite /srv/ferrite";

/// `annals move-project`
#[derive(Debug, clap::Args)]
#[command(after_help = MOVE_EXAMPLES)]
pub(crate) struct MoveProjectArgs {
    /// Where the project was, or its folder name under projects/
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// Where it is now
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
    /// Leave the working directories in records as they are
    #[arg(long)]
    pub(crate) keep_cwd: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const MERGE_EXAMPLES: &str = "\
FIRST keeps its id and file, and gets the records that only SECOND has,
appended after its own, with everything that belongs to them. SECOND goes to
the trash.

Examples:
  # Show what would change, and what clients would send
  annals merge 42296 12c3 --anyway --dry-run

  # Join them in this order, although they diverged
  annals merge 42296 12c3 --anyway";

/// `annals merge`
#[derive(Debug, clap::Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// The first half: path, id or prefix, title, or `last`
    #[arg(value_name = "FIRST")]
    pub(crate) first: String,
    /// The second half
    #[arg(value_name = "SECOND")]
    pub(crate) second: String,
    /// Join them in this order even if they diverged or ran at the same time
    #[arg(long)]
    pub(crate) anyway: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

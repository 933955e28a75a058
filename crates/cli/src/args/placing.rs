//! The arguments of the commands that put sessions where they belong.

use super::Care;

const MOVE_EXAMPLES: &str = "\
The sessions of OLD and of the folders below it, with all that belongs to them, go to the project of NEW: folders of the
store, working directories of records, the index, history.jsonl. What was said stays as it was said. OLD need not be there
any more, and NEW need not be there yet.

Examples:
  annals move-project ~/code/app ~/work/app --dry-run    what would be done
  annals move-project ~/code/app ~/work/app              do it
  annals move-project -- -home-me-app ~/work/app         by the name of the folder under projects/";

/// `annals move-project`
#[derive(Debug, clap::Args)]
#[command(after_help = MOVE_EXAMPLES)]
pub(crate) struct MoveProjectArgs {
    /// Where the project was, or the name of its folder under projects/
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// Where it is now
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
    /// Leave the working directories that records name as they are
    #[arg(long)]
    pub(crate) keep_cwd: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}

const MERGE_EXAMPLES: &str = "\
FIRST keeps its id and its file, and gets the records that only SECOND has behind its own, with all that belongs to them.
SECOND goes to the trash.

Examples:
  annals merge 3f2a 7b1c --dry-run     what would be done, and what clients would send
  annals merge 3f2a 7b1c               do it
  annals merge 3f2a 7b1c --anyway      also where they are not two halves of one conversation";

/// `annals merge`
#[derive(Debug, clap::Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// The first half: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "FIRST")]
    pub(crate) first: String,
    /// The second half
    #[arg(value_name = "SECOND")]
    pub(crate) second: String,
    /// Put them one behind the other also where they went apart or ran at the same time
    #[arg(long)]
    pub(crate) anyway: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}

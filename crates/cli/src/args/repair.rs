//! The arguments of `annals repair`.

use annals_surgery::repair::RepairKind;

use super::Care;

const EXAMPLES: &str = "\
Kinds, in the order in which they are made:
  lines, oversize, duplicate-uuid, cycle, dangling-parent, null-parent, forward-reference,
  boundary-without-summary, lost-branch, orphan-tool-result, unanswered-tool-use, thinking-only
The name of a problem, as `annals check` says it, is that of the repair for it.

Examples:
  annals repair last --dry-run                    every line that would change, and what clients would send
  annals repair 3f2a                              mend it; annals undo takes it back
  annals repair 3f2a --only torn-line,dangling-parent";

/// `annals repair`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Only these kinds [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) only: Vec<RepairKind>,
    /// Leave the files of its sub-agents as they are
    #[arg(long)]
    pub(crate) no_agents: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}
